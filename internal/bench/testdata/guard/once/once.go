// Package once sends every request once: many functions, none worth a look.
package once

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Client is a client of an API.
type Client struct {
	base string
	http *http.Client
}

func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return failure(resp)
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

func failure(resp *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	return fmt.Errorf("%s: %s (%w)", resp.Status, text, err)
}

// Get gets.
func (c *Client) Get(ctx context.Context, id string) (out string, err error) {
	return out, c.call(ctx, http.MethodGet, "/"+id, nil, &out)
}

// Create creates.
func (c *Client) Create(ctx context.Context, in string) (out string, err error) {
	return out, c.call(ctx, http.MethodPost, "/", in, &out)
}

// Update updates.
func (c *Client) Update(ctx context.Context, id, in string) (out string, err error) {
	return out, c.call(ctx, http.MethodPatch, "/"+id, in, &out)
}

// Delete deletes.
func (c *Client) Delete(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, "/"+id, nil, nil)
}
