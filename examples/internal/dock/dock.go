// Package dock is the other side of the circuit breaker examples: a gate that
// fails when it likes, and counts how often it was asked.
package dock

import (
	"net/http"
	"sync/atomic"
	"time"
)

// Gate takes its time, and then fails the first requests.
type Gate struct {
	// Takes is how long a request takes.
	Takes time.Duration
	// Fails is how many requests are answered with a 503 before the first good one.
	Fails int

	requests atomic.Int64
}

// Requests tells how many requests have arrived.
func (g *Gate) Requests() int { return int(g.requests.Load()) }

// ServeHTTP implements http.Handler.
func (g *Gate) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	n := g.requests.Add(1)
	time.Sleep(g.Takes)
	if n <= int64(g.Fails) {
		http.Error(w, "the gate does not move", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
