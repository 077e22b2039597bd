package resilience

import (
	"errors"
	"fmt"
	"time"
)

// What ends a call, for errors.Is. The caller's own context ends it with its
// context.Cause, and a failure of the connection with the base's error.
var (
	// ErrAttemptTimeout: the last attempt had no headers within AttemptTimeout.
	ErrAttemptTimeout = errors.New("attempt timeout")
	// ErrTotalTimeout: TotalTimeout ran out during an attempt.
	ErrTotalTimeout = errors.New("total timeout")
	// ErrOpen: the circuit breaker of the authority is open.
	ErrOpen = errors.New("circuit breaker is open")
	// ErrLimited: as many calls as the limiter allows were under way, and none
	// ended within its MaxWait.
	ErrLimited = errors.New("concurrency limit reached")
	// ErrKeyConflict: there is more than one idempotency key for the call.
	ErrKeyConflict = errors.New("conflicting idempotency keys")
	// ErrStacked: the base of NewTransport already retries.
	ErrStacked = errors.New("retries would be stacked")
)

// A Stop says why there was no further attempt. There are no others than these.
type Stop string

// Reasons for which a call ends.
const (
	StopPermanent Stop = "the failure is not one that passes"
	StopCanceled  Stop = "the caller has left"
	StopUnsafe    Stop = "the method is unsafe and the request has no idempotency key"
	StopBody      Stop = "the body cannot be read again (no GetBody, or trailers)"
	StopAttempts  Stop = "no attempts are left"
	StopNoRoom    Stop = "the next wait does not fit into the time that is left"
	StopTotal     Stop = "the time for all attempts is used up"
	StopOpen      Stop = "the circuit breaker is open"
	StopLimited   Stop = "the concurrency limit is reached"
)

// CallError is the error of a call that ended without a response.
type CallError struct {
	Method   string        // as in events: a known method, or "other"
	Attempts int           // how many were sent
	Elapsed  time.Duration // since the call began, with the wait for the limiter
	Stop     Stop          // why there was no other attempt
	Err      error         // what ended the last attempt, or kept it from being sent
}

// Error implements error.
func (e *CallError) Error() string {
	return fmt.Sprintf("%s: %v after %v, %d attempt(s): %s", e.Method, e.Err, e.Elapsed.Round(time.Millisecond), e.Attempts, e.Stop)
}

// Unwrap returns Err.
func (e *CallError) Unwrap() error { return e.Err }

// Timeout reports whether time ran out, this package's or the connection's.
// url.Error asks for it.
func (e *CallError) Timeout() bool {
	if errors.Is(e.Err, ErrAttemptTimeout) || errors.Is(e.Err, ErrTotalTimeout) {
		return true
	}
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](e.Err)
	return ok && t.Timeout()
}
