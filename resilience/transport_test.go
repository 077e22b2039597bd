package resilience_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

func TestFirstAttemptIsEnough(t *testing.T) {
	run(t, quick(), []step{status(200)}, func(s *session) {
		code, text, err := s.do(s.Context(), "GET", "")
		if code != 200 || text != "OK" || err != nil {
			t.Errorf("%d %q %v", code, text, err)
		}
		s.wantRequests(1)
		s.wantTook(0)
	})
}

// Every failure that passes is met by two more attempts, 1s and 2s apart.
func TestWhatIsRetried(t *testing.T) {
	for name, bad := range map[string]step{
		"408": status(408), "429": status(429), "502": status(502), "503": status(503), "504": status(504), "reset": reset,
	} {
		t.Run(name, func(t *testing.T) {
			run(t, quick(), []step{bad, bad, status(200)}, func(s *session) {
				code, _, err := s.do(s.Context(), "GET", "")
				if code != 200 || err != nil {
					t.Errorf("%d %v", code, err)
				}
				s.wantRequests(3)
				s.wantTook(3 * time.Second)
			})
		})
	}
}

func TestWhatIsNot(t *testing.T) {
	for _, code := range []int{200, 204, 304, 400, 401, 404, 409, 422, 500, 501} {
		run(t, quick(), []step{status(code)}, func(s *session) {
			got, _, err := s.do(s.Context(), "GET", "")
			if got != code || err != nil {
				t.Errorf("%d %v, want %d", got, err, code)
			}
			s.wantRequests(1)
		})
	}
	run(t, quick(), []step{status(200)}, func(s *session) {
		req, _ := http.NewRequestWithContext(s.Context(), "GET", "nothing://a.test/", nil)
		_, _, err := s.send(req)
		ce, ok := errors.AsType[*resilience.CallError](err)
		if !ok || ce.Stop != resilience.StopPermanent || ce.Attempts != 1 || !strings.Contains(err.Error(), "unsupported protocol scheme") {
			t.Errorf("%v, want the unsupported scheme after one attempt", err)
		}
	})
}

func TestAttemptTimeout(t *testing.T) {
	run(t, quick(), []step{after(time.Hour)}, func(s *session) {
		_, _, err := s.do(s.Context(), "GET", "")
		s.wantCall(err, resilience.ErrAttemptTimeout, 3, resilience.StopAttempts)
		if te, ok := errors.AsType[interface {
			error
			Timeout() bool
		}](err); !ok || !te.Timeout() {
			t.Errorf("%v is no timeout", err)
		}
		s.wantRequests(3)
		s.wantTook(33 * time.Second)
	})
	run(t, quick(), []step{after(time.Hour), after(9 * time.Second)}, func(s *session) {
		code, _, err := s.do(s.Context(), "GET", "")
		if code != 200 || err != nil {
			t.Errorf("%d %v", code, err)
		}
		s.wantTook(20 * time.Second)
	})
}

// Retry-After makes the waits longer than the budgets were made for, so the
// last attempt is cut off by the total timeout.
func TestTotalTimeout(t *testing.T) {
	o := quick()
	o.TotalTimeout = 33 * time.Second
	run(t, o, []step{status(503, "Retry-After", "25"), after(time.Hour)}, func(s *session) {
		_, _, err := s.do(s.Context(), "GET", "")
		s.wantCall(err, resilience.ErrTotalTimeout, 2, resilience.StopTotal)
		if errors.Is(err, resilience.ErrAttemptTimeout) {
			t.Error("it is the attempt timeout as well")
		}
		s.wantRequests(2)
		s.wantTook(33 * time.Second)
	})
}

func TestUnsafeMethodsAreSentOnce(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "TRANSFER"} {
		run(t, quick(), []step{after(time.Hour)}, func(s *session) {
			_, _, err := s.do(s.Context(), method, "x")
			s.wantCall(err, resilience.ErrAttemptTimeout, 1, resilience.StopUnsafe)
			s.wantRequests(1)
			s.wantTook(10 * time.Second)
		})
		run(t, quick(), []step{status(503)}, func(s *session) {
			code, text, err := s.do(s.Context(), method, "x")
			if code != 503 || text != "Service Unavailable" || err != nil {
				t.Errorf("%s: %d %q %v, want the 503 with its body", method, code, text, err)
			}
			s.wantRequests(1)
		})
	}
}

func TestKeyedPost(t *testing.T) {
	ctx := resilience.WithIdempotencyKey(context.Background(), "k-1")
	run(t, quick(), []step{status(503), reset, status(201)}, func(s *session) {
		code, _, err := s.do(ctx, "POST", "twelve")
		if code != 201 || err != nil {
			t.Errorf("%d %v", code, err)
		}
		s.wantRequests(3)
		for i, h := range s.headers {
			if s.bodies[i] != "twelve" || h.Get(resilience.KeyHeader) != "k-1" {
				t.Errorf("attempt %d: body %q, key %q", i+1, s.bodies[i], h.Get(resilience.KeyHeader))
			}
		}
	})
}

