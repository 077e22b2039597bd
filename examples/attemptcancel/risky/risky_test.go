package risky_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/attemptcancel/risky"
	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/internal/pier"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("24 sailings, 2 s after the headers; an attempt may take 10 s", slowBody)
	table.Try("3 sailings, together with the headers", smallAnswer)
	table.Try("24 sailings, a minute after the headers", stalledBody)
}

// The server has its headers out at once and the sailings two seconds later. An
// attempt may take ten, and nobody cancels anything: the client's own context
// is what ends the body, before the first byte of it.
func slowBody(t *testing.T, s *figures.Situation) {
	server := &pier.Pier{Sailings: 24, Pause: 2 * time.Second}
	hc, stop := memhttp.Serve(server)
	defer stop()

	began := time.Now()
	got, err := risky.New(hc, "http://timetable.test").Sailings(t.Context(), "north")

	if !errors.Is(err, context.Canceled) || t.Context().Err() != nil {
		t.Errorf("Sailings: %v, want context canceled under a context that is not", err)
	}
	if len(got) != 0 {
		t.Errorf("%d of 24 sailings, want 0: the example no longer shows the harm", len(got))
	}
	if took := time.Since(began); took != 0 {
		t.Errorf("it took %v, want 0s: it is no timeout", took)
	}
	if n := server.Requests(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	s.Row("sailings read", len(got))
	s.Row("the caller hears of", err)
}

// An answer that comes with its headers in one piece is in the client's buffer
// by then, which is why it goes unseen in tests.
func smallAnswer(t *testing.T, s *figures.Situation) {
	server := &pier.Pier{Sailings: 3}
	hc, stop := memhttp.Serve(server)
	defer stop()

	got, err := risky.New(hc, "http://timetable.test").Sailings(t.Context(), "north")

	if err != nil || len(got) != 3 {
		t.Errorf("%d sailings, %v; want 3", len(got), err)
	}
	if n := server.Requests(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	s.Row("sailings read", len(got))
}

// A body that stalls is not told apart from one that comes: neither is waited for.
func stalledBody(t *testing.T, s *figures.Situation) {
	hc, stop := memhttp.Serve(&pier.Pier{Sailings: 24, Pause: time.Minute})
	defer stop()

	began := time.Now()
	got, err := risky.New(hc, "http://timetable.test").Sailings(t.Context(), "north")
	took := time.Since(began)

	if !errors.Is(err, context.Canceled) || len(got) != 0 {
		t.Errorf("%d sailings, %v; want context canceled", len(got), err)
	}
	if took != 0 {
		t.Errorf("it took %v, want 0s", took)
	}
	s.Row("the caller hears of", err)
	s.Row("after", took)
}
