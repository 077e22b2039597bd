package safe_test

import (
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/gateway"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/stackedretry/safe"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("One question, the server stays ill", outage)
	table.Try("One question, the server is well again after two failures", twoFailures)
}

// While the server is ill, one question is 3 requests.
func outage(t *testing.T, s *figures.Situation) {
	server := &gateway.Gateway{Fails: 1000}
	hc, stop := memhttp.Serve(server)
	defer stop()

	began := time.Now()
	_, err := safe.New(hc.Transport, "http://prices.test").Crossing(t.Context(), "north-south")
	took := time.Since(began)

	if err == nil {
		t.Error("Crossing has a price from a server that never answered")
	}
	if n := server.Requests(); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
	if took > 2*time.Second {
		t.Errorf("it took %v, want no more than two pauses", took)
	}
	s.Row("requests", server.Requests())
	s.Row("the caller hears of the failure after", figures.AtMost(took, 2*time.Second))
}

// A short illness is over after two failures, in either form.
func twoFailures(t *testing.T, s *figures.Situation) {
	server := &gateway.Gateway{Fails: 2}
	hc, stop := memhttp.Serve(server)
	defer stop()

	price, err := safe.New(hc.Transport, "http://prices.test").Crossing(t.Context(), "north-south")

	if err != nil || price != 4200 {
		t.Errorf("Crossing = %d, %v; want 4200", price, err)
	}
	if n := server.Requests(); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
	s.Row("requests", server.Requests())
	s.Row("the caller hears of", err)
}