func TestBodyThatCannotBeReadAgain(t *testing.T) {
	ctx := resilience.WithIdempotencyKey(context.Background(), "k-1")
	run(t, quick(), []step{after(time.Hour)}, func(s *session) {
		req, _ := http.NewRequestWithContext(ctx, "POST", "http://a.test/x", io.MultiReader(strings.NewReader("twelve")))
		_, _, err := s.send(req)
		s.wantCall(err, resilience.ErrAttemptTimeout, 1, resilience.StopBody)
		s.wantRequests(1)
	})
	run(t, quick(), []step{status(503)}, func(s *session) {
		req, _ := http.NewRequestWithContext(ctx, "POST", "http://a.test/x", strings.NewReader("twelve"))
		gone := errors.New("the file is gone")
		req.GetBody = func() (io.ReadCloser, error) { return nil, gone }
		_, _, err := s.send(req)
		s.wantCall(err, gone, 1, resilience.StopPermanent)
		s.wantRequests(1)
	})
}

func TestRetryAfter(t *testing.T) {
	for name, c := range map[string]struct {
		header   string
		requests int
		took     time.Duration
	}{
		"seconds":             {"7", 2, 7 * time.Second},
		"shorter than ours":   {"0", 2, time.Second},
		"a date":              {"date+7", 2, 7 * time.Second},
		"a date that is past": {"date-7", 2, time.Second},
		"nonsense":            {"soon", 2, time.Second},
		"negative":            {"-7", 2, time.Second},
		"does not fit":        {"60", 1, 0},
		"overflows":           {"99999999999999999999", 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			limited := func(w http.ResponseWriter, r *http.Request) {
				v := c.header
				if d, ok := strings.CutPrefix(v, "date"); ok {
					off, err := time.ParseDuration(d + "s")
					if err != nil {
						t.Error(err)
					}
					v = time.Now().Add(off).UTC().Format(http.TimeFormat)
				}
				status(429, "Retry-After", v)(w, r)
			}
			run(t, quick(), []step{limited, status(200)}, func(s *session) {
				code, text, err := s.do(s.Context(), "GET", "")
				want := 200
				if c.requests == 1 {
					want = 429
				}
				if code != want || err != nil || text != http.StatusText(want) {
					t.Errorf("%d %q %v, want %d", code, text, err, want)
				}
				s.wantRequests(c.requests)
				s.wantTook(c.took)
			})
		})
	}
}

// A wait that ends after the caller's own deadline is not begun.
func TestNoRoomBeforeTheCallersDeadline(t *testing.T) {
	run(t, quick(), []step{reset}, func(s *session) {
		ctx, cancel := context.WithTimeout(s.Context(), 900*time.Millisecond)
		defer cancel()
		_, _, err := s.do(ctx, "GET", "")
		s.wantCall(err, io.EOF, 1, resilience.StopNoRoom)
		s.wantRequests(1)
		s.wantTook(0)
	})
}

// The timeouts end at the headers: a body may take longer than all of them.
func TestBodyOutlivesTimeouts(t *testing.T) {
	run(t, quick(), []step{headersThen(200, 10*time.Minute)}, func(s *session) {
		code, text, err := s.do(s.Context(), "GET", "")
		if code != 200 || text != "late" || err != nil {
			t.Errorf("%d %q %v", code, text, err)
		}
		s.wantTook(10 * time.Minute)
	})
}

// The body of a failed attempt is drained for its connection's sake, unless
// that takes longer than the wait.
func TestFailedAttemptsAreDrained(t *testing.T) {
	run(t, quick(), []step{status(503), status(503), status(200)}, func(s *session) {
		if _, _, err := s.do(s.Context(), "GET", ""); err != nil {
			t.Error(err)
		}
		if n := s.server.Dialled.Load(); n != 1 {
			t.Errorf("%d connections for three attempts, want 1", n)
		}
	})
	run(t, quick(), []step{headersThen(503, time.Hour), status(200)}, func(s *session) {
		code, _, err := s.do(s.Context(), "GET", "")
		if code != 200 || err != nil {
			t.Errorf("%d %v", code, err)
		}
		s.wantTook(time.Second)
	})
}

func TestJitter(t *testing.T) {
	o := quick()
	o.Retry.Jitter = 0.5
	seen := make(map[time.Duration]bool)
	for range 50 {
		run(t, o, []step{status(503)}, func(s *session) {
			if _, _, err := s.do(s.Context(), "GET", ""); err != nil {
				t.Error(err)
			}
			for i, longest := range []time.Duration{time.Second, 2 * time.Second} {
				w := s.retries[i].Wait
				if w < longest/2 || w > longest {
					t.Errorf("wait %d is %v, want %v to %v", i+1, w, longest/2, longest)
				}
				if got := s.at[i+1] - s.at[i]; got != w {
					t.Errorf("attempt %d came %v after the one before, announced was %v", i+2, got, w)
				}
			}
			seen[s.retries[0].Wait] = true
		})
	}
	if len(seen) < 40 {
		t.Errorf("%d different waits in 50 calls", len(seen))
	}
}

