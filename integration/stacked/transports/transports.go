// Package transports puts one retrying transport into another.
package transports

import (
	"fmt"
	"net/http"
	"time"
)

// again sends a request that has no body up to so many times.
type again struct {
	under http.RoundTripper
	times int
}

// RoundTrip sends it.
func (a *again) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 1; ; n++ {
		resp, err := a.under.RoundTrip(req)
		if n == a.times || err == nil && resp.StatusCode < http.StatusInternalServerError {
			return resp, err
		}
		if err == nil {
			resp.Body.Close()
		}
		time.Sleep(time.Millisecond)
	}
}

// busy waits for a server that says that it has no room.
type busy struct{ under http.RoundTripper }

// RoundTrip sends once more after a 503.
func (b busy) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.under.RoundTrip(req)
	for more := 1; more > 0 && err == nil && resp.StatusCode == http.StatusServiceUnavailable; more-- {
		resp.Body.Close()
		time.Sleep(time.Millisecond)
		resp, err = b.under.RoundTrip(req)
	}
	return resp, err
}

// Call asks base for what is in stock.
func Call(base string) error {
	client := &http.Client{Transport: &again{under: busy{under: http.DefaultTransport}, times: 4}}
	resp, err := client.Get(base + "/stock")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("stock: %s", resp.Status)
	}
	return nil
}
