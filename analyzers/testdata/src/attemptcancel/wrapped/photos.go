// Package wrapped opens photographs. Most of its functions let the context live
// as long as the body.
package wrapped

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync"
	"time"
)

// Store keeps photographs.
type Store struct {
	hc    *http.Client
	base  string
	limit time.Duration
}

func (s *Store) request(ctx context.Context, id string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/photos/"+id, nil)
	if err != nil {
		return nil, err
	}
	resp, err := s.hc.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("photo %s: %s", id, resp.Status)
	}
	return resp, nil
}

// body ends a context when it is closed.
type body struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.cancel()
	return err
}

// Open ties the context to the body.
func (s *Store) Open(ctx context.Context, id string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	resp, err := s.request(ctx, id)
	if err != nil {
		cancel()
		return nil, err
	}
	return &body{resp.Body, cancel}, nil
}

// HalfMended ties it, and the old line is still there.
func (s *Store) HalfMended(ctx context.Context, id string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel() // want "before the body is read"
	resp, err := s.request(ctx, id)
	if err != nil {
		return nil, err
	}
	return &body{resp.Body, cancel}, nil
}

// counted is a wrapper as well, and holds no context.
type counted struct {
	io.ReadCloser
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n += int64(n)
	return n, err
}

// Counted wraps the body in something else.
func (s *Store) Counted(ctx context.Context, id string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel() // want "before the body is read"
	resp, err := s.request(ctx, id)
	if err != nil {
		return nil, err
	}
	resp.Body = &counted{ReadCloser: resp.Body}
	return resp, nil
}

// From here on: nothing to report.

// Response keeps the response and replaces its body.
func (s *Store) Response(ctx context.Context, id string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	resp, err := s.request(ctx, id)
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = &body{ReadCloser: resp.Body, cancel: cancel}
	return resp, nil
}

// closer is a function that closes.
type closer func() error

func (c closer) Close() error { return c() }

// Composed puts a reader and a closer together.
func (s *Store) Composed(ctx context.Context, id string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	resp, err := s.request(ctx, id)
	if err != nil {
		cancel()
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{
		Reader: io.LimitReader(resp.Body, 32<<20),
		Closer: closer(func() error {
			defer cancel()
			return resp.Body.Close()
		}),
	}, nil
}

// tied ends the context at the end of the body too.
type tied struct {
	rc   io.ReadCloser
	once sync.Once
	end  context.CancelFunc
}

func (t *tied) Read(p []byte) (int, error) {
	n, err := t.rc.Read(p)
	if err != nil {
		t.once.Do(t.end)
	}
	return n, err
}

func (t *tied) Close() error {
	t.once.Do(t.end)
	return t.rc.Close()
}

// tie replaces the body of a response.
func tie(resp *http.Response, end context.CancelFunc) *http.Response {
	resp.Body = &tied{rc: resp.Body, end: end}
	return resp
}

// Tied leaves it to a helper.
func (s *Store) Tied(ctx context.Context, id string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	resp, err := s.request(ctx, id)
	if err != nil {
		cancel()
		return nil, err
	}
	return tie(resp, cancel), nil
}

// Handed gives the cancel function to the caller.
func (s *Store) Handed(ctx context.Context, id string) (resp *http.Response, end func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	if resp, err = s.request(ctx, id); err != nil {
		cancel()
		return nil, nil, err
	}
	return resp, func() {
		resp.Body.Close()
		cancel()
	}, nil
}

// UnlessReturned says with a flag whether somebody else will end it.
func (s *Store) UnlessReturned(ctx context.Context, id string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	returned := false
	defer func() {
		if !returned {
			cancel()
		}
	}()
	resp, err := s.request(ctx, id)
	if err != nil {
		return nil, err
	}
	if resp.ContentLength == 0 {
		resp.Body.Close()
		return nil, io.ErrUnexpectedEOF
	}
	returned = true
	return &body{resp.Body, cancel}, nil
}

// Swapped defers a variable that is emptied before the good return.
func (s *Store) Swapped(ctx context.Context, id string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	onFailure := cancel
	defer func() { onFailure() }()
	resp, err := s.request(ctx, id)
	if err != nil {
		return nil, err
	}
	onFailure = func() {}
	return &body{resp.Body, cancel}, nil
}

// UntilCaller ends when the caller's own context does.
func (s *Store) UntilCaller(ctx context.Context, id string) (*http.Response, error) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, cancel)
	return s.request(own, id)
}

// UntilCollected leaves it to the garbage collector.
func (s *Store) UntilCollected(ctx context.Context, id string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	resp, err := s.request(ctx, id)
	if err != nil {
		cancel()
		return nil, err
	}
	runtime.AddCleanup(resp, func(end context.CancelFunc) { end() }, cancel)
	return resp, nil
}

// Bounded ends by its timer, if by nothing else.
func (s *Store) Bounded(ctx context.Context, id string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	resp, err := s.request(ctx, id)
	if err != nil {
		cancel()
	}
	return resp, err
}
