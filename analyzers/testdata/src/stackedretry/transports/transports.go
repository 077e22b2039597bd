// Package transports has RoundTrippers that try again inside others that do.
package transports

import (
	"net/http"
	"time"

	"github.com/hardy/persist"
)

type patient struct {
	next  http.RoundTripper
	tries int
}

func (p *patient) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	for i := 0; i < p.tries; i++ {
		resp, err = p.next.RoundTrip(req)
		if err == nil && resp.StatusCode < 500 || req.Method != http.MethodGet {
			return resp, err
		}
		if err == nil && i < p.tries-1 {
			resp.Body.Close()
		}
		time.Sleep(time.Second)
	}
	return resp, err
}

func fetch(url string) (*http.Response, error) {
	under := persist.New()
	under.Max = 2
	client := &http.Client{Transport: &patient{next: under.Standard().Transport, tries: 2}}
	return client.Get(url) // want `up to 2 × 3 = 6 requests for one call: patient.RoundTrip tries again what persist.RoundTripper.RoundTrip .* has already tried again`
}

// harbour keeps such a client.
type harbour struct{ client *http.Client }

func open() *harbour {
	return &harbour{&http.Client{Transport: &patient{next: &patient{next: http.DefaultTransport, tries: 2}, tries: 3}}}
}

func (h *harbour) berths() (*http.Response, error) {
	return h.client.Get("https://harbour.example/berths") // want `up to 3 × 2 = 6 requests for one call: patient.RoundTrip tries again what patient.RoundTrip has`
}

// Silent: the layer beneath sends once.
func single(url string) (*http.Response, error) {
	client := &http.Client{Transport: &patient{next: &patient{next: http.DefaultTransport, tries: 1}, tries: 3}}
	return client.Get(url)
}

// again sends what it is given once more, if it may; its only caller gives it a
// POST, which the transport lets through once.
func (h *harbour) again(req *http.Request) (resp *http.Response, err error) {
	for range 2 {
		resp, err = h.client.Do(req)
		if err == nil && resp.StatusCode < 500 || req.Method != http.MethodGet {
			return resp, err
		}
		if err == nil {
			resp.Body.Close()
		}
	}
	return resp, err
}

func (h *harbour) moor() (*http.Response, error) {
	req, err := http.NewRequest(http.MethodPost, "https://harbour.example/moorings", nil)
	if err != nil {
		return nil, err
	}
	return h.again(req)
}

func use() {
	_, _ = open().moor()
	_, _ = open().berths()
}
