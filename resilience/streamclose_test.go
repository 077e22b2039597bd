package resilience_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// Whoever leaves the loop over a stream of an SDK's, in whatever way, leaves it
// closed, and Next is not called again.
func TestNextLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, leave := range map[string]func(){"break": nil, "panic": func() { panic("leave") }} {
			s, told := open(t, budgets())
			src := &sdk{ctx: s.Context(), pause: second, end: 10, closed: make(chan struct{}), t: t}
			func() {
				defer func() { _ = recover() }()
				for n := range resilience.Next(s, src, resilience.Rules[int]{}) {
					if n == 3 {
						if leave != nil {
							leave()
						}
						break
					}
				}
			}()
			time.Sleep(time.Minute)
			if src.n != 3 || !src.once.Load() || told.End != resilience.StreamLeft || told.Content != 3 || s.Context().Err() == nil {
				t.Errorf("%s: %d values, closed %v, %+v", name, src.n, src.once.Load(), told)
			}
		}
	})
}

// Close from another goroutine ends a call of Next, with or without the stream's
// context in it.
func TestNextClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, given := range map[string]bool{"its context": true, "another context": false} {
			began := time.Now()
			s, told := open(t, budgets())
			src := &sdk{pause: 10 * second, end: 10, closed: make(chan struct{}), t: t}
			if given {
				src.ctx = s.Context()
			}
			for range 5 {
				time.AfterFunc(15*second, func() { _ = s.Close() })
			}
			got, err := collect(resilience.Next(s, src, resilience.Rules[int]{}))
			if late := time.Since(began) - 15*second; len(got) != 1 || !errors.Is(err, resilience.ErrStreamClosed) || late > 10*time.Millisecond || told.End != resilience.StreamCanceled {
				t.Errorf("%s: %d, %v, late by %v, %+v", name, got, err, late, told)
			}
		}
	})
}

// The context of a stream says why it ended, to whoever else works under it.
func TestStreamCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := open(t, budgets())
		if _, ok := s.Context().Deadline(); ok {
			t.Error("the context has a deadline, and the budgets are no such thing")
		}
		<-s.Context().Done()
		cause, ok := errors.AsType[*resilience.IncompleteError](context.Cause(s.Context()))
		if !ok || !errors.Is(cause, resilience.ErrFirstToken) || !cause.Timeout() || cause.End != resilience.StreamFirstToken || cause.Duration != 30*second {
			t.Errorf("cause %+v", cause)
		}
	})
}
