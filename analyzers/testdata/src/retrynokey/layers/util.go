// Package layers puts a retry below every request of a library catalogue:
// transports and Do helpers that re-send whatever they are given.
package layers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"syscall"
	"time"
)

const keyHeader = "Idempotency-Key"

var errShelf = errors.New("catalogue not reached")

func toss(resp *http.Response) {
	if resp != nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func rest(ctx context.Context, n int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(n+1) * 100 * time.Millisecond):
		return nil
	}
}

// reopen gives the request a fresh body.
func reopen(req *http.Request) (*http.Request, error) {
	if req.GetBody == nil {
		return req, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	dup := req.Clone(req.Context())
	dup.Body = body
	return dup, nil
}

func flaky(resp *http.Response, err error) bool {
	return err != nil || resp.StatusCode >= 500
}

func fail(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer toss(resp)
	if resp.StatusCode >= 400 {
		return fmt.Errorf("catalogue: %d", resp.StatusCode)
	}
	return nil
}

// harmless says whether a method may be sent twice.
func harmless(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPut, http.MethodDelete:
		return true
	}
	return false
}

var readMethods = []string{"GET", "HEAD", "OPTIONS"}

var repeatable = map[string]bool{
	http.MethodGet:    true,
	http.MethodHead:   true,
	http.MethodPut:    true,
	http.MethodDelete: true,
}

func mayRepeat(req *http.Request) bool {
	return slices.Contains(readMethods, req.Method) || req.Header.Get(keyHeader) != ""
}

func hasKey(req *http.Request) bool {
	_, ok := req.Header[keyHeader]
	return ok
}

// neverSent says that no byte of the request left.
func neverSent(err error) bool {
	var oe *net.OpError
	return errors.As(err, &oe) && oe.Op == "dial" || errors.Is(err, syscall.ECONNREFUSED)
}

type onceKey struct{}

// Once marks a context: what is sent under it is sent a single time.
func Once(ctx context.Context) context.Context { return context.WithValue(ctx, onceKey{}, true) }

type safeKey struct{}

// RepeatOK marks a context: what is sent under it may be sent again.
func RepeatOK(ctx context.Context) context.Context { return context.WithValue(ctx, safeKey{}, true) }
