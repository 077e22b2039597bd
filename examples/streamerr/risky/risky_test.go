package risky_test

import (
	"strings"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/internal/model"
	"github.com/resiliencevet/resiliencevet/examples/streamerr/risky"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("nothing happens", whole)
	table.Try("the connection breaks after 100 of 780 words", cut(model.Reset))
	table.Try("the model reports that it is overloaded, after 100 of 780 words", cut(model.Overload))
	table.Try("the model stalls after 100 of 780 words", cut(model.Stall))
}

// A bulletin that comes as a whole is one.
func whole(t *testing.T, s *figures.Situation) {
	words, took, err := write(t, &model.Model{Wire: model.Anthropic, Thinking: time.Second, Pieces: 780})
	if err != nil || words != 780 || took != 40*time.Second {
		t.Errorf("%d words, %v after %v; want 780 after 40s", words, err, took)
	}
	s.Row("words on the notice board", board(words, err))
	s.Row("the caller hears of", err)
}

// An eighth of a bulletin is taken for the whole, however it ended.
func cut(mishap model.Mishap) func(*testing.T, *figures.Situation) {
	return func(t *testing.T, s *figures.Situation) {
		words, _, err := write(t, &model.Model{Wire: model.Anthropic, Thinking: time.Second, Pieces: 780, Mishap: mishap, After: 100})
		if err != nil || words != 100 {
			t.Errorf("%d words, %v; want 100 and no error: the example no longer shows the harm", words, err)
		}
		s.Row("words on the notice board", board(words, err))
		s.Row("the caller hears of", err)
	}
}

// board is what goes on the notice board: what there is no error about.
func board(words int, err error) int {
	if err != nil {
		return 0
	}
	return words
}

func write(t *testing.T, m *model.Model) (words int, took time.Duration, err error) {
	hc, stop := memhttp.Serve(model.Open(m))
	defer stop()
	began := time.Now()
	text, err := risky.New(hc.Transport, "http://model.test").Bulletin(t.Context(), "The 18:10 is late.")
	return strings.Count(text, "tide"), time.Since(began), err
}
