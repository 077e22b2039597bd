package safe_test

import (
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/hedgedwrite/safe"
	"github.com/resiliencevet/resiliencevet/examples/internal/ballot"
	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("One vote, the server takes 80 ms, a copy goes out after 50 ms", func(t *testing.T, s *figures.Situation) {
		s.Row("votes counted", vote(t, 80*time.Millisecond, 1))
	})
	table.Try("One vote, the server takes 20 ms", func(t *testing.T, s *figures.Situation) {
		s.Row("votes counted", vote(t, 20*time.Millisecond, 1))
	})
	table.Try("One question for the count, the server takes 80 ms", slowRead)
}

// vote votes once at a server that takes so long, and returns how many votes it
// counts.
func vote(t *testing.T, takes time.Duration, want int) int {
	t.Helper()
	box := &ballot.Box{Takes: takes}
	hc, stop := memhttp.Serve(box)
	poll := safe.New(hc.Transport, "http://polls.test")

	if err := poll.Vote(t.Context(), "ferries"); err != nil {
		t.Error(err)
	}

	time.Sleep(time.Second) // the loser arrives, too
	stop()
	if n := box.Votes(); n != want {
		t.Errorf("%d votes, want %d", n, want)
	}
	return box.Votes()
}

// A slow read is asked twice in either form, which does no harm.
func slowRead(t *testing.T, s *figures.Situation) {
	box := &ballot.Box{Takes: 80 * time.Millisecond}
	hc, stop := memhttp.Serve(box)
	poll := safe.New(hc.Transport, "http://polls.test")

	if n, err := poll.Count(t.Context(), "ferries"); err != nil || n != 0 {
		t.Errorf("Count = %d, %v; want 0", n, err)
	}

	time.Sleep(time.Second)
	stop()
	if n := box.Reads(); n != 2 {
		t.Errorf("%d reads, want 2", n)
	}
	s.Row("requests carried out", box.Reads())
}
