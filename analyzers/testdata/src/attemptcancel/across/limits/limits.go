// Package limits derives contexts for other packages.
package limits

import (
	"context"
	"net/http"
	"time"
)

// Attempt is how long one attempt may take.
const Attempt = 10 * time.Second

// For returns a context for one attempt, and what ends it.
func For(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, Attempt)
}

// Or returns a context with a limit if d is one.
func Or(ctx context.Context, d time.Duration) (context.Context, func()) {
	if d <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}

// Request returns a copy of a request with a limit.
func Request(req *http.Request, d time.Duration) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(req.Context(), d)
	return req.WithContext(ctx), cancel
}

// Scope is a limited stretch of work.
type Scope struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// Enter begins a Scope.
func Enter(ctx context.Context, d time.Duration) *Scope {
	ctx, cancel := context.WithTimeout(ctx, d)
	return &Scope{ctx, cancel}
}

// Context is what work in the Scope gets.
func (s *Scope) Context() context.Context { return s.ctx }

// Leave ends it.
func (s *Scope) Leave() { s.cancel() }

// Slot takes a place in ch; what it returns gives the place back.
func Slot(ch chan struct{}) func() {
	ch <- struct{}{}
	return func() { <-ch }
}
