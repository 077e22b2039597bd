// Package builders reports bird counts. Requests are built by helpers of the
// package, out of a reader that they are given.
package builders

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Count is what a watcher saw.
type Count struct {
	Place string         `json:"place"`
	Birds map[string]int `json:"birds"`
}

// Society collects counts.
type Society struct {
	hc    *http.Client
	base  string
	token string
}

// request builds a request over any reader.
func (s *Society) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("building %s %s: %w", method, path, err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// jsonRequest builds one over a value.
func (s *Society) jsonRequest(ctx context.Context, path string, v any) (*http.Request, error) {
	body, err := encode(v)
	if err != nil {
		return nil, err
	}
	return s.request(ctx, http.MethodPost, path, body)
}

// encode writes v into a buffer.
func encode(v any) (io.Reader, error) {
	buf := new(bytes.Buffer)
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return nil, err
	}
	return buf, nil
}

// do sends a request once.
func (s *Society) do(req *http.Request) error {
	resp, err := s.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode/100 == 2 {
		return nil
	}
	return fmt.Errorf("society: %s", resp.Status)
}

func pause(n int) { time.Sleep(time.Duration(n) * 500 * time.Millisecond) }

// Encoded encodes before the loop, and builds in it.
func (s *Society) Encoded(ctx context.Context, key string, c Count) error {
	body, err := encode(c)
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		req, err := s.request(ctx, http.MethodPost, "/counts", body) // want `body`
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", key)
		if err = s.do(req); err == nil || n == 3 {
			return err
		}
		pause(n)
	}
}

// EncodedAnew encodes in the loop.
func (s *Society) EncodedAnew(ctx context.Context, key string, c Count) error {
	for n := 1; ; n++ {
		body, err := encode(c)
		if err != nil {
			return err
		}
		req, err := s.request(ctx, http.MethodPost, "/counts", body)
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", key)
		if err = s.do(req); err == nil || n == 3 {
			return err
		}
		pause(n)
	}
}

// Built builds before the loop.
func (s *Society) Built(ctx context.Context, key string, c Count) error {
	req, err := s.jsonRequest(ctx, "/counts", c)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	for n := 1; ; n++ {
		if err = s.do(req); err == nil || n == 3 { // want `body`
			return err
		}
		pause(n)
	}
}

// BuiltAnew builds in the loop.
func (s *Society) BuiltAnew(ctx context.Context, key string, c Count) error {
	for n := 1; ; n++ {
		req, err := s.jsonRequest(ctx, "/counts", c)
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", key)
		if err = s.do(req); err == nil || n == 3 {
			return err
		}
		pause(n)
	}
}

// fresh opens the body again, if it can.
func fresh(req *http.Request) error {
	if req.Body == nil || req.GetBody == nil {
		return nil
	}
	body, err := req.GetBody()
	if err != nil {
		return err
	}
	req.Body = body
	return nil
}

// BuiltFresh opens it again by a helper; the buffer is one that net/http knows.
func (s *Society) BuiltFresh(ctx context.Context, key string, c Count) error {
	req, err := s.jsonRequest(ctx, "/counts", c)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	for n := 1; ; n++ {
		if err = fresh(req); err != nil {
			return err
		}
		if err = s.do(req); err == nil || n == 3 {
			return err
		}
		pause(n)
	}
}

// PipedFresh asks the same helper, which cannot do it for a pipe.
func (s *Society) PipedFresh(ctx context.Context, key string, c Count) error {
	pr, pw := io.Pipe()
	go func() { pw.CloseWithError(json.NewEncoder(pw).Encode(c)) }()
	req, err := s.request(ctx, http.MethodPost, "/counts", pr)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	for n := 1; ; n++ {
		if err = fresh(req); err != nil {
			return err
		}
		if err = s.do(req); err == nil || n == 3 { // want `body`
			return err
		}
		pause(n)
	}
}

// send builds and sends; the loops below call it.
func (s *Society) send(ctx context.Context, path string, body io.Reader) error {
	req, err := s.request(ctx, http.MethodPut, path, body)
	if err != nil {
		return err
	}
	return s.do(req)
}

// TwoCallsDown gives the same reader to each attempt.
func (s *Society) TwoCallsDown(ctx context.Context, place string, sheet io.Reader) (err error) {
	for n := range 4 {
		if err = s.send(ctx, "/places/"+place, sheet); err == nil { // want `body`
			return nil
		}
		pause(n)
	}
	return err
}

// TwoCallsDownAnew gives each its own.
func (s *Society) TwoCallsDownAnew(ctx context.Context, place string, sheet []byte) (err error) {
	for n := range 4 {
		if err = s.send(ctx, "/places/"+place, bytes.NewReader(sheet)); err == nil {
			return nil
		}
		pause(n)
	}
	return err
}

// Places sends one sheet per place, each a single time.
func (s *Society) Places(ctx context.Context, sheets map[string]io.Reader) error {
	for place, sheet := range sheets {
		if err := s.send(ctx, "/places/"+place, sheet); err != nil {
			return err
		}
	}
	return nil
}
