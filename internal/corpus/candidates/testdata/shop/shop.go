// Package shop has one of everything that the list is to show.
package shop

import (
	"bytes"
	"context"
	"io"
	"math/rand"
	"net/http"
	"time"
)

type client struct{ hc *http.Client }

// Once sends and does not repeat: only its body is listed.
func (c *client) Once(req *http.Request) error {
	resp, err := c.hc.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close() // body
}

// Loop repeats in its own body.
func (c *client) Loop(ctx context.Context, url string, b []byte) (err error) {
	for range 3 {
		req, _ := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(b)) // request
		req.Header.Set("Id", string(rune(rand.Int())))                             // key
		if _, err = c.hc.Do(req); err == nil {                                     // send
			return nil
		}
		time.Sleep(time.Second) // pause
	}
	return err
}

// Again recurs through a function of its own.
func (c *client) Again(req *http.Request, n int) error {
	if err := c.send(req); err == nil || n == 0 { // repeat
		return err
	}
	return c.Again(req, n-1) // repeat
}

// send is repeated by Again.
func (c *client) send(req *http.Request) error {
	_, err := c.hc.Do(req) // send
	return err
}

// Given gives a literal away.
func (c *client) Given(req *http.Request, retry func(func() error) error) error {
	return retry(func() error {
		return c.leaf(req) // repeat
	})
}

// Jump goes back.
func (c *client) Jump(req *http.Request) {
again:
	if c.leaf(req) != nil { // repeat
		goto again
	}
}

func (c *client) leaf(req *http.Request) error {
	resp, err := c.hc.Do(req.Clone(req.Context())) // request send
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body) // body
	}
	return err
}

// Open returns what its context ends.
func (c *client) Open(ctx context.Context, req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel() // cancel
	resp, err := c.hc.Do(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	return resp, nil // return
}

type stream struct{ body io.ReadCloser }

// Stream returns a body in a struct.
func (c *client) Stream(ctx context.Context, req *http.Request) (*stream, error) {
	ctx, stop := context.WithCancel(ctx)
	defer func() { stop() }() // cancel
	resp, err := c.hc.Do(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	return &stream{resp.Body}, nil // body
}

// Count returns nothing that could still be read.
func (c *client) Count(ctx context.Context, req *http.Request) (int, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	resp, err := c.hc.Do(req.WithContext(ctx))
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, nil
}
