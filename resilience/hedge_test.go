package resilience_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

func hedging() resilience.Options {
	o := quick()
	o.Hedge = resilience.Hedge{After: 2 * time.Second, Copies: 1}
	return o
}

func TestHedgeWins(t *testing.T) {
	run(t, hedging(), []step{after(9 * time.Second), after(time.Second)}, func(s *session) {
		code, _, err := s.do(s.Context(), "GET", "")
		if code != 200 || err != nil {
			t.Errorf("%d %v", code, err)
		}
		s.wantRequests(2)
		s.wantTook(3 * time.Second)
		time.Sleep(time.Second)
		synctest.Wait() // the other attempt's goroutine has told of it
		if a := s.attempts; len(a) != 2 || a[0].Attempt != 2 || !a[0].Hedge || a[1].Outcome != resilience.Superseded {
			t.Errorf("%+v", a)
		}
	})
}

// The body of the winner is not ended with the others.
func TestBodyOfTheWinner(t *testing.T) {
	for _, script := range [][]step{
		{after(9 * time.Second), headersThen(200, time.Minute)},
		{after(3 * time.Second), after(9 * time.Second)},
	} {
		run(t, hedging(), script, func(s *session) {
			code, text, err := s.do(s.Context(), "GET", "")
			if code != 200 || text == "" || err != nil {
				t.Errorf("%d %q %v", code, text, err)
			}
			s.wantRequests(2)
		})
	}
}

func TestNothingToHedge(t *testing.T) {
	run(t, hedging(), []step{after(time.Second)}, func(s *session) { // quick enough
		if _, _, err := s.do(s.Context(), "GET", ""); err != nil {
			t.Error(err)
		}
		s.wantRequests(1)
	})
	run(t, hedging(), []step{after(9 * time.Second)}, func(s *session) { // unsafe, even with a key
		if _, _, err := s.do(resilience.WithIdempotencyKey(s.Context(), "k"), "POST", "x"); err != nil {
			t.Error(err)
		}
		s.wantRequests(1)
		s.wantTook(9 * time.Second)
	})
}

// Copies count as attempts: three in all, two of them side by side.
func TestHedgesAreAttempts(t *testing.T) {
	run(t, hedging(), []step{after(time.Hour)}, func(s *session) {
		_, _, err := s.do(s.Context(), "GET", "")
		s.wantCall(err, resilience.ErrAttemptTimeout, 3, resilience.StopAttempts)
		s.wantRequests(3)
		// Copies at 0s and 2s time out at 10s and 12s; the third attempt comes
		// 2s later, which is the wait after two attempts, and times out.
		s.wantTook(24 * time.Second)
	})
}

// A failure does not wait for the copy, and one failure does not end the other.
func TestHedgeAndFailure(t *testing.T) {
	run(t, hedging(), []step{status(503), status(200)}, func(s *session) {
		code, _, err := s.do(s.Context(), "GET", "")
		if code != 200 || err != nil {
			t.Errorf("%d %v", code, err)
		}
		s.wantTook(time.Second)
	})
	run(t, hedging(), []step{after(5 * time.Second), status(503)}, func(s *session) {
		code, _, err := s.do(s.Context(), "GET", "")
		if code != 200 || err != nil {
			t.Errorf("%d %v", code, err)
		}
		s.wantTook(5 * time.Second)
	})
}

// A breaker that opens meanwhile refuses the copy once; what was sent goes on.
func TestRefusedHedge(t *testing.T) {
	o := hedging()
	o.Hedge.Copies = 2
	o.Breaker = fragile().Breaker
	run(t, o, []step{after(9 * time.Second), reset, reset, reset, reset}, func(s *session) {
		slow := make(chan error)
		go func() {
			_, _, err := s.do(s.Context(), "GET", "")
			slow <- err
		}()
		synctest.Wait()
		for range 4 {
			_, _, _ = s.do(s.Context(), "POST", "x")
		}
		if err := <-slow; err != nil {
			t.Errorf("the attempt that was under way: %v", err)
		}
		synctest.Wait() // the copy's goroutine has told of it
		refused := 0
		for _, e := range s.attempts {
			if e.Outcome == resilience.Refused {
				refused++
			}
		}
		if refused != 1 {
			t.Errorf("%d copies refused, want 1: %+v", refused, s.attempts)
		}
		s.wantRequests(5)
	})
}
