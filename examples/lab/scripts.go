package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/resilience"
)

// beat is a part of a script: after a delay, an event comes.
type beat struct {
	delay time.Duration
	event string // "ping" or "text"
}

func beats(n int, delay time.Duration, event string) []beat {
	out := make([]beat, n)
	for i := range out {
		out[i] = beat{delay, event}
	}
	return out
}

// script is a row of the first table of stream budgets.
type script struct {
	name           string
	beats          []beat
	end            string // "completed", or the budget that expired
	after          time.Duration
	content, pings int
	article        string
}

// scripts are read with a first-token budget of 0.8 s, an idle budget of 0.3 s
// and a deadline of 3 s.
func scripts() []script {
	const ms = time.Millisecond
	return []script{
		{"2 × (0.2 s, ping), 5 × (0.1 s, text)", append(beats(2, 200*ms, "ping"), beats(5, 100*ms, "text")...),
			"completed", 900 * ms, 5, 2, "completed after 1.0 s, 5 content, 2 pings"},
		{"3 × (0.05 s, text), 10 × (0.2 s, ping)", append(beats(3, 50*ms, "text"), beats(10, 200*ms, "ping")...),
			"idle budget", 450 * ms, 3, 1, "idle budget after 0.5 s, 3 content, 1 ping"},
		{"30 × (0.05 s, text)", beats(30, 50*ms, "text"),
			"completed", 1500 * ms, 30, 0, "completed after 1.9 s, 30 content, 0 pings"},
		{"1 × (5 s, text)", beats(1, 5000*ms, "text"),
			"first-token budget", 800 * ms, 0, 0, "first-token budget after 0.8 s, 0 content, 0 pings"},
	}
}

// played is what came of a script.
type played struct {
	end            string
	after          time.Duration
	content, pings int
}

func (p played) String() string {
	pings := "pings"
	if p.pings == 1 {
		pings = "ping"
	}
	return fmt.Sprintf("%s after %g s, %d content, %d %s", p.end, p.after.Seconds(), p.content, p.pings, pings)
}

func (s script) play(t *testing.T) (out played) {
	synctest.Test(t, func(t *testing.T) {
		hc, stop := memhttp.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rc := http.NewResponseController(w)
			_ = rc.Flush()
			for _, b := range s.beats {
				if !sleep(r, b.delay) {
					return
				}
				_, _ = fmt.Fprintf(w, "event: %s\ndata: {}\n\n", b.event)
				_ = rc.Flush()
			}
			_, _ = io.WriteString(w, "data: [DONE]\n\n")
		}))
		defer stop()
		began := time.Now()
		out.end = "completed"
		err := guarded(t, hc, func(ev resilience.Event) {
			if ev.Type == "ping" {
				out.pings++
			} else {
				out.content++
			}
		})
		for _, budget := range []struct {
			err  error
			name string
		}{{resilience.ErrFirstToken, "first-token budget"}, {resilience.ErrIdle, "idle budget"}, {resilience.ErrDeadline, "deadline"}} {
			if errors.Is(err, budget.err) {
				out.end, err = budget.name, nil
			}
		}
		if err != nil {
			t.Error(err)
		}
		out.after = time.Since(began)
	})
	return out
}

func guarded(t *testing.T, hc *http.Client, each func(resilience.Event)) error {
	s, err := resilience.NewStream(t.Context(), resilience.StreamOptions{FirstToken: 800 * time.Millisecond, Idle: 300 * time.Millisecond, Deadline: 3 * time.Second})
	if err != nil {
		return err
	}
	defer s.Close()
	req, err := http.NewRequestWithContext(s.Context(), http.MethodPost, "http://model.test/", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	resp, err := hc.Do(req)
	if err != nil {
		return err
	}
	for ev, err := range s.Events(resp.Body, resilience.Rules[resilience.Event]{}) {
		if err != nil {
			return err
		}
		each(ev)
	}
	return nil
}
