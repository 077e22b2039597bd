// Package acquirer is the other side of the payment examples: a card acquirer
// that books a charge as soon as the request is there, and takes its time to
// say so.
package acquirer

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Acquirer books one charge per request, or per idempotency key.
type Acquirer struct {
	// Took is how long the first answer for a charge takes.
	Took time.Duration

	// Late is how many charges take that long; those after them are answered
	// at once. Zero means all.
	Late int

	mu       sync.Mutex
	requests int
	charges  []*charge
	byKey    map[string]*charge
}

type charge struct {
	id    string
	late  bool
	ready chan struct{} // closed when the answer is there
}

// Requests tells how many requests have arrived.
func (a *Acquirer) Requests() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.requests
}

// Charges tells how often money was taken.
func (a *Acquirer) Charges() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.charges)
}

// Keys tells how many different idempotency keys have arrived.
func (a *Acquirer) Keys() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.byKey)
}

// book takes the money, unless it was already taken under the same key.
func (a *Acquirer) book(key string) (c *charge, fresh bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests++
	if c, ok := a.byKey[key]; ok && key != "" {
		return c, false
	}
	c = &charge{
		id:    fmt.Sprintf("ch_%d", len(a.charges)+1),
		late:  a.Late == 0 || len(a.charges) < a.Late,
		ready: make(chan struct{}),
	}
	a.charges = append(a.charges, c)
	if key != "" {
		if a.byKey == nil {
			a.byKey = make(map[string]*charge)
		}
		a.byKey[key] = c
	}
	return c, true
}

// ServeHTTP implements http.Handler. It works on when the client has left, as
// a system that has already taken the money does.
func (a *Acquirer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/charges" {
		http.NotFound(w, r)
		return
	}
	c, fresh := a.book(r.Header.Get("Idempotency-Key"))
	if fresh {
		if c.late {
			time.Sleep(a.Took)
		}
		close(c.ready)
	}
	<-c.ready // a second request under the key waits for the first
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, "{\"charge\":%q}\n", c.id)
}
