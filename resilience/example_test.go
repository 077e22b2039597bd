package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// A client for a payment service: one Transport, shared, and one key per payment.
func Example() {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, "charged under %s", r.Header.Get(resilience.KeyHeader))
	}))
	defer server.Close()

	opts := resilience.Defaults()
	opts.Retry.Backoff = time.Millisecond // so that the example is quick
	transport, err := resilience.NewTransport(&http.Transport{}, opts)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}

	// The key is made with the order, and kept with it. A second press of Pay uses it again.
	order := struct{ PaymentKey string }{"order-17-payment"}

	ctx := resilience.WithIdempotencyKey(context.Background(), order.PaymentKey)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader(`{"cents":4200}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := client.Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(body), err)
	fmt.Println(requests.Load(), "requests")
	// Output:
	// 200 charged under order-17-payment <nil>
	// 2 requests
}

// The error of a call says what ended it, and why there was no other attempt.
func ExampleCallError() {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)

	transport, err := resilience.NewTransport(&http.Transport{}, resilience.Options{
		AttemptTimeout: 20 * time.Millisecond,
		TotalTimeout:   time.Second,
		Retry:          resilience.Retry{Attempts: 3, Backoff: 10 * time.Millisecond, MaxBackoff: 100 * time.Millisecond, Jitter: 0.5},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: transport}
	_, err = client.Post(server.URL, "text/plain", strings.NewReader("charge")) // no key: sent once

	fmt.Println(errors.Is(err, resilience.ErrAttemptTimeout))
	if call, ok := errors.AsType[*resilience.CallError](err); ok {
		fmt.Println(call.Attempts, "attempt;", call.Stop)
	}
	// Output:
	// true
	// 1 attempt; the method is unsafe and the request has no idempotency key
}

// Options that cannot work are refused when the Transport is made, not when it is needed.
func ExampleOptions_Validate() {
	opts := resilience.Defaults()
	opts.AttemptTimeout = 20 * time.Second
	fmt.Println(opts.Validate())
	// Output:
	// the budgets do not fit: Retry.Attempts 3 × AttemptTimeout 20s and waits of up to 3s make 63s, and TotalTimeout is 35s
	// Breaker.Window 30s is below twice AttemptTimeout 20s: attempts that time out would leave the window before there are enough of them
}

// A client that already retries is not given a second layer: its policy is taken off first.
func ExampleBase() {
	shared, err := resilience.NewTransport(&http.Transport{}, resilience.Defaults())
	if err != nil {
		fmt.Println(err)
		return
	}
	reports := resilience.Options{
		AttemptTimeout: 2 * time.Minute,
		TotalTimeout:   5 * time.Minute,
		Retry:          resilience.Retry{Attempts: 1},
	}
	_, err = resilience.NewTransport(shared, reports)
	fmt.Println(err)

	own, err := resilience.NewTransport(resilience.Base(shared), reports)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, layer := range own.Describe() {
		fmt.Printf("%s: %s\n", layer.Name, layer.Numbers)
	}
	// Output:
	// resilience: retries would be stacked: resilience.Transport (1 attempts, 2m0s each, 5m0s in total) over resilience.Transport (3 attempts, 10s each, 35s in total); strip the inner one with resilience.Base
	// total timeout: 5m0s to the headers
	// attempt timeout: 2m0s to the headers
	// base: *http.Transport
}

// A fallback that says that it is one.
func ExampleLastGood() {
	rates := &resilience.LastGood[float64]{MaxAge: time.Hour}
	ctx := context.Background()
	show := func(d resilience.Degraded[float64], err error) {
		if err != nil {
			fmt.Println("no rate:", err)
			return
		}
		fmt.Println(d.Value, d.Fresh(), d.Cause)
	}
	down := errors.New("the rate service is down")
	show(rates.Get(ctx, func(context.Context) (float64, error) { return 0, down }))
	show(rates.Get(ctx, func(context.Context) (float64, error) { return 7.46, nil }))
	show(rates.Get(ctx, func(context.Context) (float64, error) { return 0, down }))
	// Output:
	// no rate: the rate service is down
	// 7.46 true <nil>
	// 7.46 false the rate service is down
}
