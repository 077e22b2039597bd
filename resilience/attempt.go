package resilience

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"
)

// attempt sends the request once with a body, which it closes.
func (c *call) attempt(ctx context.Context, cancel context.CancelCauseFunc, n int, body io.ReadCloser, hedge bool) (res result) {
	began := time.Now()
	epoch, ok := c.breaker.admit()
	finished := false
	defer func() {
		if !finished { // the base or a hook has panicked; a probe shows nothing then
			res.discard()
			if ok {
				c.breaker.settle(epoch, Failed, 0)
			}
		}
	}()
	if !ok {
		cancel(errDone)
		closeBody(body)
		res = result{outcome: Refused, err: ErrOpen, attempt: n}
	} else {
		res = c.exchange(ctx, cancel, n, body)
		c.breaker.settle(epoch, res.outcome, statusLabel(res.resp))
	}
	if hook := c.t.opts.Hooks.OnAttempt; hook != nil {
		hook(c.ctx, AttemptEvent{Method: c.method, Authority: c.authority, Attempt: n, Hedge: hedge,
			Outcome: res.outcome, Status: statusLabel(res.resp), Elapsed: time.Since(began)})
	}
	finished = true
	return res
}

// exchange is the attempt timeout around the base.
func (c *call) exchange(ctx context.Context, cancel context.CancelCauseFunc, n int, body io.ReadCloser) result {
	limit, cause := c.t.opts.AttemptTimeout, ErrAttemptTimeout
	if left := time.Until(c.deadline); left < limit {
		limit, cause = left, ErrTotalTimeout
	}
	timer := time.AfterFunc(limit, func() { cancel(cause) })
	req, w := c.request(ctx, cancel, body)
	resp, err := c.t.base.RoundTrip(req)
	inTime := timer.Stop() // from here on nothing but the caller ends the body

	if resp == nil && err == nil {
		err = fmt.Errorf("%T returned neither a response nor an error", c.t.base)
	}
	res := result{resp: resp, err: err, cancel: cancel, attempt: n}
	if resp != nil && resp.Body == nil {
		resp.Body = http.NoBody
	}
	switch conflict := w.err(); {
	case conflict != nil:
		res.outcome, res.err = Failed, conflict
	case err == nil && inTime:
		res.outcome = Responded
		if passingStatus(resp.StatusCode) {
			res.outcome = BadStatus
		}
		return res
	case c.left():
		res.outcome, res.err = Canceled, c.gone()
	case errors.Is(context.Cause(ctx), errSuperseded):
		res.outcome, res.err = Superseded, errSuperseded
	case !inTime && cause == ErrTotalTimeout:
		res.outcome, res.err = TotalExpired, cause
	case !inTime:
		res.outcome, res.err = AttemptExpired, cause
	case broken(err):
		res.outcome = Broken
	default:
		res.outcome = Failed
	}
	if resp != nil { // too late, or with the wrong key
		_ = resp.Body.Close()
		res.resp = nil
	}
	cancel(errDone)
	return res
}

// request is the copy that an attempt sends: a RoundTripper must leave the
// original as it is. Headers are copied too, since there are layers that set some.
func (c *call) request(ctx context.Context, cancel context.CancelCauseFunc, body io.ReadCloser) (*http.Request, *wire) {
	if c.key == "" {
		req := c.req.Clone(ctx)
		req.Body, req.Trailer = body, c.req.Trailer // of which the caller may set the values while the body is read
		delete(req.Header, KeyHeader)               // without a value it is not sent, but makes net/http send again
		return req, nil
	}
	w := &wire{key: c.key, host: hostOf(c.req)}
	req := c.req.Clone(w.watch(ctx, cancel))
	req.Body, req.Trailer = body, c.req.Trailer
	if req.Header == nil { // a request that was not made by http.NewRequest
		req.Header = make(http.Header)
	}
	req.Header.Set(KeyHeader, c.key)
	return req, w
}

// passingStatus has the statuses after which another attempt may go better
// (RFC 9110 section 15.5.9 and 15.6, RFC 6585 section 4). 500 is not one of
// them: it is a program that fails, and mostly fails again.
func passingStatus(code int) bool {
	switch code {
	case http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// broken says whether the connection failed, rather than what was sent on it.
func broken(err error) bool {
	for _, target := range []error{syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.ECONNABORTED, syscall.EPIPE,
		io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed} {
		if errors.Is(err, target) {
			return true
		}
	}
	if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
		return true
	}
	_, reset := errors.AsType[StreamError](err)
	return reset
}

// StreamError has the form of a stream that HTTP/2 has reset (RFC 9113 section
// 5.4.2). The one of net/http is not exported; errors.As copies it into a struct of this name and these fields.
type StreamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

// Error implements error.
func (e StreamError) Error() string { return fmt.Sprintf("stream %d: code %d", e.StreamID, e.Code) }
