package safe_test

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/attemptleak/safe"
	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/gateway"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("Three failures, then a price", threeFailures)
	table.Try("Two failures, then a price; two connections are allowed, and the caller waits for 60 s", twoConnections)
}

// counting returns a context under which new connections are counted in n.
func counting(ctx context.Context, n *int) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		if !c.Reused {
			*n++
		}
	}})
}

// Three failures and a price go over one connection.
func threeFailures(t *testing.T, s *figures.Situation) {
	server := &gateway.Gateway{Fails: 3}
	hc, stop := memhttp.Serve(server)
	defer stop()
	opened := 0

	price, err := safe.New(hc, "http://prices.test").Crossing(counting(t.Context(), &opened), "north-south")

	if err != nil || price != 4200 {
		t.Errorf("Crossing = %d, %v; want 4200", price, err)
	}
	if n := server.Requests(); n != 4 {
		t.Errorf("%d requests, want 4", n)
	}
	if opened != 1 {
		t.Errorf("%d connections, want 1", opened)
	}
	s.Row("requests", server.Requests())
	s.Row("connections", opened)
}

// A client that may have two connections needs one, and the third attempt has
// the price.
func twoConnections(t *testing.T, s *figures.Situation) {
	server := &gateway.Gateway{Fails: 2}
	hc, stop := memhttp.Serve(server)
	defer stop()
	hc.Transport.(*http.Transport).MaxConnsPerHost = 2
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	began := time.Now()
	price, err := safe.New(hc, "http://prices.test").Crossing(ctx, "north-south")
	took := time.Since(began)

	if err != nil || price != 4200 {
		t.Errorf("Crossing = %d, %v; want 4200", price, err)
	}
	if took > 2*time.Second {
		t.Errorf("it took %v, want no more than the two pauses", took)
	}
	if n := server.Requests(); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
	s.Row("requests", server.Requests())
	s.Row("the caller hears of", err)
	s.Row("after", figures.AtMost(took, 2*time.Second))
}
