package safe_test

import (
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/dock"
	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/retryunbounded/safe"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("One question, the server fails its first 600 requests", func(t *testing.T, s *figures.Situation) {
		requests, took := ask(t, 600, 1)
		s.Row("requests", requests)
		s.Row("time until the caller knows", took)
	})
	table.Try("One question, nothing fails", func(t *testing.T, s *figures.Situation) {
		requests, took := ask(t, 0, 1)
		s.Row("requests", requests)
		s.Row("time until the caller knows", took)
	})
}

// ask asks once, and returns how many requests that took, and how long.
func ask(t *testing.T, fails, want int) (requests int, took time.Duration) {
	t.Helper()
	gate := &dock.Gate{Fails: fails}
	hc, stop := memhttp.Serve(gate)
	defer stop()
	began := time.Now()

	err := safe.New(hc, "http://dock.test").Ask(t.Context())

	took = time.Since(began)
	if failed := fails >= want; (err != nil) != failed {
		t.Errorf("Ask = %v; want an error: %t", err, failed)
	}
	if gate.Requests() != want {
		t.Errorf("%d requests, want %d", gate.Requests(), want)
	}
	return gate.Requests(), took
}
