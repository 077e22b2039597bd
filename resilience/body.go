package resilience

import (
	"io"
	"sync"
)

// body runs end once, when it is closed or read to its end.
type body struct {
	io.ReadCloser
	end func()
}

// newBody keeps what net/http promises of a body: after 101 Switching Protocols
// it can be written to.
func newBody(rc io.ReadCloser, end func()) io.ReadCloser {
	b := &body{rc, sync.OnceFunc(end)}
	if w, ok := rc.(io.Writer); ok {
		return struct {
			*body
			io.Writer
		}{b, w}
	}
	return b
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.end()
	}
	return n, err
}

func (b *body) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
