// Package quay uses helpers of another package, some of which end contexts.
package quay

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"attemptcancel/across/fetch"
	"attemptcancel/across/wire"
)

// Berths reads what Open returned. The mistake is Open's, and is reported there.
func Berths(ctx context.Context, url string) (berths []string, err error) {
	resp, err := fetch.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	err = json.NewDecoder(resp.Body).Decode(&berths)
	return berths, err
}

// Map gives the helper work whose answer outlives it.
func Map(ctx context.Context, hc *http.Client, url string) (*http.Response, error) {
	return fetch.Within(ctx, time.Minute, func(ctx context.Context) (*http.Response, error) { return wire.Get(ctx, hc, url) }) // want "before the body is read"
}

// Depths gives it work that reads.
func Depths(ctx context.Context, hc *http.Client, url string) ([]float64, error) {
	return fetch.Within(ctx, time.Minute, func(ctx context.Context) ([]float64, error) {
		resp, err := wire.Get(ctx, hc, url)
		if err != nil {
			return nil, err
		}
		return wire.Decode[[]float64](resp)
	})
}

// Crane has its answer in memory.
func Crane(ctx context.Context, hc *http.Client, url string) (*http.Response, error) {
	return fetch.Within(ctx, time.Minute, func(ctx context.Context) (*http.Response, error) {
		resp, err := wire.Get(ctx, hc, url)
		if err != nil {
			return nil, err
		}
		return wire.Slurp(resp)
	})
}
