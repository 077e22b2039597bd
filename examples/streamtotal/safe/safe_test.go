package safe_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/internal/model"
	"github.com/resiliencevet/resiliencevet/examples/streamtotal/safe"
	"github.com/resiliencevet/resiliencevet/resilience"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("the model thinks for 36 s and writes for 47 s", long)
	table.Try("the model stalls after 7.7 s", stall)
}

// A good answer that needs 83 s has them.
func long(t *testing.T, s *figures.Situation) {
	m := model.Open(&model.Model{Wire: model.Ollama, Thinking: 36 * time.Second, Pieces: 940})
	hc, stop := memhttp.Serve(m)
	defer stop()

	began := time.Now()
	var out strings.Builder
	err := safe.New(hc.Transport, "http://model.test").Summarise(t.Context(), "06:10 departure", &out)
	took := time.Since(began)

	words := strings.Count(out.String(), "tide")
	if err != nil || words != 940 || took != 83*time.Second {
		t.Errorf("%d words, %v after %v; want 940 after 1m23s", words, err, took)
	}
	s.Row("the summary is", part(words, 940))
	s.Row("the caller hears of", err)
	s.Row("after", took)
}

// A stall that begins after 7.7 s is noticed 15 s later.
func stall(t *testing.T, s *figures.Situation) {
	m := model.Open(&model.Model{Wire: model.Ollama, Thinking: 2700 * time.Millisecond, Pieces: 940, Mishap: model.Stall, After: 100})
	hc, stop := memhttp.Serve(m)
	defer stop()

	began := time.Now()
	var out strings.Builder
	err := safe.New(hc.Transport, "http://model.test").Summarise(t.Context(), "06:10 departure", &out)
	took := time.Since(began)

	words := strings.Count(out.String(), "tide")
	if !errors.Is(err, resilience.ErrIdle) || words != 100 || took != 22700*time.Millisecond {
		t.Errorf("%d words, %v after %v; want 100, and the idle budget after 22.7s", words, err, took)
	}
	s.Row("the summary is", part(words, 940))
	s.Row("the caller hears of", err)
	s.Row("after", took)
}

// part says how much came.
func part(words, of int) string {
	if words == of {
		return "complete"
	}
	return "cut off"
}
