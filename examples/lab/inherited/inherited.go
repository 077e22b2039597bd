// Package inherited is a retry policy as a service gets it from a template: ten
// seconds for an attempt, thirty for the call, three retries for whatever comes
// along, POST like the rest. Its numbers and its way of waiting are those of
// .NET's standard resilience handler (Microsoft.Extensions.Http.Resilience
// 10.11, Polly 8.4), in Go, so that the labs can measure what it does. It is not
// meant to be used: package resilience is.
package inherited

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// What ends a call.
var (
	ErrAttemptTimeout = errors.New("inherited policy: attempt timeout")
	ErrTotalTimeout   = errors.New("inherited policy: total timeout")
)

// Policy is an http.RoundTripper. Its timeouts end at the headers.
type Policy struct {
	Base    http.RoundTripper
	Attempt time.Duration
	Total   time.Duration
	Retries int
	Backoff time.Duration // the median of the first wait
	// SafeOnly takes POST, PUT, PATCH and DELETE off the retries.
	SafeOnly bool

	mu   sync.Mutex
	rand *rand.Rand
}

// New returns the policy with its default numbers. Its waits depend on seed.
func New(base http.RoundTripper, seed uint64) *Policy {
	return &Policy{
		Base: base, Attempt: 10 * time.Second, Total: 30 * time.Second, Retries: 3, Backoff: 2 * time.Second,
		rand: rand.New(rand.NewPCG(seed, seed)),
	}
}

// RoundTrip implements http.RoundTripper.
func (p *Policy) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	total := time.AfterFunc(p.Total, func() { cancel(ErrTotalTimeout) })
	defer total.Stop()
	var earlier float64
	for n := 0; ; n++ {
		resp, err := p.attempt(ctx, req, n)
		last := n == p.Retries || p.SafeOnly && req.Method != http.MethodGet && req.Method != http.MethodHead
		if last || !transient(resp, err) || ctx.Err() != nil {
			if err != nil {
				cancel(err)
				return nil, err
			}
			resp.Body = &body{resp.Body, cancel}
			return resp, nil
		}
		wait := p.wait(n, &earlier)
		if resp != nil {
			if secs, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
				wait = time.Duration(secs) * time.Second
			}
			_ = resp.Body.Close()
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// attempt sends the request once.
func (p *Policy) attempt(ctx context.Context, req *http.Request, n int) (*http.Response, error) {
	actx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(p.Attempt, func() { cancel(ErrAttemptTimeout) })
	defer timer.Stop()
	again := req.Clone(actx)
	if n > 0 && req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			cancel(err)
			return nil, err
		}
		again.Body = body
	}
	resp, err := p.Base.RoundTrip(again)
	if err != nil {
		if cause := context.Cause(actx); cause != nil {
			err = cause
		}
		cancel(err)
		return nil, err
	}
	return resp, nil
}

// body ends the contexts of the call when it is closed.
type body struct {
	io.ReadCloser
	end context.CancelCauseFunc
}

func (b *body) Close() error {
	defer b.end(nil)
	return b.ReadCloser.Close()
}

func transient(resp *http.Response, err error) bool {
	if err != nil {
		return true
	}
	return resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusRequestTimeout
}

// wait is Polly's exponential backoff with jitter: the waits up to attempt n sum
// up to 2^t·tanh(√(4t)) for a t drawn from n to n+1, times Backoff/1.4.
func (p *Policy) wait(n int, earlier *float64) time.Duration {
	p.mu.Lock()
	t := float64(n) + p.rand.Float64()
	p.mu.Unlock()
	sum := math.Pow(2, t) * math.Tanh(math.Sqrt(4*t))
	wait := sum - *earlier
	*earlier = sum
	return time.Duration(wait / 1.4 * float64(p.Backoff))
}
