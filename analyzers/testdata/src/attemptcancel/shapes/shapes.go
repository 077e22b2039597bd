// Package shapes hides contexts and answers behind the names, types and
// receivers of the language.
package shapes

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

type (
	// Ctx is a context.
	Ctx = context.Context
	// Stop ends one.
	Stop = context.CancelFunc
	// Answer is net/http's.
	Answer = http.Response
	// Ptr is a pointer.
	Ptr[T any] = *T
)

// Client embeds net/http's.
type Client struct {
	*http.Client
	base  string
	limit time.Duration
}

func (c Client) ask(ctx Ctx, path string) (*Answer, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", c.base+path, nil)
	if err != nil {
		return nil, err
	}
	return c.Do(req)
}

// Aliased knows none of the types by their own names.
func (c *Client) Aliased(ctx Ctx, path string) (Ptr[Answer], error) {
	var stop Stop
	ctx, stop = context.WithTimeout(ctx, c.limit)
	defer stop() // want "before the body is read"
	return c.ask(ctx, path)
}

// ByValue has a value for its receiver.
func (c Client) ByValue(ctx Ctx, path string) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel() // want "before the body is read"
	return c.ask(ctx, path)
}

// Bound calls a method value.
func (c *Client) Bound(ctx Ctx, path string) (*Answer, error) {
	ask := c.ask
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel() // want "before the body is read"
	return ask(ctx, path)
}

// Expression calls a method expression.
func Expression(hc *http.Client, req *http.Request) (*Answer, error) {
	ctx, cancel := context.WithTimeout(req.Context(), time.Second)
	defer cancel() // want "before the body is read"
	return (*http.Client).Do(hc, req.WithContext(ctx))
}

// Derive takes the function that derives from a variable.
func Derive(hc *http.Client, req *http.Request) (*Answer, error) {
	derive := context.WithTimeout
	ctx, cancel := derive(req.Context(), time.Second)
	defer cancel() // want "before the body is read"
	return hc.Do(req.WithContext(ctx))
}

// doer is met by *http.Client.
type doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Through sends through an interface.
type Through struct {
	d doer
	j json.Unmarshaler
}

// Open returns a body in an interface of another kind.
func (t *Through) Open(ctx context.Context, url string) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel() // want "before the body is read"
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := t.d.Do(req)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// Literal opens in a function literal, and reads outside of it.
func (t *Through) Literal(ctx context.Context, url string) error {
	open := func() (io.ReadCloser, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel() // want "before the body is read"
		req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err != nil {
			return nil, err
		}
		resp, err := t.d.Do(req)
		if err != nil {
			return nil, err
		}
		return resp.Body, nil
	}
	rc, err := open()
	if err != nil {
		return err
	}
	defer rc.Close()
	b, err := io.ReadAll(rc)
	if err != nil {
		return err
	}
	return t.j.UnmarshalJSON(b)
}

// Nested returns the answer in a value in a slice.
func (c *Client) Nested(ctx Ctx, path string) ([]struct{ Body io.Reader }, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel() // want "before the body is read"
	resp, err := c.ask(ctx, path)
	if err != nil {
		return nil, err
	}
	return []struct{ Body io.Reader }{{resp.Body}}, nil
}

// From here on: nothing to report.

// Outside has the limit around the literal, and reads within it.
func (t *Through) Outside(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	open := func() (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err != nil {
			return nil, err
		}
		return t.d.Do(req)
	}
	resp, err := open()
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return t.j.UnmarshalJSON(b)
}

// Length returns a number of the answer's.
func (c *Client) Length(ctx Ctx, path string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	resp, err := c.ask(ctx, path)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.ContentLength, nil
}

// Failed returns an answer only with an error, and its body is closed.
func (c *Client) Failed(ctx Ctx, path string) (resp *Answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	resp, err = c.ask(ctx, path)
	if err != nil {
		return nil, err
	}
	return resp, resp.Body.Close()
}
