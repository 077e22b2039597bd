package resilience_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

func TestNewKeyIsNew(t *testing.T) {
	a, b := resilience.NewKey(), resilience.NewKey()
	if a == b || len(a) < 22 { // 22 base64 characters have 128 bits
		t.Errorf("%q, %q", a, b)
	}
}

func TestKeyIsSet(t *testing.T) {
	for _, c := range []struct {
		method, context, header string
		want                    string
	}{
		{"POST", "k-1", "", "k-1"},
		{"POST", "", "k-1", "k-1"},
		{"POST", "k-1", "k-1", "k-1"},
		{"POST", "", "", ""},
		{"DELETE", "k-1", "", "k-1"},
		{"GET", "k-1", "", ""}, // nothing happens twice
	} {
		run(t, quick(), []step{status(503), status(200)}, func(s *session) {
			ctx := s.Context()
			if c.context != "" {
				ctx = resilience.WithIdempotencyKey(ctx, c.context)
			}
			req, _ := http.NewRequestWithContext(ctx, c.method, "http://a.test/", strings.NewReader("x"))
			if c.header != "" {
				req.Header.Set(resilience.KeyHeader, c.header)
			}
			if _, _, err := s.send(req); err != nil {
				t.Errorf("%+v: %v", c, err)
			}
			for i, h := range s.headers {
				if got := h.Get(resilience.KeyHeader); got != c.want {
					t.Errorf("%+v: attempt %d has %q", c, i+1, got)
				}
			}
			if repeatable := c.want != "" || c.method == "GET"; repeatable {
				s.wantRequests(2)
			} else {
				s.wantRequests(1)
			}
			if c.header == "" && len(req.Header) != 0 {
				t.Errorf("the caller's request was changed: %v", req.Header)
			}
		})
	}
}

// A 307 sends the POST on, and the key with it; a 303 makes it a GET, without.
func TestKeyAfterARedirect(t *testing.T) {
	for code, last := range map[int]string{307: "k-1", 303: ""} {
		run(t, quick(), []step{status(code, "Location", "http://b.test/y"), status(200)}, func(s *session) {
			got, _, err := s.do(resilience.WithIdempotencyKey(s.Context(), "k-1"), "POST", "x")
			if got != 200 || err != nil {
				t.Errorf("%d %v", got, err)
			}
			s.wantRequests(2)
			if got := s.headers[1].Get(resilience.KeyHeader); got != last {
				t.Errorf("after a %d the key is %q, want %q", code, got, last)
			}
		})
	}
}

// Which of two keys is the operation's cannot be known, so nothing is sent.
func TestTwoKeysAreAnError(t *testing.T) {
	for name, request := range map[string]func(context.Context) *http.Request{
		"header and context": func(ctx context.Context) *http.Request {
			req, _ := http.NewRequestWithContext(resilience.WithIdempotencyKey(ctx, "outer"), "POST", "http://a.test/", nil)
			req.Header.Set(resilience.KeyHeader, "inner")
			return req
		},
		"context beneath context": func(ctx context.Context) *http.Request {
			ctx = resilience.WithIdempotencyKey(resilience.WithIdempotencyKey(ctx, "outer"), "inner")
			ctx = resilience.WithIdempotencyKey(ctx, "inner") // the conflict is not forgotten
			req, _ := http.NewRequestWithContext(ctx, "POST", "http://a.test/", nil)
			return req
		},
		"two headers": func(ctx context.Context) *http.Request {
			req, _ := http.NewRequestWithContext(ctx, "POST", "http://a.test/", nil)
			req.Header[resilience.KeyHeader] = []string{"outer", "inner"}
			return req
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, quick(), []step{status(200)}, func(s *session) {
				_, _, err := s.send(request(s.Context()))
				s.wantCall(err, resilience.ErrKeyConflict, 0, resilience.StopPermanent)
				s.wantRequests(0)
			})
		})
	}
	run(t, quick(), []step{status(200)}, func(s *session) { // the same key twice is no conflict
		ctx := resilience.WithIdempotencyKey(resilience.WithIdempotencyKey(s.Context(), "k"), "k")
		if _, _, err := s.do(ctx, "POST", "x"); err != nil {
			t.Error(err)
		}
	})
}

func TestBadKeys(t *testing.T) {
	for _, key := range []string{"", "two words", "line\nbreak", "schlüssel", strings.Repeat("k", 256), "\x7f"} {
		run(t, quick(), []step{status(200)}, func(s *session) {
			_, _, err := s.do(resilience.WithIdempotencyKey(s.Context(), key), "POST", "x")
			if ce, ok := errors.AsType[*resilience.CallError](err); !ok || ce.Attempts != 0 {
				t.Errorf("%q: %v", key, err)
			}
			s.wantRequests(0)
		})
	}
}

// meddler is a layer underneath that changes the key of what it sends.
type meddler struct {
	base http.RoundTripper
	f    func(http.Header)
}

func (m meddler) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	m.f(req.Header)
	return m.base.RoundTrip(req)
}

// A layer underneath that sends another key, or none, is noticed on the first
// attempt: a second one would be a second operation.
func TestKeySetUnderneath(t *testing.T) {
	for name, f := range map[string]func(http.Header){
		"another":  func(h http.Header) { h.Set(resilience.KeyHeader, resilience.NewKey()) },
		"a second": func(h http.Header) { h.Add(resilience.KeyHeader, "k-2") },
		"none":     func(h http.Header) { h.Del(resilience.KeyHeader) },
	} {
		t.Run(name, func(t *testing.T) {
			run(t, quick(), []step{after(time.Hour)}, func(s *session) {
				tr, err := resilience.NewTransport(meddler{s.server.Transport, f}, quick())
				if err != nil {
					t.Fatal(err)
				}
				s.client.Transport = tr
				_, _, err = s.do(resilience.WithIdempotencyKey(s.Context(), "k-1"), "POST", "x")
				s.wantCall(err, resilience.ErrKeyConflict, 1, resilience.StopPermanent)
				s.wantTook(0)
				time.Sleep(time.Minute)
				s.add(func() {
					if len(s.at) > 1 {
						t.Errorf("%d requests", len(s.at))
					}
				})
			})
		})
	}
}
