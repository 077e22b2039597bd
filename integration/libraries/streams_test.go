package libraries

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/launchdarkly/eventsource"
	r3labs "github.com/r3labs/sse/v2"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// lines answers with an event stream of one event, and ends.
func lines(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write([]byte("data: berth 7\n\n"))
}

// TestEventsource makes a first connection that succeeds, for without it nothing
// is tried again, and counts what follows.
func TestEventsource(t *testing.T) {
	p := policyOf(t, "github.com/launchdarkly/eventsource", "stream")
	answers := map[string]http.HandlerFunc{"success": lines}
	failures := map[string]apis.Failure{"success": apis.Success}
	for _, c := range classes {
		if c.name != "silence" && c.name != "400" {
			answers[c.name], failures[c.name] = c.answer, c.class
		}
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			first := true
			once := func(w http.ResponseWriter, r *http.Request) {
				if first {
					first = false
					lines(w, r)
					return
				}
				answer(w, r)
			}
			inHarbour(t, once, func(t *testing.T, h *harbour) {
				stream, err := eventsource.SubscribeWithURL(url, eventsource.StreamOptionHTTPClient(h.client))
				if err != nil {
					t.Fatal(err)
				}
				done := make(chan struct{})
				go func() { // what nobody reads holds the stream up
					for range stream.Events {
					}
					close(done)
				}()
				failed := make(chan struct{})
				go func() {
					for range stream.Errors {
					}
					close(failed)
				}()
				time.Sleep(p.Wait*enough + p.Wait/2)
				stream.Close()
				<-done
				<-failed
				got := h.arrivals()
				if p.After&failures[name] == 0 || len(got) != enough+1 {
					t.Fatalf("the server received %d requests in %s, want %d", len(got), p.Wait*enough, enough+1)
				}
				for i := 1; i < len(got); i++ {
					if gap := got[i].at.Sub(got[i-1].at); gap != p.Wait {
						t.Errorf("pause %d was %s, want %s", i, gap, p.Wait)
					}
				}
			})
		})
	}
	t.Run("first", func(t *testing.T) {
		inHarbour(t, refusing(503), func(t *testing.T, h *harbour) {
			if _, err := eventsource.SubscribeWithURL(url, eventsource.StreamOptionHTTPClient(h.client)); err == nil {
				t.Error("the first connection fails, and there is no error")
			}
			if got := len(h.arrivals()); got != 1 {
				t.Errorf("the server received %d requests for a first connection", got)
			}
		})
	})
}

// TestR3labs counts reconnections, and how long they go on.
func TestR3labs(t *testing.T) {
	p := policyOf(t, "github.com/r3labs/sse/v2", "subscribe")
	subscribe := func(ctx context.Context, h *harbour) error {
		client := r3labs.NewClient(url)
		client.Connection = h.client
		return client.SubscribeWithContext(ctx, "", func(*r3labs.Event) {})
	}
	for _, c := range classes {
		if c.name == "silence" || c.class == 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			inHarbour(t, c.answer, func(t *testing.T, h *harbour) {
				start := time.Now()
				_ = subscribe(t.Context(), h)
				ends(t, p, h.arrivals(), start)
			})
		})
	}
	t.Run("in order", func(t *testing.T) {
		inHarbour(t, lines, func(t *testing.T, h *harbour) {
			if err := subscribe(t.Context(), h); err != nil {
				t.Errorf("a stream that ends in order: %v", err)
			}
			want := 1
			if p.After&apis.Success != 0 {
				want = enough
			}
			if got := len(h.arrivals()); got != want {
				t.Errorf("the server received %d requests, want %d", got, want)
			}
		})
	})
	t.Run("context", func(t *testing.T) {
		inHarbour(t, refusing(503), func(t *testing.T, h *harbour) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			start := time.Now()
			_ = subscribe(ctx, h)
			heard := time.Since(start) <= time.Second
			if want := p.Context == apis.Hears; heard != want {
				t.Errorf("cancelled after a second it took %s: heard %t, want %t", time.Since(start), heard, want)
			}
		})
	})
}

// ends wants attempts that went on for long, and none later than a pause after
// Elapsed.
func ends(t *testing.T, p apis.Policy, got []arrival, start time.Time) {
	t.Helper()
	if len(got) < 2 || p.Attempts != apis.Unlimited && len(got) > p.Attempts {
		t.Fatalf("the server received %d requests", len(got))
	}
	last := got[len(got)-1].at.Sub(start)
	if last > p.Elapsed+2*p.Longest || last < p.Elapsed/2 {
		t.Errorf("the last of %d attempts began after %s, want one in the second half of %s, and none much later",
			len(got), last, p.Elapsed)
	}
}
