// Package rpc sends for other packages, and repeats nothing but in Stubborn.
package rpc

import (
	"context"
	"net/http"
	"time"

	"attemptleak/across/answers"
)

// Get is one exchange; the answer is the caller's to close.
func Get(ctx context.Context, hc *http.Client, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	return hc.Do(req)
}

// Checked is one exchange; a failure is closed already.
func Checked(ctx context.Context, hc *http.Client, url string) (*http.Response, error) {
	resp, err := Get(ctx, hc, url)
	if err != nil {
		return nil, err
	}
	if err := answers.Check(resp); err != nil {
		return nil, err
	}
	return resp, nil
}

// Stubborn repeats, and leaves open what it does not return: it is reported
// here, and not where it is called.
func Stubborn(ctx context.Context, hc *http.Client, url string) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := Get(ctx, hc, url) // want "not closed"
		if n == 3 || !answers.Passing(resp, err) {
			return resp, err
		}
		time.Sleep(answers.Wait(resp, time.Second))
	}
}
