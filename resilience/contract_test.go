package resilience_test

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// scripted is a base without connections: each attempt has a delay and a status,
// and a body that notes that it was closed.
type scripted struct {
	script []struct {
		after  time.Duration
		status int
	}
	deaf   bool // to contexts
	sent   atomic.Int32
	closed [8]atomic.Bool
}

func (b *scripted) RoundTrip(req *http.Request) (*http.Response, error) {
	n := int(b.sent.Add(1)) - 1
	if b.deaf {
		time.Sleep(b.script[n].after)
	} else if !sleep(req, b.script[n].after) {
		return nil, req.Context().Err()
	}
	return &http.Response{StatusCode: b.script[n].status, Request: req, Body: closeNote{strings.NewReader("x"), &b.closed[n]}}, nil
}

type closeNote struct {
	io.Reader
	closed *atomic.Bool
}

func (c closeNote) Close() error { c.closed.Store(true); return nil }

// Every response but the one that is handed on is closed, hedged ones too.
func TestResponsesAreClosed(t *testing.T) {
	hedged := quick()
	hedged.Hedge = resilience.Hedge{After: 2 * time.Second, Copies: 1}
	type steps = []struct {
		after  time.Duration
		status int
	}
	for _, c := range []struct {
		opts   resilience.Options
		script steps
		last   int // the attempt that is handed on
		deaf   bool
	}{
		{quick(), steps{{0, 503}, {0, 429}, {0, 200}}, 2, false},
		{quick(), steps{{0, 503}, {0, 503}, {0, 503}}, 2, false},
		{hedged, steps{{3 * time.Second, 503}, {5 * time.Second, 200}}, 1, false},           // the copy outlives a failure
		{hedged, steps{{3 * time.Second, 503}, {2 * time.Second, 503}, {0, 200}}, 2, false}, // both fail
		{hedged, steps{{4 * time.Second, 503}, {time.Second, 200}}, 1, false},               // the copy is quicker
		{hedged, steps{{4 * time.Second, 200}, {time.Second, 200}}, 1, true},                // and the first comes all the same
	} {
		synctest.Test(t, func(t *testing.T) {
			base := &scripted{script: c.script, deaf: c.deaf}
			tr, err := resilience.NewTransport(base, c.opts)
			if err != nil {
				t.Fatal(err)
			}
			req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://a.test/", nil)
			resp, err := tr.RoundTrip(req)
			if err != nil || resp.StatusCode != c.script[c.last].status {
				t.Fatalf("%+v: %v, %v", c.script, resp, err)
			}
			synctest.Wait()
			for n := range c.script {
				started := c.deaf || c.script[n].after < 4*time.Second // one that was cancelled had no response
				if got := base.closed[n].Load(); got != (n != c.last && started) {
					t.Errorf("%+v: response %d closed: %v", c.script, n+1, got)
				}
			}
			_ = resp.Body.Close()
			if !base.closed[c.last].Load() {
				t.Error("closing the response does not close the base's")
			}
		})
	}
}

// A refused request has its body closed, as a RoundTripper must.
func TestRefusedBodyIsClosed(t *testing.T) {
	run(t, quick(), []step{status(200)}, func(s *session) {
		b := &closeCounter{Reader: strings.NewReader("x")}
		req, _ := http.NewRequestWithContext(resilience.WithIdempotencyKey(s.Context(), "not a key"), "POST", "http://a.test/", b)
		if _, err := s.tr.RoundTrip(req); err == nil {
			t.Error("the key has spaces")
		}
		if b.closed != 1 {
			t.Errorf("closed %d times", b.closed)
		}
		s.wantRequests(0)
	})
}

type closeCounter struct {
	io.Reader
	closed int
}

func (c *closeCounter) Close() error { c.closed++; return nil }

// Requests that http.NewRequest would not make are an error, not a panic.
func TestBareRequests(t *testing.T) {
	run(t, quick(), []step{status(200)}, func(s *session) {
		ctx := resilience.WithIdempotencyKey(s.Context(), "k-1")
		u := &url.URL{Scheme: "http", Host: "a.test"}
		for _, req := range []*http.Request{{Method: "POST"}, {URL: u}, {}} {
			if resp, err := s.tr.RoundTrip(req.WithContext(s.Context())); err == nil {
				_ = resp.Body.Close()
				t.Errorf("%+v: no error", req)
			}
		}
		resp, err := s.tr.RoundTrip((&http.Request{Method: "POST", URL: u}).WithContext(ctx))
		if err != nil {
			t.Fatal(err) // the key made the headers
		}
		_ = resp.Body.Close()
		s.wantRequests(1)
	})
}

// careless is a base that breaks the contract of http.RoundTripper.
type careless func(*http.Request) (*http.Response, error)

func (c careless) RoundTrip(req *http.Request) (*http.Response, error) { return c(req) }

func TestCarelessBases(t *testing.T) {
	closed := &closeCounter{Reader: strings.NewReader("x")}
	for name, c := range map[string]struct {
		base careless
		ok   bool
	}{
		"nothing": {func(*http.Request) (*http.Response, error) { return nil, nil }, false},
		"no body": {func(*http.Request) (*http.Response, error) { return &http.Response{StatusCode: 200}, nil }, true},
		"both": {func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: closed}, errors.New("both")
		}, false},
		"odd status": {func(*http.Request) (*http.Response, error) { return &http.Response{StatusCode: -1}, nil }, true},
	} {
		tr, err := resilience.NewTransport(c.base, quick())
		if err != nil {
			t.Fatal(err)
		}
		req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://a.test/", nil)
		resp, err := tr.RoundTrip(req)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_ = resp.Body.Close()
		}
	}
	if closed.closed != 1 {
		t.Errorf("the response that came with an error was closed %d times", closed.closed)
	}
}

// 101 leaves a body that can be written to.
func TestUpgradedBodyCanBeWritten(t *testing.T) {
	upgrade := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "echo")
		w.WriteHeader(http.StatusSwitchingProtocols)
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		line, _ := rw.ReadString('\n')
		_, _ = io.WriteString(conn, line)
	}
	run(t, quick(), []step{upgrade}, func(s *session) {
		req, _ := http.NewRequestWithContext(s.Context(), "GET", "http://a.test/", nil)
		req.Header.Set("Connection", "Upgrade")
		req.Header.Set("Upgrade", "echo")
		resp, err := s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.WriteString(resp.Body.(io.Writer), "hello\n"); err != nil {
			t.Error(err)
		}
		if b, err := io.ReadAll(resp.Body); string(b) != "hello\n" || err != nil {
			t.Errorf("%q %v", b, err)
		}
	})
}
