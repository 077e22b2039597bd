// Package again repeats what failed.
package again

import (
	"context"
	"errors"
	"time"
)

// Run calls fn until it works, n times at most.
func Run(ctx context.Context, n int, fn func(context.Context) error) error {
	var err error
	for i := range n {
		if err = fn(ctx); err == nil {
			return nil
		}
		if i == n-1 {
			break
		}
		if werr := pause(ctx, i); werr != nil {
			return errors.Join(err, werr)
		}
	}
	return err
}

func pause(ctx context.Context, i int) error {
	t := time.NewTimer(250 * time.Millisecond << i)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
