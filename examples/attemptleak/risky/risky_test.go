package risky_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/attemptleak/risky"
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

// Three failures and a price: each attempt opens a connection, and those of the
// failures stay open for as long as the caller's context lives.
func threeFailures(t *testing.T, s *figures.Situation) {
	server := &gateway.Gateway{Fails: 3}
	hc, stop := memhttp.Serve(server)
	defer stop()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel() // before stop: it is what closes them
	opened := 0

	price, err := risky.New(hc, "http://prices.test").Crossing(counting(ctx, &opened), "north-south")

	if err != nil || price != 4200 {
		t.Errorf("Crossing = %d, %v; want 4200", price, err)
	}
	if n := server.Requests(); n != 4 {
		t.Errorf("%d requests, want 4", n)
	}
	if opened != 4 {
		t.Errorf("%d connections, want 4: the example no longer shows the harm", opened)
	}
	s.Row("requests", server.Requests())
	s.Row("connections", opened)
}

// A client that may have two connections to a host has none left for the third
// attempt, which waits until its caller has had enough: the server, well again
// by then, never hears of it.
func twoConnections(t *testing.T, s *figures.Situation) {
	server := &gateway.Gateway{Fails: 2}
	hc, stop := memhttp.Serve(server)
	defer stop()
	hc.Transport.(*http.Transport).MaxConnsPerHost = 2
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	began := time.Now()
	_, err := risky.New(hc, "http://prices.test").Crossing(ctx, "north-south")
	took := time.Since(began)

	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Crossing: %v, want a timeout", err)
	}
	if took != time.Minute {
		t.Errorf("it took %v, want the caller's minute", took)
	}
	if n := server.Requests(); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
	s.Row("requests", server.Requests())
	s.Row("the caller hears of", err)
	s.Row("after", took)
}

// Without a failure nothing is wrong.
func TestFirstAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &gateway.Gateway{}
		hc, stop := memhttp.Serve(server)
		defer stop()
		opened := 0

		price, err := risky.New(hc, "http://prices.test").Crossing(counting(t.Context(), &opened), "north-south")

		if err != nil || price != 4200 {
			t.Errorf("Crossing = %d, %v; want 4200", price, err)
		}
		if n := server.Requests(); n != 1 || opened != 1 {
			t.Errorf("%d requests over %d connections, want 1 and 1", n, opened)
		}
	})
}
