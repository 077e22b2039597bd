// Package nobody repeats requests that have no body, or never one that was read.
package nobody

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"
	"time"
)

var errSilent = errors.New("lighthouse does not answer")

// House is a lighthouse.
type House struct {
	hc   *http.Client
	base string
}

func ok(resp *http.Response, err error) bool {
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode < 300
}

// Read repeats a GET by the same request.
func (h *House) Read(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.base+"/light", nil)
	if err != nil {
		return err
	}
	for range 3 {
		if ok(h.hc.Do(req)) {
			return nil
		}
	}
	return errSilent
}

// Flash repeats a POST that has no body.
func (h *House) Flash(ctx context.Context, key string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.base+"/flash", http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	for range 3 {
		if ok(h.hc.Do(req)) {
			return nil
		}
	}
	return errSilent
}

// FlashPattern repeats one that has a body.
func (h *House) FlashPattern(ctx context.Context, key, pattern string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.base+"/flash", strings.NewReader(pattern))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	for range 3 {
		if ok(h.hc.Do(req)) { // want `body`
			return nil
		}
	}
	return errSilent
}

// Dim repeats a DELETE through copies.
func (h *House) Dim(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, h.base+"/light", nil)
	if err != nil {
		return err
	}
	for range 3 {
		if ok(h.hc.Do(req.Clone(ctx))) {
			return nil
		}
	}
	return errSilent
}

// DimFor repeats one that has a body, which DELETE may have.
func (h *House) DimFor(ctx context.Context, why io.Reader) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, h.base+"/light", why)
	if err != nil {
		return err
	}
	for range 3 {
		if ok(h.hc.Do(req.Clone(ctx))) { // want `body`
			return nil
		}
	}
	return errSilent
}

// get is only ever called without a body.
func (h *House) get(ctx context.Context, path string) error {
	return h.call(ctx, http.MethodGet, path, nil)
}

// Fog and Wind read.
func (h *House) Fog(ctx context.Context) error  { return h.get(ctx, "/fog") }
func (h *House) Wind(ctx context.Context) error { return h.get(ctx, "/wind") }

func (h *House) call(ctx context.Context, method, path string, body io.Reader) error {
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, method, h.base+path, body)
		if err != nil {
			return err
		}
		if ok(h.hc.Do(req)) {
			return nil
		}
	}
	return errSilent
}

// Send repeats only what has no body: one that was read cannot be sent again.
func (h *House) Send(ctx context.Context, method, path string, body io.Reader) error {
	attempts := 1
	if body == nil {
		attempts = 3
	}
	for range attempts {
		req, err := http.NewRequestWithContext(ctx, method, h.base+path, body)
		if err != nil {
			return err
		}
		if ok(h.hc.Do(req)) {
			return nil
		}
	}
	return errSilent
}

// SendUnlessRead stops when there was a body.
func (h *House) SendUnlessRead(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := h.hc.Do(req)
		if err == nil || n == 3 || req.Body != nil && req.Body != http.NoBody {
			return resp, err
		}
		time.Sleep(time.Second)
	}
}

// Form sends values, and net/http makes a reader of them for each call.
func (h *House) Form(lamp string) error {
	form := url.Values{"lamp": {lamp}, "idempotency_key": {"lamp-" + lamp}}
	for range 3 {
		if ok(h.hc.PostForm(h.base+"/lamps", form)) {
			return nil
		}
	}
	return errSilent
}

// FormText makes one reader of them.
func (h *House) FormText(lamp string) error {
	body := strings.NewReader(url.Values{"lamp": {lamp}}.Encode())
	for range 3 {
		if ok(h.hc.Post(h.base+"/lamps", "application/x-www-form-urlencoded", body)) { // want `body`
			return nil
		}
	}
	return errSilent
}

// Keep sends what comes out of a channel; each message has its own body.
func (h *House) Keep(messages <-chan io.Reader) {
	for m := range messages {
		if !ok(h.hc.Post(h.base+"/log", "text/plain", m)) {
			log.Println(errSilent)
		}
	}
}

// Watch asks until the light is on, and says so once.
func (h *House) Watch(ctx context.Context, report io.Reader) error {
	for {
		if ok(h.hc.Get(h.base + "/light")) {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
	if !ok(h.hc.Post(h.base+"/log", "text/plain", report)) {
		return errSilent
	}
	return nil
}
