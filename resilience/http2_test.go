package resilience_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// A stream that HTTP/2 resets is a reset; and the key is seen on its way out,
// where header names are in lower case.
func TestHTTP2(t *testing.T) {
	var requests atomic.Int32
	ts := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/meddled" {
			return
		}
		if r.ProtoMajor != 2 || r.Header.Get(resilience.KeyHeader) != "k-1" {
			t.Errorf("HTTP/%d, key %q", r.ProtoMajor, r.Header.Get(resilience.KeyHeader))
		}
		if requests.Add(1) < 3 {
			panic(http.ErrAbortHandler)
		}
	}))
	ts.EnableHTTP2 = true
	ts.StartTLS()
	defer ts.Close()
	o := resilience.Defaults()
	o.Retry.Backoff, o.Retry.MaxBackoff = time.Millisecond, time.Millisecond
	tr, err := resilience.NewTransport(ts.Client().Transport, o)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr}
	req, _ := http.NewRequestWithContext(resilience.WithIdempotencyKey(t.Context(), "k-1"), "POST", ts.URL, nil)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 200 || requests.Load() != 3 {
		t.Errorf("%d after %d requests", resp.StatusCode, requests.Load())
	}

	tr, err = resilience.NewTransport(meddler{ts.Client().Transport, func(h http.Header) { h.Del(resilience.KeyHeader) }}, o)
	if err != nil {
		t.Fatal(err)
	}
	req, _ = http.NewRequestWithContext(req.Context(), "POST", ts.URL+"/meddled", nil)
	if _, err := tr.RoundTrip(req); !errors.Is(err, resilience.ErrKeyConflict) {
		t.Errorf("%v, want a conflict", err)
	}
}
