package resilience

import (
	"errors"
	"fmt"
	"time"
)

// Options are the numbers of a [Transport]. [Defaults] is a set to start from;
// the zero value is not valid, because a call without timeouts is not either.
type Options struct {
	// AttemptTimeout is how long one attempt waits for the headers of its
	// response. It does not cover the body.
	AttemptTimeout time.Duration
	// TotalTimeout is how long all attempts and the waits between them take
	// together, up to the headers of the response that the caller gets. The
	// wait for the limiter comes before, and has its own bound.
	TotalTimeout time.Duration

	Retry   Retry
	Hedge   Hedge   // zero: no hedging
	Breaker Breaker // zero: no circuit breaker
	Limiter Limiter // zero: no limit
	Hooks   Hooks   // zero: nothing is told
}

// Retry says how often a request is sent, and how far apart.
type Retry struct {
	// Attempts is how often a request is sent at most, the first time and
	// hedges included. 1 is no retry.
	Attempts int
	// Backoff is the longest wait before the second attempt; it doubles for
	// each attempt after that, up to MaxBackoff.
	Backoff, MaxBackoff time.Duration
	// Jitter is the part of a wait that is random, from 0 (none) to 1 (all of
	// it): a wait is drawn evenly from (1-Jitter)·backoff to backoff.
	Jitter float64
}

// Hedge says when a second copy of a request with a safe method is sent while
// the first has no answer yet. The first good response wins; the other attempts
// are cancelled. Requests with other methods are never hedged, key or not.
type Hedge struct {
	// After is how long an attempt has no headers before the next copy is sent.
	After time.Duration
	// Copies is how many there are at most beside the first. They count as
	// attempts: Retry.Attempts bounds everything that is sent.
	Copies int
}

// Breaker is a circuit breaker for each authority (RFC 3986 section 3.2). Open,
// it lets nothing through for OpenFor, then one request; its success closes the
// breaker, anything else opens it again.
type Breaker struct {
	// Window is the time over which failures are counted.
	Window time.Duration
	// FailureRatio opens the breaker when that part of the attempts in the
	// window has failed (more than 0, at most 1) ...
	FailureRatio float64
	// MinRequests ... and there were so many.
	MinRequests int
	// OpenFor is how long it stays open.
	OpenFor time.Duration
	// Authorities is how many breakers are kept; with more authorities than
	// that, the one that was used longest ago is forgotten. It is also how many
	// authorities are named in events; the rest are "other".
	Authorities int
}

// Limiter bounds how many calls are under way: from the first attempt until the
// body of the response is read to its end or closed.
type Limiter struct {
	// Concurrent is how many. 0 is no limit.
	Concurrent int
	// MaxWait is how long a call waits for its turn. 0 is not at all.
	MaxWait time.Duration
}

// Defaults returns options for calls that usually take well under ten seconds:
// three attempts, a breaker, no limiter, no hedging.
func Defaults() Options {
	return Options{
		AttemptTimeout: 10 * time.Second,
		TotalTimeout:   35 * time.Second,
		Retry:          Retry{Attempts: 3, Backoff: time.Second, MaxBackoff: 10 * time.Second, Jitter: 0.5},
		Breaker:        Breaker{Window: 30 * time.Second, FailureRatio: 0.5, MinRequests: 20, OpenFor: 5 * time.Second, Authorities: 100},
	}
}

// Validate returns nil, or an error that names every field that cannot be, with
// its number and what it is compared with.
func (o Options) Validate() error {
	return errors.Join(o.checkTimeouts(), o.Retry.check(), o.checkFit(), o.checkHedge(), o.checkBreaker(), o.Limiter.check())
}

// tooShort is below what any exchange over a network takes. A shorter budget is
// nearly always a number without its unit: 10 is ten nanoseconds.
const tooShort = time.Millisecond

func (o Options) checkTimeouts() error {
	var errs []error
	if o.AttemptTimeout < tooShort {
		errs = append(errs, fmt.Errorf("AttemptTimeout is %v, want at least %v", o.AttemptTimeout, tooShort))
	}
	if o.TotalTimeout < tooShort {
		errs = append(errs, fmt.Errorf("TotalTimeout is %v, want at least %v", o.TotalTimeout, tooShort))
	}
	if o.AttemptTimeout >= o.TotalTimeout {
		errs = append(errs, fmt.Errorf("AttemptTimeout %v is not below TotalTimeout %v: the attempt timeout would never end an attempt", o.AttemptTimeout, o.TotalTimeout))
	}
	return errors.Join(errs...)
}

