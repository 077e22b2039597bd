package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/resilience"
)

// The simulation: so many streamed answers, each through a real client from a
// real server, on a fake clock. What an answer needs is the same under every policy.
const (
	streams   = 200
	pingEvery = 5 * time.Second
	perRead   = 25 * time.Second
	watch     = 600 * time.Second // how long a stream that nothing ends is looked at
)

// threeBudgets are what resilience.Stream is given here.
var threeBudgets = resilience.StreamOptions{FirstToken: 60 * time.Second, Idle: 15 * time.Second, Deadline: 300 * time.Second}

// take is one attempt at an answer.
type take struct {
	gaps    []time.Duration // before each piece of text; the first is what the model thinks
	stalls  bool
	at      int  // how many pieces come before it does
	pinging bool // whether the connection goes on pinging then
}

// takeOf draws the attempt of a stream. What the answer needs belongs to the
// stream, whether an attempt stalls to the attempt.
func takeOf(seed uint64, stream, attempt int) take {
	r := rand.New(rand.NewPCG(seed, uint64(stream)))
	between := func(r *rand.Rand, low, high float64) time.Duration {
		return time.Duration((low + r.Float64()*(high-low)) * float64(time.Second))
	}
	length := between(r, 3, 30)
	if r.Float64() < 0.2 {
		length = between(r, 55, 110)
	}
	thinks := between(r, 0.4, 3)
	if r.Float64() < 0.1 {
		thinks = between(r, 15, 50)
	}
	k := take{gaps: []time.Duration{thinks}}
	for length > 0 {
		gap := min(between(r, 0.5, 1.5), length)
		if r.Float64() < 0.003 {
			gap = min(between(r, 5, 10), length) // it looks something up
		}
		k.gaps = append(k.gaps, gap)
		length -= gap
	}
	a := rand.New(rand.NewPCG(seed, uint64(1000*attempt+stream)<<20))
	k.stalls, k.pinging = a.Float64() < 0.05, a.Float64() < 0.5
	k.at = a.IntN(len(k.gaps))
	return k
}

// policy is what bounds a stream.
type policy struct {
	name    string
	total   time.Duration // http.Client.Timeout
	read    time.Duration // for one read, renewed by whatever comes
	budgets bool
	pings   bool // whether the server sends any
}

func policies() []policy {
	return []policy{
		{name: "60 s in all", total: 60 * time.Second, pings: true},
		{name: "120 s in all", total: 120 * time.Second, pings: true},
		{name: "25 s a read, with pings", read: perRead, pings: true},
		{name: "25 s a read, without pings", read: perRead},
		{name: "three budgets", budgets: true, pings: true},
	}
}

// tally is what came of all streams under a policy.
type tally struct {
	complete   int // streams whose answer was had
	killed     int // healthy attempts that were cut off
	detected   int // stalls that were noticed,
	undetected int // and that were not
	retries    int
	discarded  time.Duration   // what healthy attempts that were cut off had streamed
	waits      []time.Duration // from the last piece of a stall until it was noticed
}

// wait is the median time that a stall took to be noticed.
func (y tally) wait() time.Duration {
	if len(y.waits) == 0 {
		return 0
	}
	slices.Sort(y.waits)
	return y.waits[len(y.waits)/2]
}

// simulate plays every stream under a policy, with and without one retry: the
// first attempts are the same.
func (p policy) simulate(t *testing.T, seed uint64) (once, retried tally) {
	synctest.Test(t, func(t *testing.T) {
		hc, stop := memhttp.Serve(p.server(seed))
		client := &http.Client{Transport: hc.Transport, Timeout: p.total}
		var mu sync.Mutex
		var all sync.WaitGroup
		for n := range streams {
			all.Go(func() {
				for attempt := range 2 {
					k := takeOf(seed, n, attempt)
					began := time.Now()
					err := p.ask(t, client, n, attempt)
					mu.Lock()
					retried.add(k, err, time.Since(began), attempt)
					if attempt == 0 {
						once.add(k, err, time.Since(began), 0)
					}
					mu.Unlock()
					if err == nil || errors.Is(err, errWatched) {
						return // nothing to try again
					}
				}
			})
		}
		all.Wait()
		stop()
	})
	return once, retried
}

func (y *tally) add(k take, err error, took time.Duration, attempt int) {
	y.retries += attempt
	var last time.Duration // when it stalls
	for _, gap := range k.gaps[:k.at] {
		last += gap
	}
	switch {
	case err == nil:
		y.complete++
	case errors.Is(err, errWatched):
		y.undetected++
	case k.stalls && took > last:
		y.detected++
		y.waits = append(y.waits, took-last)
	default:
		y.killed++
		y.discarded += took
	}
}

// server plays the take that a request names.
func (p policy) server(seed uint64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		var stream, attempt int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d/%d", &stream, &attempt); err != nil {
			http.NotFound(w, r)
			return
		}
		k := takeOf(seed, stream, attempt)
		rc := http.NewResponseController(w)
		send := func(text string) { _, _ = io.WriteString(w, text); _ = rc.Flush() }
		send("")
		for n, gap := range k.gaps {
			if k.stalls && n == k.at {
				for p.pings && k.pinging && sleep(r, pingEvery) {
					send(": ping\n\n")
				}
				<-r.Context().Done()
				return
			}
			for p.pings && gap > pingEvery {
				if !sleep(r, pingEvery) {
					return
				}
				send(": ping\n\n")
				gap -= pingEvery
			}
			if !sleep(r, gap) {
				return
			}
			send("data: {\"text\":\"tide \"}\n\n")
		}
		send("data: [DONE]\n\n")
	}
}

// errWatched is for a stream that nothing has ended in ten minutes.
var errWatched = errors.New("nothing ended it")

// ask has one attempt at a stream.
func (p policy) ask(t *testing.T, hc *http.Client, stream, attempt int) error {
	watched, stop := context.WithTimeoutCause(t.Context(), watch, errWatched)
	defer stop()
	ctx, cancel := context.WithCancel(watched)
	defer cancel()
	var s *resilience.Stream
	if p.budgets {
		var err error
		if s, err = resilience.NewStream(watched, threeBudgets); err != nil {
			return err
		}
		defer s.Close()
		ctx = s.Context()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("http://model.test/%d/%d", stream, attempt), strings.NewReader("{}"))
	if err != nil {
		return err
	}
	resp, err := hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if p.budgets {
		for _, err := range s.Events(resp.Body, resilience.Rules[resilience.Event]{}) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	watchdog := time.AfterFunc(cmp.Or(p.read, 2*watch), cancel)
	defer watchdog.Stop()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		if p.read > 0 {
			watchdog.Reset(p.read)
		}
		if sc.Text() == "data: [DONE]" {
			return nil
		}
	}
	if watched.Err() != nil {
		return errWatched
	}
	return cmp.Or(sc.Err(), io.ErrUnexpectedEOF)
}
