// Package model is the other side of the streaming examples: a language model
// that answers passengers' questions piece by piece, over event streams as
// OpenAI and Anthropic write them, and over lines of JSON as Ollama does.
package model

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// Pace is the time between two pieces: twenty a second.
const Pace = time.Second / 20

// A Wire is how a model writes.
type Wire int

// The three that are known.
const (
	OpenAI Wire = iota
	Anthropic
	Ollama
)

// A Mishap is what happens to an answer on its way.
type Mishap int

// What can happen, after so many pieces.
const (
	Nothing  Mishap = iota
	Stall           // no piece comes any more, and the connection stays
	Overload        // the server reports an error, after its 200
	Reset           // the connection breaks
)

// Model answers every request with the same number of pieces.
type Model struct {
	Wire     Wire
	Thinking time.Duration // before the headers; the first piece follows a Pace later
	Pieces   int
	Mishap   Mishap
	After    int           // pieces before the mishap
	Pings    time.Duration // between two keep-alives of a model that stalls; 0: there are none

	began time.Time
	mu    sync.Mutex
	wrote int
	pings int
	left  time.Duration
}

// Open starts the clock of a Model.
func Open(m *Model) *Model {
	m.began, m.left = time.Now(), -1
	return m
}

// Wrote tells how many pieces were written.
func (m *Model) Wrote() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.wrote
}

// Pinged tells how many keep-alives were written.
func (m *Model) Pinged() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pings
}

// Left tells when the model noticed that its client had left before the end, or
// a negative time.
func (m *Model) Left() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left
}

// ServeHTTP implements http.Handler.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "ask with POST", http.StatusMethodNotAllowed)
		return
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	defer func() {
		if r.Context().Err() != nil {
			m.mu.Lock()
			m.left = time.Since(m.began)
			m.mu.Unlock()
		}
	}()
	if !wait(r, m.Thinking) {
		return
	}
	w.Header().Set("Content-Type", m.Wire.contentType())
	out := flusher{w, http.NewResponseController(w)}
	out.write(m.Wire.opening())
	for n := range m.Pieces {
		if m.Mishap != Nothing && n == m.After {
			m.fail(out, r)
			return
		}
		if !wait(r, Pace) {
			return
		}
		m.mu.Lock()
		m.wrote++
		m.mu.Unlock()
		out.write(m.Wire.piece())
	}
	out.write(m.Wire.ending())
}

// fail lets the mishap happen.
func (m *Model) fail(out flusher, r *http.Request) {
	switch m.Mishap {
	case Overload:
		out.write(m.Wire.overloaded())
	case Reset:
		panic(http.ErrAbortHandler)
	case Stall:
		for m.Pings > 0 && wait(r, m.Pings) {
			m.mu.Lock()
			m.pings++
			m.mu.Unlock()
			out.write(m.Wire.ping())
		}
		<-r.Context().Done()
	}
}

// wait waits, unless the client leaves.
func wait(r *http.Request, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

// flusher sends what it writes at once.
type flusher struct {
	io.Writer
	rc *http.ResponseController
}

func (f flusher) write(text string) {
	_, _ = io.WriteString(f, text) // a client that has left is seen by its context
	_ = f.rc.Flush()
}

func (w Wire) contentType() string {
	if w == Ollama {
		return "application/x-ndjson"
	}
	return "text/event-stream"
}

func (w Wire) opening() string {
	if w != Anthropic {
		return ""
	}
	return event("message_start", `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude","stop_reason":null,"usage":{"input_tokens":12,"output_tokens":1}}}`) +
		event("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
}

func (w Wire) piece() string {
	switch w {
	case OpenAI:
		return data(`{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"tide "},"finish_reason":null}]}`)
	case Anthropic:
		return event("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"tide "}}`)
	}
	return `{"model":"llama","message":{"role":"assistant","content":"tide "},"done":false}` + "\n"
}

func (w Wire) ending() string {
	switch w {
	case OpenAI:
		return data(`{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`) + data("[DONE]")
	case Anthropic:
		return event("content_block_stop", `{"type":"content_block_stop","index":0}`) +
			event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":780}}`) +
			event("message_stop", `{"type":"message_stop"}`)
	}
	return `{"model":"llama","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}` + "\n"
}

func (w Wire) overloaded() string {
	switch w {
	case OpenAI:
		return data(`{"error":{"message":"the engine is overloaded","type":"server_error"}}`)
	case Anthropic:
		return event("error", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
	}
	return `{"error":"the model has crashed"}` + "\n"
}

// ping is a keep-alive. Ollama has none; proxies put empty lines in between.
func (w Wire) ping() string {
	switch w {
	case OpenAI:
		return ": keep-alive\n\n"
	case Anthropic:
		return event("ping", `{"type":"ping"}`)
	}
	return "\n"
}

func data(text string) string        { return "data: " + text + "\n\n" }
func event(name, text string) string { return fmt.Sprintf("event: %s\ndata: %s\n\n", name, text) }
