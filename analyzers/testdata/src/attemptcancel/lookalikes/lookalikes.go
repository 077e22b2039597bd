// Package lookalikes has the names of contexts and answers for other things, and
// other names for them.
package lookalikes

import (
	within "context"
	"io"
	web "net/http"
	"os"
	"time"
)

// Renamed knows both packages by other names.
func Renamed(hc *web.Client, ctx within.Context, url string) (*web.Response, error) {
	ctx, cancel := within.WithTimeout(ctx, time.Second)
	defer cancel() // want "before the body is read"
	req, err := web.NewRequestWithContext(ctx, web.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return hc.Do(req)
}

// context is not the package of that name.
var context lookalike

type lookalike struct{}

// WithTimeout limits nothing.
func (lookalike) WithTimeout(parent within.Context, _ time.Duration) (within.Context, func()) {
	return parent, func() { println("bye") }
}

// Lookalike is silent: what is deferred ends nothing.
func Lookalike(hc *web.Client, ctx within.Context, url string) (*web.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	req, err := web.NewRequestWithContext(ctx, web.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return hc.Do(req)
}

// Response is a file here.
type Response struct{ Body io.ReadCloser }

// File is silent: nothing of net/http is in it.
func File(ctx within.Context, path string) (*Response, error) {
	ctx, cancel := within.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &Response{Body: f}, nil
}
