package risky_test

import (
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/breakerscope/risky"
	"github.com/resiliencevet/resiliencevet/examples/internal/dock"
	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("20 questions in a row, each fails after 2 s", outage)
	table.Try("20 questions in a row, nothing fails", quiet)
}

func outage(t *testing.T, s *figures.Situation) {
	gate := &dock.Gate{Takes: 2 * time.Second, Fails: 100}
	failed, took := ask(t, gate, 20)
	if failed != 20 || gate.Requests() != 20 {
		t.Errorf("%d of 20 failed, with %d requests; want 20 and 20", failed, gate.Requests())
	}
	s.Row("requests that reach the server", gate.Requests())
	s.Row("time that callers wait, together", took)
}

func quiet(t *testing.T, s *figures.Situation) {
	gate := &dock.Gate{}
	if failed, _ := ask(t, gate, 20); failed != 0 {
		t.Errorf("%d of 20 failed, want none", failed)
	}
	s.Row("requests that reach the server", gate.Requests())
}

// ask asks n times, and returns how many of these failed and how long all took.
func ask(t *testing.T, gate *dock.Gate, n int) (failed int, took time.Duration) {
	t.Helper()
	hc, stop := memhttp.Serve(gate)
	defer stop()
	d := risky.New(hc, "http://dock.test")
	began := time.Now()
	for range n {
		if d.Open(t.Context()) != nil {
			failed++
		}
	}
	return failed, time.Since(began)
}
