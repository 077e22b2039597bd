package resilience

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// call is one request on its way through a Transport.
type call struct {
	t         *Transport
	req       *http.Request
	ctx       context.Context // the caller's
	key       string          // "" when there is none
	method    string          // label
	authority string          // label
	breaker   *breaker
	began     time.Time
	deadline  time.Time // of all attempts
	inside    bool      // whether it has a place in the limiter
	sent      int
}

// result is how an attempt ended. With a response, its context lives on: who
// has the result must hand the response on, or drop it.
type result struct {
	outcome Outcome
	resp    *http.Response
	err     error // nil if and only if there is a response
	cancel  context.CancelCauseFunc
	attempt int
}

// errDone ends the context of an attempt of which nothing is needed any more.
var errDone = errors.New("the attempt is over")

// run sends the request until there is a result to hand on.
func (c *call) run() (*http.Response, error) {
	for {
		res := c.round()
		wait, asked, stop := c.next(res)
		if stop != "" {
			return c.hand(res, stop)
		}
		if hook := c.t.opts.Hooks.OnRetry; hook != nil {
			hook(c.ctx, RetryEvent{Method: c.method, Authority: c.authority, Attempt: res.attempt, Outcome: res.outcome,
				Status: statusLabel(res.resp), Wait: wait, RetryAfter: asked})
		}
		if !c.pause(res, wait) {
			return nil, c.fail(StopCanceled, c.gone())
		}
	}
}

// next says how long to wait for the next attempt, and whether the server asked
// for that; or why there is none.
func (c *call) next(res result) (wait time.Duration, asked bool, stop Stop) {
	switch {
	case res.outcome == Responded:
		return 0, false, StopPermanent
	case c.left():
		return 0, false, StopCanceled
	case res.outcome == TotalExpired:
		return 0, false, StopTotal
	case res.outcome == Refused:
		return 0, false, StopOpen
	case !res.outcome.passes():
		return 0, false, StopPermanent
	case !safe(c.req.Method) && c.key == "":
		return 0, false, StopUnsafe
	case !c.rewindable():
		return 0, false, StopBody
	case c.sent >= c.t.opts.Retry.Attempts:
		return 0, false, StopAttempts
	}
	now := time.Now()
	wait = c.t.opts.Retry.wait(c.sent)
	if res.resp != nil {
		if d, ok := retryAfter(res.resp.Header, now); ok && d > wait {
			wait, asked = d, true
		}
	}
	if wait >= c.room(now) {
		return 0, false, StopNoRoom
	}
	if c.breaker.opens() > wait {
		return 0, false, StopOpen
	}
	return wait, asked, ""
}

// room is the time until the total timeout or the caller's deadline.
func (c *call) room(now time.Time) time.Duration {
	left := c.deadline.Sub(now)
	if d, ok := c.ctx.Deadline(); ok {
		left = min(left, d.Sub(now))
	}
	return left
}

// rewindable says whether the body can be sent a second time. With trailers it
// cannot: their values may come from reading the one body that the request has.
func (c *call) rewindable() bool {
	return c.req.Trailer == nil && (c.req.Body == nil || c.req.Body == http.NoBody || c.req.GetBody != nil)
}

// body is what the next attempt sends.
func (c *call) body() (io.ReadCloser, error) {
	if c.sent == 0 || c.req.GetBody == nil {
		return c.req.Body, nil
	}
	return c.req.GetBody()
}

// pause drops the response of a failed attempt and waits. It returns false when
// the caller leaves meanwhile.
func (c *call) pause(res result, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	res.drop(wait)
	select {
	case <-timer.C:
		return !c.left()
	case <-c.ctx.Done():
		return false
	case <-c.canceled():
		return false
	}
}

// drained is how much of a failed attempt's body is read so that its connection
// can be used again. A longer one costs more than a new connection.
const drained = 64 << 10

// drop reads and closes the body, which takes no longer than limit even when
// the body stalls.
func (r result) drop(limit time.Duration) {
	if r.resp == nil {
		return
	}
	timer := time.AfterFunc(limit, func() { r.cancel(errDone) })
	_, _ = io.CopyN(io.Discard, r.resp.Body, drained) // what fails here is the connection's, and not needed
	_ = r.resp.Body.Close()
	timer.Stop()
	r.cancel(errDone)
}

// hand gives the caller what the last attempt brought.
func (c *call) hand(res result, stop Stop) (*http.Response, error) {
	if res.err != nil {
		if stop == StopCanceled {
			res.err = c.gone()
		}
		return nil, c.fail(stop, res.err)
	}
	end := func() {
		res.cancel(errDone)
		c.leave()
	}
	if res.resp.Body == http.NoBody {
		end()
		return res.resp, nil
	}
	res.resp.Body = newBody(res.resp.Body, end)
	return res.resp, nil
}

// canceled is the older way to cancel a request. http.Client.Timeout still takes
// it, beside the context, for every RoundTripper but net/http's own.
func (c *call) canceled() <-chan struct{} {
	return c.req.Cancel //lint:ignore SA1019 who sets it expects to be heard
}

// left says whether the caller has left.
func (c *call) left() bool {
	select {
	case <-c.canceled():
		return true
	default:
		return c.ctx.Err() != nil
	}
}

// gone is the error of a caller that has left: what errors.Is finds is both the
// context's error and its cause.
func (c *call) gone() error {
	err, cause := c.ctx.Err(), context.Cause(c.ctx)
	switch {
	case err == nil && c.room(time.Now()) <= 0: // the context is a moment late
		return context.DeadlineExceeded
	case err == nil:
		return context.Canceled
	case errors.Is(cause, err):
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

func (c *call) fail(stop Stop, err error) error {
	return &CallError{Method: c.method, Attempts: c.sent, Elapsed: time.Since(c.began), Stop: stop, Err: err}
}

// refuse is fail before anything was sent. A RoundTripper closes the body of
// the request in any case.
func (c *call) refuse(stop Stop, err error) error {
	closeBody(c.req.Body)
	return c.fail(stop, err)
}

func closeBody(b io.Closer) {
	if b != nil {
		_ = b.Close() // nobody is left who could do something about it
	}
}
