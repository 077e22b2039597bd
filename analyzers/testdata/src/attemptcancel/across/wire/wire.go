// Package wire sends requests and reads answers for other packages. It derives
// no contexts.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Get sends one request; the body of what it returns is not read.
func Get(ctx context.Context, hc *http.Client, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := hc.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return resp, nil
}

// Open returns the body alone.
func Open(ctx context.Context, hc *http.Client, url string) (io.ReadCloser, error) {
	resp, err := Get(ctx, hc, url)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// Slurp reads the body into memory and puts it back.
func Slurp(resp *http.Response) (*http.Response, error) {
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(b))
	return resp, nil
}

// Decode reads a value.
func Decode[T any](resp *http.Response) (v T, err error) {
	defer resp.Body.Close()
	err = json.NewDecoder(resp.Body).Decode(&v)
	return v, err
}

type tied struct {
	io.ReadCloser
	end func()
}

func (t *tied) Close() error {
	defer t.end()
	return t.ReadCloser.Close()
}

// Tie ends a context when the body is closed.
func Tie(resp *http.Response, end func()) *http.Response {
	resp.Body = &tied{resp.Body, end}
	return resp
}

// Tag notes something in the headers; the body stays as it is.
func Tag(resp *http.Response, name string) *http.Response {
	resp.Header.Set("X-Read-By", name)
	return resp
}
