// Package again repeats work for other packages.
package again

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Do calls fn until it works.
func Do[T any](ctx context.Context, attempts int, fn func(context.Context) (T, error)) (T, error) {
	for n := 1; ; n++ {
		v, err := fn(ctx)
		if err == nil || n >= attempts {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, errors.Join(err, ctx.Err())
		case <-time.After(time.Duration(n) * 200 * time.Millisecond):
		}
	}
}

// Exchange calls send until its answer is no 5xx; it closes the others.
func Exchange(ctx context.Context, attempts int, send func(context.Context) (*http.Response, error)) (*http.Response, error) {
	for n := 1; ; n++ {
		resp, err := send(ctx)
		if n >= attempts || err == nil && resp.StatusCode < 500 {
			return resp, err
		}
		if err == nil {
			resp.Body.Close()
		}
		time.Sleep(time.Duration(n) * time.Second)
	}
}
