package resilience_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// What a call that needs nothing of this package may cost more than its base.
const (
	mostNanoseconds = 8_000
	mostAllocations = 60
)

// instant answers at once, so that what is measured is the layers.
type instant struct{}

func (instant) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("")), Request: req}, nil
}

// layers are the parts of a Transport, each on top of those before.
func layers() []struct {
	name string
	opts resilience.Options
	key  bool
} {
	timeouts := resilience.Options{AttemptTimeout: 10 * time.Second, TotalTimeout: 35 * time.Second, Retry: resilience.Retry{Attempts: 1}}
	retry := timeouts
	retry.Retry = resilience.Defaults().Retry
	breaker := retry
	breaker.Breaker = resilience.Defaults().Breaker
	limiter := breaker
	limiter.Limiter = resilience.Limiter{Concurrent: 100}
	hooks := limiter
	hooks.Hooks = resilience.Hooks{OnAttempt: func(context.Context, resilience.AttemptEvent) {}}
	hedge := hooks
	hedge.Hedge = resilience.Hedge{After: time.Second, Copies: 1}
	return []struct {
		name string
		opts resilience.Options
		key  bool
	}{
		{"1 timeouts", timeouts, false},
		{"2 + retry", retry, false},
		{"3 + breaker", breaker, false},
		{"4 + limiter", limiter, false},
		{"5 + hook", hooks, false},
		{"6 + idempotency key", hooks, true},
		{"7 + hedging", hedge, false},
	}
}

func request(tb testing.TB, url string, key bool) *http.Request {
	method, ctx := "GET", tb.Context()
	if key {
		method, ctx = "POST", resilience.WithIdempotencyKey(ctx, "k-1")
	}
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", "Bearer x")
	return req
}

func exchange(tb testing.TB, rt http.RoundTripper, req *http.Request) {
	resp, err := rt.RoundTrip(req)
	if err != nil {
		tb.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}

// BenchmarkOverhead prints what each layer adds over a base that takes no time,
// and fails when that is more than it may be. It goes by processor time, which
// other programs on the machine hardly change.
func BenchmarkOverhead(b *testing.B) {
	measure := func(name string, rt http.RoundTripper, key bool, most float64) (per float64) {
		b.Run(name, func(b *testing.B) {
			req := request(b, "http://a.test/", key)
			b.ReportAllocs()
			began := cpuTime()
			for b.Loop() {
				exchange(b, rt, req)
			}
			per = float64(cpuTime()-began) / float64(b.N)
			b.ReportMetric(per, "cpu-ns/op")
			if b.N > 1000 && per > most { // fewer say nothing
				b.Errorf("%.0f ns a request, want at most %.0f", per, most)
			}
		})
		return per
	}
	base := measure("0 base", instant{}, false, mostNanoseconds)
	for _, l := range layers() {
		tr, err := resilience.NewTransport(instant{}, l.opts)
		if err != nil {
			b.Fatal(err)
		}
		measure(l.name, tr, l.key, base+mostNanoseconds)
	}
}

// BenchmarkLoopback is the same over a connection, for what it amounts to.
func BenchmarkLoopback(b *testing.B) {
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "good") }))
	defer ts.Close()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	tr, err := resilience.NewTransport(base, resilience.Defaults())
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		rt   http.RoundTripper
	}{{"base", base}, {"transport", tr}} {
		b.Run(c.name, func(b *testing.B) {
			req := request(b, ts.URL, false)
			b.ReportAllocs()
			for b.Loop() {
				exchange(b, c.rt, req)
			}
		})
	}
}

// Allocations can be counted exactly; the times are the benchmark's.
func TestAllocations(t *testing.T) {
	base := testing.AllocsPerRun(200, func() { exchange(t, instant{}, request(t, "http://a.test/", false)) })
	for _, l := range layers() {
		tr, err := resilience.NewTransport(instant{}, l.opts)
		if err != nil {
			t.Fatal(err)
		}
		got := testing.AllocsPerRun(200, func() { exchange(t, tr, request(t, "http://a.test/", l.key)) }) - base
		t.Logf("%-20s %2.0f allocations over the base", l.name, got)
		if got < 1 || got > mostAllocations {
			t.Errorf("%s: %.0f allocations over the base, want at most %d", l.name, got, mostAllocations)
		}
	}
}
