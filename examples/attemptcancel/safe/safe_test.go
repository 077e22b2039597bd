package safe_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/attemptcancel/safe"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/internal/pier"
)

// The body comes two seconds after the headers, and is read to its end.
func TestAllSailings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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
	})
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

// The ten seconds still hold, for a body that stalls too.
func TestStalledBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hc, stop := memhttp.Serve(&pier.Pier{Sailings: 24, Pause: time.Minute})
		defer stop()

		began := time.Now()
		got, err := safe.New(hc, "http://timetable.test").Sailings(t.Context(), "north")

		if !errors.Is(err, context.DeadlineExceeded) || len(got) != 0 {
			t.Errorf("%d sailings, %v; want a timeout", len(got), err)
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("it took %v, want 10s", took)
		}
	})
}
