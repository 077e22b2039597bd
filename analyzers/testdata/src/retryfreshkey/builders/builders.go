// Package builders books ferry tickets. The key is set where the request is
// built, one or more calls below the loop that sends it again.
package builders

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"retryfreshkey/uuid"
)

// Booking is one ticket.
type Booking struct {
	Sailing string `json:"sailing"`
	Name    string `json:"name"`
}

// Line sells tickets.
type Line struct {
	hc    *http.Client
	base  string
	token string
}

// Option changes a request before it is sent.
type Option func(*http.Request)

// WithKey sends a key that the caller keeps.
func WithKey(key string) Option {
	return func(req *http.Request) { req.Header.Set("Idempotency-Key", key) }
}

// WithFreshKey makes a key whenever it is applied.
func WithFreshKey() Option {
	return func(req *http.Request) { req.Header.Set("Idempotency-Key", uuid.NewString()) }
}

// WithLanguage says in which language the ticket is printed.
func WithLanguage(tag string) Option {
	return func(req *http.Request) { req.Header.Set("Accept-Language", tag) }
}

func retryable(resp *http.Response, err error) bool {
	return err != nil || resp.StatusCode == http.StatusBadGateway || resp.StatusCode == http.StatusGatewayTimeout
}

func pause(ctx context.Context, n int) error {
	select {
	case <-time.After(time.Duration(1<<n) * 100 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// shut reads and closes what a failed attempt answered.
func shut(resp *http.Response) {
	if resp != nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
		_ = resp.Body.Close()
	}
}

func newKey() string { return "bk_" + uuid.NewString() }

// newRequest makes the key of a booking, among other headers.
func (l *Line) newRequest(ctx context.Context, path string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+l.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", newKey())
	return req, nil
}

// keyedRequest takes the key from its caller.
func (l *Line) keyedRequest(ctx context.Context, path, key string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+l.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", cmp.Or(key, newKey()))
	return req, nil
}

// editedRequest applies options.
func (l *Line) editedRequest(ctx context.Context, path string, body []byte, opts ...Option) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, opt := range opts {
		opt(req)
	}
	return req, nil
}

// Book asks the builder for each attempt.
func (l *Line) Book(ctx context.Context, b Booking) (*http.Response, error) {
	body, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		req, err := l.newRequest(ctx, "/bookings", body) // want `made anew`
		if err != nil {
			return nil, err
		}
		resp, err := l.hc.Do(req)
		if n == 3 || !retryable(resp, err) {
			return resp, err
		}
		shut(resp)
		if err := pause(ctx, n); err != nil {
			return nil, err
		}
	}
}

// BookOnce asks the builder once, and opens the body again for each attempt.
func (l *Line) BookOnce(ctx context.Context, b Booking) (*http.Response, error) {
	body, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	req, err := l.newRequest(ctx, "/bookings", body)
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		if req.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
		resp, err := l.hc.Do(req)
		if n == 3 || !retryable(resp, err) {
			return resp, err
		}
		shut(resp)
		if err := pause(ctx, n); err != nil {
			return nil, err
		}
	}
}

// Change lets the builder make a key: an empty one is given.
func (l *Line) Change(ctx context.Context, id string, b Booking) (*http.Response, error) {
	body, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		req, err := l.keyedRequest(ctx, "/bookings/"+id, "", body) // want `made anew`
		if err != nil {
			return nil, err
		}
		resp, err := l.hc.Do(req)
		if n == 3 || !retryable(resp, err) {
			return resp, err
		}
		shut(resp)
		if err := pause(ctx, n); err != nil {
			return nil, err
		}
	}
}

// ChangeKeyed gives a key, so the builder's own is not used.
func (l *Line) ChangeKeyed(ctx context.Context, id string, b Booking) (*http.Response, error) {
	body, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	key := newKey()
	for n := 0; ; n++ {
		req, err := l.keyedRequest(ctx, "/bookings/"+id, key, body)
		if err != nil {
			return nil, err
		}
		resp, err := l.hc.Do(req)
		if n == 3 || !retryable(resp, err) {
			return resp, err
		}
		shut(resp)
		if err := pause(ctx, n); err != nil {
			return nil, err
		}
	}
}

// submit builds and sends; Refund repeats it.
func (l *Line) submit(ctx context.Context, path string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	req, err := l.newRequest(ctx, path, body)
	if err != nil {
		return err
	}
	resp, err := l.hc.Do(req)
	if err != nil {
		return err
	}
	defer shut(resp)
	if resp.StatusCode >= 400 {
		return fmt.Errorf("ferry line: %s", resp.Status)
	}
	return nil
}

// Refund is three calls above the place where the key is made.
func (l *Line) Refund(ctx context.Context, id string) (err error) {
	for n := range 4 {
		err = l.submit(ctx, "/refunds", map[string]string{"booking": id}) // want `made anew`
		if err == nil {
			return nil
		}
		if werr := pause(ctx, n); werr != nil {
			return werr
		}
	}
	return err
}

// RefundAll sends one refund after the other, each a single time.
func (l *Line) RefundAll(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if err := l.submit(ctx, "/refunds", map[string]string{"booking": id}); err != nil {
			return err
		}
	}
	return nil
}

// Hold applies an option that makes a key, in every round.
func (l *Line) Hold(ctx context.Context, body []byte) error {
	opts := []Option{WithLanguage("is"), WithFreshKey()}
	for n := range 3 {
		req, err := l.editedRequest(ctx, "/holds", body, opts...) // want `made anew`
		if err != nil {
			return err
		}
		resp, err := l.hc.Do(req)
		if !retryable(resp, err) {
			shut(resp)
			return nil
		}
		shut(resp)
		if err := pause(ctx, n); err != nil {
			return err
		}
	}
	return fmt.Errorf("no hold")
}

// HoldKeyed applies an option that holds a key.
func (l *Line) HoldKeyed(ctx context.Context, body []byte) error {
	opts := []Option{WithLanguage("is"), WithKey(newKey())}
	for n := range 3 {
		req, err := l.editedRequest(ctx, "/holds", body, opts...)
		if err != nil {
			return err
		}
		resp, err := l.hc.Do(req)
		if !retryable(resp, err) {
			shut(resp)
			return nil
		}
		shut(resp)
		if err := pause(ctx, n); err != nil {
			return err
		}
	}
	return fmt.Errorf("no hold")
}

// stamp writes the key, if there is none yet.
func stamp(req *http.Request) {
	if req.Header.Get("Idempotency-Key") == "" {
		req.Header.Set("Idempotency-Key", newKey())
	}
}

// Cancel stamps a request that is new in each round, so it never has a key yet.
func (l *Line) Cancel(ctx context.Context, id string) error {
	for n := range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.base+"/bookings/"+id+"/cancel", nil)
		if err != nil {
			return err
		}
		stamp(req) // want `made anew`
		resp, err := l.hc.Do(req)
		if !retryable(resp, err) {
			shut(resp)
			return nil
		}
		shut(resp)
		if err := pause(ctx, n); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s not cancelled", id)
}

// CancelSame stamps one request, which has a key from the second round on.
func (l *Line) CancelSame(ctx context.Context, id string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.base+"/bookings/"+id+"/cancel", nil)
	if err != nil {
		return err
	}
	for n := range 3 {
		stamp(req)
		resp, err := l.hc.Do(req)
		if !retryable(resp, err) {
			shut(resp)
			return nil
		}
		shut(resp)
		if err := pause(ctx, n); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s not cancelled", id)
}
