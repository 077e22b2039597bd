// Package resend wraps what has a Do, and calls it again.
package resend

import (
	"io"
	"net/http"
	"time"
)

// Doer is met by *http.Client.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Client is a Doer over a Doer.
type Client struct {
	next Doer
	max  int
}

// Wrap returns a Client that sends up to max times.
func Wrap(next Doer, max int) *Client { return &Client{next: next, max: max} }

// Do sends a request, and again after a failure.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	for n := 1; ; n++ {
		if n > 1 && req.GetBody != nil {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			req.Body = body
		}
		resp, err := c.next.Do(req) // want "any method"
		if n >= c.max || err == nil && resp.StatusCode < 500 {
			return resp, err
		}
		if err == nil {
			io.Copy(io.Discard, io.LimitReader(resp.Body, 4<<10))
			resp.Body.Close()
		}
		select {
		case <-req.Context().Done():
			return nil, req.Context().Err()
		case <-time.After(time.Duration(n) * time.Second):
		}
	}
}

// Keyed is a Doer that sends again only what carries a key.
type Keyed struct{ next Doer }

// WrapKeyed returns a Keyed.
func WrapKeyed(next Doer) *Keyed { return &Keyed{next: next} }

// Do sends a request, and again if it has a key.
func (k *Keyed) Do(req *http.Request) (*http.Response, error) {
	for n := 1; ; n++ {
		resp, err := k.next.Do(req)
		if err == nil || n == 3 || req.Header.Get("Idempotency-Key") == "" {
			return resp, err
		}
	}
}
