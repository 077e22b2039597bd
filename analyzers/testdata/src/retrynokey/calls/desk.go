// Package calls opens a support ticket through every form of a net/http call.
// The loop is always the same plain one; only the call differs.
package calls

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
)

const (
	jsonType = "application/json"
	create   = "POST"
)

type verb string

const (
	opens  verb = "POST"
	lists  verb = "GET"
	amends verb = "PATCH"
)

var errNoTicket = errors.New("no ticket")

// Doer is what a test can put in place of a client.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Desk opens tickets.
type Desk struct {
	hc   *http.Client
	tr   *http.Transport
	rt   http.RoundTripper
	doer Doer
	base string
}

func shut(resp *http.Response) {
	if resp != nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// newTicket is a builder function.
func newTicket(ctx context.Context, base string, text []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/tickets", bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", jsonType)
	return req, nil
}

// request is a builder method whose method is a parameter.
func (d *Desk) request(method, path string, text []byte) (*http.Request, error) {
	u, err := url.JoinPath(d.base, path)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(method, u, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return d.decorate(req), nil
}

// decorate adds headers that say nothing about the operation.
func (d *Desk) decorate(req *http.Request) *http.Request {
	req.Header.Set("Accept", jsonType)
	req.Header.Set("User-Agent", "desk/1")
	return req
}

// verbFor chooses by the presence of an id.
func verbFor(id string) string {
	if id != "" {
		return http.MethodPut
	}
	return http.MethodPost
}
