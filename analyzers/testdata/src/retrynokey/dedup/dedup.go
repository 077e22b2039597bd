// Package dedup has retries whose second attempt cannot happen, or is told
// from the first by the receiver: a kiln that reports its firings.
package dedup

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
)

type firingKey struct{}

// stamped adds the number of the firing, which stands in the context.
type stamped struct{ next http.RoundTripper }

func (s stamped) RoundTrip(req *http.Request) (*http.Response, error) {
	if n, ok := req.Context().Value(firingKey{}).(string); ok {
		req = req.Clone(req.Context())
		req.Header.Set("Idempotency-Key", n)
	}
	return s.next.RoundTrip(req)
}

var client = &http.Client{Transport: stamped{http.DefaultTransport}}

// ByTransport leaves the key to the client's transport.
func ByTransport(ctx context.Context, url, number string, body []byte) (resp *http.Response, err error) {
	ctx = context.WithValue(ctx, firingKey{}, number)
	for range 3 {
		req, e := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(body))
		if e != nil {
			return nil, e
		}
		if resp, err = client.Do(req); err == nil {
			return resp, nil
		}
	}
	return nil, err
}

// Once sends a single time, however often it goes round.
func Once(hc *http.Client, url string) (err error) {
	var once sync.Once
	for range 3 {
		once.Do(func() {
			req, e := http.NewRequest("POST", url, nil)
			if e != nil {
				err = e
				return
			}
			var resp *http.Response
			if resp, err = hc.Do(req); err == nil {
				resp.Body.Close()
			}
		})
		if err == nil {
			return nil
		}
	}
	return err
}

// Flag asks an atomic flag before it sends.
type Flag struct{ sent atomic.Bool }

func (f *Flag) send(rt http.RoundTripper, url string) error {
	var err error
	for range 3 {
		if !f.sent.CompareAndSwap(false, true) {
			return err
		}
		req, e := http.NewRequest("POST", url, nil)
		if e != nil {
			return e
		}
		var resp *http.Response
		if resp, err = rt.RoundTrip(req); err == nil {
			return resp.Body.Close()
		}
	}
	return err
}

// Fire uses it.
func (f *Flag) Fire(url string) error { return f.send(http.DefaultTransport, url) }

func through(rt http.RoundTripper, method, url, header, value, body string) error {
	var err error
	for range 3 {
		req, e := http.NewRequest("POST", url, strings.NewReader(body))
		if e != nil {
			return e
		}
		req.Header.Set(header, value)
		var resp *http.Response
		if resp, err = rt.RoundTrip(req); err == nil {
			return resp.Body.Close()
		}
	}
	return err
}

// Look asks a table by the name of the operation in a header.
func Look(rt http.RoundTripper, url, body string) error {
	return through(rt, "POST", url, "X-Amz-Target", "DynamoDB_20120810.GetItem", body)
}

// Event carries the id by which receivers of webhooks tell repeats.
func Event(rt http.RoundTripper, url, id, body string) error {
	return through(rt, "POST", url, "Webhook-Id", id, body)
}

// Merge says what should be.
func Merge(rt http.RoundTripper, url, body string) error {
	return through(rt, "POST", url, "Content-Type", "application/merge-patch+json", body)
}

// Ask selects.
func Ask(rt http.RoundTripper, base string) error {
	form := url.Values{}
	form.Set("query", "SELECT ?kiln WHERE { ?kiln a :Hot }")
	var err error
	for range 3 {
		req, e := http.NewRequest("POST", base, strings.NewReader(form.Encode()))
		if e != nil {
			return e
		}
		var resp *http.Response
		if resp, err = rt.RoundTrip(req); err == nil {
			return resp.Body.Close()
		}
	}
	return err
}

// GetOrCreateKiln does not only read, whatever its name begins with.
func GetOrCreateKiln(rt http.RoundTripper, url, body string) error {
	var err error
	for range 3 {
		req, e := http.NewRequest("POST", url, strings.NewReader(body))
		if e != nil {
			return e
		}
		var resp *http.Response
		if resp, err = rt.RoundTrip(req); err == nil { // want "POST"
			return resp.Body.Close()
		}
	}
	return err
}
