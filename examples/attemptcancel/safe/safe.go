// Package safe reads ferry timetables and gives each attempt ten seconds, like
// package risky. The context of an attempt that worked lives until its body is
// closed, so that the ten seconds hold for the body as well.
//
// Written once for any client, this is resilience.Transport, whose attempts end
// at the headers.
package safe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

const (
	attempts       = 3
	attemptTimeout = 10 * time.Second
)

// Sailing is one line of a timetable.
type Sailing struct {
	Departs string `json:"departs"`
	Ship    string `json:"ship"`
}

// Timetable asks a ferry line.
type Timetable struct {
	hc   *http.Client
	base string
}

// New returns the Timetable at base.
func New(hc *http.Client, base string) *Timetable {
	return &Timetable{hc: hc, base: base}
}

// StatusError is an answer that is no success.
type StatusError int

func (e StatusError) Error() string {
	return fmt.Sprintf("timetable answered %d %s", int(e), http.StatusText(int(e)))
}

// Sailings returns today's sailings from a pier.
func (t *Timetable) Sailings(ctx context.Context, pier string) ([]Sailing, error) {
	resp, err := t.get(ctx, "/piers/"+url.PathEscape(pier)+"/sailings")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var sailings []Sailing
	if err := json.NewDecoder(resp.Body).Decode(&sailings); err != nil {
		return nil, fmt.Errorf("sailings from %s: %w", pier, err)
	}
	return sailings, nil
}

// get returns the first good answer.
func (t *Timetable) get(ctx context.Context, path string) (*http.Response, error) {
	for n := 1; ; n++ {
		resp, err := t.attempt(ctx, path)
		if err == nil {
			if resp.StatusCode == http.StatusOK {
				return resp, nil
			}
			drop(resp)
			err = StatusError(resp.StatusCode)
		}
		if n == attempts || !transient(err) {
			return nil, fmt.Errorf("%s, attempt %d: %w", path, n, err)
		}
		if err := pause(ctx, n); err != nil {
			return nil, err
		}
	}
}

// attempt is one exchange, of ten seconds at most, body and all: who closes
// the body ends its context.
func (t *Timetable) attempt(ctx context.Context, path string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.base+path, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := t.hc.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = &body{resp.Body, cancel}
	return resp, nil
}

// body ends the context of its attempt when it is closed.
type body struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *body) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// drop makes the connection free for the next attempt.
func drop(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	_ = resp.Body.Close()
}

// transient says whether another attempt may go better: after a timeout, and
// after what a proxy says for a server that it cannot reach.
func transient(err error) bool {
	if status, ok := errors.AsType[StatusError](err); ok {
		return status == http.StatusBadGateway || status == http.StatusGatewayTimeout
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// pause waits before attempt n+1, or until the caller has left.
func pause(ctx context.Context, n int) error {
	d := 200 * time.Millisecond << n
	t := time.NewTimer(d/2 + rand.N(d/2))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
