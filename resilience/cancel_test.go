package resilience_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

var errShutdown = errors.New("the service is shutting down")

// Wherever a call waits, a caller that leaves ends it at once, with the cause,
// and nothing more is sent. The scripts lead to the wait at 3s.
func TestCancellationAtEveryWait(t *testing.T) {
	waits := []struct {
		name     string
		change   func(*resilience.Options)
		script   []step
		requests int
		stop     resilience.Stop // "" where the call has already returned
	}{
		{"for the limiter", func(o *resilience.Options) {
			o.Limiter = resilience.Limiter{Concurrent: 1, MaxWait: time.Minute}
		}, []step{headersThen(200, time.Hour)}, 1, resilience.StopCanceled},
		{"for the headers of the first attempt", nil, []step{after(time.Hour)}, 1, resilience.StopCanceled},
		{"for the headers of the second attempt", nil, []step{status(503), after(time.Hour)}, 2, resilience.StopCanceled},
		{"between attempts", func(o *resilience.Options) {
			o.Retry.Backoff, o.Retry.MaxBackoff = 8*time.Second, 8*time.Second
		}, []step{reset}, 1, resilience.StopCanceled},
		{"for Retry-After", nil, []step{status(429, "Retry-After", "9")}, 1, resilience.StopCanceled},
		{"for the rest of a failed attempt's body", func(o *resilience.Options) {
			o.Retry.Backoff, o.Retry.MaxBackoff = 8*time.Second, 8*time.Second
		}, []step{headersThen(503, time.Hour)}, 1, resilience.StopCanceled},
		{"for a hedge", func(o *resilience.Options) {
			o.Hedge = resilience.Hedge{After: 9 * time.Second, Copies: 1}
		}, []step{after(time.Hour)}, 1, resilience.StopCanceled},
		{"for hedged attempts", func(o *resilience.Options) {
			o.Hedge = resilience.Hedge{After: time.Second, Copies: 2}
		}, []step{after(time.Hour)}, 3, resilience.StopCanceled},
		{"for the body", nil, []step{headersThen(200, time.Hour)}, 1, ""},
	}
	for _, w := range waits {
		t.Run(w.name, func(t *testing.T) {
			o := quick()
			if w.change != nil {
				w.change(&o)
			}
			run(t, o, w.script, func(s *session) {
				ctx, cancel := context.WithCancelCause(s.Context())
				defer cancel(nil)
				if o.Limiter.Concurrent > 0 { // somebody else has the only place
					held, leave := context.WithCancel(s.Context())
					ended := make(chan struct{})
					go func() {
						defer close(ended)
						_, _, _ = s.do(held, "GET", "")
					}()
					synctest.Wait()
					defer func() { leave(); <-ended }()
				}
				time.AfterFunc(3*time.Second, func() { cancel(errShutdown) })

				_, _, err := s.do(ctx, "GET", "")

				s.wantTook(3 * time.Second)
				s.wantRequests(w.requests)
				if !errors.Is(err, errShutdown) {
					t.Errorf("%v does not have the cause", err)
				}
				if w.stop == "" {
					return
				}
				ce, ok := errors.AsType[*resilience.CallError](err)
				if !ok || ce.Stop != w.stop || !errors.Is(err, context.Canceled) {
					t.Errorf("%v, want %s", err, w.stop)
				}
				time.Sleep(time.Hour / 2)
				s.wantRequests(w.requests)
			})
		})
	}
}

// A deadline of the caller is the caller's, whatever else is about to end.
func TestCallersDeadline(t *testing.T) {
	run(t, quick(), []step{after(time.Hour)}, func(s *session) {
		ctx, cancel := context.WithTimeout(s.Context(), 4*time.Second)
		defer cancel()
		_, _, err := s.do(ctx, "GET", "")
		s.wantCall(err, context.DeadlineExceeded, 1, resilience.StopCanceled)
		if errors.Is(err, resilience.ErrAttemptTimeout) || errors.Is(err, resilience.ErrTotalTimeout) {
			t.Errorf("%v is not one of ours", err)
		}
		s.wantTook(4 * time.Second)
	})
}

// http.Client.Timeout covers the body, too, and our waits.
func TestClientTimeout(t *testing.T) {
	run(t, quick(), []step{reset, after(time.Hour)}, func(s *session) {
		s.client.Timeout = 5 * time.Second
		_, _, err := s.do(s.Context(), "GET", "")
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), string(resilience.StopCanceled)) {
			t.Error(err)
		}
		s.wantRequests(2)
		s.wantTook(5 * time.Second)
	})
	run(t, quick(), []step{status(429, "Retry-After", "4"), status(200)}, func(s *session) {
		s.client.Timeout = 3 * time.Second // there is no room for the wait
		if code, _, err := s.do(s.Context(), "GET", ""); code != 429 || err != nil {
			t.Errorf("%d %v", code, err)
		}
		s.wantTook(0)
	})
}

// Request.Cancel, which is deprecated, is heard as well.
func TestRequestCancel(t *testing.T) {
	for _, script := range [][]step{{after(time.Hour)}, {status(429, "Retry-After", "9")}} {
		run(t, quick(), script, func(s *session) {
			req, _ := http.NewRequestWithContext(s.Context(), "GET", "http://a.test/", nil)
			cancel := make(chan struct{})
			req.Cancel = cancel //lint:ignore SA1019 it is what is tested
			time.AfterFunc(3*time.Second, func() { close(cancel) })
			_, err := s.tr.RoundTrip(req)
			s.wantCall(err, context.Canceled, 1, resilience.StopCanceled)
			s.wantTook(3 * time.Second)
			s.wantRequests(1)
		})
	}
}

// stubborn does not listen to contexts, and answers after the attempt is over.
type stubborn struct{ closed chan struct{} }

func (b stubborn) RoundTrip(req *http.Request) (*http.Response, error) {
	time.Sleep(11 * time.Second)
	return &http.Response{StatusCode: 200, Body: b, Request: req}, nil
}
func (b stubborn) Read([]byte) (int, error) { return 0, io.EOF }
func (b stubborn) Close() error             { b.closed <- struct{}{}; return nil }

// An answer that comes after the attempt timeout is closed, and is no answer:
// its context has ended, and the body would break off.
func TestLateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := quick()
		o.Retry.Attempts = 1
		base := stubborn{make(chan struct{}, 1)}
		tr, err := resilience.NewTransport(base, o)
		if err != nil {
			t.Fatal(err)
		}
		req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://a.test/", nil)
		_, err = tr.RoundTrip(req)
		if !errors.Is(err, resilience.ErrAttemptTimeout) || len(base.closed) != 1 {
			t.Errorf("%v, closed %d times; want the attempt timeout and one close", err, len(base.closed))
		}
	})
}
