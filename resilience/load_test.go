package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// counted counts what goes through the base, by the id of the call.
type counted struct {
	base http.RoundTripper
	by   []atomic.Int32
}

func (c *counted) RoundTrip(req *http.Request) (*http.Response, error) {
	c.by[id(req)].Add(1)
	return c.base.RoundTrip(req)
}

func id(r *http.Request) (n int) {
	_, _ = fmt.Sscanf(r.URL.Path, "/%d", &n)
	return n
}

// faulty answers by what is written in the query: which fault the first
// requests of a call meet is a function of its number, so that every run is alike.
type faulty struct {
	seen     []atomic.Int32 // requests that have reached the server, by call
	released chan struct{}
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := id(r)
	_, _ = io.Copy(io.Discard, r.Body)
	attempt := f.seen[n].Add(1)
	if attempt > 2 || n%2 == 0 && attempt == 2 { // half of the faults come twice
		_, _ = io.WriteString(w, "good")
		return
	}
	switch n % 10 {
	case 0, 1:
		panic(http.ErrAbortHandler) // a reset
	case 2: // a stall
		select {
		case <-r.Context().Done():
		case <-f.released:
		}
	case 3, 4:
		http.Error(w, strings.Repeat("busy ", 2000), http.StatusServiceUnavailable)
	case 5: // a failure whose body does not end
		w.WriteHeader(http.StatusBadGateway)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-f.released:
		}
	case 6: // a good answer with a slow body
		for range 4 {
			_, _ = io.WriteString(w, "g")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	case 7:
		w.WriteHeader(http.StatusInternalServerError)
	default:
		_, _ = io.WriteString(w, "good")
	}
}

// Ten thousand calls at once through one Transport over loopback. Goroutines
// that are left behind fail TestMain.
func TestTenThousandAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("some 10 s")
	}
	const calls = 10_000
	server := &faulty{seen: make([]atomic.Int32, calls), released: make(chan struct{})}
	ts := httptest.NewUnstartedServer(server)
	ts.Config.ErrorLog = nil
	ts.Start()
	defer ts.Close()
	defer close(server.released)
	base := &http.Transport{MaxIdleConnsPerHost: 500, DialContext: (&net.Dialer{}).DialContext}
	defer base.CloseIdleConnections()
	counter := &counted{base: base, by: make([]atomic.Int32, calls)}

	var events, retries atomic.Int64
	o := resilience.Options{
		AttemptTimeout: 8 * time.Second,
		TotalTimeout:   60 * time.Second,
		Retry:          resilience.Retry{Attempts: 4, Backoff: 100 * time.Millisecond, MaxBackoff: time.Second, Jitter: 0.5},
		Limiter:        resilience.Limiter{Concurrent: 1000, MaxWait: 5 * time.Minute},
		Breaker:        resilience.Breaker{Window: 20 * time.Second, FailureRatio: 0.9, MinRequests: 1000, OpenFor: time.Second, Authorities: 4},
		Hooks: resilience.Hooks{
			OnAttempt: func(context.Context, resilience.AttemptEvent) { events.Add(1) },
			OnRetry:   func(context.Context, resilience.RetryEvent) { retries.Add(1) },
		},
	}
	tr, err := resilience.NewTransport(counter, o)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: tr}
	// One call in three is a GET, one a POST with a key, one a POST without.
	var good, bad, failed atomic.Int64
	var wg sync.WaitGroup
	began := time.Now()
	for n := range calls {
		wg.Go(func() {
			method, ctx := "POST", context.Background()
			switch n % 3 {
			case 0:
				method = "GET"
			case 1:
				ctx = resilience.WithIdempotencyKey(ctx, fmt.Sprintf("call-%d", n))
			}
			req, _ := http.NewRequestWithContext(ctx, method, fmt.Sprintf("%s/%d", ts.URL, n), strings.NewReader("pay"))
			resp, err := client.Do(req)
			if err != nil {
				failed.Add(1)
				if n%3 != 2 && !errors.Is(err, resilience.ErrAttemptTimeout) {
					t.Errorf("call %d: %v", n, err)
				}
				return
			}
			defer resp.Body.Close()
			if resp.StatusCode != 200 {
				bad.Add(1)
				return
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Errorf("call %d, body: %v", n, err)
			}
			good.Add(1)
		})
	}
	wg.Wait()
	took := time.Since(began)

	var attempts int64
	for n := range calls {
		sent := counter.by[n].Load()
		attempts += int64(sent)
		if sent < 1 || sent > 4 {
			t.Errorf("call %d: %d attempts, want 1 to 4", n, sent)
		}
		if n%3 == 2 && (sent != 1 || server.seen[n].Load() > 1) {
			t.Errorf("call %d, a POST without a key: sent %d times, %d requests", n, sent, server.seen[n].Load())
		}
	}
	if events.Load() != attempts {
		t.Errorf("%d events for %d attempts", events.Load(), attempts)
	}
	// 500 is no failure that passes: a tenth. Of the calls that are sent once, three
	// tenths meet a 502 or a 503, and three break or time out. The rest end well,
	// but for the hundred that a slow machine may let time out.
	if g, b, f := good.Load(), bad.Load(), failed.Load(); g+b+f != calls || b > calls/5 || b < calls/5-100 || f < calls/10 || f > calls/10+100 {
		t.Errorf("%d good, %d with a bad status, %d failed; want 7000, 2000, 1000", g, b, f)
	}
	t.Logf("%d calls in %v: %d good, %d with a bad status, %d failed; %d attempts, %d retries",
		calls, took.Round(time.Millisecond), good.Load(), bad.Load(), failed.Load(), attempts, retries.Load())
}
