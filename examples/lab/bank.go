package main

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// bank is the payment server: a charge takes twelve seconds.
type bank struct {
	// stops makes it drop a charge whose client has left. A real one cannot, once
	// its own provider has been called.
	stops bool
	// crash is where the process dies, before the first charge; nil: nowhere.
	crash func()

	began  time.Time
	mu     sync.Mutex
	landed []time.Duration
}

const chargeTakes = 12 * time.Second

func (b *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body) // also what makes the server notice that a client leaves
	if err != nil {
		return
	}
	if b.crash != nil {
		b.crash()
	}
	if b.stops {
		select {
		case <-time.After(chargeTakes):
		case <-r.Context().Done():
			return
		}
	} else {
		time.Sleep(chargeTakes)
	}
	b.mu.Lock()
	b.landed = append(b.landed, time.Since(b.began))
	n := len(b.landed)
	b.mu.Unlock()
	fmt.Fprintf(w, "charge %d of %s", n, body)
}

// charges tells when money was taken.
func (b *bank) charges() []time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]time.Duration(nil), b.landed...)
}

// door counts the requests that reach a server.
type door struct {
	http.Handler
	began time.Time
	mu    sync.Mutex
	at    []time.Duration
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	d.at = append(d.at, time.Since(d.began))
	d.mu.Unlock()
	d.Handler.ServeHTTP(w, r)
}

// requests tells when they came.
func (d *door) requests() []time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]time.Duration(nil), d.at...)
}
