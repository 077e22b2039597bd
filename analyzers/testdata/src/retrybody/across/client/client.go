// Package client keeps herbarium sheets. Its methods send once, and read what
// they are given; who repeats them is elsewhere.
package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"retrybody/across/retry"
)

// Client talks to the herbarium.
type Client struct {
	hc   *http.Client
	base string
}

// Sheet is one sheet, ready to be sent.
type Sheet struct {
	Name string
	Scan io.Reader
}

// New returns a client.
func New(hc *http.Client, base string) *Client { return &Client{hc: hc, base: base} }

// NewRequest builds a request that reads scan.
func (c *Client) NewRequest(ctx context.Context, name string, scan io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, c.base+"/sheets/"+name, scan)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "image/tiff")
	return req, nil
}

// Send sends a request once.
func (c *Client) Send(req *http.Request) error {
	resp, err := c.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode >= 300 {
		return fmt.Errorf("herbarium: %s", resp.Status)
	}
	return nil
}

// Put reads scan and sends it once.
func (c *Client) Put(ctx context.Context, name string, scan io.Reader) error {
	req, err := c.NewRequest(ctx, name, scan)
	if err != nil {
		return err
	}
	return c.Send(req)
}

// PutBytes sends bytes once, through a reader of its own.
func (c *Client) PutBytes(ctx context.Context, name string, scan []byte) error {
	return c.Put(ctx, name, bytes.NewReader(scan))
}

// PutSheet reads the scan of a sheet and sends it once.
func (c *Client) PutSheet(ctx context.Context, s Sheet) error {
	return c.Put(ctx, s.Name, s.Scan)
}

// PutSeek goes to the beginning of scan and sends it once.
func (c *Client) PutSeek(ctx context.Context, name string, scan io.ReadSeeker) error {
	if _, err := scan.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return c.Put(ctx, name, io.NopCloser(scan))
}

// PutCopy reads scan to its end, and repeats what it read.
func (c *Client) PutCopy(ctx context.Context, name string, scan io.Reader) error {
	data, err := io.ReadAll(scan)
	if err != nil {
		return err
	}
	return retry.Do(ctx, 3, func(ctx context.Context) error { return c.PutBytes(ctx, name, data) })
}

// PutAgain repeats over scan itself.
func (c *Client) PutAgain(ctx context.Context, name string, scan io.Reader) error {
	return retry.Do(ctx, 3, func(ctx context.Context) error {
		req, err := c.NewRequest(ctx, name, scan) // want `body`
		if err != nil {
			return err
		}
		return c.Send(req)
	})
}
