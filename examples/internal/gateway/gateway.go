// Package gateway is the other side of the price examples: a gateway that
// fails a few times, and then says a price.
package gateway

import (
	"fmt"
	"net/http"
	"sync/atomic"
)

// Gateway answers with a 502 first, and then with a price.
type Gateway struct {
	// Fails is how many requests are answered with a 502.
	Fails int

	requests atomic.Int64
}

// Requests tells how many requests have arrived.
func (g *Gateway) Requests() int { return int(g.requests.Load()) }

// ServeHTTP implements http.Handler.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if g.requests.Add(1) <= int64(g.Fails) {
		http.Error(w, "the booking system does not answer", http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintln(w, `{"cents":4200}`)
}
