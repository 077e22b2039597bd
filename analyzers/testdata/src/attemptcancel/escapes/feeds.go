// Package escapes takes bodies out of a function by other ways than its
// results: through variables around a literal, goroutines, channels and fields.
package escapes

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Feed is a client.
type Feed struct {
	hc    *http.Client
	base  string
	limit time.Duration
}

func (f *Feed) ask(ctx context.Context, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.base+path, nil)
	if err != nil {
		return nil, err
	}
	return f.hc.Do(req)
}

// again calls fn up to n times.
func again(ctx context.Context, n int, fn func() error) error {
	var err error
	for i := range n {
		if err = fn(); err == nil {
			return nil
		}
		select {
		case <-time.After(time.Duration(i+1) * time.Second):
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
	return err
}

// Captured limits each attempt, and returns the answer of the good one.
func (f *Feed) Captured(ctx context.Context, path string) (*http.Response, error) {
	var resp *http.Response
	err := again(ctx, 3, func() error {
		ctx, cancel := context.WithTimeout(ctx, f.limit)
		defer cancel() // want "before the body is read"
		r, err := f.ask(ctx, path)
		if err != nil {
			return err
		}
		if r.StatusCode >= 500 {
			r.Body.Close()
			return fmt.Errorf("feed: %s", r.Status)
		}
		resp = r
		return nil
	})
	return resp, err
}

// CapturedRead reads it when the attempt is over.
func (f *Feed) CapturedRead(ctx context.Context, path string, v any) error {
	var resp *http.Response
	err := again(ctx, 3, func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, f.limit)
		defer cancel() // want "before the body is read"
		resp, err = f.ask(ctx, path)
		return err
	})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(v)
}

// Pumped lets a goroutine read, and does not wait for it.
func (f *Feed) Pumped(ctx context.Context, path string) (<-chan string, error) {
	ctx, cancel := context.WithTimeout(ctx, f.limit)
	defer cancel() // not seen: who reads is a goroutine
	resp, err := f.ask(ctx, path)
	if err != nil {
		return nil, err
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		defer resp.Body.Close()
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() {
			lines <- sc.Text()
		}
	}()
	return lines, nil
}

// Piped returns the other end of a pipe.
func (f *Feed) Piped(ctx context.Context, path string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, f.limit)
	defer cancel() // not seen: who reads is a goroutine
	resp, err := f.ask(ctx, path)
	if err != nil {
		return nil, err
	}
	pr, pw := io.Pipe()
	go func() {
		_, err := io.Copy(pw, resp.Body)
		resp.Body.Close()
		pw.CloseWithError(err)
	}()
	return pr, nil
}

// File reads an object in pieces; it opens when the first piece is asked for.
type File struct {
	feed *Feed
	path string
	body io.ReadCloser
}

func (f *File) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, f.feed.limit)
	defer cancel() // want "before the body is read"
	resp, err := f.feed.ask(ctx, f.path)
	if err != nil {
		return err
	}
	f.body = resp.Body
	return nil
}

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	if f.body == nil {
		if err := f.open(context.Background()); err != nil {
			return 0, err
		}
	}
	return f.body.Read(p)
}

// Close closes what was opened.
func (f *File) Close() error {
	if f.body == nil {
		return nil
	}
	return f.body.Close()
}

// From here on: nothing to report.

// CapturedBytes reads inside.
func (f *Feed) CapturedBytes(ctx context.Context, path string) ([]byte, error) {
	var all []byte
	err := again(ctx, 3, func() error {
		ctx, cancel := context.WithTimeout(ctx, f.limit)
		defer cancel()
		resp, err := f.ask(ctx, path)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		all, err = io.ReadAll(resp.Body)
		return err
	})
	return all, err
}

// Around limits all attempts together, and reads within the limit.
func (f *Feed) Around(ctx context.Context, path string, v any) error {
	ctx, cancel := context.WithTimeout(ctx, f.limit)
	defer cancel()
	var resp *http.Response
	err := again(ctx, 3, func() (err error) {
		resp, err = f.ask(ctx, path)
		return err
	})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(v)
}

// PumpedOwn ends the context where the goroutine ends.
func (f *Feed) PumpedOwn(ctx context.Context, path string) (<-chan string, error) {
	ctx, cancel := context.WithTimeout(ctx, f.limit)
	resp, err := f.ask(ctx, path)
	if err != nil {
		cancel()
		return nil, err
	}
	lines := make(chan string)
	go func() {
		defer cancel()
		defer close(lines)
		defer resp.Body.Close()
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() {
			lines <- sc.Text()
		}
	}()
	return lines, nil
}

// Waited waits for the goroutine.
func (f *Feed) Waited(ctx context.Context, path string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, f.limit)
	defer cancel()
	resp, err := f.ask(ctx, path)
	if err != nil {
		return nil, err
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		defer resp.Body.Close()
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() {
			lines <- sc.Text()
		}
	}()
	var all []string
	for l := range lines {
		all = append(all, l)
	}
	return all, nil
}
