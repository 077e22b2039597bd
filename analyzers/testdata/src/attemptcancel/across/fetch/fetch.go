// Package fetch is a helper for other packages that makes the mistake itself.
package fetch

import (
	"context"
	"io"
	"net/http"
	"time"

	"attemptcancel/across/wire"
)

// Open cuts what it returns.
func Open(ctx context.Context, url string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel() // want "before the body is read"
	return wire.Get(ctx, http.DefaultClient, url)
}

// Bytes reads first.
func Bytes(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	body, err := wire.Open(ctx, http.DefaultClient, url)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

// Within runs work under a limit; it knows nothing of what comes back.
func Within[T any](ctx context.Context, d time.Duration, fn func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return fn(ctx)
}
