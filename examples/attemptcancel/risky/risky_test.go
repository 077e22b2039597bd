package risky_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/attemptcancel/risky"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/internal/pier"
)

// The server has its headers out at once and the sailings two seconds later. An
// attempt may take ten, and nobody cancels anything: the client's own context
// is what ends the body, before the first byte of it.
func TestNoSailingsAndCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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
	})
}

// An answer that comes with its headers in one piece is in the client's buffer
// by then, which is why it goes unseen in tests.
func TestSmallAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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
	})
}
