// Package client pays pensions. Most of its methods send once and make a key if
// they are given none; who repeats them is elsewhere.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"retryfreshkey/across/ids"
	"retryfreshkey/across/retry"
)

// ErrThrottled means that the request was turned away before it was looked at.
var ErrThrottled = errors.New("pensions: too many requests")

// Pension is what is paid.
type Pension struct {
	Person string `json:"person"`
	Month  string `json:"month"`
	Cents  int64  `json:"cents"`
}

// Options go with a call.
type Options struct {
	Key string // empty: one is made for the call
}

// Client talks to the pension office.
type Client struct {
	hc   *http.Client
	base string
}

// New returns a client.
func New(hc *http.Client, base string) *Client { return &Client{hc: hc, base: base} }

// NewRequest builds the request of a payment, with a key of its own.
func (c *Client) NewRequest(ctx context.Context, p Pension) (*http.Request, error) {
	return c.Request(ctx, ids.New("pay"), p)
}

// Request builds the request of a payment under a key.
func (c *Client) Request(ctx context.Context, key string, p Pension) (*http.Request, error) {
	body, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/pensions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	return req, nil
}

// send is one attempt.
func (c *Client) send(req *http.Request) (id string, err error) {
	resp, err := c.hc.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusTooManyRequests:
		return "", ErrThrottled
	case resp.StatusCode >= 300:
		return "", fmt.Errorf("pensions: %s", resp.Status)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	return string(b), err
}

// Pay pays, and makes the key.
func (c *Client) Pay(ctx context.Context, p Pension) (id string, err error) {
	req, err := c.NewRequest(ctx, p)
	if err != nil {
		return "", err
	}
	return c.send(req)
}

// PayWith pays under a key of the caller's.
func (c *Client) PayWith(ctx context.Context, key string, p Pension) (id string, err error) {
	req, err := c.Request(ctx, key, p)
	if err != nil {
		return "", err
	}
	return c.send(req)
}

// PayOptions pays under the key of the options, or one that it makes.
func (c *Client) PayOptions(ctx context.Context, p Pension, o Options) (id string, err error) {
	if o.Key == "" {
		o.Key = ids.New("opt")
	}
	return c.PayWith(ctx, o.Key, p)
}

// PayPersistently repeats by itself, and calls the builder each time.
func (c *Client) PayPersistently(ctx context.Context, p Pension) (id string, err error) {
	return retry.Value(ctx, retry.Options{Attempts: 3}, func(ctx context.Context) (string, error) {
		req, err := c.NewRequest(ctx, p) // want `made anew`
		if err != nil {
			return "", retry.Permanent{Err: err}
		}
		return c.send(req)
	})
}

// PayCarefully repeats by itself under one key.
func (c *Client) PayCarefully(ctx context.Context, p Pension) (id string, err error) {
	key := ids.New("pay")
	return retry.Value(ctx, retry.Options{Attempts: 3}, func(ctx context.Context) (string, error) {
		return c.PayWith(ctx, key, p)
	})
}
