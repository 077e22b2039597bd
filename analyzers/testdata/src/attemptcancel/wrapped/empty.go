package wrapped

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// Silent: where there is nothing to read the context may end at once, and else it
// ends with the body.
func fetchOrNothing(ctx context.Context, c *http.Client, url string) (*http.Response, error) {
	ctx, cancel := context.WithCancel(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	resp, err := c.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	if resp.Body == http.NoBody {
		cancel()
		return resp, nil
	}
	resp.Body = &onceEnding{resp.Body, sync.OnceFunc(cancel)}
	return resp, nil
}

type onceEnding struct {
	io.ReadCloser
	end func()
}

func (b *onceEnding) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
