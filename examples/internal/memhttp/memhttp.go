// Package memhttp serves HTTP over pipes in memory: a real http.Server and a
// real http.Client, without a port. Inside a testing/synctest bubble its
// connections block durably, so timeouts take no real time.
package memhttp

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Serve starts a server for h. The client reaches it under every host name; its
// Transport is an *http.Transport, whose limits a test may set before it sends.
// stop must be called: it waits for the handlers, also for those whose client
// has left, and closes both ends.
func Serve(h http.Handler) (client *http.Client, stop func()) {
	ln := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	srv := &http.Server{Handler: h}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(ln) // always http.ErrServerClosed after stop
	}()
	tr := &http.Transport{DialContext: ln.dial}
	stop = func() {
		tr.CloseIdleConnections()
		_ = srv.Shutdown(context.Background()) // ends: no handler runs for ever
		<-done
	}
	return &http.Client{Transport: tr}, stop
}

// listener hands the far end of each dialled pipe to Accept.
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

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return addr{} }

func (l *listener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	var err error
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		err = net.ErrClosed
	case <-ctx.Done():
		err = ctx.Err()
	}
	_ = near.Close()
	_ = far.Close()
	return nil, err
}

type addr struct{}

func (addr) Network() string { return "mem" }
func (addr) String() string  { return "mem" }
