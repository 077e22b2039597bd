// Package prompts is a generated client: it takes whatever has a Do.
package prompts

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"retrynokey/across/sdk/resend"
)

type doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Client keeps versions of texts. The constructor decides what d is.
type Client struct {
	base string
	d    doer
}

// New returns a Client that keeps at it.
func New(base string) *Client {
	return &Client{base: base, d: resend.Wrap(http.DefaultClient, 3)}
}

func (c *Client) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

func check(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("prompts: %s", resp.Status)
	}
	return nil
}

// Store makes a new version.
func (c *Client) Store(ctx context.Context, text []byte) error {
	req, err := c.request(ctx, http.MethodPost, "/prompts", text)
	if err != nil {
		return err
	}
	return check(c.d.Do(req)) // want "POST is sent again after .* without an idempotency key"
}

// StoreVersion is silent: the version is its name, and a second one is refused.
func (c *Client) StoreVersion(ctx context.Context, version string, text []byte) error {
	req, err := c.request(ctx, http.MethodPut, "/prompts/"+version, text)
	if err != nil {
		return err
	}
	return check(c.d.Do(req))
}

// StoreKeyed is silent: the key travels with the request.
func (c *Client) StoreKeyed(ctx context.Context, draft string, text []byte) error {
	req, err := c.request(ctx, http.MethodPost, "/prompts", text)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", "draft-"+draft)
	return check(c.d.Do(req))
}

// Once sends what it is given a single time.
type Once struct{ d doer }

// NewOnce leaves the client as it is.
func NewOnce() *Once { return &Once{d: &http.Client{}} }

// Store is silent: nothing repeats.
func (o *Once) Store(ctx context.Context, url string, text []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	return check(o.d.Do(req))
}

// Guarded goes through a layer that wants a key.
type Guarded struct{ d doer }

// NewGuarded builds it.
func NewGuarded() *Guarded { return &Guarded{d: resend.WrapKeyed(http.DefaultClient)} }

// Store is silent: without a key the other package does not repeat.
func (g *Guarded) Store(ctx context.Context, url string, text []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	return check(g.d.Do(req))
}
