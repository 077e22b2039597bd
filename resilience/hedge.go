package resilience

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errSuperseded ends the attempts that were slower than another.
var errSuperseded = errors.New("another attempt was quicker")

// round sends the request once, or, hedged, up to once per copy, and returns
// the first good result, else the last one.
func (c *call) round() result {
	if c.sent == 0 && c.left() { // not every base looks
		closeBody(c.req.Body)
		return result{outcome: Canceled, err: c.gone()}
	}
	if time.Until(c.deadline) <= 0 { // the timer of a wait may be late
		if c.sent == 0 {
			closeBody(c.req.Body)
		}
		return result{outcome: TotalExpired, err: ErrTotalTimeout, attempt: c.sent}
	}
	if c.t.opts.Hedge.Copies > 0 && safe(c.req.Method) && c.rewindable() {
		return c.hedged()
	}
	body, err := c.body()
	if err != nil {
		return result{outcome: Failed, err: err, attempt: c.sent}
	}
	c.sent++
	ctx, cancel := context.WithCancelCause(c.ctx)
	res := c.attempt(ctx, cancel, c.sent, body, false)
	if res.outcome == Refused {
		c.sent--
	}
	return res
}

// hedge is a round of attempts that race. The first runs on the caller's
// goroutine, so that a quick answer costs no other; the copies on the timer's.
type hedge struct {
	c    *call
	most int

	mu                sync.Mutex // guards the rest, and c.sent until over
	timer             *time.Timer
	cancel            map[int]context.CancelCauseFunc // by the number of the attempt
	launched, running int
	last              result        // a failure, until an attempt wins
	over              bool          // there is a winner, or nothing is running
	done              chan struct{} // closed when over
}

func (c *call) hedged() result {
	h := &hedge{c: c, most: min(1+c.t.opts.Hedge.Copies, c.t.opts.Retry.Attempts-c.sent),
		cancel: make(map[int]context.CancelCauseFunc), done: make(chan struct{})}
	h.mu.Lock()
	first, err := h.launch(false)
	if err == nil {
		h.timer = time.AfterFunc(c.t.opts.Hedge.After, h.copy)
	}
	h.mu.Unlock()
	if err != nil {
		return result{outcome: Failed, err: err, attempt: c.sent}
	}
	returned := false
	defer func() {
		if !returned {
			h.abandon()
		}
	}()
	h.settle(first())
	<-h.done
	returned = true
	return h.last
}

// abandon ends the round when the first attempt has panicked: nobody is left to
// take what the others bring. The panic of a copy, on its own goroutine, ends the process.
func (h *hedge) abandon() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	h.timer.Stop()
	h.last.discard()
	for _, cancel := range h.cancel {
		cancel(errSuperseded)
	}
}

// copy is called when an attempt has been without an answer for Hedge.After.
func (h *hedge) copy() {
	h.mu.Lock()
	if h.over || h.launched >= h.most {
		h.mu.Unlock()
		return
	}
	next, err := h.launch(true)
	h.timer.Reset(h.c.t.opts.Hedge.After)
	h.mu.Unlock()
	if err == nil {
		h.settle(next())
	}
}

// launch prepares the next attempt and returns what runs it.
func (h *hedge) launch(copied bool) (func() result, error) {
	h.launched++
	body, err := h.c.body()
	if err != nil {
		return nil, err
	}
	h.c.sent++
	n := h.c.sent
	ctx, cancel := context.WithCancelCause(h.c.ctx)
	h.cancel[n] = cancel
	h.running++
	return func() result { return h.c.attempt(ctx, cancel, n, body, copied) }, nil
}

// settle takes the result of an attempt. The first good one ends the others.
func (h *hedge) settle(r result) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running--
	switch {
	case h.over:
		r.discard() // it had its response before it heard that another was quicker
		return
	case r.outcome == Responded:
		h.last.discard()
		h.last = r
	default:
		h.keep(r)
		if h.running > 0 {
			return
		}
	}
	h.over = true
	h.timer.Stop()
	for n, cancel := range h.cancel {
		if n != h.last.attempt {
			cancel(errSuperseded)
		}
	}
	close(h.done)
}

// keep holds on to a failure until a better one comes: any attempt that was
// sent says more than one that the breaker refused, as it would the next.
func (h *hedge) keep(r result) {
	if r.outcome == Refused {
		h.c.sent--
		h.launched = h.most
		if h.last.attempt > 0 {
			return
		}
	}
	h.last.discard()
	h.last = r
}

// discard gives up a response without reading it.
func (r result) discard() {
	if r.resp != nil {
		_ = r.resp.Body.Close()
		r.cancel(errDone)
	}
}
