// Package press has a helper that runs something again.
package press

import (
	"context"
	"time"
)

// Again runs op until it works, n times at most.
func Again[T any](ctx context.Context, n int, op func(context.Context) (T, error)) (v T, err error) {
	for range n {
		if v, err = op(ctx); err == nil {
			return v, nil
		}
		select {
		case <-ctx.Done():
			return v, ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return v, err
}
