package risky_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/internal/model"
	"github.com/resiliencevet/resiliencevet/examples/streamleak/risky"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("an answer of 780 tokens, 20 a second", long)
	table.Try("the model stalls after 100 tokens, and pings every 5 s; the session goes on for 600 s", stall)
}

// A whole answer leaves nothing behind.
func long(t *testing.T, s *figures.Situation) {
	m := model.Open(&model.Model{Thinking: time.Second, Pieces: 780})
	hc, stop := memhttp.Serve(m)
	defer stop()

	shown := 0
	err := risky.New(hc.Transport, "http://model.test").Answer(t.Context(), "When is high tide?", func(string) { shown++ })

	if err != nil || shown != 780 {
		t.Errorf("%d tokens, %v; want 780", shown, err)
	}
	s.Row("tokens shown", shown)
	s.Row("the caller hears of", err)
}

// The caller knows after 21 s. The model is told nothing: its client is there
// until the passenger's session ends, and everything that the context of the
// request belongs to.
func stall(t *testing.T, s *figures.Situation) {
	m := model.Open(&model.Model{Thinking: time.Second, Pieces: 780, Mishap: model.Stall, After: 100, Pings: 5 * time.Second})
	hc, stop := memhttp.Serve(m)
	session, end := context.WithCancel(t.Context())

	began, shown := time.Now(), 0
	err := risky.New(hc.Transport, "http://model.test").Answer(session, "When is high tide?", func(string) { shown++ })
	took := time.Since(began)
	synctest.Wait()
	before := m.Pinged()
	time.Sleep(600*time.Second - took)
	end()
	stop()

	if !errors.Is(err, risky.ErrStalled) || shown != 100 || took != 21*time.Second {
		t.Errorf("%d tokens, %v after %v; want 100, and an error after 21s", shown, err, took)
	}
	if m.Left() != 600*time.Second || m.Pinged()-before < 100 {
		t.Errorf("the model was left at %v, with %d pings after the error; want 10m0s: the example no longer shows the harm", m.Left(), m.Pinged()-before)
	}
	s.Row("the caller hears of", err)
	s.Row("after", took)
	s.Row("the connection is closed after", m.Left())
}
