// Package responses wraps answers in types of its own, as generated clients
// do; the body is still inside.
package responses

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

// Client is one of an address book.
type Client struct {
	hc   *http.Client
	base string
}

// Response is an answer with what was read of its headers.
type Response struct {
	*http.Response
	Remaining string
	Took      time.Duration
}

// Close closes the body.
func (r *Response) Close() error {
	if r == nil {
		return nil
	}
	return r.Body.Close()
}

// call is one exchange.
func (c *Client) call(ctx context.Context, path string) (*Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	resp, err := c.hc.Do(req)
	if err != nil {
		return nil, err
	}
	return &Response{resp, resp.Header.Get("RateLimit-Remaining"), time.Since(began)}, nil
}

func wait(ctx context.Context, n int) error {
	select {
	case <-time.After(100 * time.Millisecond << n):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Address returns what is wrapped, and drops what is wrapped.
func (c *Client) Address(ctx context.Context, name string) (*Response, error) {
	for n := 0; ; n++ {
		resp, err := c.call(ctx, "/names/"+name) // want "not closed"
		if n == 3 || err == nil && resp.StatusCode < 500 {
			return resp, err
		}
		if err := wait(ctx, n); err != nil {
			return nil, err
		}
	}
}

// result is one attempt's, whole.
type result struct {
	resp  *http.Response
	err   error
	again bool
}

func (c *Client) attempt(ctx context.Context, path string) result {
	resp, err := c.call(ctx, path)
	if err != nil {
		return result{err: err, again: true}
	}
	return result{resp: resp.Response, again: resp.StatusCode == http.StatusBadGateway || resp.StatusCode == http.StatusTooManyRequests}
}

// Street has the answer in a struct that also says whether to go on.
func (c *Client) Street(ctx context.Context, name string) (*http.Response, error) {
	var last result
	for n := range 4 {
		last = c.attempt(ctx, "/streets/"+name) // want "not closed"
		if !last.again {
			break
		}
		if err := wait(ctx, n); err != nil {
			return nil, err
		}
	}
	return last.resp, last.err
}

// StatusError carries the answer in an error.
type StatusError struct{ Response *http.Response }

func (e *StatusError) Error() string { return "address book: " + e.Response.Status }

// fetch makes an error of it; the body is in the error.
func (c *Client) fetch(ctx context.Context, path string) (*http.Response, error) {
	resp, err := c.call(ctx, path)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 {
		return nil, &StatusError{resp.Response}
	}
	return resp.Response, nil
}

// House looks into the error, and goes round with it.
func (c *Client) House(ctx context.Context, name string) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := c.fetch(ctx, "/houses/"+name) // want "not closed"
		var status *StatusError
		if n == 3 || !errors.As(err, &status) || status.Response.StatusCode < 500 {
			return resp, err
		}
		if err := wait(ctx, n); err != nil {
			return nil, err
		}
	}
}

// From here on: nothing to report.

// AddressClosed closes by the method of the wrapper.
func (c *Client) AddressClosed(ctx context.Context, name string) (*Response, error) {
	for n := 0; ; n++ {
		resp, err := c.call(ctx, "/names/"+name)
		if n == 3 || err == nil && resp.StatusCode < 500 {
			return resp, err
		}
		_ = resp.Close()
		if err := wait(ctx, n); err != nil {
			return nil, err
		}
	}
}

// StreetClosed closes through the struct.
func (c *Client) StreetClosed(ctx context.Context, name string) (*http.Response, error) {
	for n := 0; ; n++ {
		r := c.attempt(ctx, "/streets/"+name)
		if n == 3 || !r.again {
			return r.resp, r.err
		}
		if r.resp != nil {
			r.resp.Body.Close()
		}
		if err := wait(ctx, n); err != nil {
			return nil, err
		}
	}
}

// HouseClosed closes through the error.
func (c *Client) HouseClosed(ctx context.Context, name string) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := c.fetch(ctx, "/houses/"+name)
		var status *StatusError
		if n == 3 || !errors.As(err, &status) {
			return resp, err
		}
		status.Response.Body.Close()
		if err := wait(ctx, n); err != nil {
			return nil, err
		}
	}
}

// Page is an answer in memory.
type Page struct {
	Status int
	Header http.Header
	Body   []byte
}

func (c *Client) page(ctx context.Context, path string) (*Page, error) {
	resp, err := c.call(ctx, path)
	if err != nil {
		return nil, err
	}
	defer resp.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	return &Page{resp.StatusCode, resp.Header, b}, nil
}

// Page has nothing that could be open.
func (c *Client) Page(ctx context.Context, path string, v any) error {
	for n := 0; ; n++ {
		p, err := c.page(ctx, path)
		if err == nil && p.Status < 500 {
			return json.NewDecoder(bytes.NewReader(p.Body)).Decode(v)
		}
		if n == 3 {
			return errors.Join(err, fmt.Errorf("no %s", path))
		}
		if err := wait(ctx, n); err != nil {
			return err
		}
	}
}
