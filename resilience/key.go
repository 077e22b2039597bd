package resilience

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
)

// KeyHeader is the header that carries an idempotency key
// (draft-ietf-httpapi-idempotency-key-header).
const KeyHeader = "Idempotency-Key"

// maxKey is what a key may be long. Servers that store keys have columns.
const maxKey = 255

// NewKey returns a random key for one operation. Make it when the operation
// comes into being (the order, not the request), and keep it until the operation is settled.
func NewKey() string { return rand.Text() }

type keyContext struct{}

// keyValue is the key of a context, and the one it displaced, if any.
type keyValue struct{ key, outer string }

// WithIdempotencyKey returns a context for the one operation that key belongs
// to. A [Transport] sets the key on every attempt of every request with an
// unsafe method under that context, also after a redirect. For two operations
// use two contexts: one beneath the other, with another key, is an error when a request is sent.
// A key is 1 to 255 visible ASCII characters.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	v := keyValue{key: key}
	if old, ok := ctx.Value(keyContext{}).(keyValue); ok {
		v.outer = old.outer
		if old.key != key && v.outer == "" {
			v.outer = old.key
		}
	}
	return context.WithValue(ctx, keyContext{}, v)
}

// keyOf returns the key that req is to be sent with, or "" when it has none.
// Keys that contradict each other are an error: which of them is the
// operation's cannot be known here.
func keyOf(req *http.Request) (string, error) {
	own := req.Header.Values(KeyHeader)
	if len(own) > 1 {
		return "", fmt.Errorf("%w: the request has %d %s headers", ErrKeyConflict, len(own), KeyHeader)
	}
	v, ok := req.Context().Value(keyContext{}).(keyValue)
	if !ok || safe(req.Method) {
		if len(own) == 0 {
			return "", nil
		}
		return own[0], CheckKey(own[0])
	}
	if v.outer != "" {
		return "", fmt.Errorf("%w: the context has %q beneath %q", ErrKeyConflict, v.key, v.outer)
	}
	if len(own) == 1 && own[0] != v.key {
		return "", fmt.Errorf("%w: the request has %q, its context %q", ErrKeyConflict, own[0], v.key)
	}
	return v.key, CheckKey(v.key)
}

// CheckKey returns an error unless key is 1 to 255 visible ASCII characters.
func CheckKey(key string) error {
	if key == "" || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("idempotency key %.40q: want 1 to %d visible ASCII characters", key, maxKey)
	}
	return nil
}

// wire watches which key leaves on the connection, so that a layer underneath
// that sets another or takes it away cannot turn a retry into a second operation.
type wire struct {
	key, host string

	ours     atomic.Bool // whether the headers that are being written are of the call, and not of a request that the base makes beside it
	seen     atomic.Bool
	conflict atomic.Pointer[string] // what was sent instead
}

// watch returns ctx with hooks that call cancel with ErrKeyConflict when the
// headers of the request do not have the key. A base may send requests of its
// own under ctx, for a token perhaps: one to another host needs no key, and what
// a base sends to another host without the key is not noticed. Bases other than
// net/http's may not report headers; then nothing is.
func (w *wire) watch(ctx context.Context, cancel context.CancelCauseFunc) context.Context {
	report := func(sent string) {
		w.conflict.CompareAndSwap(nil, &sent)
		cancel(ErrKeyConflict)
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaderField: func(name string, values []string) { // in lower case with HTTP/2
			switch {
			case strings.EqualFold(name, "Host"), name == ":authority": // the first of a request
				w.ours.Store(len(values) == 1 && strings.EqualFold(values[0], w.host))
				w.seen.Store(false)
			case strings.EqualFold(name, KeyHeader):
				w.seen.Store(true)
				if len(values) != 1 || values[0] != w.key {
					report(strings.Join(values, ", "))
				}
			}
		},
		WroteHeaders: func() {
			if w.ours.Load() && !w.seen.Load() {
				report("")
			}
		},
	})
}

// hostOf is what the Host header of a request will be, names outside ASCII excepted.
func hostOf(req *http.Request) string {
	if req.Host != "" {
		return req.Host
	}
	return req.URL.Host
}

// err is nil unless a conflict was seen.
func (w *wire) err() error {
	if w == nil || w.conflict.Load() == nil {
		return nil
	}
	return fmt.Errorf("%w: a layer under this one sent %q instead of %q; the server may have acted on it", ErrKeyConflict, *w.conflict.Load(), w.key)
}

// safe says whether a method is safe (RFC 9110 section 9.2.1).
func safe(method string) bool {
	switch method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}
