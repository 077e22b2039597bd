// Package api is a client library: options decide how often it tries.
package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Client sends what it is given.
type Client struct {
	hc      *http.Client
	base    string
	retries int
	wait    time.Duration
	header  http.Header
}

// Option changes a Client that is being made.
type Option func(*Client)

// WithRetries sets how often a request is sent again; it is not, by default.
func WithRetries(n int) Option { return func(c *Client) { c.retries = n } }

// WithWait sets the pause before the second attempt.
func WithWait(d time.Duration) Option { return func(c *Client) { c.wait = d } }

// WithHTTPClient replaces the client below.
func WithHTTPClient(hc *http.Client) Option { return func(c *Client) { c.hc = hc } }

// New returns a Client of the service at base.
func New(base string, opts ...Option) *Client {
	c := &Client{hc: &http.Client{Timeout: 20 * time.Second}, base: base, wait: 200 * time.Millisecond, header: http.Header{}}
	for _, o := range opts {
		o(c)
	}
	return c
}

// ErrGivenUp says that no attempt worked.
var ErrGivenUp = errors.New("api: given up")

// Call sends one operation, and again when it fails.
func (c *Client) Call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	return c.call(ctx, method, path, "", body)
}

// CallOnce sends under a key; the server knows a repeat by it.
func (c *Client) CallOnce(ctx context.Context, key, method, path string, body []byte) ([]byte, error) {
	return c.call(ctx, method, path, key, body)
}

func (c *Client) call(ctx context.Context, method, path, key string, body []byte) ([]byte, error) {
	last := ErrGivenUp
	for n := 0; n <= c.retries; n++ {
		if n > 0 {
			select {
			case <-ctx.Done():
				return nil, errors.Join(last, ctx.Err())
			case <-time.After(c.wait << n):
			}
		}
		req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		if key != "" {
			req.Header.Set("Idempotency-Key", key)
		}
		resp, err := c.hc.Do(req) // want "any method|POST"
		if err != nil {
			last = err
			continue
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		switch {
		case resp.StatusCode >= 500:
			last = fmt.Errorf("api: %s", resp.Status)
		case resp.StatusCode >= 400:
			return nil, fmt.Errorf("api: %s: %s", resp.Status, b)
		default:
			return b, err
		}
	}
	return nil, last
}
