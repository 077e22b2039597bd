// Package kit is a client with options, which retries.
package kit

import (
	"errors"
	"net/http"
	"time"
)

type settings struct {
	attempts int
	pause    time.Duration
}

// An Option changes a Client.
type Option func(*settings)

// Attempts sets how often a request is sent.
func Attempts(n int) Option { return func(s *settings) { s.attempts = n } }

// A Client sends requests.
type Client struct {
	settings settings
	http     http.Client
}

// New returns a Client.
func New(options ...Option) *Client {
	s := settings{attempts: 3, pause: time.Millisecond}
	for _, o := range options {
		o(&s)
	}
	return &Client{settings: s}
}

var errIll = errors.New("the server is ill")

// Get gets a URL.
func (c *Client) Get(url string) (*http.Response, error) {
	err := errIll
	for n := 0; n < c.settings.attempts; n++ {
		var resp *http.Response
		if resp, err = c.http.Get(url); err == nil {
			if resp.StatusCode < 500 {
				return resp, nil
			}
			resp.Body.Close()
			err = errIll
		}
		time.Sleep(c.settings.pause)
	}
	return nil, err
}
