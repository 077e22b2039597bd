package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/lab/inherited"
	"github.com/resiliencevet/resiliencevet/resilience"
	"github.com/resiliencevet/resiliencevet/resilience/idempotency"
)

// figures are what a scenario came to.
type figures struct {
	attempts int             // requests that reached the server
	charges  []time.Duration // when money was taken
	arrived  []time.Duration // when the requests came
	sees     []string        // what each press of Pay gave the customer: a status, or an error
	at       []time.Duration // and when
}

// scenario is a row of the table: what is done, and what must come of it.
type scenario struct {
	number            int
	name              string
	run               func(p *play)
	attempts, charges int
	sees              []string      // for each press
	at                time.Duration // when the last press ends
	give              time.Duration // what jitter may make of that
	dotnet            string        // what the article has; "" when the row is not in there
}

// play is one scenario on a stage: a server, and a client that is put together for it.
type play struct {
	t     *testing.T
	seed  uint64
	began time.Time
	bank  *bank
	door  *door
	http  *http.Client // with a bare transport
	stop  func()
	out   figures
}

// perform runs a scenario in a bubble.
func (s scenario) perform(t *testing.T, seed uint64) (out figures) {
	synctest.Test(t, func(t *testing.T) {
		p := &play{t: t, seed: seed, began: time.Now()}
		s.run(p)
		p.stop() // waits for charges that nobody waits for any more
		p.out.charges = p.bank.charges()
		p.out.arrived = p.door.requests()
		p.out.attempts = len(p.out.arrived)
		out = p.out
	})
	return out
}

// serve opens the bank, behind what in wraps around it.
func (p *play) serve(b *bank, in func(http.Handler) http.Handler) {
	b.began = p.began
	p.bank = b
	p.door = &door{Handler: in(b), began: p.began}
	p.http, p.stop = memhttp.Serve(p.door)
}

func bare(h http.Handler) http.Handler { return h }

// keys puts the server's half of idempotency keys before the bank. Repeats wait.
func (p *play) keys(store idempotency.Store, change func(*idempotency.Options)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		o := idempotency.Options{
			Store: store, Work: time.Minute, Keep: 24 * time.Hour, RetryWindow: 12 * time.Hour,
			Wait: time.Minute, Poll: 70 * time.Millisecond, MaxBody: 1 << 10,
		}
		if change != nil {
			change(&o)
		}
		h, err := idempotency.New(next, o)
		if err != nil {
			p.t.Fatal(err)
		}
		return h
	}
}

func (p *play) inherited() http.RoundTripper { return inherited.New(p.http.Transport, p.seed) }

// ours is a Transport of package resilience without retries, unless attempts are given.
func (p *play) ours(attempt, total time.Duration, attempts int) http.RoundTripper {
	tr, err := resilience.NewTransport(p.http.Transport, resilience.Options{
		AttemptTimeout: attempt, TotalTimeout: total,
		Retry:   resilience.Retry{Attempts: attempts, Backoff: time.Second, MaxBackoff: 8 * time.Second}, // no jitter: the table is the same every time
		Breaker: resilience.Breaker{Window: 3 * attempt, FailureRatio: 0.1, MinRequests: 100, OpenFor: 5 * time.Second, Authorities: 10},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return tr
}

// press is the customer who presses Pay.
func (p *play) press(rt http.RoundTripper, key, amount string) {
	ctx := p.t.Context()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://bank.test/pay", strings.NewReader(amount))
	if err != nil {
		p.t.Fatal(err)
	}
	if key != "" {
		req.Header.Set(resilience.KeyHeader, key)
	}
	saw := "error"
	//lint:ignore retrynokey some rows are there to show what comes of it
	if resp, err := (&http.Client{Transport: rt}).Do(req); err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		saw = fmt.Sprint(resp.StatusCode)
	}
	p.out.sees = append(p.out.sees, saw)
	p.out.at = append(p.out.at, time.Since(p.began))
}

// freshKeys is the mistake of retryfreshkey: a key for every attempt.
type freshKeys struct{ base http.RoundTripper }

func (f freshKeys) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set(resilience.KeyHeader, resilience.NewKey())
	return f.base.RoundTrip(req)
}

// lost is a store that a dead process cannot write to any more.
type lost struct {
	idempotency.Store
	dead *bool
}

func (l lost) Settle(ctx context.Context, key, owner string, to idempotency.State, resp *idempotency.Response, expires time.Time) (bool, error) {
	if *l.dead {
		return false, context.Canceled
	}
	return l.Store.Settle(ctx, key, owner, to, resp, expires)
}

