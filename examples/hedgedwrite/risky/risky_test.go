package risky_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/hedgedwrite/risky"
	"github.com/resiliencevet/resiliencevet/examples/internal/ballot"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
)

// One vote, and a server that takes 80 ms.
func TestSlowVote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := &ballot.Box{Takes: 80 * time.Millisecond}
		hc, stop := memhttp.Serve(box)
		poll := risky.New(hc.Transport, "http://polls.test")

		if err := poll.Vote(t.Context(), "ferries"); err != nil {
			t.Error(err)
		}

		time.Sleep(time.Second) // the loser arrives, too
		stop()
		if n := box.Votes(); n != 2 {
			t.Errorf("%d votes, want 2", n)
		}
	})
}

// A slow read is asked twice in either form, which does no harm.
func TestSlowRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := &ballot.Box{Takes: 80 * time.Millisecond}
		hc, stop := memhttp.Serve(box)
		poll := risky.New(hc.Transport, "http://polls.test")

		if n, err := poll.Count(t.Context(), "ferries"); err != nil || n != 0 {
			t.Errorf("Count = %d, %v; want 0", n, err)
		}

		time.Sleep(time.Second)
		stop()
		if n := box.Reads(); n != 2 {
			t.Errorf("%d reads, want 2", n)
		}
	})
}
