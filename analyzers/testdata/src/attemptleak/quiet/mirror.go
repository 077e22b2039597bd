// Package quiet reads from mirrors. Its answers go ways on which somebody else
// closes them, or have nothing to close.
package quiet

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

var errBusy = errors.New("mirror: busy")

// Mirror is a client.
type Mirror struct {
	hc      *http.Client
	base    string
	observe Observer
	open    []io.Closer
	dropped chan *http.Response
}

// Observer is told of failures.
type Observer interface {
	Failed(resp *http.Response)
}

func (m *Mirror) ask(ctx context.Context, method, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, m.base+path, nil)
	if err != nil {
		return nil, err
	}
	return m.hc.Do(req)
}

func busy(resp *http.Response) bool {
	return resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusTooManyRequests
}

// Plain tells nobody.
func (m *Mirror) Plain(ctx context.Context, file string) (*http.Response, error) {
	for range 3 {
		resp, err := m.ask(ctx, http.MethodGet, file) // want "not closed"
		if err != nil {
			return nil, err
		}
		if !busy(resp) {
			return resp, nil
		}
		time.Sleep(time.Second)
	}
	return nil, errBusy
}

// From here on: nothing to report.

// Observed tells an observer, who may close it.
func (m *Mirror) Observed(ctx context.Context, file string) (*http.Response, error) {
	for range 3 {
		resp, err := m.ask(ctx, http.MethodGet, file)
		if err != nil {
			return nil, err
		}
		if !busy(resp) {
			return resp, nil
		}
		m.observe.Failed(resp)
		time.Sleep(time.Second)
	}
	return nil, errBusy
}

// Judged asks a function of the caller's.
func (m *Mirror) Judged(ctx context.Context, file string, again func(*http.Response, error) bool) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := m.ask(ctx, http.MethodGet, file)
		if n == 3 || !again(resp, err) {
			return resp, err
		}
	}
}

// Collected keeps all of them and closes them at the end.
func (m *Mirror) Collected(ctx context.Context, file string, use func(io.Reader) error) error {
	var open []io.Closer
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	for range 3 {
		resp, err := m.ask(ctx, http.MethodGet, file)
		if err != nil {
			return err
		}
		open = append(open, resp.Body)
		if !busy(resp) {
			return use(resp.Body)
		}
		time.Sleep(time.Second)
	}
	return errBusy
}

// Kept leaves them to Close.
func (m *Mirror) Kept(ctx context.Context, file string) (*http.Response, error) {
	for range 3 {
		resp, err := m.ask(ctx, http.MethodGet, file)
		if err != nil {
			return nil, err
		}
		if !busy(resp) {
			return resp, nil
		}
		m.open = append(m.open, resp.Body)
	}
	return nil, errBusy
}

// Close closes what was kept.
func (m *Mirror) Close() (err error) {
	for _, c := range m.open {
		err = errors.Join(err, c.Close())
	}
	m.open = nil
	return err
}

// Sent hands them to a goroutine.
func (m *Mirror) Sent(ctx context.Context, file string) (*http.Response, error) {
	go func() {
		for resp := range m.dropped {
			resp.Body.Close()
		}
	}()
	for range 3 {
		resp, err := m.ask(ctx, http.MethodGet, file)
		if err != nil {
			return nil, err
		}
		if !busy(resp) {
			return resp, nil
		}
		m.dropped <- resp
	}
	return nil, errBusy
}

func drain(rc io.ReadCloser) {
	io.Copy(io.Discard, rc)
	rc.Close()
}

// Aside drains in a goroutine of its own.
func (m *Mirror) Aside(ctx context.Context, file string) (*http.Response, error) {
	for range 3 {
		resp, err := m.ask(ctx, http.MethodGet, file)
		if err != nil {
			return nil, err
		}
		if !busy(resp) {
			return resp, nil
		}
		go drain(resp.Body)
		time.Sleep(time.Second)
	}
	return nil, errBusy
}

// Exists asks with HEAD: there is no body to close.
func (m *Mirror) Exists(ctx context.Context, file string) (bool, error) {
	for range 3 {
		resp, err := m.ask(ctx, http.MethodHead, file)
		if err != nil {
			return false, err
		}
		if !busy(resp) {
			return resp.StatusCode == http.StatusOK, nil
		}
		time.Sleep(time.Second)
	}
	return false, errBusy
}

// Bounded has a literal for each attempt, which limits and closes it.
func (m *Mirror) Bounded(ctx context.Context, file string, use func(io.Reader) error) error {
	for range 3 {
		err := func() error {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			resp, err := m.ask(ctx, http.MethodGet, file)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if busy(resp) {
				return errBusy
			}
			return use(resp.Body)
		}()
		if !errors.Is(err, errBusy) {
			return err
		}
	}
	return errBusy
}

// Pages takes the next page in each round.
func (m *Mirror) Pages(ctx context.Context) (n int, err error) {
	path := "/files"
	for path != "" {
		resp, err := m.ask(ctx, http.MethodGet, path)
		if err != nil {
			return n, err
		}
		path = resp.Header.Get("X-Next")
		n++
	}
	return n, nil
}