func TestEvents(t *testing.T) {
	run(t, quick(), []step{status(503, "Retry-After", "3"), after(time.Hour), status(404)}, func(s *session) {
		if _, _, err := s.do(s.Context(), "GET", ""); err != nil {
			t.Error(err)
		}
		want := []resilience.AttemptEvent{
			{Method: "GET", Authority: "other", Attempt: 1, Outcome: resilience.BadStatus, Status: 503},
			{Method: "GET", Authority: "other", Attempt: 2, Outcome: resilience.AttemptExpired, Elapsed: 10 * time.Second},
			{Method: "GET", Authority: "other", Attempt: 3, Outcome: resilience.Responded, Status: 404},
		}
		if len(s.attempts) != len(want) {
			t.Fatalf("events %+v", s.attempts)
		}
		for i := range want {
			if s.attempts[i] != want[i] {
				t.Errorf("event %d: %+v, want %+v", i, s.attempts[i], want[i])
			}
		}
		if r := s.retries; len(r) != 2 || r[0].Wait != 3*time.Second || !r[0].RetryAfter || r[1].Wait != 2*time.Second || r[1].RetryAfter {
			t.Errorf("retries %+v", r)
		}
	})
}

// The labels of events cannot be chosen by who sends or answers.
func TestLabelsAreBounded(t *testing.T) {
	o := quick()
	o.Breaker = resilience.Breaker{Window: 20 * time.Second, FailureRatio: 1, MinRequests: 2, OpenFor: time.Second, Authorities: 2}
	run(t, o, []step{status(200), status(200), status(999)}, func(s *session) {
		for i, host := range []string{"one.test", "ONE.test:80", "two.test", "three.test", "one.test"} {
			req, _ := http.NewRequestWithContext(s.Context(), "M"+strings.Repeat("X", i), "http://"+host, nil)
			if _, _, err := s.send(req); err != nil {
				t.Error(err)
			}
		}
		var labels []string
		for _, e := range s.attempts {
			if e.Method != "other" || e.Status != 200 && e.Status != 0 {
				t.Errorf("%+v", e)
			}
			labels = append(labels, e.Authority)
		}
		if got := strings.Join(labels, " "); got != "one.test:80 one.test:80 two.test:80 other one.test:80" {
			t.Errorf("authorities %s", got)
		}
	})
}

func TestLimiter(t *testing.T) {
	o := quick()
	o.Limiter = resilience.Limiter{Concurrent: 1, MaxWait: 5 * time.Second}
	// The first call holds its place until its body is closed.
	run(t, o, []step{headersThen(200, time.Hour), status(200)}, func(s *session) {
		req, _ := http.NewRequestWithContext(s.Context(), "GET", "http://a.test/x", nil)
		first, err := s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = s.do(s.Context(), "GET", "")
		s.wantCall(err, resilience.ErrLimited, 0, resilience.StopLimited)
		s.wantTook(5 * time.Second)
		time.AfterFunc(2*time.Second, func() { _ = first.Body.Close() })
		code, _, err := s.do(s.Context(), "GET", "")
		if code != 200 || err != nil {
			t.Errorf("%d %v", code, err)
		}
		s.wantTook(7 * time.Second)
		if l := s.limited; len(l) != 2 || !l[0].Refused || l[0].Waited != 5*time.Second || l[1].Refused || l[1].Waited != 2*time.Second {
			t.Errorf("events %+v", l)
		}
		_ = first.Body.Close() // once more gives no second place back
	})
	// Calls that end in an error, or without a body, give theirs back, too.
	o.Limiter.MaxWait = 0
	o.Retry.Attempts = 1
	run(t, o, []step{reset, status(204), reset, status(200)}, func(s *session) {
		for range 4 {
			if _, _, err := s.do(s.Context(), "POST", "x"); errors.Is(err, resilience.ErrLimited) {
				t.Error(err)
			}
		}
		s.wantRequests(4)
	})
}

// So is one whose body is read to its end, closed or not.
func TestLimiterAtTheEndOfTheBody(t *testing.T) {
	o := quick()
	o.Limiter = resilience.Limiter{Concurrent: 1}
	run(t, o, []step{status(200)}, func(s *session) {
		req, _ := http.NewRequestWithContext(s.Context(), "GET", "http://a.test/x", nil)
		resp, err := s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.ReadAll(resp.Body); err != nil {
			t.Error(err)
		}
		if _, _, err := s.do(s.Context(), "GET", ""); err != nil {
			t.Error(err)
		}
	})
}
