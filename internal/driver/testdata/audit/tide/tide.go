// Package tide is a client of a service that tells the tides, in the ways in which
// calls are written: one helper for all of them, retries around it, and limits.
package tide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Client asks the service.
type Client struct {
	base string
	http *http.Client
}

// New makes a client that waits ten seconds for an answer.
func New(base string) *Client {
	return &Client{base: base, http: &http.Client{Timeout: 10 * time.Second}}
}

// Now asks once.
func (c *Client) Now(ctx context.Context, port string) ([]byte, error) {
	return c.do(ctx, http.MethodGet, "/v1/ports/"+port+"/tide", nil)
}

// Report sends a reading, and tries again whatever happens.
func (c *Client) Report(ctx context.Context, port string, metres float64) error {
	body, err := json.Marshal(map[string]any{"port": port, "metres": metres})
	if err != nil {
		return err
	}
	for range 3 {
		if _, err = c.do(ctx, http.MethodPost, "/v1/readings", body); err == nil {
			return nil
		}
	}
	return err
}

// Rename has a minute for all of its attempts.
func (c *Client) Rename(ctx context.Context, port, name string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return again(4, func() error {
		_, err := c.do(ctx, http.MethodPut, fmt.Sprintf("/v1/ports/%s/name", port), []byte(name))
		return err
	})
}

// Close has two seconds for each attempt, and a key for all.
func (c *Client) Close(ctx context.Context, port, key string) error {
	return again(2, func() error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/v1/closures?port="+port, nil)
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", key)
		_, err = c.send(req)
		return err
	})
}

// do makes one request.
func (c *Client) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return c.send(req)
}

func (c *Client) send(req *http.Request) ([]byte, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return nil, errors.New(resp.Status)
	}
	return io.ReadAll(resp.Body)
}

func again(times int, f func() error) error {
	var err error
	for range times {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}
