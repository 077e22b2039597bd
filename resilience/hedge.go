package resilience

import (
	"context"
	"errors"
	"time"
)

// errSuperseded ends the attempts that were slower than another.
var errSuperseded = errors.New("another attempt was quicker")

// round sends the request once, or, hedged, up to once per copy, and returns
// the first good result, else the last one.
func (c *call) round() result {
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

// hedge is a round of attempts that race.
type hedge struct {
	c       *call
	results chan result
	cancel  map[int]context.CancelCauseFunc // by the number of the attempt
	running int
	last    result
}

func (c *call) hedged() result {
	most := min(1+c.t.opts.Hedge.Copies, c.t.opts.Retry.Attempts-c.sent)
	h := &hedge{c: c, results: make(chan result, most), cancel: make(map[int]context.CancelCauseFunc, most)}
	if err := h.launch(); err != nil {
		return result{outcome: Failed, err: err, attempt: c.sent}
	}
	timer := time.NewTimer(c.t.opts.Hedge.After)
	defer timer.Stop()
	for launched := 1; h.running > 0; {
		select {
		case r := <-h.results:
			h.running--
			if r.outcome == Responded {
				h.win(r)
				return r
			}
			if r.outcome == Refused {
				launched = most // and so would the others be
			}
			h.keep(r)
		case <-timer.C:
			if launched < most && h.launch() == nil {
				launched++
				timer.Reset(c.t.opts.Hedge.After)
			}
		}
	}
	return h.last
}

// launch starts the next attempt.
func (h *hedge) launch() error {
	body, err := h.c.body()
	if err != nil {
		return err
	}
	h.c.sent++
	n, copied := h.c.sent, h.running > 0
	ctx, cancel := context.WithCancelCause(h.c.ctx)
	h.cancel[n] = cancel
	h.running++
	go func() { h.results <- h.c.attempt(ctx, cancel, n, body, copied) }()
	return nil
}

// keep holds on to a failure until a better one comes: any attempt that was
// sent says more than one that the breaker refused.
func (h *hedge) keep(r result) {
	if r.outcome == Refused {
		h.c.sent--
		if h.last.attempt > 0 {
			return
		}
	}
	h.last.discard()
	h.last = r
}

// win ends the other attempts, without waiting for them.
func (h *hedge) win(r result) {
	h.last.discard()
	for n, cancel := range h.cancel {
		if n != r.attempt {
			cancel(errSuperseded)
		}
	}
	results, running := h.results, h.running
	go func() {
		for range running {
			late := <-results
			late.discard() // it may have had its response by then
		}
	}()
}

// discard gives up a response without reading it.
func (r result) discard() {
	if r.resp != nil {
		_ = r.resp.Body.Close()
		r.cancel(errDone)
	}
}
