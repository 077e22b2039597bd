// Package names ends contexts under names of its own: what is deferred is not
// called cancel, or not called here.
package names

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

var errShut = errors.New("library: shut")

// Library lends books.
type Library struct {
	hc     *http.Client
	base   string
	closed context.Context
	desk   sync.Mutex
	seats  chan struct{}
}

func (l *Library) ask(ctx context.Context, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.base+path, nil)
	if err != nil {
		return nil, err
	}
	return l.hc.Do(req)
}

// Renamed calls it done.
func (l *Library) Renamed(ctx context.Context) (*http.Response, error) {
	short, done := context.WithTimeout(ctx, 5*time.Second)
	defer done() // want "before the body is read"
	return l.ask(short, "/books")
}

// InLiteral calls it in a function literal.
func (l *Library) InLiteral(ctx context.Context) (*http.Response, error) {
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer func() { stop() }() // want "before the body is read"
	return l.ask(ctx, "/books")
}

// Handed hands it to one.
func (l *Library) Handed(ctx context.Context) (*http.Response, error) {
	ctx, release := context.WithTimeout(ctx, 5*time.Second)
	defer func(end context.CancelFunc) { end() }(release) // want "before the body is read"
	return l.ask(ctx, "/books")
}

// Copied has it in a second variable.
func (l *Library) Copied(ctx context.Context) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	finish := cancel
	defer finish() // want "before the body is read"
	return l.ask(ctx, "/books")
}

// WithCause ends it with a reason.
func (l *Library) WithCause(ctx context.Context) (*http.Response, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(errShut) // want "before the body is read"
	return l.ask(ctx, "/books")
}

// TimeoutCause has a reason for the timer.
func (l *Library) TimeoutCause(ctx context.Context) (*http.Response, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errShut)
	defer cancel() // want "before the body is read"
	return l.ask(ctx, "/books")
}

// visit is a limited stay; both halves are in it.
type visit struct {
	ctx   context.Context
	leave context.CancelFunc
}

func (l *Library) enter(ctx context.Context) *visit {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	return &visit{ctx: ctx, leave: cancel}
}

// End ends the visit.
func (v *visit) End() { v.leave() }

// InStruct calls the field.
func (l *Library) InStruct(ctx context.Context) (*http.Response, error) {
	v := l.enter(ctx)
	defer v.leave() // want "before the body is read"
	return l.ask(v.ctx, "/books")
}

// ByMethod calls a method that calls the field.
func (l *Library) ByMethod(ctx context.Context) (*http.Response, error) {
	v := l.enter(ctx)
	defer v.End() // want "before the body is read"
	return l.ask(v.ctx, "/books")
}

// Outer takes the visit along, and ends what the visit hangs on.
func (l *Library) Outer(ctx context.Context) (*Loan, error) {
	day, lock := context.WithCancel(ctx)
	defer lock() // want "before the body is read"
	v := l.enter(day)
	resp, err := l.ask(v.ctx, "/books")
	if err != nil {
		v.End()
		return nil, err
	}
	return &Loan{resp, v}, nil
}

// Early ends it on every way out, by hand.
func (l *Library) Early(ctx context.Context) (*http.Response, error) {
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	resp, err := l.ask(ctx, "/books")
	if err != nil {
		stop()
		return nil, err
	}
	if resp.StatusCode == http.StatusGone {
		resp.Body.Close()
		stop()
		return nil, errShut
	}
	stop() // want "before the body is read"
	return resp, nil
}

// From here on: nothing to report.

// Seat gives back a seat; cancel is only its name.
func (l *Library) Seat(ctx context.Context) (*http.Response, error) {
	cancel := l.sit()
	defer cancel()
	return l.ask(ctx, "/books")
}

func (l *Library) sit() func() {
	l.seats <- struct{}{}
	return func() { <-l.seats }
}

// Quiet unlocks.
func (l *Library) Quiet(ctx context.Context) (*http.Response, error) {
	l.desk.Lock()
	done := l.desk.Unlock
	defer done()
	return l.ask(ctx, "/books")
}

// Watched ends when the library closes; what is deferred takes the watch away.
func (l *Library) Watched(ctx context.Context) (*http.Response, error) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(l.closed, cancel)
	defer stop()
	return l.ask(ctx, "/books")
}

// Timed ends a timer, and the timer ends the context.
func (l *Library) Timed(ctx context.Context) (*http.Response, error) {
	ctx, cancel := context.WithCancel(ctx)
	t := time.AfterFunc(10*time.Second, cancel) // to the headers
	defer t.Stop()
	return l.ask(ctx, "/books")
}

// Reader reads under the visit.
func (l *Library) Reader(ctx context.Context) (int64, error) {
	v := l.enter(ctx)
	defer v.End()
	resp, err := l.ask(v.ctx, "/books")
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	var n int64
	buf := make([]byte, 4096)
	for {
		m, err := resp.Body.Read(buf)
		n += int64(m)
		if err != nil {
			return n, nil
		}
	}
}

// Loan takes the visit along.
type Loan struct {
	*http.Response
	visit *visit
}

// Close ends it.
func (l *Loan) Close() error {
	defer l.visit.End()
	return l.Body.Close()
}

// Borrow returns what still holds the visit.
func (l *Library) Borrow(ctx context.Context) (*Loan, error) {
	v := l.enter(ctx)
	resp, err := l.ask(v.ctx, "/books")
	if err != nil {
		v.End()
		return nil, err
	}
	return &Loan{resp, v}, nil
}
