// Package fluent makes circuit breakers in several steps.
package fluent

import (
	"context"
	"net/http"

	"github.com/failsafe-go/failsafe-go"
	cb "github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

func risky(ctx context.Context, f func() (int, error)) (int, error) {
	breaker := cb.NewBuilder[int]().WithFailureThreshold(3).OnOpen(func() {}).Build() // want `this circuit breaker is made anew for every call`
	return failsafe.With[int](retrypolicy.NewWithDefaults[int](), breaker).WithContext(ctx).Get(f)
}

func direct(f func() error) error {
	breaker := cb.NewWithDefaults[any]() // want `made anew`
	if !breaker.TryAcquirePermit() {
		return context.Canceled
	}
	err := f()
	breaker.RecordError(err)
	return err
}

func transport(url string) (*http.Response, error) {
	breaker := cb.NewWithDefaults[*http.Response]() // want `made anew`
	hc := &http.Client{Transport: failsafehttp.NewRoundTripper(nil, breaker)}
	return hc.Get(url)
}

// What follows is safe.

var shared = cb.NewWithDefaults[int]()

func withShared(f func() (int, error)) (int, error) { return failsafe.With[int](shared).Get(f) }

func client() *http.Client {
	return &http.Client{Transport: failsafehttp.NewRoundTripper(nil, cb.NewWithDefaults[*http.Response]())}
}

type holder struct{ ex failsafe.Executor[int] }

func (h *holder) reset(f func() (int, error)) (int, error) {
	h.ex = failsafe.With[int](cb.NewWithDefaults[int]())
	return h.ex.Get(f)
}

func loop(fs []func() (int, error)) {
	ex := failsafe.With[int](cb.NewWithDefaults[int]())
	for _, f := range fs {
		_, _ = ex.Get(f)
	}
}

func crawl(urls []string) {
	hc := &http.Client{Transport: failsafehttp.NewRoundTripper(nil, cb.NewWithDefaults[*http.Response]())}
	for _, url := range urls {
		_, _ = hc.Get(url)
	}
}
