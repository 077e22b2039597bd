// Package shapes hides answers behind the names, types and receivers of the
// language.
package shapes

import (
	"io"
	web "net/http"
	"os"
	"time"
)

type (
	// Answer is net/http's.
	Answer = web.Response
	// Ptr is a pointer.
	Ptr[T any] = *T
)

// Client embeds net/http's.
type Client struct {
	*web.Client
	base string
}

// Aliased calls a promoted Get.
func (c Client) Aliased() (a Ptr[Answer], err error) {
	for range 3 {
		a, err = c.Get(c.base) // want "not closed"
		if err == nil && a.StatusCode < 500 {
			return a, nil
		}
		time.Sleep(time.Second)
	}
	return a, err
}

// Inner embeds what embeds.
type Inner struct{ Client }

// Deep calls through two floors, and closes the body by its own variable.
func (i *Inner) Deep() (a *Answer, err error) {
	for range 3 {
		a, err = i.Get(i.base)
		if err == nil && a.StatusCode < 500 {
			return a, nil
		}
		if err == nil {
			body := a.Body
			body.Close()
		}
	}
	return a, err
}

// doer is met by *web.Client.
type doer interface {
	Do(*web.Request) (*web.Response, error)
}

// Through sends through an interface.
func Through(d doer, req *web.Request) (*web.Response, error) {
	if req.Method != "GET" {
		return d.Do(req)
	}
	for n := 0; ; n++ {
		resp, err := d.Do(req) // want "not closed"
		if n == 3 || err == nil && resp.StatusCode != 502 {
			return resp, err
		}
	}
}

// Value sends by a method value.
func Value(hc *web.Client, url string) (*web.Response, error) {
	get := hc.Get
	for n := 0; ; n++ {
		resp, err := get(url) // want "not closed"
		if n == 3 || err == nil && resp.StatusCode != 502 {
			return resp, err
		}
	}
}

// Expression sends by a method expression; the report is at the beginning of the call.
func Expression(hc *web.Client, url string) (*web.Response, error) {
	for n := 0; ; n++ {
		resp, err := (*web.Client).Get( // want "not closed"
			hc,
			url,
		)
		if n == 3 || err == nil && resp.StatusCode != 502 {
			return resp, err
		}
	}
}

// ByMethodValue closes by one.
func ByMethodValue(hc *web.Client, url string) (*web.Response, error) {
	for n := 0; ; n++ {
		resp, err := hc.Get(url)
		if n == 3 || err == nil && resp.StatusCode != 502 {
			return resp, err
		}
		if err == nil {
			end := resp.Body.Close
			_ = end()
		}
	}
}

// ByInterface closes what is an io.Closer by now.
func ByInterface(hc *web.Client, url string) (*web.Response, error) {
	for n := 0; ; n++ {
		resp, err := hc.Get(url)
		if n == 3 || err == nil && resp.StatusCode != 502 {
			return resp, err
		}
		if err == nil {
			var c io.Closer = resp.Body
			_ = c.Close()
		}
	}
}

// Response is a file here.
type Response struct {
	Body   io.ReadCloser
	Status int
}

// Disk has a Get.
type Disk struct{ dir string }

// Get opens a file.
func (d Disk) Get(name string) (*Response, error) {
	f, err := os.Open(d.dir + name)
	return &Response{Body: f}, err
}

// File is nothing of net/http's.
func File(d Disk, name string) (*Response, error) {
	for n := 0; ; n++ {
		resp, err := d.Get(name)
		if n == 3 || err == nil && resp.Status != 502 {
			return resp, err
		}
	}
}
