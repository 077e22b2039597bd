// Package memhttp connects a real http.Server and a real http.Transport through
// pipes in memory, for tests in testing/synctest bubbles.
package memhttp

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// A Server is an http.Server that can be dialled without a network.
type Server struct {
	Transport *http.Transport // reaches the server under every host name
	Dialled   atomic.Int64    // connections so far

	srv    *http.Server
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
	done   chan struct{}
}

// Serve starts a server for h. Stop must be called.
func Serve(h http.Handler) *Server {
	s := &Server{
		srv:    &http.Server{Handler: h},
		conns:  make(chan net.Conn),
		closed: make(chan struct{}),
		done:   make(chan struct{}),
	}
	s.Transport = &http.Transport{DialContext: s.dial}
	go func() {
		defer close(s.done)
		_ = s.srv.Serve(s) // http.ErrServerClosed, after Stop
	}()
	return s
}

// Stop waits for the handlers and closes all connections.
func (s *Server) Stop() {
	s.Transport.CloseIdleConnections()
	_ = s.srv.Shutdown(context.Background())
	<-s.done
}

// Accept implements net.Listener.
func (s *Server) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (s *Server) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// Addr implements net.Listener.
func (s *Server) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "pipe"} }

func (s *Server) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	s.Dialled.Add(1)
	near, far := net.Pipe()
	err := net.ErrClosed
	select {
	case s.conns <- far:
		return near, nil
	case <-s.closed:
	case <-ctx.Done():
		err = ctx.Err()
	}
	_ = near.Close()
	_ = far.Close()
	return nil, err
}
