// Package fields delivers notices. What is sent is kept in a struct: a reader
// that is used up, or what a reader can be made of.
package fields

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

var errUndelivered = errors.New("notice not delivered")

// Notice is one notice on its way.
type Notice struct {
	URL     string
	ID      string
	Text    io.Reader
	Data    []byte
	Open    func() (io.ReadCloser, error)
	Request *http.Request
	tries   int
}

// Post delivers notices.
type Post struct {
	hc   *http.Client
	body *bytes.Buffer
}

// Options go with a delivery.
type Options struct {
	Method string
	Body   io.Reader
	Header http.Header
}

func (p *Post) ok(req *http.Request) bool {
	resp, err := p.hc.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode < 300
}

// Reader sends the reader of the notice in each round.
func (p *Post) Reader(ctx context.Context, n *Notice) error {
	for n.tries = 0; n.tries < 3; n.tries++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.URL, n.Text) // want `body`
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", n.ID)
		if p.ok(req) {
			return nil
		}
	}
	return errUndelivered
}

// Data makes a reader of its bytes in each round.
func (p *Post) Data(ctx context.Context, n *Notice) error {
	for n.tries = 0; n.tries < 3; n.tries++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.URL, bytes.NewReader(n.Data))
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", n.ID)
		if p.ok(req) {
			return nil
		}
	}
	return errUndelivered
}

// Replaced puts a new reader into the notice in each round.
func (p *Post) Replaced(ctx context.Context, n *Notice) error {
	for n.tries = 0; n.tries < 3; n.tries++ {
		n.Text = bytes.NewReader(n.Data)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.URL, n.Text)
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", n.ID)
		if p.ok(req) {
			return nil
		}
	}
	return errUndelivered
}

// ReplacedOnce does so before the loop.
func (p *Post) ReplacedOnce(ctx context.Context, n *Notice) error {
	n.Text = bytes.NewReader(n.Data)
	for n.tries = 0; n.tries < 3; n.tries++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.URL, n.Text) // want `body`
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", n.ID)
		if p.ok(req) {
			return nil
		}
	}
	return errUndelivered
}

// Opened asks the notice to open its text, for each attempt.
func (p *Post) Opened(ctx context.Context, n *Notice) error {
	for range 3 {
		rc, err := n.Open()
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.URL, rc)
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", n.ID)
		if p.ok(req) {
			return nil
		}
	}
	return errUndelivered
}

// OpenedOnce asks once.
func (p *Post) OpenedOnce(ctx context.Context, n *Notice) error {
	rc, err := n.Open()
	if err != nil {
		return err
	}
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.URL, rc) // want `body`
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", n.ID)
		if p.ok(req) {
			return nil
		}
	}
	return errUndelivered
}

// Kept builds a request, keeps it in the notice and sends what it keeps.
func (p *Post) Kept(ctx context.Context, n *Notice) (err error) {
	n.Request, err = http.NewRequestWithContext(ctx, http.MethodPost, n.URL, n.Text)
	if err != nil {
		return err
	}
	n.Request.Header.Set("Idempotency-Key", n.ID)
	for range 3 {
		if p.ok(n.Request) { // want `body`
			return nil
		}
		time.Sleep(time.Second)
	}
	return errUndelivered
}

// KeptRenewed builds what it keeps in each round.
func (p *Post) KeptRenewed(ctx context.Context, n *Notice) (err error) {
	for range 3 {
		n.Request, err = http.NewRequestWithContext(ctx, http.MethodPost, n.URL, bytes.NewReader(n.Data))
		if err != nil {
			return err
		}
		n.Request.Header.Set("Idempotency-Key", n.ID)
		if p.ok(n.Request) {
			return nil
		}
		time.Sleep(time.Second)
	}
	return errUndelivered
}

// Own writes into the buffer of the receiver, and sends it until it is taken.
func (p *Post) Own(ctx context.Context, url, text string) error {
	p.body = bytes.NewBufferString(text)
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, p.body) // want `body`
		if err != nil {
			return err
		}
		if p.ok(req) {
			return nil
		}
	}
	return errUndelivered
}

// OwnBytes sends what is in the buffer, and leaves it there.
func (p *Post) OwnBytes(ctx context.Context, url, text string) error {
	p.body = bytes.NewBufferString(text)
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(p.body.Bytes()))
		if err != nil {
			return err
		}
		if p.ok(req) {
			return nil
		}
	}
	return errUndelivered
}

// deliver is one attempt with options.
func (p *Post) deliver(ctx context.Context, url string, o Options) bool {
	req, err := http.NewRequestWithContext(ctx, o.Method, url, o.Body)
	if err != nil {
		return false
	}
	for name, values := range o.Header {
		req.Header[name] = values
	}
	return p.ok(req)
}

// ByOptions hands over options whose body is a reader.
func (p *Post) ByOptions(ctx context.Context, url, text string) error {
	o := Options{Method: http.MethodPut, Body: strings.NewReader(text)}
	for range 3 {
		if p.deliver(ctx, url, o) { // want `body`
			return nil
		}
	}
	return errUndelivered
}

// ByOptionsAnew makes the options in each round.
func (p *Post) ByOptionsAnew(ctx context.Context, url, text string) error {
	for range 3 {
		if p.deliver(ctx, url, Options{Method: http.MethodPut, Body: strings.NewReader(text)}) {
			return nil
		}
	}
	return errUndelivered
}

// ByOptionsEmpty has none.
func (p *Post) ByOptionsEmpty(ctx context.Context, url string) error {
	o := Options{Method: http.MethodPut}
	for range 3 {
		if p.deliver(ctx, url, o) {
			return nil
		}
	}
	return errUndelivered
}

// Round goes through the notices again and again; each has its own data, and
// those that are delivered are left out.
func (p *Post) Round(ctx context.Context, notices []*Notice) {
	for len(notices) > 0 && ctx.Err() == nil {
		var left []*Notice
		for _, n := range notices {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.URL, bytes.NewReader(n.Data))
			if err != nil {
				continue
			}
			req.Header.Set("Idempotency-Key", n.ID)
			if !p.ok(req) {
				left = append(left, n)
			}
		}
		notices = left
	}
}
