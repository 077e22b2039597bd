// Package keys pays rent again and again; what differs is whether a key that
// outlives the attempt reaches the wire.
package keys

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
)

const (
	idemHeader  = "Idempotency-Key"
	traceHeader = "X-Request-Id"
	idemParam   = "idempotency_key"
)

var errUnpaid = errors.New("rent not paid")

// Office takes rent.
type Office struct {
	hc   *http.Client
	base string
}

func drop(resp *http.Response) {
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

// fresh makes a random value.
func fresh() string { return rand.Text() }

// encode writes v as JSON into a reader.
func encode(v any) (io.Reader, error) {
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(v); err != nil {
		return nil, err
	}
	return &buf, nil
}

// stamp sets the key in a helper.
func stamp(req *http.Request, key string) {
	req.Header.Set(idemHeader, key)
}

// traced sets what is no key.
func traced(req *http.Request, id string) {
	req.Header.Set(traceHeader, id)
}

// build is a builder with a key.
func (o *Office) build(ctx context.Context, key string, rent []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set(idemHeader, key)
	}
	return req, nil
}

// edit changes a request before it is sent.
type edit func(*http.Request)

func withKey(key string) edit {
	return func(req *http.Request) { req.Header.Set(idemHeader, key) }
}

func withTrace(id string) edit {
	return func(req *http.Request) { req.Header.Set(traceHeader, id) }
}

func formOf(key string) url.Values {
	f := url.Values{}
	f.Set("flat", "7")
	f.Set(idemParam, key)
	return f
}
