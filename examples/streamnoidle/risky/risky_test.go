package risky_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/internal/model"
	"github.com/resiliencevet/resiliencevet/examples/streamnoidle/risky"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("an answer of 780 tokens, 20 a second", long)
	table.Try("the answer stalls after 100 tokens; whoever waits gives up after 120 s", stall)
}

// A long answer is shown as a whole.
func long(t *testing.T, s *figures.Situation) {
	m := model.Open(&model.Model{Thinking: time.Second, Pieces: 780})
	hc, stop := memhttp.Serve(m)
	defer stop()

	began, shown := time.Now(), 0
	err := risky.New(hc.Transport, "http://model.test").Answer(t.Context(), "When is high tide?", func(string) { shown++ })
	took := time.Since(began)

	if err != nil || shown != 780 || took != 40*time.Second {
		t.Errorf("%d tokens, %v after %v; want 780 after 40s", shown, err, took)
	}
	s.Row("tokens shown", shown)
	s.Row("the caller hears of", err)
	s.Row("after", took)
}

// Nothing ends the read but the watchdog of this test.
func stall(t *testing.T, s *figures.Situation) {
	m := model.Open(&model.Model{Thinking: time.Second, Pieces: 780, Mishap: model.Stall, After: 100})
	hc, stop := memhttp.Serve(m)
	defer stop()
	ctx, cancel := context.WithCancel(t.Context())
	defer time.AfterFunc(120*time.Second, cancel).Stop()

	began, shown := time.Now(), 0
	var last time.Duration
	err := risky.New(hc.Transport, "http://model.test").Answer(ctx, "When is high tide?", func(string) { shown, last = shown+1, time.Since(began) })
	took := time.Since(began)

	if !errors.Is(err, context.Canceled) || shown != 100 || last != 6*time.Second {
		t.Errorf("%d tokens by %v, %v; want 100 by 6s, and the watchdog", shown, last, err)
	}
	if took != 120*time.Second {
		t.Errorf("it waited %v, want 120s: the example no longer shows the harm", took)
	}
	s.Row("tokens shown", shown)
	s.Row("the last of them after", last)
	s.Row("the caller hears of", err)
	s.Row("after", took)
}
