package resilience_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/resiliencevet/resiliencevet/resilience"
	"github.com/resiliencevet/resiliencevet/resilience/internal/memhttp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick are options whose numbers are easy to add up: attempts of 10s, waits of
// exactly 1s, 2s, 4s.
func quick() resilience.Options {
	return resilience.Options{
		AttemptTimeout: 10 * time.Second,
		TotalTimeout:   60 * time.Second,
		Retry:          resilience.Retry{Attempts: 3, Backoff: time.Second, MaxBackoff: 4 * time.Second},
	}
}

// A step answers one request; the last one of a script answers the rest, too.
type step func(w http.ResponseWriter, r *http.Request)

func status(code int, header ...string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, http.StatusText(code))
	}
}

// after answers 200 after d, or stops when the client leaves.
func after(d time.Duration) step {
	return func(w http.ResponseWriter, r *http.Request) {
		if sleep(r, d) {
			status(200)(w, r)
		}
	}
}

func reset(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// headersThen sends 200 and headers, and the body after d.
func headersThen(code int, d time.Duration) step {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(code)
		_ = http.NewResponseController(w).Flush()
		if sleep(r, d) {
			_, _ = io.WriteString(w, "late")
		}
	}
}

func sleep(r *http.Request, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

// session is a client and a server in a bubble.
type session struct {
	*testing.T
	client *http.Client
	tr     *resilience.Transport
	server *memhttp.Server
	began  time.Time

	mu       sync.Mutex
	at       []time.Duration // when the requests came
	bodies   []string
	headers  []http.Header
	attempts []resilience.AttemptEvent
	retries  []resilience.RetryEvent
	breaks   []resilience.BreakerEvent
	limited  []resilience.LimitedEvent
}

// run plays a script in a bubble. The bubble itself fails when a goroutine is left behind.
func run(t *testing.T, opts resilience.Options, script []step, f func(s *session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &session{T: t, began: time.Now()}
		s.server = memhttp.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			s.mu.Lock()
			n := len(s.at)
			s.at = append(s.at, time.Since(s.began))
			s.bodies = append(s.bodies, string(b))
			s.headers = append(s.headers, r.Header.Clone())
			s.mu.Unlock()
			script[min(n, len(script)-1)](w, r)
		}))
		defer s.server.Stop()
		opts.Hooks = s.hooks()
		tr, err := resilience.NewTransport(s.server.Transport, opts)
		if err != nil {
			t.Fatal(err)
		}
		s.tr, s.client = tr, &http.Client{Transport: tr}
		f(s)
	})
}

func (s *session) hooks() resilience.Hooks {
	return resilience.Hooks{
		OnAttempt: func(_ context.Context, e resilience.AttemptEvent) {
			s.add(func() { s.attempts = append(s.attempts, e) })
		},
		OnRetry:   func(_ context.Context, e resilience.RetryEvent) { s.add(func() { s.retries = append(s.retries, e) }) },
		OnBreaker: func(e resilience.BreakerEvent) { s.add(func() { s.breaks = append(s.breaks, e) }) },
		OnLimited: func(_ context.Context, e resilience.LimitedEvent) { s.add(func() { s.limited = append(s.limited, e) }) },
	}
}

func (s *session) add(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// do sends a request with a body that can be read again, reads the answer and
// returns its status and text.
func (s *session) do(ctx context.Context, method, body string) (int, string, error) {
	s.Helper()
	var rd io.Reader
	if body != "" {
		rd = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://a.test/x", rd)
	if err != nil {
		s.Fatal(err)
	}
	return s.send(req)
}

func (s *session) send(req *http.Request) (int, string, error) {
	s.Helper()
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func (s *session) wantRequests(n int) {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.at) != n {
		s.Errorf("%d requests at %v, want %d", len(s.at), s.at, n)
	}
}

func (s *session) wantTook(d time.Duration) {
	s.Helper()
	if took := time.Since(s.began); took != d {
		s.Errorf("it took %v, want %v", took, d)
	}
}

// wantCall checks the error of a call.
func (s *session) wantCall(err, is error, attempts int, stop resilience.Stop) {
	s.Helper()
	ce, ok := errors.AsType[*resilience.CallError](err)
	if !ok || !errors.Is(err, is) || ce.Attempts != attempts || ce.Stop != stop {
		s.Errorf("error %v, want %v after %d attempts: %s", err, is, attempts, stop)
	}
}