// payments is the payment lab.
func payments() []scenario {
	const second = time.Second
	return []scenario{
		{
			number: 1, name: "inherited; the server works on after cancellation",
			attempts: 3, charges: 3, sees: []string{"error"}, at: 30 * second,
			dotnet: "error at 30 s; the third charge lands about 6 s after it",
			run: func(p *play) {
				p.serve(&bank{}, bare)
				p.press(p.inherited(), "", "42")
			},
		},
		{
			number: 2, name: "inherited; the server stops when cancelled",
			attempts: 3, charges: 0, sees: []string{"error"}, at: 30 * second,
			dotnet: "error",
			run: func(p *play) {
				p.serve(&bank{stops: true}, bare)
				p.press(p.inherited(), "", "42")
			},
		},
		{
			number: 3, name: "unsafe methods not retried",
			attempts: 1, charges: 1, sees: []string{"error"}, at: 10 * second,
			dotnet: "error at 10 s, though the payment completes at 12 s",
			run: func(p *play) {
				p.serve(&bank{}, bare)
				p.press(p.ours(10*second, 40*second, 3), "", "42")
			},
		},
		{
			number: 4, name: "attempt timeout 20 s (breaker window 60 s)",
			attempts: 1, charges: 1, sees: []string{"200"}, at: 12 * second,
			dotnet: "200",
			run: func(p *play) {
				p.serve(&bank{}, bare)
				p.press(p.ours(20*second, 30*second, 1), "", "42")
			},
		},
		{
			number: 5, name: "inherited, idempotency key, deduplicating server",
			attempts: 2, charges: 1, sees: []string{"200"}, at: 12400 * time.Millisecond, give: 2 * second,
			dotnet: "200 at about 12.4 s; the second attempt reaches the server at about 12.1 s",
			run: func(p *play) {
				p.serve(&bank{}, p.keys(idempotency.NewMemory(), nil))
				p.press(p.inherited(), "order-1", "42")
			},
		},
		{
			number: 6, name: "no retries, no key, the user presses Pay again",
			attempts: 2, charges: 2, sees: []string{"error", "error"}, at: 20 * second,
			dotnet: "two errors",
			run: func(p *play) {
				p.serve(&bank{}, bare)
				rt := p.ours(10*second, 30*second, 1)
				p.press(rt, "", "42")
				p.press(rt, "", "42")
			},
		},
		{
			number: 7, name: "no retries, same key on the second press",
			attempts: 2, charges: 1, sees: []string{"error", "200"}, at: 12 * second, give: 100 * time.Millisecond,
			dotnet: "200 on the second",
			run: func(p *play) {
				p.serve(&bank{}, p.keys(idempotency.NewMemory(), nil))
				rt := p.ours(10*second, 30*second, 1)
				p.press(rt, "order-1", "42")
				p.press(rt, "order-1", "42")
			},
		},
		{
			number: 8, name: "inherited, a fresh key for every attempt, deduplicating server",
			attempts: 3, charges: 3, sees: []string{"error"}, at: 30 * second,
			run: func(p *play) {
				p.serve(&bank{}, p.keys(idempotency.NewMemory(), nil))
				policy := inherited.New(freshKeys{p.http.Transport}, p.seed)
				p.press(policy, "", "42")
			},
		},
		{
			number: 9, name: "same key, another amount",
			attempts: 2, charges: 1, sees: []string{"200", "422"}, at: 12 * second,
			run: func(p *play) {
				p.serve(&bank{}, p.keys(idempotency.NewMemory(), nil))
				rt := p.ours(20*second, 30*second, 1)
				p.press(rt, "order-1", "42")
				p.press(rt, "order-1", "43")
			},
		},
		{
			number: 10, name: "a crash between claim and charge; pressed again before and after reconciliation",
			attempts: 4, charges: 1, sees: []string{"error", "409", "409", "200"}, at: 132 * second,
			run: crashed,
		},
		{
			number: 11, name: "the key expires before the second press",
			attempts: 2, charges: 2, sees: []string{"200", "200"}, at: time.Hour + 24*second,
			run: func(p *play) {
				p.serve(&bank{}, p.keys(idempotency.NewMemory(), func(o *idempotency.Options) {
					o.Keep, o.RetryWindow = 10*time.Minute, 5*time.Minute // nobody asks the customer
				}))
				rt := p.ours(20*second, 30*second, 1)
				p.press(rt, "order-1", "42")
				time.Sleep(time.Hour)
				p.press(rt, "order-1", "42")
			},
		},
		{
			number: 12, name: "resilience.Transport with its retries, the same key on every attempt",
			attempts: 2, charges: 1, sees: []string{"200"}, at: 12 * second, give: 100 * time.Millisecond,
			run: func(p *play) {
				p.serve(&bank{}, p.keys(idempotency.NewMemory(), nil))
				ctx := resilience.WithIdempotencyKey(p.t.Context(), "order-1")
				p.press(withContext{ctx, p.ours(10*second, 40*second, 3)}, "", "42")
			},
		},
	}
}

// withContext sends requests under the context of an operation.
type withContext struct {
	ctx  context.Context
	base http.RoundTripper
}

func (w withContext) RoundTrip(req *http.Request) (*http.Response, error) {
	return w.base.RoundTrip(req.WithContext(w.ctx))
}

// crashed is row 10. The first instance dies when it has claimed the key; what
// it would have recorded is lost. The next one finds a claim, then an unknown
// outcome, and asks the provider when somebody has taught it to.
func crashed(p *play) {
	store, dead := idempotency.NewMemory(), false
	b := &bank{}
	b.crash = func() {
		if !dead {
			dead = true
			panic(http.ErrAbortHandler)
		}
	}
	asked := false
	p.serve(b, p.keys(lost{store, &dead}, nil))
	p.press(p.ours(20*time.Second, 30*time.Second, 1), "order-1", "42")
	synctest.Wait() // until the connection is gone; stop would look for that again and again, in time of its own
	p.stop()
	before := p.door

	p.serve(b, p.keys(store, func(o *idempotency.Options) {
		o.Wait = 0
		o.Reconcile = func(context.Context, idempotency.Record) (idempotency.State, *idempotency.Response, error) {
			if !asked {
				return idempotency.Unknown, nil, nil
			}
			return idempotency.Failed, nil, nil // the provider has no such charge
		}
	}))
	p.door.at = before.requests()
	rt := p.ours(20*time.Second, 30*time.Second, 1)
	p.press(rt, "order-1", "42") // the claim may still be alive
	time.Sleep(2 * time.Minute)
	p.press(rt, "order-1", "42") // it is not, and nobody knows
	asked = true
	p.press(rt, "order-1", "42")
}
