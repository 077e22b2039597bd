package risky_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/internal/model"
	"github.com/resiliencevet/resiliencevet/examples/streamping/risky"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("the model stalls after 100 tokens, silently", silent)
	table.Try("the model stalls after 100 tokens, and pings every 5 s; whoever waits gives up after 600 s", pinging)
}

// The watchdog works, when nobody feeds it.
func silent(t *testing.T, s *figures.Situation) {
	shown, took, _, err := ask(t, &model.Model{Wire: model.Anthropic, Thinking: time.Second, Pieces: 780, Mishap: model.Stall, After: 100})

	if !errors.Is(err, risky.ErrStalled) || shown != 100 || took != 21*time.Second {
		t.Errorf("%d tokens, %v after %v; want 100, and the watchdog after 21s", shown, err, took)
	}
	s.Row("tokens shown", shown)
	s.Row("the caller hears of", err)
	s.Row("after", took)
}

// Each ping renews the fifteen seconds, though no token comes any more.
func pinging(t *testing.T, s *figures.Situation) {
	shown, took, pings, err := ask(t, &model.Model{Wire: model.Anthropic, Thinking: time.Second, Pieces: 780, Mishap: model.Stall, After: 100, Pings: 5 * time.Second})

	if !errors.Is(err, context.Canceled) || shown != 100 || took != 600*time.Second || pings < 100 {
		t.Errorf("%d tokens, %v after %v, %d pings; want 100, and nothing but the caller's own patience: the example no longer shows the harm", shown, err, took, pings)
	}
	s.Row("tokens shown", shown)
	s.Row("the caller hears of", err)
	s.Row("after", took)
}

// ask has the patience of ten minutes.
func ask(t *testing.T, m *model.Model) (shown int, took time.Duration, pings int, err error) {
	hc, stop := memhttp.Serve(model.Open(m))
	defer stop()
	ctx, cancel := context.WithCancel(t.Context())
	defer time.AfterFunc(600*time.Second, cancel).Stop()
	began := time.Now()
	err = risky.New(hc.Transport, "http://model.test").Answer(ctx, "When is high tide?", func(string) { shown++ })
	return shown, time.Since(began), m.Pinged(), err
}
