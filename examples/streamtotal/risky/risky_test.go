package risky_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/internal/model"
	"github.com/resiliencevet/resiliencevet/examples/streamtotal/risky"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("the model thinks for 36 s and writes for 47 s", long)
	table.Try("the model stalls after 7.7 s", stall)
}

// A good answer that needs 83 s is cut off after 60.
func long(t *testing.T, s *figures.Situation) {
	m := model.Open(&model.Model{Wire: model.Ollama, Thinking: 36 * time.Second, Pieces: 940})
	hc, stop := memhttp.Serve(m)
	defer stop()

	began := time.Now()
	var out strings.Builder
	err := risky.New(hc.Transport, "http://model.test").Summarise(t.Context(), "06:10 departure", &out)
	took := time.Since(began)

	words := strings.Count(out.String(), "tide")
	if !errors.Is(err, context.DeadlineExceeded) || words > 480 || took != time.Minute {
		t.Errorf("%d words, %v after %v; want half of 940 and a timeout after 1m0s: the example no longer shows the harm", words, err, took)
	}
	s.Row("the summary is", part(words, 940))
	s.Row("the caller hears of", timeout(err))
	s.Row("after", took)
}

// A stall that begins after 7.7 s is noticed 52 s later.
func stall(t *testing.T, s *figures.Situation) {
	m := model.Open(&model.Model{Wire: model.Ollama, Thinking: 2700 * time.Millisecond, Pieces: 940, Mishap: model.Stall, After: 100})
	hc, stop := memhttp.Serve(m)
	defer stop()

	began := time.Now()
	var out strings.Builder
	err := risky.New(hc.Transport, "http://model.test").Summarise(t.Context(), "06:10 departure", &out)
	took := time.Since(began)

	words := strings.Count(out.String(), "tide")
	if !errors.Is(err, context.DeadlineExceeded) || words != 100 || took != time.Minute {
		t.Errorf("%d words, %v after %v; want 100, and a timeout after 1m0s", words, err, took)
	}
	s.Row("the summary is", part(words, 940))
	s.Row("the caller hears of", timeout(err))
	s.Row("after", took)
}

// part says how much came. At the very moment of the timeout, one word more or less may.
func part(words, of int) string {
	if words == of {
		return "complete"
	}
	return "cut off"
}

// timeout leaves out what the client says of the phase it was in.
func timeout(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return err
}
