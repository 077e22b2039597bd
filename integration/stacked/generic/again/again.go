// Package again is what a company's services try again with.
package again

import (
	"context"
	"time"
)

// Do returns what f does, and calls it so many times at most.
func Do[T any](ctx context.Context, times int, f func(context.Context) (T, error)) (value T, err error) {
	for n := 0; n < times; n++ {
		if value, err = f(ctx); err == nil {
			return value, nil
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return value, ctx.Err()
		}
	}
	return value, err
}
