package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// llm is the model server of the model lab: its first token takes a second, and
// twenty more follow in each. It stops when its client leaves.
type llm struct {
	tokens      int
	first       time.Duration // until it begins to write; 0: a second
	manner      manner
	stallsAfter int    // tokens; 0: it does not
	busy        bool   // every request is answered with 429
	retryAfter  string // with that

	mu      sync.Mutex
	written int
}

// manner is how an answer is sent.
type manner int

const (
	whole        manner = iota // with its headers, when it is complete
	headersFirst               // its headers at once, the rest when it is complete
	streamed                   // its headers with the beginning, each token as it comes
)

const pace = time.Second / 20

// tick keeps tokens and timeouts of whole seconds apart, so that it is not chance
// which comes first.
const tick = time.Millisecond

func (l *llm) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if l.busy {
		if l.retryAfter != "" {
			w.Header().Set("Retry-After", l.retryAfter)
		}
		http.Error(w, "too many requests", http.StatusTooManyRequests)
		return
	}
	flush := func() { _ = http.NewResponseController(w).Flush() }
	if l.manner == headersFirst {
		flush()
	}
	first := l.first
	if first == 0 {
		first = time.Second
	}
	first += tick
	if !sleep(r, first) {
		return
	}
	if l.manner == streamed {
		w.Header().Set("Content-Type", "text/event-stream")
		flush()
	}
	for n := range l.tokens {
		if l.stallsAfter > 0 && n == l.stallsAfter {
			<-r.Context().Done()
			return
		}
		if !sleep(r, pace) {
			return
		}
		l.mu.Lock()
		l.written++
		l.mu.Unlock()
		if l.manner == streamed {
			fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"tide \"}}]}\n\n")
			flush()
		}
	}
	if l.manner == streamed {
		fmt.Fprint(w, "data: [DONE]\n\n")
		return
	}
	fmt.Fprintf(w, `{"content":%q}`, strings.Repeat("tide ", l.tokens))
}

// generated tells how many tokens there were, whoever got them.
func (l *llm) generated() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written
}

// sleep waits, unless the client leaves.
func sleep(r *http.Request, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}
