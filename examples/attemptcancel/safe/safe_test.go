package safe_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/attemptcancel/safe"
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

// The body comes two seconds after the headers, and is read to its end.
func slowBody(t *testing.T, s *figures.Situation) {
	server := &pier.Pier{Sailings: 24, Pause: 2 * time.Second}
	hc, stop := memhttp.Serve(server)
	defer stop()

	began := time.Now()
	got, err := safe.New(hc, "http://timetable.test").Sailings(t.Context(), "north")

	if err != nil || len(got) != 24 {
		t.Errorf("%d of 24 sailings, %v; want all", len(got), err)
	}
	if took := time.Since(began); took != 2*time.Second {
		t.Errorf("it took %v, want 2s", took)
	}
	if n := server.Requests(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	s.Row("sailings read", len(got))
	s.Row("the caller hears of", err)
}

// An answer in one piece is read like any other.
func smallAnswer(t *testing.T, s *figures.Situation) {
	server := &pier.Pier{Sailings: 3}
	hc, stop := memhttp.Serve(server)
	defer stop()

	got, err := safe.New(hc, "http://timetable.test").Sailings(t.Context(), "north")

	if err != nil || len(got) != 3 {
		t.Errorf("%d sailings, %v; want 3", len(got), err)
	}
	if n := server.Requests(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	s.Row("sailings read", len(got))
}

// The ten seconds still hold, for a body that stalls too.
func stalledBody(t *testing.T, s *figures.Situation) {
	hc, stop := memhttp.Serve(&pier.Pier{Sailings: 24, Pause: time.Minute})
	defer stop()

	began := time.Now()
	got, err := safe.New(hc, "http://timetable.test").Sailings(t.Context(), "north")
	took := time.Since(began)

	if !errors.Is(err, context.DeadlineExceeded) || len(got) != 0 {
		t.Errorf("%d sailings, %v; want a timeout", len(got), err)
	}
	if took != 10*time.Second {
		t.Errorf("it took %v, want 10s", took)
	}
	s.Row("the caller hears of", err)
	s.Row("after", took)
}

// Attempts that fail end their contexts as well, and do no harm to the good one.
func TestThirdAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &pier.Pier{Sailings: 24, Pause: 2 * time.Second, Fails: 2}
		hc, stop := memhttp.Serve(server)
		defer stop()

		got, err := safe.New(hc, "http://timetable.test").Sailings(t.Context(), "north")

		if err != nil || len(got) != 24 {
			t.Errorf("%d of 24 sailings, %v; want all", len(got), err)
		}
		if n := server.Requests(); n != 3 {
			t.Errorf("%d requests, want 3", n)
		}
	})
}
