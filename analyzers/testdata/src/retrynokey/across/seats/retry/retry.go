// Package retry is a generic helper: an error that is marked as permanent stops it.
package retry

import (
	"context"
	"errors"
	"time"
)

// Permanent marks an error after which another attempt is of no use.
type Permanent struct{ Err error }

func (p *Permanent) Error() string { return p.Err.Error() }

// Unwrap returns what is marked.
func (p *Permanent) Unwrap() error { return p.Err }

// Stop marks err.
func Stop(err error) error {
	if err == nil {
		return nil
	}
	return &Permanent{Err: err}
}

// Do calls fn until it succeeds or its error is permanent, attempts times at most.
func Do[T any](ctx context.Context, attempts int, fn func(context.Context) (T, error)) (T, error) {
	wait := 100 * time.Millisecond
	for n := 1; ; n++ {
		v, err := fn(ctx)
		if err == nil {
			return v, nil
		}
		var stop *Permanent
		if errors.As(err, &stop) {
			return v, stop.Err
		}
		if n >= attempts {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, errors.Join(err, context.Cause(ctx))
		case <-time.After(wait):
			wait *= 2
		}
	}
}
