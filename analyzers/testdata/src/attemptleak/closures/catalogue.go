// Package closures reads a catalogue through retry helpers and recursion.
package closures

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Catalogue is a client.
type Catalogue struct {
	hc   *http.Client
	base string
}

// Record is an entry.
type Record struct{ Title, Author string }

// again calls fn until it works.
func again(ctx context.Context, n int, fn func(context.Context) error) error {
	var err error
	for i := range n {
		if err = fn(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(time.Duration(i+1) * 100 * time.Millisecond):
		}
	}
	return err
}

// Retry is the generic form; what a failed call returned is dropped.
func Retry[T any](n int, fn func() (T, error)) (T, error) {
	for {
		v, err := fn()
		if n--; err == nil || n <= 0 {
			return v, err
		}
		time.Sleep(time.Second)
	}
}

func (c *Catalogue) send(ctx context.Context, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return nil, err
	}
	return c.hc.Do(req)
}

func status(resp *http.Response) error {
	if resp.StatusCode >= 400 {
		return fmt.Errorf("catalogue: %s", resp.Status)
	}
	return nil
}

// Find closes what it decodes, and nothing else.
func (c *Catalogue) Find(ctx context.Context, id string) (rec Record, err error) {
	err = again(ctx, 4, func(ctx context.Context) error {
		resp, err := c.send(ctx, "/records/"+id) // want "not closed"
		if err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("record %s: %s", id, resp.Status)
		}
		defer resp.Body.Close()
		return json.NewDecoder(resp.Body).Decode(&rec)
	})
	return rec, err
}

// Open keeps the answer in a variable around the literal.
func (c *Catalogue) Open(ctx context.Context, id string) (*http.Response, error) {
	var resp *http.Response
	err := again(ctx, 4, func(ctx context.Context) (err error) {
		resp, err = c.send(ctx, "/scans/"+id) // want "not closed"
		if err != nil {
			return err
		}
		return status(resp)
	})
	return resp, err
}

// Scan gets its answer from the generic helper.
func (c *Catalogue) Scan(ctx context.Context, id string) (*http.Response, error) {
	return Retry(3, func() (*http.Response, error) {
		resp, err := c.send(ctx, "/scans/"+id) // want "not closed"
		if err != nil {
			return nil, err
		}
		if resp.StatusCode >= 500 {
			return nil, fmt.Errorf("scan: %s", resp.Status)
		}
		return resp, nil
	})
}

// Both returns the answer and an error; the helper keeps the error.
func (c *Catalogue) Both(ctx context.Context, id string) (*http.Response, error) {
	return Retry(3, func() (*http.Response, error) {
		resp, err := c.send(ctx, "/scans/"+id) // want "not closed"
		if err != nil {
			return nil, err
		}
		return resp, status(resp)
	})
}

// Recursive calls itself with what is left open.
func (c *Catalogue) Recursive(ctx context.Context, id string, left int) (*http.Response, error) {
	resp, err := c.send(ctx, "/records/"+id) // want "not closed"
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusServiceUnavailable && left > 0 {
		time.Sleep(time.Second)
		return c.Recursive(ctx, id, left-1)
	}
	return resp, nil
}

// Local is a literal that its own function repeats.
func (c *Catalogue) Local(ctx context.Context) (titles []string, err error) {
	try := func() (done bool) {
		var resp *http.Response
		if resp, err = c.send(ctx, "/titles"); err != nil { // want "not closed"
			return false
		}
		if err = status(resp); err != nil {
			return false
		}
		defer resp.Body.Close()
		err = json.NewDecoder(resp.Body).Decode(&titles)
		return true
	}
	for range 3 {
		if try() {
			break
		}
	}
	return titles, err
}

// From here on: nothing to report.

// FindClosed closes each answer in the attempt that brought it.
func (c *Catalogue) FindClosed(ctx context.Context, id string) (rec Record, err error) {
	err = again(ctx, 4, func(ctx context.Context) error {
		resp, err := c.send(ctx, "/records/"+id)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if err := status(resp); err != nil {
			return err
		}
		return json.NewDecoder(resp.Body).Decode(&rec)
	})
	return rec, err
}

// OpenClosed closes before it says that it failed.
func (c *Catalogue) OpenClosed(ctx context.Context, id string) (resp *http.Response, err error) {
	err = again(ctx, 4, func(ctx context.Context) error {
		r, err := c.send(ctx, "/scans/"+id)
		if err != nil {
			return err
		}
		if err := status(r); err != nil {
			io.Copy(io.Discard, r.Body)
			r.Body.Close()
			return err
		}
		resp = r
		return nil
	})
	return resp, err
}

// RecursiveClosed closes before it calls itself.
func (c *Catalogue) RecursiveClosed(ctx context.Context, id string, left int) (*http.Response, error) {
	resp, err := c.send(ctx, "/records/"+id)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusServiceUnavailable && left > 0 {
		resp.Body.Close()
		return c.RecursiveClosed(ctx, id, left-1)
	}
	return resp, nil
}

// Unreached repeats only where there is no answer: any other ends it well.
func (c *Catalogue) Unreached(ctx context.Context, id string) (*http.Response, error) {
	return Retry(3, func() (*http.Response, error) { return c.send(ctx, "/records/"+id) })
}

// OneTry has no second attempt.
func (c *Catalogue) OneTry(ctx context.Context, id string) error {
	return again(ctx, 1, func(ctx context.Context) error {
		resp, err := c.send(ctx, "/records/"+id)
		if err != nil {
			return err
		}
		if err := status(resp); err != nil {
			return err
		}
		return resp.Body.Close()
	})
}
