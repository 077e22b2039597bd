// Package closures stores recordings through retry helpers of its own.
package closures

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// Studio stores recordings.
type Studio struct {
	hc   *http.Client
	base string
}

// again calls f until it succeeds, n times at most.
func again(ctx context.Context, n int, f func() error) (err error) {
	for i := range n {
		if err = f(); err == nil {
			return nil
		}
		select {
		case <-time.After(time.Second << i):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// logged calls f a single time.
func logged(f func() error) error {
	err := f()
	if err != nil {
		println("studio:", err.Error())
	}
	return err
}

// Policy repeats, too.
type Policy struct{ Max int }

// Do calls f up to Max times with a context of its own.
func (p Policy) Do(ctx context.Context, f func(context.Context) error) error {
	n := 0
	for {
		actx, cancel := context.WithTimeout(ctx, time.Minute)
		err := f(actx)
		cancel()
		if n++; err == nil || n >= p.Max || ctx.Err() != nil {
			return err
		}
	}
}

func check(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return fmt.Errorf("studio: %s", resp.Status)
	}
	return nil
}

// put sends one recording once.
func (s *Studio) put(ctx context.Context, name string, tape io.Reader) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, s.base+"/tapes/"+name, tape)
	if err != nil {
		return err
	}
	return check(s.hc.Do(req))
}

// Captured builds the request inside, from a buffer outside.
func (s *Studio) Captured(ctx context.Context, name string, tape []byte) error {
	buf := bytes.NewBuffer(tape)
	return again(ctx, 3, func() error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, s.base+"/tapes/"+name, buf) // want `body`
		if err != nil {
			return err
		}
		return check(s.hc.Do(req))
	})
}

// CapturedBytes makes the reader inside.
func (s *Studio) CapturedBytes(ctx context.Context, name string, tape []byte) error {
	return again(ctx, 3, func() error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, s.base+"/tapes/"+name, bytes.NewReader(tape))
		if err != nil {
			return err
		}
		return check(s.hc.Do(req))
	})
}

// CapturedRequest builds the request outside.
func (s *Studio) CapturedRequest(ctx context.Context, key string, tape io.Reader) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/tapes", tape)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	return again(ctx, 3, func() error {
		return check(s.hc.Do(req)) // want `body`
	})
}

// CapturedRewound opens its body again inside.
func (s *Studio) CapturedRewound(ctx context.Context, key string, tape []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/tapes", bytes.NewReader(tape))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	return again(ctx, 3, func() error {
		body, err := req.GetBody()
		if err != nil {
			return err
		}
		req.Body = body
		return check(s.hc.Do(req))
	})
}

// ThroughMethod hands the reader to a method that sends it.
func (s *Studio) ThroughMethod(ctx context.Context, name string, tape io.Reader) error {
	return again(ctx, 3, func() error {
		return s.put(ctx, name, tape) // want `body`
	})
}

// ThroughMethodSeek goes back to the beginning first.
func (s *Studio) ThroughMethodSeek(ctx context.Context, name string, tape io.ReadSeeker) error {
	return again(ctx, 3, func() error {
		if _, err := tape.Seek(0, io.SeekStart); err != nil {
			return err
		}
		return s.put(ctx, name, io.NopCloser(tape))
	})
}

// ThroughMethodOnce is not repeated.
func (s *Studio) ThroughMethodOnce(ctx context.Context, name string, tape io.Reader) error {
	return logged(func() error { return s.put(ctx, name, tape) })
}

// ByPolicy repeats below a method, with a file that is opened outside.
func (s *Studio) ByPolicy(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return Policy{Max: 3}.Do(ctx, func(ctx context.Context) error {
		return s.put(ctx, name, f) // want `body`
	})
}

// ByPolicyInside opens it inside.
func (s *Studio) ByPolicyInside(ctx context.Context, name string) error {
	return Policy{Max: 3}.Do(ctx, func(ctx context.Context) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return s.put(ctx, name, f)
	})
}

// Tape is one recording on its way.
type Tape struct {
	studio *Studio
	name   string
	sound  io.Reader
	data   []byte
}

func (t *Tape) put() error {
	return t.studio.put(context.Background(), t.name, t.sound)
}

func (t *Tape) putData() error {
	return t.studio.put(context.Background(), t.name, bytes.NewReader(t.data))
}

// Store hands over the method that sends the reader of its receiver.
func (t *Tape) Store(ctx context.Context) error {
	return again(ctx, 5, t.put) // want `body`
}

// StoreData hands over the one that makes a reader.
func (t *Tape) StoreData(ctx context.Context) error {
	return again(ctx, 5, t.putData)
}

// Source is a closure that gives the reader: always the same one.
func (s *Studio) Source(ctx context.Context, name string, tape []byte) (err error) {
	rd := bytes.NewReader(tape)
	source := func() io.Reader { return rd }
	for range 3 {
		if err = s.put(ctx, name, source()); err == nil { // want `body`
			return nil
		}
	}
	return err
}

// SourceAnew gives a new one.
func (s *Studio) SourceAnew(ctx context.Context, name string, tape []byte) (err error) {
	source := func() io.Reader { return bytes.NewReader(tape) }
	for range 3 {
		if err = s.put(ctx, name, source()); err == nil {
			return nil
		}
	}
	return err
}

// SourceGiven asks a function of the caller, which may do either.
func (s *Studio) SourceGiven(ctx context.Context, name string, source func() (io.ReadCloser, error)) (err error) {
	for range 3 {
		rc, oerr := source()
		if oerr != nil {
			return oerr
		}
		if err = s.put(ctx, name, rc); err == nil {
			return nil
		}
	}
	return err
}
