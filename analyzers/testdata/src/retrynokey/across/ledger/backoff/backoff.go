// Package backoff runs work under a policy.
package backoff

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Policy says how often, and with which pauses.
type Policy struct {
	Attempts int // in all; 0 is one
	Base     time.Duration
	Cap      time.Duration
	// Retry decides which errors are worth another attempt; nil takes all.
	Retry func(error) bool
}

// Default suits most.
var Default = Policy{Attempts: 4, Base: 100 * time.Millisecond, Cap: 5 * time.Second}

// None tries once.
func None() Policy { return Policy{Attempts: 1} }

// pause is the wait after attempt n.
func (p Policy) pause(n int) time.Duration {
	d := p.Base << n
	if p.Cap > 0 && d > p.Cap {
		d = p.Cap
	}
	if d <= 0 {
		return 0
	}
	return d/2 + rand.N(d/2+1)
}

// Run calls fn as the policy says.
func Run(ctx context.Context, p Policy, fn func(context.Context) error) error {
	for n := 1; ; n++ {
		err := fn(ctx)
		if err == nil || n >= p.Attempts {
			return err
		}
		if p.Retry != nil && !p.Retry(err) {
			return err
		}
		t := time.NewTimer(p.pause(n))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return errors.Join(err, ctx.Err())
		}
	}
}

// Do is Run as a method, for a policy in a field.
func (p *Policy) Do(ctx context.Context, fn func(context.Context) error) error {
	return Run(ctx, *p, fn)
}
