package safe_test

import (
	"testing"
	"testing/synctest"

	"github.com/resiliencevet/resiliencevet/examples/internal/gateway"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/stackedretry/safe"
)

// While the server is ill, one question is 3 requests.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &gateway.Gateway{Fails: 1000}
		hc, stop := memhttp.Serve(server)
		defer stop()

		_, err := safe.New(hc.Transport, "http://prices.test").Crossing(t.Context(), "north-south")

		if err == nil {
			t.Error("Crossing has a price from a server that never answered")
		}
		if n := server.Requests(); n != 3 {
			t.Errorf("%d requests, want 3", n)
		}
	})
}

// A short illness is over after two failures, in either form.
func TestTwoFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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
	})
}
