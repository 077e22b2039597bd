// Package persist stands for a library with a client that tries again.
package persist

import (
	"io"
	"net/http"
	"time"
)

// Client sends a request up to 1+Max times.
type Client struct {
	Max   int
	Plain *http.Client
	Log   func(string)
}

// New returns a client that tries five times.
func New() *Client { return &Client{Max: 4, Plain: http.DefaultClient} }

// Do sends, and sends again.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	for i := 0; ; i++ {
		if i > 0 && req.GetBody != nil {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			req.Body = body
		}
		if c.Log != nil {
			c.Log(req.URL.String())
		}
		resp, err := c.Plain.Do(req)
		if err == nil && resp.StatusCode < 500 {
			return resp, nil
		}
		if i == c.Max {
			return resp, err
		}
		if resp != nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		time.Sleep(time.Second)
	}
}

// Standard returns a client of net/http that does the same.
func (c *Client) Standard() *http.Client { return &http.Client{Transport: &RoundTripper{Client: c}} }

// RoundTripper sends through a Client.
type RoundTripper struct{ Client *Client }

// RoundTrip sends, and sends again.
func (t *RoundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return t.Client.Do(req) }
