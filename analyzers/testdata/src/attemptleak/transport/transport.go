// Package transport sends again below the client.
package transport

import (
	"io"
	"net/http"
	"time"
)

// Again sends reads again; what it does not return is still open.
type Again struct {
	Next http.RoundTripper
	Max  int
}

// RoundTrip implements http.RoundTripper.
func (t *Again) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return t.Next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		resp, err := t.Next.RoundTrip(req) // want "not closed"
		if n >= t.Max || err == nil && resp.StatusCode < 500 {
			return resp, err
		}
		time.Sleep(time.Duration(n+1) * 100 * time.Millisecond)
	}
}

// Func decides by a function of the package.
type Func struct {
	next http.RoundTripper
	stop func(*http.Response, error) bool
}

// New returns a Func that goes by the status.
func New(next http.RoundTripper) *Func { return &Func{next: next, stop: settled} }

func settled(resp *http.Response, err error) bool {
	return err == nil && resp.StatusCode != http.StatusBadGateway && resp.StatusCode != http.StatusServiceUnavailable
}

// RoundTrip implements http.RoundTripper.
func (f *Func) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	if req.Body != nil {
		return f.next.RoundTrip(req)
	}
	for range 3 {
		resp, err = f.next.RoundTrip(req.Clone(req.Context())) // want "not closed"
		if f.stop(resp, err) {
			return resp, err
		}
	}
	return resp, err
}

// From here on: nothing to report.

// Drained reads a little and closes.
type Drained struct {
	next http.RoundTripper
	max  int
}

// RoundTrip implements http.RoundTripper.
func (t *Drained) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return t.next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if n >= t.max || settled(resp, err) {
			return resp, err
		}
		if err == nil {
			io.Copy(io.Discard, io.LimitReader(resp.Body, 4096))
			resp.Body.Close()
		}
	}
}

// Previous closes at the top of the next round.
type Previous struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t Previous) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	if req.Method != http.MethodGet {
		return t.next.RoundTrip(req)
	}
	for n := range 3 {
		if n > 0 {
			if resp != nil {
				resp.Body.Close()
			}
			time.Sleep(time.Second)
		}
		resp, err = t.next.RoundTrip(req)
		if settled(resp, err) {
			break
		}
	}
	return resp, err
}

// Hooked tells somebody of every failure; what they do with it is theirs.
type Hooked struct {
	next   http.RoundTripper
	Failed func(*http.Response, error)
}

// RoundTrip implements http.RoundTripper.
func (t *Hooked) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return t.next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if n == 2 || settled(resp, err) {
			return resp, err
		}
		t.Failed(resp, err)
	}
}

// Renewed sends once more after a refusal, with what was closed.
type Renewed struct {
	next  http.RoundTripper
	token func() string
}

// RoundTrip implements http.RoundTripper.
func (t *Renewed) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || req.Body != nil {
		return resp, err
	}
	resp.Body.Close()
	r := req.Clone(req.Context())
	r.Header.Set("Authorization", "Bearer "+t.token())
	return t.next.RoundTrip(r)
}
