// Package perhaps has operations of which some carry a key.
package perhaps

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// Kinds are two operations of one call; whoever wrote it knows of keys.
func Kinds(hc *http.Client, base string, bulk bool, data []byte) error {
	headers := make(http.Header)
	path := "/probes"
	if bulk {
		path = "/readings"
		headers.Set("Idempotency-Key", strconv.Itoa(len(data)))
	}
	var err error
	for n := 0; n < 2; n++ {
		req, rerr := http.NewRequest(http.MethodPost, base+path, bytes.NewReader(data))
		if rerr != nil {
			return rerr
		}
		req.Header = headers
		var resp *http.Response
		if resp, err = hc.Do(req); err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode < 500 {
			return nil
		}
	}
	return err
}

// reading is what a probe has measured.
type reading struct {
	Name string
	next *reading
}

// Held keeps what it sent last while it makes the next: it is the same all the same.
func Held(hc *http.Client, base, name string) error {
	var sent *reading
	for n := 0; ; n++ {
		r := &reading{Name: name, next: sent}
		body, err := json.Marshal(struct{ Name string }{r.Name})
		if err != nil {
			return err
		}
		resp, err := hc.Post(base+"/readings", "application/json", bytes.NewReader(body)) // want "POST is sent again"
		if err == nil {
			return resp.Body.Close()
		}
		if n == 3 {
			return err
		}
		sent = r
	}
}

// Wrapped marshals what it keeps.
func Wrapped(hc *http.Client, base, name string) (err error) {
	var last *reading
	for range 4 {
		r := &reading{Name: name}
		if last != nil && last.Name != name {
			return err
		}
		last = r
		body, merr := json.Marshal(r)
		if merr != nil {
			return merr
		}
		var resp *http.Response
		if resp, err = hc.Post(base+"/readings", "application/json", bytes.NewReader(body)); err == nil { // want "POST is sent again"
			return resp.Body.Close()
		}
	}
	return err
}

// Worker sends what comes from a channel, each until it arrives.
func Worker(hc *http.Client, url string, in <-chan []byte) {
	for {
		sure(hc, url, <-in)
	}
}

func sure(hc *http.Client, url string, r []byte) {
	for {
		resp, err := hc.Post(url, "application/json", bytes.NewReader(r)) // want "POST is sent again"
		if err == nil {
			resp.Body.Close()
			return
		}
	}
}

type sample struct{ body []byte }

// Values come as structs.
func Values(hc *http.Client, url string, in <-chan sample) {
	for s := range in {
		for n := 0; n < 5 && !deliver(hc, url, s); n++ { // want "POST is sent again"
		}
	}
}

func deliver(hc *http.Client, url string, s sample) bool {
	resp, err := hc.Post(url, "application/json", bytes.NewReader(s.body))
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode < 500
}

// Each sends every value once.
func Each(hc *http.Client, url string, in <-chan sample) (err error) {
	for s := range in {
		if resp, perr := hc.Post(url, "application/json", bytes.NewReader(s.body)); perr != nil {
			err = perr
		} else {
			resp.Body.Close()
		}
	}
	return err
}

// Desk keeps a function to send with.
type Desk struct {
	do  func(*http.Request) (*http.Response, error)
	url string
}

// NewDesk keeps the default client's.
func NewDesk(url string) *Desk { return &Desk{do: http.DefaultClient.Do, url: url} }

// Enroll sends by it.
func (d *Desk) Enroll(body []byte) (err error) {
	for range 3 {
		req, rerr := http.NewRequest(http.MethodPost, d.url, bytes.NewReader(body))
		if rerr != nil {
			return rerr
		}
		var resp *http.Response
		if resp, err = d.do(req); err != nil { // want "POST is sent again"
			continue
		}
		return resp.Body.Close()
	}
	return err
}

// Selected takes what is to be sent from a select.
func Selected(hc *http.Client, url string, in <-chan []byte, done <-chan struct{}) {
	for {
		select {
		case r := <-in:
			sure(hc, url, r)
		case <-done:
			return
		}
	}
}
