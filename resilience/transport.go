package resilience

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/failsafe-go/failsafe-go/bulkhead"
)

// Transport is an http.RoundTripper. It is safe for concurrent use.
type Transport struct {
	base     http.RoundTripper
	opts     Options
	limiter  bulkhead.Bulkhead[any] // nil: no limit
	breakers *breakers              // nil: none
}

// NewTransport puts the layers that opts asks for around base; nil is
// http.DefaultTransport. No timeout can end an attempt whose base does not
// return when the context of the request ends. It returns the error of [Options.Validate], or one
// that is [ErrStacked] and names both layers when base already retries: a
// Transport, or one of the known retrying RoundTrippers of other libraries, directly or through methods Unwrap() http.RoundTripper.
func NewTransport(base http.RoundTripper, opts Options) (*Transport, error) {
	if base == nil {
		base = http.DefaultTransport
	}
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("resilience: %w", err)
	}
	t := &Transport{base: base, opts: opts, breakers: newBreakers(opts.Breaker, opts.Hooks.OnBreaker)}
	if err := stacked(base, t); err != nil {
		return nil, fmt.Errorf("resilience: %w", err)
	}
	if opts.Limiter.Concurrent > 0 {
		t.limiter = bulkhead.New[any](uint(opts.Limiter.Concurrent))
	}
	return t, nil
}

// Unwrap returns the base.
func (t *Transport) Unwrap() http.RoundTripper { return t.base }

// CloseIdleConnections does so in the base, if it can.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// RoundTrip implements http.RoundTripper. It returns a response, whatever its
// status, when there is one to return: that of the last attempt. Else the error
// is a [CallError], which says what ended the call and after how many attempts.
//
// A request is sent again after a response with 408, 429, 502, 503 or 504, a
// connection that was refused, reset or closed or timed out, and after the
// attempt timeout; if its method is safe or it has an idempotency key, its body
// can be read again (Request.GetBody), attempts are left, and the wait before
// the next one ends before the total timeout and the caller's deadline do.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	c := &call{t: t, req: req, ctx: req.Context(), method: methodLabel(req.Method), began: time.Now()}
	key, err := keyOf(req)
	if err == nil && req.URL == nil {
		err = errors.New("the request has no URL")
	}
	if err != nil {
		return nil, c.refuse(StopPermanent, err)
	}
	c.key = key
	handed := false
	defer func() {
		if !handed { // an error, or a panic of the base or of a hook, from which a server recovers
			c.leave()
		}
	}()
	if stop, err := c.enter(); err != nil {
		return nil, c.refuse(stop, err)
	}
	c.deadline = time.Now().Add(t.opts.TotalTimeout)
	c.breaker = t.breakers.of(authorityOf(req.URL.Scheme, req.URL.Host))
	c.authority = c.breaker.name()
	resp, err := c.run()
	handed = err == nil
	return resp, err
}

// enter waits for the limiter.
func (c *call) enter() (Stop, error) {
	l := c.t.limiter
	if l == nil {
		return "", nil
	}
	if c.inside = l.TryAcquirePermit(); c.inside {
		return "", nil
	}
	err := l.AcquirePermitWithMaxWait(c.ctx, c.t.opts.Limiter.MaxWait)
	c.inside = err == nil
	if hook := c.t.opts.Hooks.OnLimited; hook != nil {
		hook(c.ctx, LimitedEvent{Method: c.method, Waited: time.Since(c.began), Refused: err != nil})
	}
	switch {
	case err == nil:
		return "", nil
	case errors.Is(err, bulkhead.ErrFull):
		return StopLimited, ErrLimited
	default:
		return StopCanceled, c.gone()
	}
}

// leave makes room for the next call.
func (c *call) leave() {
	if c.inside {
		c.inside = false
		c.t.limiter.ReleasePermit()
	}
}

// A Layer is one part of what a [Transport] does, with its numbers.
type Layer struct {
	Name    string
	Numbers string
}

// Describe returns the layers, the outermost first and the base and what can be
// seen of it last. Those that are off are not among them.
func (t *Transport) Describe() []Layer {
	o := t.opts
	var ls []Layer
	add := func(name, format string, args ...any) {
		ls = append(ls, Layer{name, fmt.Sprintf(format, args...)})
	}
	if o.Limiter.Concurrent > 0 {
		add("concurrency limiter", "%d at once, wait up to %v", o.Limiter.Concurrent, o.Limiter.MaxWait)
	}
	add("total timeout", "%v to the headers", o.TotalTimeout)
	if o.Retry.Attempts > 1 {
		add("retry", "%d attempts, backoff %v to %v, jitter %v; unsafe methods with an idempotency key only",
			o.Retry.Attempts, o.Retry.Backoff, o.Retry.MaxBackoff, o.Retry.Jitter)
	}
	if o.Hedge.Copies > 0 {
		add("hedging", "%d more after %v each, safe methods only", o.Hedge.Copies, o.Hedge.After)
	}
	if b := o.Breaker; b != (Breaker{}) {
		add("circuit breaker per authority", "opens for %v at %v of at least %d in %v, up to %d authorities",
			b.OpenFor, b.FailureRatio, b.MinRequests, b.Window, b.Authorities)
	}
	add("attempt timeout", "%v to the headers", o.AttemptTimeout)
	for l := range chain(t.base) {
		add("base", "%T", l)
	}
	return ls
}

// name is how an error calls this layer.
func (t *Transport) name() string {
	r := t.opts.Retry
	return fmt.Sprintf("%v (%d attempts, %v each, %v in total)", strings.TrimPrefix(reflect.TypeOf(t).String(), "*"),
		r.Attempts, t.opts.AttemptTimeout, t.opts.TotalTimeout)
}
