// Package retry calls functions again after they failed. It knows nothing of
// what they do.
package retry

import (
	"context"
	"time"
)

// Do calls f until it succeeds, n times at most.
func Do(ctx context.Context, n int, f func(ctx context.Context) error) error {
	var err error
	for i := 0; i < n; i++ {
		if err = f(ctx); err == nil {
			return nil
		}
		if i == n-1 {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond << i):
		}
	}
	return err
}

// Value is Do for a function with a result.
func Value[T any](ctx context.Context, n int, f func(ctx context.Context) (T, error)) (T, error) {
	var v T
	err := Do(ctx, n, func(ctx context.Context) (err error) {
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
