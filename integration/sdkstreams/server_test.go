package sdkstreams_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// wire is how a provider writes an answer.
type wire struct{ opening, piece, ending, ping, failure string }

var openAIWire = wire{
	piece: `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"pilot-1","choices":[{"index":0,"delta":{"content":"tide "},"finish_reason":null}]}` + "\n\n",
	ending: `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"pilot-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
		"data: [DONE]\n\n",
	ping:    ": keep-alive\n\n",
	failure: `data: {"error":{"message":"the engine is overloaded","type":"server_error"}}` + "\n\n",
}

var anthropicWire = wire{
	opening: "event: message_start\n" + `data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"guide-1","usage":{"input_tokens":9,"output_tokens":1}}}` + "\n\n" +
		"event: content_block_start\n" + `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n",
	piece: "event: content_block_delta\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"tide "}}` + "\n\n",
	ending: "event: content_block_stop\n" + `data: {"type":"content_block_stop","index":0}` + "\n\n" +
		"event: message_delta\n" + `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":100}}` + "\n\n" +
		"event: message_stop\n" + `data: {"type":"message_stop"}` + "\n\n",
	ping:    "event: ping\n" + `data: {"type":"ping"}` + "\n\n",
	failure: "event: error\n" + `data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}` + "\n\n",
}

// provider is the server of a model that writes twenty pieces a second.
type provider struct {
	wire
	thinks time.Duration // between its opening and its first piece, pinging
	pieces int
	then   string // "end", "cut", "fail", "reset", "stall", or "ping"

	began    time.Time
	mu       sync.Mutex
	requests int
	dialled  int
	left     time.Duration
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	p.mu.Lock()
	p.requests++
	p.mu.Unlock()
	defer func() {
		if r.Context().Err() != nil {
			p.mu.Lock()
			p.left = time.Since(p.began)
			p.mu.Unlock()
		}
	}()
	send := func(text string) {
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
	}
	wait := func(d time.Duration) bool {
		select {
		case <-time.After(d):
			return true
		case <-r.Context().Done():
			return false
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send(p.opening)
	for left := p.thinks; left > 0; left -= time.Second {
		if !wait(time.Second) {
			return
		}
		send(p.ping)
	}
	for range p.pieces {
		if !wait(time.Second / 20) {
			return
		}
		send(p.piece)
	}
	switch p.then {
	case "end":
		send(p.ending)
	case "fail":
		send(p.failure)
	case "reset":
		panic(http.ErrAbortHandler)
	case "ping":
		for wait(time.Second) {
			send(p.ping)
		}
	case "stall":
		<-r.Context().Done()
	}
}

// serve connects a provider over pipes.
func serve(p *provider) (hc *http.Client, stop func()) {
	p.began, p.left = time.Now(), -1
	conns, closed := make(chan net.Conn), make(chan struct{})
	srv, done := &http.Server{Handler: p}, make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(&listener{conns: conns, closed: closed})
	}()
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		near, far := net.Pipe()
		select {
		case conns <- far:
			p.dialled++
			return near, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	return &http.Client{Transport: tr}, func() {
		tr.CloseIdleConnections()
		_ = srv.Shutdown(context.Background())
		<-done
	}
}

type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "provider"} }
