// Package ballot is the other side of the vote examples: a poll that counts every
// vote it hears of, slowly.
package ballot

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// Box takes its time over each request.
type Box struct {
	// Takes is how long a request takes.
	Takes time.Duration

	votes, reads atomic.Int64
}

// Votes tells how many votes were counted.
func (b *Box) Votes() int { return int(b.votes.Load()) }

// Reads tells how many requests asked for the count.
func (b *Box) Reads() int { return int(b.reads.Load()) }

// ServeHTTP implements http.Handler. What has arrived is done, whether or not
// anyone still waits for the answer.
func (b *Box) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(b.Takes)
	if r.Method == http.MethodPost {
		b.votes.Add(1)
		w.WriteHeader(http.StatusCreated)
		return
	}
	b.reads.Add(1)
	fmt.Fprintln(w, b.votes.Load())
}
