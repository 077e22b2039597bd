package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// fragile opens for 5s when half of at least four attempts in 20s have failed.
func fragile() resilience.Options {
	o := quick()
	o.Retry.Attempts = 1
	o.Breaker = resilience.Breaker{Window: 20 * time.Second, FailureRatio: 0.5, MinRequests: 4, OpenFor: 5 * time.Second, Authorities: 10}
	return o
}

func (s *session) get(host string) (int, error) {
	s.Helper()
	req, _ := http.NewRequestWithContext(s.Context(), "GET", "http://"+host+"/", nil)
	code, _, err := s.send(req)
	return code, err
}

func (s *session) wantChanges(want ...string) {
	s.Helper()
	var got []string
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.breaks {
		got = append(got, b.From+" "+b.To)
	}
	if !slices.Equal(got, want) {
		s.Errorf("the breaker went %q, want %q", got, want)
	}
}

func TestBreaker(t *testing.T) {
	run(t, fragile(), []step{status(200), status(200), status(503), status(500), status(503), status(200)}, func(s *session) {
		for _, want := range []int{200, 200, 503, 500} {
			if code, err := s.get("a.test"); code != want || err != nil {
				t.Errorf("%d %v, want %d", code, err, want)
			}
		}
		_, err := s.get("a.test") // two of four have failed
		s.wantCall(err, resilience.ErrOpen, 0, resilience.StopOpen)
		s.wantRequests(4)
		if last := s.attempts[len(s.attempts)-1]; last.Outcome != resilience.Refused {
			t.Errorf("%+v", last)
		}
		time.Sleep(5 * time.Second)
		if code, _ := s.get("a.test"); code != 503 { // the probe fails
			t.Errorf("%d", code)
		}
		if _, err := s.get("a.test"); !errors.Is(err, resilience.ErrOpen) {
			t.Errorf("%v, want it open again", err)
		}
		time.Sleep(5 * time.Second)
		for range 5 {
			if code, err := s.get("a.test"); code != 200 || err != nil {
				t.Errorf("%d %v", code, err)
			}
		}
		s.wantChanges("closed open", "open half-open", "half-open open", "open half-open", "half-open closed")
	})
}

// 429, 4xx and callers who leave say nothing bad about an authority.
func TestWhatDoesNotOpenTheBreaker(t *testing.T) {
	run(t, fragile(), []step{status(501), status(501), status(501), status(429), status(404), status(408), after(time.Hour)}, func(s *session) {
		for range 6 {
			if _, err := s.get("a.test"); err != nil {
				t.Error(err)
			}
		}
		for range 6 {
			ctx, cancel := context.WithTimeout(s.Context(), time.Second)
			_, _, err := s.do(ctx, "GET", "")
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		s.wantChanges()
	})
}

// One authority's outage is not another's. An old breaker is forgotten for a new authority.
func TestBreakerPerAuthority(t *testing.T) {
	o := fragile()
	o.Breaker.Authorities = 2
	run(t, o, []step{status(503), status(503), status(503), status(503), status(200)}, func(s *session) {
		for range 4 {
			_, _ = s.get("a.test")
		}
		for _, same := range []string{"a.test:80", "A.test"} {
			if _, err := s.get(same); !errors.Is(err, resilience.ErrOpen) {
				t.Errorf("%s: %v, want it open", same, err)
			}
		}
		time.Sleep(time.Second)
		for _, host := range []string{"b.test", "a.test:8080", "a.test"} {
			if code, err := s.get(host); code != 200 || err != nil {
				t.Errorf("%s: %d %v", host, code, err)
			}
			time.Sleep(time.Second)
		}
	})
}

// An attempt from before the breaker opened is no probe, whatever it brings.
func TestSlowAttemptIsNoProbe(t *testing.T) {
	run(t, fragile(), []step{after(9 * time.Second), reset, reset, reset, reset, after(8 * time.Second), status(200)}, func(s *session) {
		slow := make(chan error)
		go func() {
			_, err := s.get("a.test")
			slow <- err
		}()
		synctest.Wait()
		for range 4 {
			_, _ = s.get("a.test")
		}
		time.Sleep(5 * time.Second)
		probe := make(chan error)
		go func() {
			_, err := s.get("a.test")
			probe <- err
		}()
		if err := <-slow; err != nil {
			t.Error(err)
		}
		if _, err := s.get("a.test"); !errors.Is(err, resilience.ErrOpen) {
			t.Errorf("at 9s, with the probe still out: %v, want it open", err)
		}
		s.wantChanges("closed open", "open half-open")
		if err := <-probe; err != nil {
			t.Error(err)
		}
		s.wantChanges("closed open", "open half-open", "half-open closed")
	})
}

// A probe whose caller leaves does not keep the breaker half-open for ever.
func TestAbandonedProbe(t *testing.T) {
	run(t, fragile(), []step{reset, reset, reset, reset, after(time.Hour), status(200)}, func(s *session) {
		for range 4 {
			_, _ = s.get("a.test")
		}
		time.Sleep(5 * time.Second)
		ctx, cancel := context.WithTimeout(s.Context(), time.Second)
		defer cancel()
		_, _, _ = s.do(ctx, "GET", "")
		s.wantChanges("closed open", "open half-open", "half-open open")
		time.Sleep(5 * time.Second)
		if code, err := s.get("a.test"); code != 200 || err != nil {
			t.Errorf("%d %v", code, err)
		}
	})
}

// A retry that the breaker would refuse is not waited for: the caller gets what is in hand.
func TestBreakerEndsRetries(t *testing.T) {
	o := fragile()
	o.Retry.Attempts = 3
	o.Breaker.MinRequests = 2
	run(t, o, []step{status(503)}, func(s *session) {
		code, text, err := s.do(s.Context(), "GET", "")
		if code != 503 || text == "" || err != nil {
			t.Errorf("%d %q %v, want the second 503", code, text, err)
		}
		s.wantRequests(2)
		s.wantTook(time.Second)
	})
}

// A hook may use the transport whose breaker it is told of.
func TestHookMaySend(t *testing.T) {
	run(t, fragile(), []step{reset}, func(s *session) {
		var tr *resilience.Transport
		told := 0
		o := fragile()
		o.Hooks.OnBreaker = func(resilience.BreakerEvent) {
			told++
			req, _ := http.NewRequestWithContext(s.Context(), "GET", "http://a.test/", nil)
			if _, err := tr.RoundTrip(req); !errors.Is(err, resilience.ErrOpen) {
				t.Error(err)
			}
		}
		var err error
		if tr, err = resilience.NewTransport(s.server.Transport, o); err != nil {
			t.Fatal(err)
		}
		s.client.Transport = tr
		for i := range 4 {
			_, _, _ = s.do(s.Context(), "POST", fmt.Sprint(i))
		}
		if told != 1 {
			t.Errorf("told %d times", told)
		}
	})
}
