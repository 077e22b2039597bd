// Package pier is the other side of the timetable examples: a server that
// answers at once, and takes its time with what it has to say.
package pier

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// Pier sends the sailings of a day as one JSON document.
type Pier struct {
	// Sailings is how many there are.
	Sailings int
	// Pause lies between the headers and the body. Without one, both are sent
	// together.
	Pause time.Duration
	// Fails is how many requests are answered with a 502 before the first good one.
	Fails int

	requests atomic.Int64
}

// Requests tells how many requests have arrived.
func (p *Pier) Requests() int { return int(p.requests.Load()) }

// ServeHTTP implements http.Handler.
func (p *Pier) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if p.requests.Add(1) <= int64(p.Fails) {
		http.Error(w, "no answer from the harbour office", http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if p.Pause > 0 {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush() // the client may have left
		time.Sleep(p.Pause)
	}
	fmt.Fprint(w, "[")
	for n := range p.Sailings {
		if n > 0 {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(w, `{"departs":"%02d:%02d","ship":"MS %d"}`, n%24, n*7%60, n%5)
	}
	fmt.Fprintln(w, "]")
}
