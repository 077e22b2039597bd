package safe_test

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/attemptleak/safe"
	"github.com/resiliencevet/resiliencevet/examples/internal/gateway"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
)

// Three failures and a price go over one connection.
func TestOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &gateway.Gateway{Fails: 3}
		hc, stop := memhttp.Serve(server)
		defer stop()
		opened := 0
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
			if !c.Reused {
				opened++
			}
		}})

		price, err := safe.New(hc, "http://prices.test").Crossing(ctx, "north-south")

		if err != nil || price != 4200 {
			t.Errorf("Crossing = %d, %v; want 4200", price, err)
		}
		if n := server.Requests(); n != 4 {
			t.Errorf("%d requests, want 4", n)
		}
		if opened != 1 {
			t.Errorf("%d connections, want 1", opened)
		}
	})
}

// A client that may have two connections needs one, and the third attempt has
// the price.
func TestThirdAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &gateway.Gateway{Fails: 2}
		hc, stop := memhttp.Serve(server)
		defer stop()
		hc.Transport.(*http.Transport).MaxConnsPerHost = 2
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()

		began := time.Now()
		price, err := safe.New(hc, "http://prices.test").Crossing(ctx, "north-south")

		if err != nil || price != 4200 {
			t.Errorf("Crossing = %d, %v; want 4200", price, err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %v, want no more than the two pauses", took)
		}
		if n := server.Requests(); n != 3 {
			t.Errorf("%d requests, want 3", n)
		}
	})
}
