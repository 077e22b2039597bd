package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
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
)

// question is a row of the model lab: what is asked, and what must come of it.
type question struct {
	number   int
	name     string
	run      func(c *conversation)
	requests int
	tokens   int             // generated
	received int             // by the application
	ends     []string        // for each call: "200", "429", "complete", "error", or "still waiting"
	at       []time.Duration // and when
	give     time.Duration   // what jitter may make of the last of these
	timed    bool            // whether the row says when the policy's attempt had its headers,
	attempt  time.Duration   // and when that is
	dotnet   string          // what the article has; "" when the row is not in there
}

// reply is what came of it.
type reply struct {
	requests, tokens, received int
	ends                       []string
	at                         []time.Duration
	by                         time.Duration // when the last token was received
	attempt                    time.Duration
	layers                     int // that retry
}

// conversation is one row on a stage.
type conversation struct {
	t     *testing.T
	seed  uint64
	began time.Time
	llm   *llm
	door  *door
	http  *http.Client
	stop  func()
	out   reply
}

// hold is how long anybody waits in this lab.
const hold = 120 * time.Second

func (q question) hold(t *testing.T, seed uint64) (out reply) {
	synctest.Test(t, func(t *testing.T) {
		c := &conversation{t: t, seed: seed, began: time.Now()}
		q.run(c)
		c.stop()
		c.out.requests, c.out.tokens = c.out.requests+len(c.door.requests()), c.out.tokens+c.llm.generated()
		out = c.out
	})
	return out
}

// serve opens a model.
func (c *conversation) serve(l *llm) {
	c.llm = l
	c.door = &door{Handler: l, began: time.Now()}
	c.http, c.stop = memhttp.Serve(c.door)
}

func (c *conversation) inherited(change ...func(*inherited.Policy)) http.RoundTripper {
	p := inherited.New(c.http.Transport, c.seed)
	for _, f := range change {
		f(p)
	}
	return p
}

// headers notes when a policy hands over a response: its timeouts end there.
type headers struct {
	base http.RoundTripper
	c    *conversation
}

func (h headers) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := h.base.RoundTrip(req)
	if err == nil {
		h.c.out.attempt = time.Since(h.c.began)
	}
	return resp, err
}

// ask sends a question, and returns the answer or notes the error. The context
// is given up after two minutes.
func (c *conversation) ask(ctx context.Context, hc *http.Client) *http.Response {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://model.test/v1/chat/completions", strings.NewReader(`{"stream":true}`))
	if err != nil {
		c.t.Fatal(err)
	}
	for rt := hc.Transport; ; {
		p, ok := rt.(*inherited.Policy)
		if !ok {
			break
		}
		c.out.layers++
		rt = p.Base
	}
	hc = &http.Client{Transport: headers{hc.Transport, c}, Timeout: hc.Timeout}
	resp, err := hc.Do(req)
	if err != nil {
		c.end("error")
		return nil
	}
	return resp
}

func (c *conversation) end(how string) {
	c.out.ends = append(c.out.ends, how)
	c.out.at = append(c.out.at, time.Since(c.began))
}

// read takes an answer that is no stream.
func (c *conversation) read(rt http.RoundTripper) {
	ctx, cancel := context.WithTimeout(c.t.Context(), hold)
	defer cancel()
	resp := c.ask(ctx, &http.Client{Transport: rt})
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.end("error")
		return
	}
	c.out.received = strings.Count(string(body), "tide ")
	c.end(fmt.Sprint(resp.StatusCode))
}

// scan reads a stream line by line, as most programs do, with a deadline for each line or, at 0, without.
func (c *conversation) scan(hc *http.Client, line time.Duration) {
	whole, done := context.WithTimeout(c.t.Context(), hold)
	defer done()
	ctx, cancel := context.WithCancel(whole)
	defer cancel()
	resp := c.ask(ctx, hc)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	watchdog := time.AfterFunc(cmp.Or(line, 2*hold), cancel)
	defer watchdog.Stop()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		if line > 0 {
			//lint:ignore streamping the row of the lab with a deadline for each line, as programs have it
			watchdog.Reset(line)
		}
		if sc.Text() == "data: [DONE]" {
			c.end("complete")
			return
		}
		if strings.HasPrefix(sc.Text(), "data: ") {
			c.token()
		}
	}
	if whole.Err() != nil {
		c.end("still waiting")
		return
	}
	c.end("error")
}

