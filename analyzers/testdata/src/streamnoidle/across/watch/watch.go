// Package watch ends readings that wait for too long.
package watch

import (
	"io"
	"time"
)

type Reader struct {
	body io.ReadCloser
	t    *time.Timer
	idle time.Duration
}

func New(body io.ReadCloser, idle time.Duration) *Reader {
	return &Reader{body, time.AfterFunc(idle, func() { body.Close() }), idle}
}

func (r *Reader) Read(p []byte) (int, error) {
	r.t.Reset(r.idle)
	return r.body.Read(p)
}

func (r *Reader) Close() error {
	r.t.Stop()
	return r.body.Close()
}
