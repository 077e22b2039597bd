// Package shapes hides net/http behind the names and types of the language.
package shapes

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// Client is net/http's under its own name.
type Client = http.Client

// Request and Answer too.
type (
	Request = http.Request
	Answer  = http.Response
)

// Ptr is a generic alias.
type Ptr[T any] = *T

var errGuest = errors.New("guest not invited")

func clear(resp *Answer) {
	if resp != nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

// AliasedClient: a pointer to the alias.
func AliasedClient(c *Client, url string, guest []byte) error {
	for range 3 {
		resp, err := c.Post(url, "application/json", bytes.NewReader(guest)) // want "POST"
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}

// AliasedRequest: a literal of the alias.
func AliasedRequest(c *Client, tmpl *Request) error {
	for range 3 {
		req := &Request{Method: "POST", URL: tmpl.URL, Header: http.Header{}}
		resp, err := c.Do(req) // want "POST"
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}

// GenericAlias: a pointer by way of a generic alias.
func GenericAlias(c Ptr[Client], url string, guest []byte) error {
	for range 3 {
		resp, err := c.Post(url, "application/json", bytes.NewReader(guest)) // want "POST"
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}

// Embedding promotes the methods of a client.
type Embedding struct {
	*http.Client
	url string
}

// Invite calls a promoted Post.
func (e Embedding) Invite(guest []byte) error {
	for range 3 {
		resp, err := e.Post(e.url, "application/json", bytes.NewReader(guest)) // want "POST"
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}

// Uninvite calls a promoted Do.
func (e Embedding) Uninvite(guest []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, e.url+"/off", bytes.NewReader(guest))
		if err != nil {
			return err
		}
		resp, err := e.Do(req) // want "POST"
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}

// Deep embeds what embeds.
type Deep struct{ Embedding }

// Invite calls through two floors.
func (d *Deep) Invite(guest []byte) error {
	for range 3 {
		resp, err := d.Client.Post(d.url, "application/json", bytes.NewReader(guest)) // want "POST"
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}

// Box is a generic type with a client.
type Box[T any] struct {
	hc  *http.Client
	url string
}

// Put is a method of a generic type.
func (b *Box[T]) Put(v T) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	for range 3 {
		resp, err := b.hc.Post(b.url, "application/json", bytes.NewReader(body)) // want "POST"
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}

// Uses instantiates it twice; there is one report.
func Uses(hc *http.Client) error {
	a := &Box[int]{hc: hc}
	b := &Box[map[string]string]{hc: hc}
	return errors.Join(a.Put(1), b.Put(nil))
}

// PostAll is a generic function that decodes the answer.
func PostAll[In, Out any](hc *http.Client, url string, in In) (out Out, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	for range 3 {
		var resp *http.Response
		resp, err = hc.Post(url, "application/json", bytes.NewReader(body)) // want "POST"
		if err != nil {
			continue
		}
		err = json.NewDecoder(resp.Body).Decode(&out)
		clear(resp)
		return out, err
	}
	return out, err
}

// poster is met by *http.Client only by its Do.
type poster interface {
	Do(*http.Request) (*http.Response, error)
}

// Constrained sends through a type parameter.
func Constrained[P poster](p P, url string, guest []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(guest))
		if err != nil {
			return err
		}
		resp, err := p.Do(req) // want "POST"
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}

// again is a generic helper with a constraint on the function itself.
func again[F ~func() (R, error), R any](n int, fn F) (R, error) {
	for {
		r, err := fn()
		if n--; err == nil || n == 0 {
			return r, err
		}
	}
}

// ByConstraint repeats through it.
func ByConstraint(hc *http.Client, url string) error {
	resp, err := again(3, func() (*Answer, error) {
		return hc.Post(url, "text/plain", nil) // want "POST"
	})
	clear(resp)
	return err
}

// Parenthesised: superfluous parentheses and an address taken.
func Parenthesised(url string, guest []byte) error {
	c := http.Client{}
	for range 3 {
		resp, err := (&c).Post((url), "application/json", (bytes.NewReader(guest))) // want "POST"
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}

// ByExpression: a method expression.
func ByExpression(hc *http.Client, url string, guest []byte) error {
	for range 3 {
		resp, err := (*http.Client).Post(hc, url, "application/json", bytes.NewReader(guest)) // want "POST"
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}

// ManyLines: the report is at the beginning of the call.
func ManyLines(hc *http.Client, url string, guest []byte) error {
	for range 3 {
		resp, err := hc.Post( // want "POST"
			url,
			"application/json",
			bytes.NewReader(guest),
		)
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}
