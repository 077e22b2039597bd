package resilience_test

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

func TestDefaultsAreValid(t *testing.T) {
	if err := resilience.Defaults().Validate(); err != nil {
		t.Error(err)
	}
}

// What cannot be is refused with its name and its numbers.
func TestValidate(t *testing.T) {
	type options = resilience.Options
	for _, c := range []struct {
		change func(*options)
		want   string
	}{
		{func(o *options) { o.AttemptTimeout = 0 }, "AttemptTimeout is 0s, want at least 1ms"},
		{func(o *options) { o.TotalTimeout = 30 }, "TotalTimeout is 30ns, want at least 1ms"},
		{func(o *options) { o.AttemptTimeout = o.TotalTimeout }, "AttemptTimeout 35s is not below TotalTimeout 35s"},
		{func(o *options) { o.Retry.Attempts = 0 }, "Retry.Attempts is 0"},
		{func(o *options) { o.Retry.Backoff = 0 }, "Retry.Backoff is 0s with Retry.Attempts 3"},
		{func(o *options) { o.Retry.MaxBackoff = time.Millisecond }, "Retry.MaxBackoff 1ms is below Retry.Backoff 1s"},
		{func(o *options) { o.Retry.Jitter = 1.1 }, "Retry.Jitter is 1.1"},
		{func(o *options) { o.Retry.Jitter = math.NaN() }, "Retry.Jitter is NaN"},
		{func(o *options) { o.Retry.Attempts = 4 }, "Retry.Attempts 4 × AttemptTimeout 10s and waits of up to 7s make 47s, and TotalTimeout is 35s"},
		{func(o *options) { o.Retry.Attempts = math.MaxInt }, "the budgets do not fit"},
		{func(o *options) { o.Retry.Backoff, o.Retry.MaxBackoff = math.MaxInt64/2+1, math.MaxInt64 }, "the budgets do not fit"},
		{func(o *options) { o.Breaker.Window = 19 * time.Second }, "Breaker.Window 19s is below twice AttemptTimeout 10s"},
		{func(o *options) { o.Breaker.FailureRatio = 0 }, "Breaker.FailureRatio is 0"},
		{func(o *options) { o.Breaker.MinRequests = 1 }, "Breaker.MinRequests is 1, want at least 2"},
		{func(o *options) { o.Breaker.OpenFor = 0 }, "Breaker.OpenFor is 0s"},
		{func(o *options) { o.Breaker.Authorities = 0 }, "Breaker.Authorities is 0"},
		{func(o *options) { o.Hedge.After = time.Second }, "Hedge.Copies is 0"},
		{func(o *options) { o.Hedge = resilience.Hedge{After: 10 * time.Second, Copies: 1} }, "Hedge.After is 10s, want more than 0 and less than AttemptTimeout 10s"},
		{func(o *options) { o.Hedge = resilience.Hedge{After: time.Second, Copies: 3} }, "Hedge.Copies is 3, want at least 1 and less than Retry.Attempts 3"},
		{func(o *options) { o.Limiter.Concurrent = -1 }, "Limiter.Concurrent is -1"},
		{func(o *options) { o.Limiter.MaxWait = time.Second }, "Limiter.MaxWait is 1s and Limiter.Concurrent 0"},
	} {
		o := resilience.Defaults()
		c.change(&o)
		err := o.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
		if tr, err := resilience.NewTransport(nil, o); tr != nil || err == nil {
			t.Errorf("NewTransport takes it: %q", c.want)
		}
	}
}

// What is wrong is said in one go.
func TestValidateNamesAll(t *testing.T) {
	err := resilience.Options{}.Validate()
	for _, want := range []string{"AttemptTimeout", "TotalTimeout", "Retry.Attempts"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}

// Without a breaker, a limiter and retries, two timeouts are all it takes.
func TestSmallestOptions(t *testing.T) {
	o := resilience.Options{AttemptTimeout: time.Second, TotalTimeout: 2 * time.Second, Retry: resilience.Retry{Attempts: 1}}
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
}

func TestDescribe(t *testing.T) {
	o := resilience.Defaults()
	o.Limiter = resilience.Limiter{Concurrent: 50, MaxWait: time.Second}
	o.Hedge = resilience.Hedge{After: 2 * time.Second, Copies: 1}
	tr, err := resilience.NewTransport(wrapper{&http.Transport{}}, o)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, l := range tr.Describe() {
		fmt.Fprintf(&got, "%s: %s\n", l.Name, l.Numbers)
	}
	const want = `concurrency limiter: 50 at once, wait up to 1s
total timeout: 35s to the headers
retry: 3 attempts, backoff 1s to 10s, jitter 0.5; unsafe methods with an idempotency key only
hedging: 1 more after 2s each, safe methods only
circuit breaker per authority: opens for 5s at 0.5 of at least 20 in 30s, up to 100 authorities
attempt timeout: 10s to the headers
base: resilience_test.wrapper
base: *http.Transport
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

// wrapper is somebody's layer that can be looked through.
type wrapper struct{ http.RoundTripper }

func (w wrapper) Unwrap() http.RoundTripper { return w.RoundTripper }

func TestNoStacking(t *testing.T) {
	base := &http.Transport{}
	inner, err := resilience.NewTransport(base, resilience.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	o := resilience.Defaults()
	o.AttemptTimeout, o.TotalTimeout, o.Breaker = 90*time.Second, 300*time.Second, resilience.Breaker{}
	for _, under := range []http.RoundTripper{inner, wrapper{inner}, wrapper{wrapper{inner}}} {
		_, err := resilience.NewTransport(under, o)
		if err == nil || !strings.Contains(err.Error(), "resilience.Transport (3 attempts, 1m30s each, 5m0s in total) over resilience.Transport (3 attempts, 10s each, 35s in total)") {
			t.Errorf("%T: %v does not name both layers", under, err)
		}
		if got := resilience.Base(under); got != base {
			t.Errorf("%T: Base is %T, want the http.Transport", under, got)
		}
		if _, err := resilience.NewTransport(resilience.Base(under), o); err != nil {
			t.Errorf("stripped: %v", err)
		}
	}
	if w := (wrapper{base}); resilience.Base(w) != http.RoundTripper(w) {
		t.Error("Base takes away what is not ours")
	}
	if resilience.Base(nil) != nil {
		t.Error("Base of nothing is something")
	}
}
