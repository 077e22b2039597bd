// Package retry calls functions again after they failed. It knows nothing of
// what they do.
package retry

import (
	"context"
	"errors"
	"time"
)

// Permanent marks an error after which there is no further attempt.
type Permanent struct{ Err error }

func (p Permanent) Error() string { return p.Err.Error() }

// Unwrap returns the error that was marked.
func (p Permanent) Unwrap() error { return p.Err }

// Options say how often and how slowly.
type Options struct {
	Attempts int
	Pause    time.Duration
	If       func(error) bool // another attempt after this error? nil: after every one
}

// Do calls f until it succeeds or the options end it.
func Do(ctx context.Context, o Options, f func(ctx context.Context) error) error {
	for n := 1; ; n++ {
		err := f(ctx)
		if err == nil {
			return nil
		}
		var p Permanent
		if errors.As(err, &p) {
			return p.Err
		}
		if n >= o.Attempts || o.If != nil && !o.If(err) {
			return err
		}
		if err := sleep(ctx, o.Pause<<n); err != nil {
			return err
		}
	}
}

// Value is Do for a function with a result.
func Value[T any](ctx context.Context, o Options, f func(ctx context.Context) (T, error)) (v T, err error) {
	err = Do(ctx, o, func(ctx context.Context) error {
		var err error
		v, err = f(ctx)
		return err
	})
	return v, err
}

// Once calls f a single time, with a timeout.
func Once(ctx context.Context, d time.Duration, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return f(ctx)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
