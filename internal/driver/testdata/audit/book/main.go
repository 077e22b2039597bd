// Command book asks for berths.
package main

import (
	"context"
	"net/http"
	"os"
	"strings"

	"example.com/harbour/tide"
)

// A Doer sends requests.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// twice is a transport that sends everything a second time.
type twice struct{ next http.RoundTripper }

func (t twice) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil || resp.StatusCode >= 500 {
		return t.next.RoundTrip(req)
	}
	return resp, err
}

func main() {
	_, _ = http.Get("http://harbour.example/open")
	berth(os.Args[1])
	_ = through(http.DefaultClient, "http://harbour.example/pilots")
	c := tide.New("http://tide.example")
	for range 5 {
		if _, err := c.Now(context.Background(), "Bergen"); err == nil {
			break
		}
	}
	http.HandleFunc("/ping", func(http.ResponseWriter, *http.Request) {
		_, _ = http.Head("http://harbour.example/")
	})
}

// berth asks for a berth through a client whose transport tries again.
func berth(boat string) {
	c := &http.Client{Transport: twice{http.DefaultTransport}}
	_, _ = c.Post("http://harbour.example/berths", "text/plain", strings.NewReader(boat))
}

// through sends by what it is given.
func through(d Doer, url string) error {
	req, err := http.NewRequest(http.MethodDelete, url, nil)
	if err != nil {
		return err
	}
	resp, err := d.Do(req)
	if err == nil {
		_ = resp.Body.Close()
	}
	return err
}
