// Package levels has more than two layers around each other.
package levels

import (
	"errors"
	"net/http"
)

// doubled sends a GET a second time when a server fails.
type doubled struct{ next http.RoundTripper }

func (d doubled) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return d.next.RoundTrip(req)
	}
	resp, err := d.next.RoundTrip(req)
	if err == nil && resp.StatusCode < 500 {
		return resp, nil
	}
	if err == nil {
		resp.Body.Close()
	}
	return d.next.RoundTrip(req)
}

// Buoys asks buoys for the height of the waves.
type Buoys struct{ hc *http.Client }

// New makes a client.
func New() *Buoys { return &Buoys{hc: &http.Client{Transport: doubled{http.DefaultTransport}}} }

func (b *Buoys) height(url string) error {
	resp, err := b.hc.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// Height is the second layer.
func (b *Buoys) Height(url string) error {
	var err error
	for range 3 {
		if err = b.height(url); err == nil { // want `up to 3 × 2 = 6 requests for one call: Buoys\.Height tries again what doubled\.RoundTrip`
			return nil
		}
	}
	return err
}

// Storm is the third one, and Warning a fourth.
func (b *Buoys) Storm(url string) error {
	return five(func() error { return b.Height(url) }) // want `up to 5 × 3 × 2 = 30 requests for one call: five tries again what Buoys\.Height`
}

func five(ask func() error) (err error) {
	for range 5 {
		if err = ask(); err == nil {
			return nil
		}
	}
	return err
}

// Warning asks without an end: how often is not known, and is not said.
func (b *Buoys) Warning(url string) {
	for b.Storm(url) != nil { // want `retries multiply: Buoys\.Warning tries again what five has already tried again`
	}
}

// Once has two layers only, since what is around them asks each buoy once.
func (b *Buoys) Once(urls []string) {
	for _, u := range urls {
		_ = b.Height(u)
	}
}
