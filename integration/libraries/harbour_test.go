package libraries

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A harbour is a server that notes what it receives. It is reached over pipes, so
// that inside a bubble of testing/synctest the waits of a library take no time.
type harbour struct {
	client *http.Client // leads to it, whatever the host is

	mu       sync.Mutex
	received []arrival
}

// An arrival is one request as the server has received it.
type arrival struct {
	method, body string
	header       http.Header
	at           time.Time
}

// inHarbour runs f in a bubble, with a server that answers by answer.
func inHarbour(t *testing.T, answer http.HandlerFunc, f func(t *testing.T, h *harbour)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := new(harbour)
		ln := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body) // what was sent of it counts
			h.mu.Lock()
			h.received = append(h.received, arrival{r.Method, string(body), r.Header.Clone(), time.Now()})
			h.mu.Unlock()
			answer(w, r)
		})}
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = srv.Serve(ln) // http.ErrServerClosed
		}()
		// No connection is used twice: net/http would send some requests again by
		// itself, and they would be counted for the library.
		tr := &http.Transport{DialContext: ln.dial, DisableKeepAlives: true}
		h.client = &http.Client{Transport: tr}
		defer func() {
			// An answer that a library leaves unread keeps its connection until the
			// client's timeout.
			time.Sleep(time.Minute)
			tr.CloseIdleConnections()
			_ = srv.Close()
			<-served
			synctest.Wait()
		}()
		f(t, h)
	})
}

// arrivals are the requests so far.
func (h *harbour) arrivals() []arrival {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.received)
}

// pipes is a listener whose connections are pipes.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "harbour"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// refusing answers with a status and an error in JSON, as APIs do.
func refusing(status int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"error":{"type":"api_error","message":"the harbour is closed"}}`)
	}
}

// hangingUp ends the connection instead of answering.
func hangingUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// silent answers never.
func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// withoutBody answers as answer does, with headers only.
func withoutBody(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { answer(headersOnly{w}, r) }
}

type headersOnly struct{ http.ResponseWriter }

func (headersOnly) Write(p []byte) (int, error) { return len(p), nil }
