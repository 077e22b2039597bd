// Package generics uploads drawings through generic helpers, and types under
// other names.
package generics

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	nethttp "net/http"
	"strings"
	"time"
)

type (
	// Body is a reader by another name.
	Body = io.Reader

	// Request is net/http's.
	Request = nethttp.Request

	// Attempt is one attempt at something that has a result.
	Attempt[T any] = func(context.Context) (T, error)
)

// Drawing is what is uploaded.
type Drawing struct {
	Name  string   `json:"name"`
	Lines [][2]int `json:"lines"`
}

// Retry calls f until it succeeds, n times at most.
func Retry[T any](ctx context.Context, n int, f Attempt[T]) (v T, err error) {
	for i := range n {
		if v, err = f(ctx); err == nil {
			return v, nil
		}
		select {
		case <-ctx.Done():
			return v, ctx.Err()
		case <-time.After(time.Second << i):
		}
	}
	return v, err
}

// Once calls f a single time.
func Once[T any](ctx context.Context, f Attempt[T]) (T, error) { return f(ctx) }

// send reads a T out of the answer to a request.
func send[T any](hc *nethttp.Client, req *Request) (v T, err error) {
	resp, err := hc.Do(req)
	if err != nil {
		return v, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return v, fmt.Errorf("archive: %s", resp.Status)
	}
	err = json.NewDecoder(resp.Body).Decode(&v)
	return v, err
}

// post sends a body once.
func post[T any](ctx context.Context, hc *nethttp.Client, url, key string, body Body) (v T, err error) {
	req, err := nethttp.NewRequestWithContext(ctx, nethttp.MethodPost, url, body)
	if err != nil {
		return v, err
	}
	req.Header.Set("Idempotency-Key", key)
	return send[T](hc, req)
}

// Upload captures a reader.
func Upload(ctx context.Context, hc *nethttp.Client, url, key string, drawing Body) (Drawing, error) {
	return Retry(ctx, 3, func(ctx context.Context) (Drawing, error) {
		return post[Drawing](ctx, hc, url, key, drawing) // want `body`
	})
}

// UploadText makes one inside.
func UploadText(ctx context.Context, hc *nethttp.Client, url, key, drawing string) (Drawing, error) {
	return Retry(ctx, 3, func(ctx context.Context) (Drawing, error) {
		return post[Drawing](ctx, hc, url, key, strings.NewReader(drawing))
	})
}

// UploadOnce captures a reader, and is not repeated.
func UploadOnce(ctx context.Context, hc *nethttp.Client, url, key string, drawing Body) (Drawing, error) {
	return Once(ctx, func(ctx context.Context) (Drawing, error) {
		return post[Drawing](ctx, hc, url, key, drawing)
	})
}

// UploadRequest captures a request, under another name of its type.
func UploadRequest(ctx context.Context, hc *nethttp.Client, req *Request, drawing *bytes.Buffer) (int, error) {
	req.Body = io.NopCloser(drawing)
	return Retry[int](ctx, 4, func(context.Context) (int, error) {
		return send[int](hc, req) // want `body`
	})
}

// UploadRequestAnew fills its body inside.
func UploadRequestAnew(ctx context.Context, hc *nethttp.Client, req *Request, drawing *bytes.Buffer) (int, error) {
	return Retry[int](ctx, 4, func(context.Context) (int, error) {
		req.Body = io.NopCloser(bytes.NewReader(drawing.Bytes()))
		return send[int](hc, req)
	})
}

// Client uploads what can be encoded.
type Client[In, Out any] struct {
	hc  *nethttp.Client
	url string
}

// Put encodes before its loop.
func (c *Client[In, Out]) Put(ctx context.Context, key string, in In) (out Out, err error) {
	var buf bytes.Buffer
	if err = json.NewEncoder(&buf).Encode(in); err != nil {
		return out, err
	}
	for range 3 {
		if out, err = post[Out](ctx, c.hc, c.url, key, &buf); err == nil { // want `body`
			return out, nil
		}
	}
	return out, err
}

// PutAnew encodes in its loop.
func (c *Client[In, Out]) PutAnew(ctx context.Context, key string, in In) (out Out, err error) {
	for range 3 {
		var buf bytes.Buffer
		if err = json.NewEncoder(&buf).Encode(in); err != nil {
			return out, err
		}
		if out, err = post[Out](ctx, c.hc, c.url, key, &buf); err == nil {
			return out, nil
		}
	}
	return out, err
}

// Drawings uploads drawings; it makes an instance of the methods above.
type Drawings = Client[Drawing, struct{ ID string }]

// Both calls the two of them.
func Both(ctx context.Context, c *Drawings, d Drawing) error {
	if _, err := c.Put(ctx, d.Name, d); err != nil {
		return err
	}
	_, err := c.PutAnew(ctx, d.Name, d)
	return err
}

// Stream sends any kind of reader, from its own loop.
func Stream[R io.Reader](ctx context.Context, hc *nethttp.Client, url, key string, src R) (err error) {
	for range 3 {
		if _, err = post[struct{}](ctx, hc, url, key, src); err == nil { // want `body`
			return nil
		}
	}
	return err
}

// Rewound sends any kind that can go back.
func Rewound[R io.ReadSeeker](ctx context.Context, hc *nethttp.Client, url, key string, src R) (err error) {
	for range 3 {
		if _, err = src.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err = post[struct{}](ctx, hc, url, key, io.NopCloser(src)); err == nil {
			return nil
		}
	}
	return err
}

// Lines calls them.
func Lines(ctx context.Context, hc *nethttp.Client, url, text string) error {
	rd := strings.NewReader(text)
	if err := Rewound(ctx, hc, url, "lines", rd); err == nil {
		return nil
	}
	return Stream(ctx, hc, url, "lines", strings.NewReader(text))
}