func (c *conversation) token() {
	c.out.received++
	c.out.by = time.Since(c.began)
}

// stream reads one with resilience.Stream.
func (c *conversation) stream(rt http.RoundTripper) {
	s, err := resilience.NewStream(c.t.Context(), resilience.StreamOptions{FirstToken: 30 * time.Second, Idle: 15 * time.Second, Deadline: hold})
	if err != nil {
		c.t.Fatal(err)
	}
	defer s.Close()
	resp := c.ask(s.Context(), &http.Client{Transport: rt})
	if resp == nil {
		return
	}
	for _, err := range s.Events(resp.Body, resilience.Rules[resilience.Event]{}) {
		if err != nil {
			if !errors.Is(err, resilience.ErrIdle) {
				c.t.Error(err)
			}
			c.end("error")
			return
		}
		c.token()
	}
	c.end("complete")
}

// questions is the model lab.
func questions() []question {
	const second = time.Second
	long := func(m manner) *llm { return &llm{tokens: 780, manner: m} }
	stall := func() *llm { return &llm{tokens: 780, manner: streamed, stallsAfter: 100} }
	return []question{
		{
			number: 1, name: "inherited, an answer of 100 tokens", requests: 1, tokens: 100, received: 100,
			ends: []string{"200"}, at: []time.Duration{6 * second}, dotnet: "200",
			run: func(c *conversation) { c.serve(&llm{tokens: 100}); c.read(c.inherited()) },
		},
		{
			number: 2, name: "inherited, 780 tokens", requests: 3, tokens: 471,
			ends: []string{"error"}, at: []time.Duration{30 * second}, dotnet: "timeout at 30 s; about 471 tokens generated, none received",
			run: func(c *conversation) { c.serve(long(whole)); c.read(c.inherited()) },
		},
		{
			number: 3, name: "inherited, streamed, first token after 12 s", requests: 3,
			ends: []string{"error"}, at: []time.Duration{30 * second}, dotnet: "fails the same way, before any token",
			run: func(c *conversation) {
				c.serve(&llm{tokens: 780, manner: streamed, first: 12 * second})
				c.scan(&http.Client{Transport: c.inherited()}, 0)
			},
		},
		{
			number: 4, name: "inherited, retries off", requests: 1, tokens: 180,
			ends: []string{"error"}, at: []time.Duration{10 * second}, dotnet: "fails at 10 s",
			run: func(c *conversation) {
				c.serve(long(whole))
				c.read(c.inherited(func(p *inherited.Policy) { p.Retries = 0 }))
			},
		},
		{
			number: 5, name: "total raised to 60 s, attempt still 10 s", requests: 4, tokens: 720,
			ends: []string{"error"}, at: []time.Duration{46800 * time.Millisecond}, give: 2 * second, dotnet: "fails at 46.8 s",
			run: func(c *conversation) {
				c.serve(long(whole))
				c.read(c.inherited(func(p *inherited.Policy) { p.Total = 60 * second }))
			},
		},
		{
			number: 6, name: "a policy of its own, 90 s an attempt, inside the inherited one", requests: 3, tokens: 471,
			ends: []string{"error"}, at: []time.Duration{30 * second}, dotnet: "still fails at 30 s; two retry layers in the chain",
			run: func(c *conversation) {
				c.serve(long(whole))
				inner := c.inherited(func(p *inherited.Policy) { p.Attempt, p.Total = 90*second, 180*second })
				c.read(c.inherited(func(p *inherited.Policy) { p.Base = inner }))
			},
		},
		{
			number: 7, name: "only a policy of its own: attempt 90 s, total 180 s, POST not retried", requests: 1, tokens: 780, received: 780,
			ends: []string{"200"}, at: []time.Duration{40 * second}, dotnet: "780 tokens, 200 at 40 s",
			run: func(c *conversation) {
				c.serve(long(whole))
				tr, err := resilience.NewTransport(c.http.Transport, resilience.Options{AttemptTimeout: 90 * second, TotalTimeout: 180 * second, Retry: resilience.Retry{Attempts: 1}})
				if err != nil {
					c.t.Fatal(err)
				}
				c.read(tr)
			},
		},
		{
			number: 8, name: "inherited one removed, nothing added", requests: 1, tokens: 780, received: 780,
			ends: []string{"200"}, at: []time.Duration{40 * second}, dotnet: "works, and has no timeout at all",
			run: func(c *conversation) { c.serve(long(whole)); c.read(c.http.Transport) },
		},
		{
			number: 9, name: "inherited, streamed", requests: 1, tokens: 780, received: 780, timed: true, attempt: second,
			ends: []string{"complete"}, at: []time.Duration{40 * second}, dotnet: "complete at 40.0 s; the policy's attempt ended at 1.0 s",
			run: func(c *conversation) { c.serve(long(streamed)); c.scan(&http.Client{Transport: c.inherited()}, 0) },
		},
		{
			number: 10, name: "inherited, headers at once, body when it is complete", requests: 1, tokens: 780, received: 780, timed: true,
			ends: []string{"200"}, at: []time.Duration{40 * second}, dotnet: "complete at 40.0 s; the attempt ended at 0.1 s",
			run: func(c *conversation) { c.serve(long(headersFirst)); c.read(c.inherited()) },
		},
		{
			number: 11, name: "inherited, the stream stalls after 100 tokens", requests: 1, tokens: 100, received: 100,
			ends: []string{"still waiting"}, at: []time.Duration{hold}, dotnet: "100 tokens by 6.0 s, still waiting at 120 s",
			run: func(c *conversation) { c.serve(stall()); c.scan(&http.Client{Transport: c.inherited()}, 0) },
		},
		{
			number: 12, name: "the same, with a deadline of 15 s for each line", requests: 1, tokens: 100, received: 100,
			ends: []string{"error"}, at: []time.Duration{21 * second}, dotnet: "gives up at 21.0 s",
			run: func(c *conversation) {
				c.serve(stall())
				c.scan(&http.Client{Transport: c.inherited()}, 15*second)
			},
		},
		{
			number: 13, name: "inherited, 429 without Retry-After", requests: 4,
			ends: []string{"429"}, at: []time.Duration{7400 * time.Millisecond}, give: 2 * second, dotnet: "the last 429 is handed to the caller after 7.4 s",
			run: func(c *conversation) { c.serve(&llm{busy: true}); c.read(c.inherited()) },
		},
		{
			number: 14, name: "inherited, 429 with Retry-After: 20", requests: 2,
			ends: []string{"error"}, at: []time.Duration{30 * second}, dotnet: "timeout at 30 s",
			run: func(c *conversation) { c.serve(&llm{busy: true, retryAfter: "20"}); c.read(c.inherited()) },
		},
		{
			number: 15, name: "the stall under http.Client{Timeout: 60 s}", requests: 1, tokens: 100, received: 100,
			ends: []string{"error"}, at: []time.Duration{60 * second},
			run: func(c *conversation) {
				c.serve(stall())
				c.scan(&http.Client{Transport: c.http.Transport, Timeout: 60 * second}, 0)
			},
		},
		{
			number: 16, name: "780 tokens streamed under http.Client{Timeout: 30 s}", requests: 1, tokens: 580, received: 580,
			ends: []string{"error"}, at: []time.Duration{30 * second},
			run: func(c *conversation) {
				c.serve(long(streamed))
				c.scan(&http.Client{Transport: c.http.Transport, Timeout: 30 * second}, 0)
			},
		},
		{
			number: 17, name: "the stall, then 780 tokens, through resilience.Stream with 15 s idle", requests: 2, tokens: 880, received: 880,
			ends: []string{"error", "complete"}, at: []time.Duration{21 * second, 40 * second},
			run: func(c *conversation) {
				c.serve(stall())
				c.stream(c.http.Transport)
				c.stop()
				c.out.requests, c.out.tokens = len(c.door.requests()), c.llm.generated()
				c.began = time.Now()
				c.serve(long(streamed))
				c.stream(c.http.Transport)
			},
		},
	}
}

// String says what the application saw.
func (r reply) String() string {
	var parts []string
	for i, how := range r.ends {
		parts = append(parts, fmt.Sprintf("%s at %s", how, seconds(r.at[i])))
	}
	if r.ends[0] == "still waiting" {
		parts = append(parts, fmt.Sprintf("the last token at %s", seconds(r.by)))
	}
	if r.attempt > 0 || r.ends[0] == "200" {
		parts = append(parts, fmt.Sprintf("headers at %s", seconds(r.attempt)))
	}
	if r.layers > 1 {
		parts = append(parts, fmt.Sprintf("%d retry layers", r.layers))
	}
	return strings.Join(parts, ", ")
}
