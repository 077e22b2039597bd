// Package requests files court papers. One request is built, and sent again: with
// the body that the first attempt has read, or with a new one.
package requests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

var errNotFiled = errors.New("paper not filed")

// Court takes papers.
type Court struct {
	hc   *http.Client
	base string
}

func check(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		return fmt.Errorf("court: %s", resp.Status)
	}
	return nil
}

// Opaque has a body that net/http cannot open again.
func (c *Court) Opaque(ctx context.Context, key string, paper io.Reader) (err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/papers", paper)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	for n := range 3 {
		if err = check(c.hc.Do(req)); err == nil { // want `body`
			return nil
		}
		time.Sleep(time.Duration(n+1) * time.Second)
	}
	return err
}

// Sized has a body of known length: the second attempt promises bytes that are gone.
func (c *Court) Sized(ctx context.Context, key string, paper []byte) (err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/papers", bytes.NewReader(paper))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	for n := range 3 {
		if err = check(c.hc.Do(req)); err == nil { // want `body`
			return nil
		}
		time.Sleep(time.Duration(n+1) * time.Second)
	}
	return err
}

// SizedRewound opens the body again before each attempt.
func (c *Court) SizedRewound(ctx context.Context, key string, paper []byte) (err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/papers", bytes.NewReader(paper))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	for n := range 3 {
		if req.Body, err = req.GetBody(); err != nil {
			return err
		}
		if err = check(c.hc.Do(req)); err == nil {
			return nil
		}
		time.Sleep(time.Duration(n+1) * time.Second)
	}
	return err
}

// RewoundLater opens it again from the second attempt on.
func (c *Court) RewoundLater(ctx context.Context, paper string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, c.base+"/papers/7", strings.NewReader(paper))
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		if n > 0 {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			req.Body = body
		}
		resp, err := c.hc.Do(req)
		if err == nil || n == 3 {
			return resp, err
		}
	}
}

// RewoundEarly opens it again once, before the loop.
func (c *Court) RewoundEarly(ctx context.Context, paper string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, c.base+"/papers/7", strings.NewReader(paper))
	if err != nil {
		return nil, err
	}
	if req.Body, err = req.GetBody(); err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		resp, err := c.hc.Do(req) // want `body`
		if err == nil || n == 3 {
			return resp, err
		}
	}
}

// Cloned sends copies, which share the body.
func (c *Court) Cloned(ctx context.Context, paper io.Reader) error {
	tmpl, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/papers", paper)
	if err != nil {
		return err
	}
	tmpl.Header.Set("Idempotency-Key", "paper-7")
	for range 3 {
		actx, cancel := context.WithTimeout(ctx, 10*time.Second)
		err = check(c.hc.Do(tmpl.Clone(actx))) // want `body`
		cancel()
		if err == nil {
			return nil
		}
	}
	return err
}

// ClonedRewound gives each copy a body of its own.
func (c *Court) ClonedRewound(ctx context.Context, paper []byte) error {
	tmpl, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/papers", bytes.NewReader(paper))
	if err != nil {
		return err
	}
	tmpl.Header.Set("Idempotency-Key", "paper-7")
	for range 3 {
		actx, cancel := context.WithTimeout(ctx, 10*time.Second)
		req := tmpl.Clone(actx)
		if req.Body, err = tmpl.GetBody(); err != nil {
			cancel()
			return err
		}
		err = check(c.hc.Do(req))
		cancel()
		if err == nil {
			return nil
		}
	}
	return err
}

// WithContext sends shallow copies.
func (c *Court) WithContext(ctx context.Context, paper io.Reader) error {
	req, err := http.NewRequest(http.MethodPatch, c.base+"/papers/7", paper)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", "amend-7")
	for range 4 {
		actx, cancel := context.WithTimeout(ctx, 10*time.Second)
		err = check(c.hc.Do(req.WithContext(actx))) // want `body`
		cancel()
		if err == nil {
			return nil
		}
	}
	return err
}

// Copied copies the struct by hand.
func (c *Court) Copied(ctx context.Context, f *os.File) error {
	tmpl, err := http.NewRequestWithContext(ctx, http.MethodPut, c.base+"/papers/7", f)
	if err != nil {
		return err
	}
	for range 2 {
		req := *tmpl
		if err = check(c.hc.Do(&req)); err == nil { // want `body`
			return nil
		}
	}
	return err
}

// Literal is a request that was not made by NewRequest.
func (c *Court) Literal(u *url.URL, paper string) error {
	req := &http.Request{
		Method: http.MethodPost,
		URL:    u,
		Header: http.Header{"Idempotency-Key": {"paper-8"}},
		Body:   io.NopCloser(strings.NewReader(paper)),
	}
	for range 3 {
		if check(c.hc.Do(req)) == nil { // want `body`
			return nil
		}
	}
	return errNotFiled
}

// LiteralAnew fills the body in each round.
func (c *Court) LiteralAnew(u *url.URL, paper string) error {
	req := &http.Request{
		Method: http.MethodPost,
		URL:    u,
		Header: http.Header{"Idempotency-Key": {"paper-8"}},
	}
	for range 3 {
		req.Body = io.NopCloser(strings.NewReader(paper))
		if check(c.hc.Do(req)) == nil {
			return nil
		}
	}
	return errNotFiled
}

// Assigned gets its body before the loop.
func (c *Court) Assigned(ctx context.Context, key string, paper *bytes.Buffer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/papers", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	req.Body = io.NopCloser(paper)
	req.ContentLength = int64(paper.Len())
	for tries := 3; tries > 0; tries-- {
		if err = check(c.hc.Do(req)); err == nil { // want `body`
			return nil
		}
	}
	return err
}

// AssignedAnew gets it in each round.
func (c *Court) AssignedAnew(ctx context.Context, key string, paper *bytes.Buffer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/papers", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	req.ContentLength = int64(paper.Len())
	for tries := 3; tries > 0; tries-- {
		req.Body = io.NopCloser(bytes.NewReader(paper.Bytes()))
		if err = check(c.hc.Do(req)); err == nil {
			return nil
		}
	}
	return err
}

// FirstThenLoop sends before the loop, and again in it.
func (c *Court) FirstThenLoop(ctx context.Context, key string, paper io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/papers", paper)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Idempotency-Key", key)
	resp, err := c.hc.Do(req)
	for n := 0; n < 2 && err != nil; n++ {
		time.Sleep(time.Second)
		resp, err = c.hc.Do(req) // want `body`
	}
	return resp, err
}

// NewEachTime builds the request in each round.
func (c *Court) NewEachTime(ctx context.Context, key string, paper []byte) (err error) {
	for range 3 {
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/papers", bytes.NewReader(paper))
		if rerr != nil {
			return rerr
		}
		req.Header.Set("Idempotency-Key", key)
		if err = check(c.hc.Do(req)); err == nil {
			return nil
		}
	}
	return err
}

// AskThenFile repeats the question, and files once when the court is open.
func (c *Court) AskThenFile(ctx context.Context, paper io.Reader) error {
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/open", nil)
	if err != nil {
		return err
	}
	file, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/papers", paper)
	if err != nil {
		return err
	}
	for range 10 {
		resp, err := c.hc.Do(ask)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		_ = resp.Body.Close()
		return check(c.hc.Do(file))
	}
	return errNotFiled
}
