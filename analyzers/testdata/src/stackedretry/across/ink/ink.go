// Package ink fetches, and tries again.
package ink

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Well fetches ink.
type Well struct{ Client *http.Client }

// Fetch tries up to three times.
func (w *Well) Fetch(ctx context.Context, colour string) (b []byte, err error) {
	for range 3 {
		if b, err = w.fetch(ctx, colour); err == nil {
			return b, nil
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

func (w *Well) fetch(ctx context.Context, colour string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://ink.example/"+colour, nil)
	if err != nil {
		return nil, err
	}
	resp, err := w.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}
