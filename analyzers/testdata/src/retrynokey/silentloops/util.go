// Package silentloops sends POSTs in loops, and no operation twice after an
// unknown outcome. Nothing is reported here.
package silentloops

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"syscall"
	"time"
)

var (
	errBusy   = errors.New("printer busy")
	errRefuse = errors.New("printer refused")
)

// Printer is a remote print service.
type Printer struct {
	hc    *http.Client
	base  string
	token string
	nonce string
}

// Page is one item.
type Page struct {
	ID   string
	Text string
}

func hush(resp *http.Response) {
	if resp != nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func nap(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Printer) post(ctx context.Context, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	return p.hc.Do(req)
}

// print sends one page.
func (p *Printer) print(ctx context.Context, page Page) error {
	body, err := json.Marshal(page)
	if err != nil {
		return err
	}
	resp, err := p.post(ctx, "/pages", body)
	if err != nil {
		return err
	}
	defer hush(resp)
	switch {
	case resp.StatusCode == http.StatusTooManyRequests:
		return errBusy
	case resp.StatusCode >= 400:
		return errRefuse
	}
	return nil
}

func (p *Printer) renew(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+"/token", nil)
	if err != nil {
		return err
	}
	resp, err := p.hc.Do(req)
	if err != nil {
		return err
	}
	defer hush(resp)
	p.token = resp.Header.Get("X-Token")
	return nil
}

// neverLeft says that the connection was not even made.
func neverLeft(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op == "dial"
	}
	return false
}

func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

func warn(err error) {
	if err != nil {
		log.Println("printer:", err)
	}
}
