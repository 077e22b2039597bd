package resilience_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

func newTransport(t *testing.T, base http.RoundTripper, opts resilience.Options) *resilience.Transport {
	t.Helper()
	tr, err := resilience.NewTransport(base, opts)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// recovered runs f and says whether it panicked.
func recovered(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}

// In a server, net/http recovers the panics of handlers: a call that panicked
// must not keep its place in the limiter, nor the probe of a breaker.
func TestPanicsLeaveNothingBehind(t *testing.T) {
	get := httptest.NewRequest("GET", "http://a.test/", nil)
	ok := careless(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
	})
	t.Run("base", func(t *testing.T) {
		bad := true
		opts := quick()
		opts.Limiter = resilience.Limiter{Concurrent: 1}
		tr := newTransport(t, careless(func(r *http.Request) (*http.Response, error) {
			if bad {
				panic("base")
			}
			return ok(r)
		}), opts)
		if !recovered(func() { _, _ = tr.RoundTrip(get) }) {
			t.Fatal("no panic")
		}
		bad = false
		if _, err := tr.RoundTrip(get); err != nil {
			t.Error(err)
		}
	})
	t.Run("hook", func(t *testing.T) {
		answer := &closeCounter{Reader: strings.NewReader("x")}
		ok := careless(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: answer}, nil
		})
		opts := quick()
		opts.Limiter = resilience.Limiter{Concurrent: 1}
		bad := true
		opts.Hooks.OnAttempt = func(context.Context, resilience.AttemptEvent) {
			if bad {
				panic("hook")
			}
		}
		tr := newTransport(t, ok, opts)
		if !recovered(func() { _, _ = tr.RoundTrip(get) }) {
			t.Fatal("no panic")
		}
		if answer.closed != 1 {
			t.Errorf("the response was closed %d times", answer.closed)
		}
		bad = false
		if _, err := tr.RoundTrip(get); err != nil {
			t.Error(err)
		}
	})
	for _, where := range []string{"probe", "hook of the probe"} {
		t.Run(where, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				what := "fail"
				opts := fragile()
				opts.Retry.Attempts = 1
				opts.Hooks.OnBreaker = func(e resilience.BreakerEvent) {
					if what == "hook of the probe" && e.To == "half-open" {
						panic("hook")
					}
				}
				tr := newTransport(t, careless(func(r *http.Request) (*http.Response, error) {
					switch what {
					case "fail":
						return nil, io.ErrUnexpectedEOF
					case "probe":
						panic("base")
					}
					return ok(r)
				}), opts)
				for range opts.Breaker.MinRequests {
					_, _ = tr.RoundTrip(get)
				}
				time.Sleep(opts.Breaker.OpenFor)
				what = where
				if !recovered(func() { _, _ = tr.RoundTrip(get) }) {
					t.Fatal("no panic")
				}
				what = ""
				time.Sleep(opts.Breaker.OpenFor)
				if _, err := tr.RoundTrip(get); err != nil {
					t.Error(err)
				}
			})
		})
	}
	t.Run("hedged", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var sent atomic.Int32
			tr := newTransport(t, careless(func(r *http.Request) (*http.Response, error) {
				if sent.Add(1) == 1 {
					panic("base")
				}
				return ok(r)
			}), hedging())
			if !recovered(func() { _, _ = tr.RoundTrip(get) }) {
				t.Fatal("no panic")
			}
			time.Sleep(time.Minute)
			if n := sent.Load(); n != 1 {
				t.Errorf("%d attempts for a call that has panicked", n)
			}
		})
	})
}

// The values of trailers may be set while the body is read (http.Request.Trailer).
func TestTrailersOfTheRequest(t *testing.T) {
	var sent atomic.Int32
	got := make(chan string, 5)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		got <- r.Trailer.Get("X-Sum")
		sent.Add(1)
		w.WriteHeader(503)
	}))
	defer server.Close()
	client := &http.Client{Transport: newTransport(t, server.Client().Transport, quick())}
	req, err := http.NewRequestWithContext(resilience.WithIdempotencyKey(t.Context(), "k"), "POST", server.URL, strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = -1
	req.Trailer = http.Header{"X-Sum": nil}
	req.Body = io.NopCloser(io.MultiReader(req.Body, atEOF(func() { req.Trailer.Set("X-Sum", "42") })))
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if sum := <-got; sum != "42" || sent.Load() != 1 {
		t.Errorf("trailer %q, %d requests", sum, sent.Load())
	}
}

