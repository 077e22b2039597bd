// Package transports sends orders through chains of RoundTrippers. One repeats
// and one makes a key; it matters which of them is the outer one.
package transports

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"retryfreshkey/uuid"
)

const keyHeader = "Idempotency-Key"

func toss(resp *http.Response) {
	if resp != nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

// reopen copies the request, with a body that can be read again.
func reopen(req *http.Request) (*http.Request, error) {
	out := req.Clone(req.Context())
	if req.GetBody == nil {
		return out, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	out.Body = body
	return out, nil
}

// keyed gives requests that have no key one.
type keyed struct{ next http.RoundTripper }

// RoundTrip leaves the request of its caller as it is, as a RoundTripper must.
func (t keyed) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodPost || req.Header.Get(keyHeader) != "" {
		return t.next.RoundTrip(req)
	}
	req = req.Clone(req.Context())
	req.Header.Set(keyHeader, uuid.NewString())
	return t.next.RoundTrip(req)
}

// overKeyed repeats, and what it repeats gives each attempt a key.
type overKeyed struct{ next keyed }

func (t overKeyed) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		r, err := reopen(req)
		if err != nil {
			return nil, err
		}
		resp, err := t.next.RoundTrip(r) // want `made anew`
		if n == 3 || err == nil && resp.StatusCode < 500 {
			return resp, err
		}
		toss(resp)
		time.Sleep(time.Second << n)
	}
}

// plain repeats what it is given.
type plain struct{ next http.RoundTripper }

func (t plain) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		r, err := reopen(req)
		if err != nil {
			return nil, err
		}
		resp, err := t.next.RoundTrip(r)
		if n == 3 || err == nil && resp.StatusCode < 500 {
			return resp, err
		}
		toss(resp)
		time.Sleep(time.Second << n)
	}
}

// NewKeyOutside has the key made above the transport that repeats.
func NewKeyOutside() *http.Client {
	return &http.Client{Transport: keyed{next: plain{next: http.DefaultTransport}}}
}

// NewKeyInside has it made below.
func NewKeyInside() *http.Client {
	return &http.Client{Transport: overKeyed{next: keyed{next: http.DefaultTransport}}}
}

// stamping makes the key in its own loop.
type stamping struct{ next http.RoundTripper }

func (t stamping) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	for range 3 {
		var r *http.Request
		if r, err = reopen(req); err != nil {
			return nil, err
		}
		r.Header.Set(keyHeader, uuid.NewString()) // want `made anew`
		if resp, err = t.next.RoundTrip(r); err == nil {
			return resp, nil
		}
	}
	return nil, err
}

// stampingOnce makes it before its loop.
type stampingOnce struct{ next http.RoundTripper }

func (t stampingOnce) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	key := req.Header.Get(keyHeader)
	if key == "" {
		key = uuid.NewString()
	}
	for range 3 {
		var r *http.Request
		if r, err = reopen(req); err != nil {
			return nil, err
		}
		r.Header.Set(keyHeader, key)
		if resp, err = t.next.RoundTrip(r); err == nil {
			return resp, nil
		}
	}
	return nil, err
}

// Shop orders.
type Shop struct{ hc *http.Client }

// NewShop returns a Shop whose transport makes keys in its loop.
func NewShop() *Shop {
	return &Shop{hc: &http.Client{Transport: stamping{next: http.DefaultTransport}}}
}

// NewCarefulShop returns one whose transport makes one key.
func NewCarefulShop() *Shop {
	return &Shop{hc: &http.Client{Transport: stampingOnce{next: http.DefaultTransport}}}
}

// Order posts an order through whatever the client is made of.
func (s *Shop) Order(ctx context.Context, url string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	return done(s.hc.Do(req))
}

// OrderStamped posts through the transport that makes keys in its loop.
func OrderStamped(url string, body []byte) error {
	hc := &http.Client{Transport: stamping{next: http.DefaultTransport}}
	return done(hc.Post(url, "application/json", bytes.NewReader(body)))
}

// OrderInside posts through the chain that makes a key per attempt.
func OrderInside(url string, body []byte) error {
	return done(NewKeyInside().Post(url, "application/json", bytes.NewReader(body)))
}

// OrderOutside posts through the one that makes a key per order.
func OrderOutside(url string, body []byte) error {
	return done(NewKeyOutside().Post(url, "application/json", bytes.NewReader(body)))
}

func done(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer toss(resp)
	if resp.StatusCode >= 400 {
		return fmt.Errorf("shop: %s", resp.Status)
	}
	return nil
}

// Loop repeats over a client that makes a key for each request it is handed.
func Loop(ctx context.Context, url string, body []byte) (err error) {
	hc := &http.Client{Transport: keyed{next: http.DefaultTransport}}
	for range 3 {
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if rerr != nil {
			return rerr
		}
		if err = done(hc.Do(req)); err == nil { // want `made anew`
			return nil
		}
	}
	return err
}

// LoopKeyed repeats over the same client with a key, which it leaves alone.
func LoopKeyed(ctx context.Context, url string, body []byte) (err error) {
	hc := &http.Client{Transport: keyed{next: http.DefaultTransport}}
	key := uuid.NewString()
	for range 3 {
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if rerr != nil {
			return rerr
		}
		req.Header.Set(keyHeader, key)
		if err = done(hc.Do(req)); err == nil {
			return nil
		}
	}
	return err
}
