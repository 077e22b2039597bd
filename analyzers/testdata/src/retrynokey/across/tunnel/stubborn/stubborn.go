// Package stubborn has transports that send again.
package stubborn

import (
	"io"
	"net/http"
	"time"
)

// Transport sends again whatever it is given.
type Transport struct {
	Next    http.RoundTripper
	Retries int
}

// New returns a Transport over next, or over net/http's if that is nil.
func New(next http.RoundTripper, retries int) *Transport {
	if next == nil {
		next = http.DefaultTransport
	}
	return &Transport{Next: next, Retries: retries}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		r := req
		if n > 0 && req.GetBody != nil {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			r = req.Clone(req.Context())
			r.Body = body
		}
		resp, err := t.Next.RoundTrip(r) // want "any method"
		if n >= t.Retries || err == nil && resp.StatusCode < 500 {
			return resp, err
		}
		toss(resp)
		time.Sleep(time.Duration(n+1) * 100 * time.Millisecond)
	}
}

func toss(resp *http.Response) {
	if resp != nil {
		io.Copy(io.Discard, io.LimitReader(resp.Body, 16<<10))
		resp.Body.Close()
	}
}

// ReadOnly sends reads again, and nothing else.
type ReadOnly struct{ Next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t ReadOnly) RoundTrip(req *http.Request) (*http.Response, error) {
	switch req.Method {
	case http.MethodGet, http.MethodHead:
	default:
		return t.Next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		resp, err := t.Next.RoundTrip(req)
		if n == 3 || err == nil && resp.StatusCode < 500 {
			return resp, err
		}
		toss(resp)
	}
}

// Polite sends again what the server had no time for.
type Polite struct{ Next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t Polite) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		r := req
		if n > 0 && req.GetBody != nil {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			r = req.Clone(req.Context())
			r.Body = body
		}
		resp, err := t.Next.RoundTrip(r)
		if err != nil || resp.StatusCode != http.StatusTooManyRequests || n == 3 {
			return resp, err
		}
		toss(resp)
		time.Sleep(time.Second)
	}
}