func (r Retry) check() error {
	var errs []error
	if r.Attempts < 1 {
		errs = append(errs, fmt.Errorf("Retry.Attempts is %d, want at least 1 (which is no retry)", r.Attempts))
	}
	if r.Attempts > 1 {
		if r.Backoff <= 0 {
			errs = append(errs, fmt.Errorf("Retry.Backoff is %v with Retry.Attempts %d: the next attempt would follow at once", r.Backoff, r.Attempts))
		}
		if r.MaxBackoff < r.Backoff {
			errs = append(errs, fmt.Errorf("Retry.MaxBackoff %v is below Retry.Backoff %v", r.MaxBackoff, r.Backoff))
		}
	}
	if !(r.Jitter >= 0 && r.Jitter <= 1) { // NaN is neither
		errs = append(errs, fmt.Errorf("Retry.Jitter is %v, want 0 to 1", r.Jitter))
	}
	return errors.Join(errs...)
}

// checkFit refuses budgets of which the last attempts can have no use: all
// attempts timing out and all waits at their longest must fit into the total.
func (o Options) checkFit() error {
	if o.Retry.Attempts < 2 {
		return nil
	}
	attempts := float64(o.Retry.Attempts) * o.AttemptTimeout.Seconds()
	waits := o.Retry.longestWaits() / float64(time.Second)
	if attempts+waits > o.TotalTimeout.Seconds() {
		return fmt.Errorf("the budgets do not fit: Retry.Attempts %d × AttemptTimeout %v and waits of up to %.4gs make %.4gs, and TotalTimeout is %v",
			o.Retry.Attempts, o.AttemptTimeout, waits, attempts+waits, o.TotalTimeout)
	}
	return nil
}

func (o Options) checkHedge() error {
	h := o.Hedge
	if h == (Hedge{}) {
		return nil
	}
	var errs []error
	if h.After <= 0 || h.After >= o.AttemptTimeout {
		errs = append(errs, fmt.Errorf("Hedge.After is %v, want more than 0 and less than AttemptTimeout %v", h.After, o.AttemptTimeout))
	}
	if h.Copies < 1 || h.Copies >= o.Retry.Attempts {
		errs = append(errs, fmt.Errorf("Hedge.Copies is %d, want at least 1 and less than Retry.Attempts %d", h.Copies, o.Retry.Attempts))
	}
	return errors.Join(errs...)
}

func (o Options) checkBreaker() error {
	b := o.Breaker
	if b == (Breaker{}) {
		return nil
	}
	var errs []error
	if b.Window/2 < o.AttemptTimeout {
		errs = append(errs, fmt.Errorf("Breaker.Window %v is below twice AttemptTimeout %v: attempts that time out would leave the window before there are enough of them", b.Window, o.AttemptTimeout))
	}
	if !(b.FailureRatio > 0 && b.FailureRatio <= 1) {
		errs = append(errs, fmt.Errorf("Breaker.FailureRatio is %v, want more than 0 and at most 1", b.FailureRatio))
	}
	if b.MinRequests < 2 {
		errs = append(errs, fmt.Errorf("Breaker.MinRequests is %d, want at least 2: one failure is no outage", b.MinRequests))
	}
	if b.OpenFor <= 0 {
		errs = append(errs, fmt.Errorf("Breaker.OpenFor is %v, want more than 0", b.OpenFor))
	}
	if b.Authorities < 1 {
		errs = append(errs, fmt.Errorf("Breaker.Authorities is %d, want at least 1", b.Authorities))
	}
	return errors.Join(errs...)
}

func (l Limiter) check() error {
	if l.Concurrent < 0 || l.MaxWait < 0 {
		return fmt.Errorf("Limiter.Concurrent is %d and Limiter.MaxWait %v, want neither below 0", l.Concurrent, l.MaxWait)
	}
	if l.Concurrent == 0 && l.MaxWait > 0 {
		return fmt.Errorf("Limiter.MaxWait is %v and Limiter.Concurrent 0: there is nothing to wait for", l.MaxWait)
	}
	return nil
}
