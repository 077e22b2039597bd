package roundtripper

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// HalfBuffered keeps small answers in memory, and hands on what is large, whose
// context has then ended.
type HalfBuffered struct {
	next  http.RoundTripper
	limit time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t *HalfBuffered) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), t.limit)
	defer cancel() // want "before the body is read"
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	if resp.ContentLength < 0 || resp.ContentLength > 1<<20 {
		return resp, nil
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(b))
	return resp, nil
}

// From here on: nothing to report.

// Buffered reads every answer before it returns.
type Buffered struct {
	next  http.RoundTripper
	limit time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t *Buffered) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), t.limit)
	defer cancel()
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(b))
	resp.ContentLength = int64(len(b))
	return resp, nil
}

// Tied ends the context when the body is closed.
type Tied struct {
	next  http.RoundTripper
	limit time.Duration
}

type tiedBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *tiedBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// RoundTrip implements http.RoundTripper.
func (t *Tied) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), t.limit)
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = &tiedBody{resp.Body, cancel}
	return resp, nil
}

// Renewing limits how long it asks for a token, not how long the request takes.
type Renewing struct {
	next  http.RoundTripper
	token func(context.Context) (string, error)
}

// RoundTrip implements http.RoundTripper.
func (t *Renewing) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), 3*time.Second)
	defer cancel()
	tok, err := t.token(ctx)
	if err != nil {
		return nil, err
	}
	r := req.Clone(req.Context())
	r.Header.Set("Authorization", "Bearer "+tok)
	return t.next.RoundTrip(r)
}

// Probing asks whether the server is there, and that answer stays here.
type Probing struct {
	next  http.RoundTripper
	probe string
	once  sync.Once
	down  error
}

// RoundTrip implements http.RoundTripper.
func (t *Probing) RoundTrip(req *http.Request) (*http.Response, error) {
	t.once.Do(func() {
		ctx, cancel := context.WithTimeout(req.Context(), time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, t.probe, nil)
		if err != nil {
			t.down = err
			return
		}
		resp, err := t.next.RoundTrip(r)
		if err != nil {
			t.down = err
			return
		}
		resp.Body.Close()
	})
	if t.down != nil {
		return nil, t.down
	}
	return t.next.RoundTrip(req)
}

// Waiting limits how long a request waits for its turn.
type Waiting struct {
	next  http.RoundTripper
	slots chan struct{}
}

// RoundTrip implements http.RoundTripper.
func (t *Waiting) RoundTrip(req *http.Request) (*http.Response, error) {
	wait, cancel := context.WithTimeout(req.Context(), 500*time.Millisecond)
	defer cancel()
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
	case <-wait.Done():
		return nil, context.Cause(wait)
	}
	return t.next.RoundTrip(req)
}
