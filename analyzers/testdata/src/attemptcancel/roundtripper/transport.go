// Package roundtripper limits how long a request to a tile server may take,
// below the client. What RoundTrip returns is read when it has returned.
package roundtripper

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// Limited gives each request the same limit.
type Limited struct {
	Next  http.RoundTripper
	Limit time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t *Limited) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), t.Limit)
	defer cancel() // want "before the body is read"
	return t.Next.RoundTrip(req.WithContext(ctx))
}

// route is a limit for the paths below a prefix.
type route struct {
	prefix string
	limit  time.Duration
}

// Routed has a limit for some paths.
type Routed struct {
	next   http.RoundTripper
	routes []route
}

// RoundTrip implements http.RoundTripper.
func (t *Routed) RoundTrip(req *http.Request) (*http.Response, error) {
	for _, r := range t.routes {
		if !strings.HasPrefix(req.URL.Path, r.prefix) {
			continue
		}
		ctx, cancel := context.WithTimeout(req.Context(), r.limit)
		defer cancel() // want "before the body is read"
		req = req.Clone(ctx)
		break
	}
	return t.next.RoundTrip(req)
}

// Logged notes how long it took to the headers; the results have names.
type Logged struct {
	next  http.RoundTripper
	limit time.Duration
	log   *slog.Logger
}

// RoundTrip implements http.RoundTripper.
func (t *Logged) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	ctx, cancel := context.WithDeadline(req.Context(), time.Now().Add(t.limit))
	defer cancel() // want "before the body is read"
	began := time.Now()
	defer func() {
		t.log.InfoContext(ctx, "tile", "url", req.URL.Redacted(), "took", time.Since(began), "err", err)
	}()
	resp, err = t.next.RoundTrip(req.Clone(ctx))
	if err != nil {
		return nil, err
	}
	t.log.DebugContext(ctx, "tile", "status", resp.StatusCode, "length", resp.ContentLength)
	return resp, nil
}

type traceID struct{}

// Traced puts a value below the limit: the request carries both.
type Traced struct {
	next http.RoundTripper
	id   func() string
}

// RoundTrip implements http.RoundTripper.
func (t Traced) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), 4*time.Second)
	defer cancel() // want "before the body is read"
	ctx = context.WithValue(ctx, traceID{}, t.id())
	r := req.Clone(ctx)
	r.Header.Set("X-Trace", t.id())
	return t.next.RoundTrip(r)
}

// transportFunc is a function that is a transport.
type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// WithLimit is the same as a decorator.
func WithLimit(d time.Duration) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return transportFunc(func(req *http.Request) (*http.Response, error) {
			ctx, cancel := context.WithTimeout(req.Context(), d)
			defer cancel() // want "before the body is read"
			return next.RoundTrip(req.WithContext(ctx))
		})
	}
}

// Retrying limits each attempt in a helper.
type Retrying struct {
	next     http.RoundTripper
	attempts int
	limit    time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t *Retrying) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return t.next.RoundTrip(req)
	}
	for n := 1; ; n++ {
		resp, err := t.attempt(req)
		if n == t.attempts || err == nil && resp.StatusCode < 500 {
			return resp, err
		}
		if err == nil {
			resp.Body.Close()
		}
		if err := pause(req.Context(), n); err != nil {
			return nil, err
		}
	}
}

func (t *Retrying) attempt(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), t.limit)
	defer cancel() // want "before the body is read"
	return t.next.RoundTrip(req.WithContext(ctx))
}

// InLoop cancels as soon as there is an answer, good or bad.
type InLoop struct {
	next  http.RoundTripper
	limit time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t *InLoop) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	if req.Method != http.MethodGet {
		return t.next.RoundTrip(req)
	}
	for n := range 3 {
		ctx, cancel := context.WithTimeout(req.Context(), t.limit)
		resp, err = t.next.RoundTrip(req.Clone(ctx))
		cancel() // want "before the body is read"
		if err == nil && resp.StatusCode < 500 {
			return resp, nil
		}
		if err == nil && n < 2 {
			resp.Body.Close()
		}
		if err := pause(req.Context(), n); err != nil {
			return nil, err
		}
	}
	return resp, err
}

func pause(ctx context.Context, n int) error {
	t := time.NewTimer(time.Duration(n+1) * 200 * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
