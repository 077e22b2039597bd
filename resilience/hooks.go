package resilience

import (
	"context"
	"net/http"
	"time"
)

// Hooks are told what a [Transport] does. They are called on the goroutines of
// the calls (hedged attempts have their own), so they must be safe for
// concurrent use and quick. A hook that is nil is not called.
//
// The fields of events can be labels of metrics as they are: a method is one
// that RFC 9110 or RFC 5789 defines or "other", a status lies between 100 and
// 599 or is 0, an attempt is at most Retry.Attempts, and at most
// Breaker.Authorities authorities have a name, the rest are "other".
type Hooks struct {
	OnAttempt func(context.Context, AttemptEvent) // an attempt has ended, or the breaker has kept it back
	OnRetry   func(context.Context, RetryEvent)   // a wait begins, another attempt follows
	OnBreaker func(BreakerEvent)                  // a breaker has changed its state
	OnLimited func(context.Context, LimitedEvent) // a call had to wait for the limiter, or was refused
}

// AttemptEvent is one attempt.
type AttemptEvent struct {
	Method, Authority string
	Attempt           int // from 1
	Hedge             bool
	Outcome           Outcome
	Status            int           // 0 without a response
	Elapsed           time.Duration // up to the headers
}

// RetryEvent is a retry that is about to happen.
type RetryEvent struct {
	Method, Authority string
	Attempt           int // the one that failed
	Outcome           Outcome
	Status            int
	Wait              time.Duration // before the next attempt
	RetryAfter        bool          // whether the server asked for that wait
}

// BreakerEvent is a change of state: "closed", "open" or "half-open".
type BreakerEvent struct {
	Authority, From, To string
}

// LimitedEvent is a call that was not let through at once.
type LimitedEvent struct {
	Method  string
	Waited  time.Duration
	Refused bool // else it had its turn
}

// An Outcome says how an attempt ended. There are no others than these.
type Outcome string

// Outcomes of an attempt.
const (
	Responded      Outcome = "responded"       // with a response that is handed on, whatever its status
	BadStatus      Outcome = "bad status"      // with 408, 429, 502, 503 or 504
	Broken         Outcome = "broken"          // the connection was refused, reset or closed, or timed out
	AttemptExpired Outcome = "attempt timeout" // no headers in time
	TotalExpired   Outcome = "total timeout"   // no headers before the time for all attempts was over
	Canceled       Outcome = "canceled"        // the caller has left
	Superseded     Outcome = "superseded"      // another hedged attempt was quicker
	Refused        Outcome = "breaker open"    // it was not sent
	Failed         Outcome = "failed"          // with an error that another attempt would meet as well
)

// passes says whether another attempt may go better.
func (o Outcome) passes() bool { return o == BadStatus || o == Broken || o == AttemptExpired }

// methodLabel bounds the methods that an event can have.
func methodLabel(m string) string {
	switch m {
	case "":
		return http.MethodGet
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return m
	}
	return other
}

// other stands for every label that is not among the known ones.
const other = "other"

func statusLabel(resp *http.Response) int {
	if resp == nil || resp.StatusCode < 100 || resp.StatusCode > 599 {
		return 0
	}
	return resp.StatusCode
}