type atEOF func()

func (f atEOF) Read([]byte) (int, error) { f(); return 0, io.EOF }

// A caller who has left before the call sends nothing.
func TestGoneBefore(t *testing.T) {
	cause := io.ErrNoProgress
	for _, opts := range []resilience.Options{quick(), hedging()} {
		sent := 0
		tr := newTransport(t, careless(func(*http.Request) (*http.Response, error) {
			sent++
			return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
		}), opts)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		closed := &closeCounter{Reader: strings.NewReader("x")}
		req := httptest.NewRequest("GET", "http://a.test/", closed).WithContext(ctx)
		_, err := tr.RoundTrip(req)
		s := &session{T: t}
		s.wantCall(err, cause, 0, resilience.StopCanceled)
		s.wantCall(err, context.Canceled, 0, resilience.StopCanceled)
		if sent != 0 || closed.closed != 1 {
			t.Errorf("%d sent, body closed %d times", sent, closed.closed)
		}
	}
}

type ring struct{ next http.RoundTripper }

func (r *ring) RoundTrip(*http.Request) (*http.Response, error) { return nil, io.EOF }
func (r *ring) Unwrap() http.RoundTripper                       { return r.next }

// A chain that leads back to itself ends.
func TestUnwrapCycle(t *testing.T) {
	a := &ring{}
	b := &ring{next: a}
	a.next = b
	done := make(chan struct{})
	go func() {
		defer close(done)
		if tr, err := resilience.NewTransport(a, quick()); err == nil {
			_ = tr.Describe()
		}
		_ = resilience.Base(a)
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal("it does not end")
	}
}

// A base may send requests of its own under the context of the call, for a
// token perhaps. They have no key, and that is no conflict.
func TestRequestBesideTheCall(t *testing.T) {
	token := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "token") }))
	defer token.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get(resilience.KeyHeader))
	}))
	defer server.Close()
	base := careless(func(r *http.Request) (*http.Response, error) {
		req, err := http.NewRequestWithContext(r.Context(), "GET", token.URL, nil)
		if err != nil {
			return nil, err
		}
		resp, err := token.Client().Do(req)
		if err != nil {
			return nil, err
		}
		resp.Body.Close()
		return server.Client().Transport.RoundTrip(r)
	})
	client := &http.Client{Transport: newTransport(t, base, quick())}
	req, err := http.NewRequestWithContext(resilience.WithIdempotencyKey(t.Context(), "k"), "POST", server.URL, strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, _ := io.ReadAll(resp.Body); string(b) != "k" {
		t.Errorf("the server got the key %q", b)
	}
}

// Two fetches that began at the same instant, as on a coarse or fake clock: the later one is kept.
func TestLastGoodAtTheSameInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := resilience.LastGood[int]{MaxAge: time.Hour}
		for _, v := range []int{1, 2} {
			_, _ = l.Get(t.Context(), func(context.Context) (int, error) { return v, nil })
		}
		d, err := l.Get(t.Context(), func(context.Context) (int, error) { return 0, io.EOF })
		if d.Value != 2 || err != nil {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

// net/http sends a request with a key again when a kept-alive connection breaks,
// and takes a header without a value, which it does not send, for one.
func TestNoReplayWithoutAKey(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var posts atomic.Int32
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for rd := bufio.NewReader(conn); ; fmt.Fprint(conn, "HTTP/1.1 204 No Content\r\n\r\n") {
					r, err := http.ReadRequest(rd)
					if err != nil {
						return
					}
					if _, _ = io.Copy(io.Discard, r.Body); r.Method == "POST" {
						posts.Add(1)
						return // without an answer
					}
				}
			}()
		}
	}()
	client := &http.Client{Transport: newTransport(t, &http.Transport{}, quick())}
	defer client.CloseIdleConnections()
	resp, err := client.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+l.Addr().String(), strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header[resilience.KeyHeader] = nil
	if resp, err := client.Do(req); err == nil {
		resp.Body.Close()
		t.Error("no error")
	}
	if n := posts.Load(); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

// The double of a duration may be more than one holds.
func TestWindowOfALongAttempt(t *testing.T) {
	o := resilience.Defaults()
	o.Retry.Attempts, o.AttemptTimeout, o.TotalTimeout = 1, 1<<62, 1<<63-1
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "Breaker.Window") {
		t.Error(err)
	}
}
