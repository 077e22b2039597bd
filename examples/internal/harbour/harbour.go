// Package harbour is the other side of the upload examples: a harbour office
// that files passenger manifests, and is too busy for the first of them.
package harbour

import (
	"io"
	"net/http"
	"sync"
)

// Office files what is posted to /manifests, once per idempotency key.
type Office struct {
	// Busy is how many requests are read to their end and turned away with 503
	// before one is filed.
	Busy int

	mu       sync.Mutex
	requests int
	filed    []string
	seen     map[string]bool
}

// Requests tells how many requests have arrived whole.
func (o *Office) Requests() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.requests
}

// Filed returns the manifests that were filed, in their order.
func (o *Office) Filed() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.filed...)
}

// ServeHTTP implements http.Handler.
func (o *Office) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/manifests" {
		http.NotFound(w, r)
		return
	}
	manifest, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client broke off; nobody hears an answer
	}
	if !o.take(r.Header.Get("Idempotency-Key"), string(manifest)) {
		http.Error(w, "the office is busy", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

// take files a manifest, unless the office is busy or has it already.
func (o *Office) take(key, manifest string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests++
	if o.requests <= o.Busy {
		return false
	}
	if key != "" && o.seen[key] {
		return true
	}
	if o.seen == nil {
		o.seen = make(map[string]bool)
	}
	o.seen[key] = true
	o.filed = append(o.filed, manifest)
	return true
}
