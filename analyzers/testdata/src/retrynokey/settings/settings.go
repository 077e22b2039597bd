// Package settings keeps what decides about a second attempt in fields,
// tables, descriptions of operations and copies of the client: a lighthouse
// that reports its lamps to the coast guard.
package settings

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"slices"
	"strings"
)

var errDark = errors.New("no answer from the coast guard")

// Keeper sends reports.
type Keeper struct {
	hc      *http.Client
	base    string
	retries int
	methods []string
	allowed map[string]bool
	may     func(method string) bool
}

// NewKeeper repeats reads only.
func NewKeeper(base string) *Keeper {
	return &Keeper{hc: http.DefaultClient, base: base, retries: 3, methods: []string{"GET", "HEAD"}}
}

func (k *Keeper) byList(method, path string) error {
	for n := 0; n <= k.retries; n++ {
		req, err := http.NewRequest(method, k.base+path, nil)
		if err != nil {
			return err
		}
		resp, err := k.hc.Do(req)
		if err == nil {
			return resp.Body.Close()
		}
		if !slices.Contains(k.methods, strings.ToUpper(method)) {
			return err
		}
	}
	return errDark
}

// Light posts through it: the list is a field, what is in it is not known.
func (k *Keeper) Light() error { return k.byList("POST", "/lit") }

// ByMap asks a map in a field.
func (k *Keeper) ByMap(req *http.Request) (resp *http.Response, err error) {
	for n := 0; n <= k.retries; n++ {
		if resp, err = k.hc.Do(req); err == nil || !k.allowed[req.Method] {
			return resp, err
		}
	}
	return resp, err
}

// ByFunc asks a function in a field.
func (k *Keeper) ByFunc(req *http.Request) (resp *http.Response, err error) {
	for n := 0; n <= k.retries; n++ {
		if resp, err = k.hc.Do(req); err == nil || !k.may(req.Method) {
			return resp, err
		}
	}
	return resp, err
}

// ByWalk compares one by one.
func (k *Keeper) ByWalk(req *http.Request) (resp *http.Response, err error) {
	again := false
	for _, m := range k.methods {
		if m == req.Method {
			again = true
		}
	}
	for n := 0; n <= k.retries; n++ {
		if resp, err = k.hc.Do(req); err == nil || !again {
			return resp, err
		}
	}
	return resp, err
}

var reading = regexp.MustCompile(`^(GET|HEAD)$`)

// ByPattern matches a pattern.
func (k *Keeper) ByPattern(req *http.Request) (resp *http.Response, err error) {
	for n := 0; n <= k.retries; n++ {
		if resp, err = k.hc.Do(req); err == nil || !reading.MatchString(req.Method) {
			return resp, err
		}
	}
	return resp, err
}

// ByPredicate hands the method to a literal.
func (k *Keeper) ByPredicate(req *http.Request) (resp *http.Response, err error) {
	for n := 0; n <= k.retries; n++ {
		if resp, err = k.hc.Do(req); err == nil || !slices.ContainsFunc([]string{"GET"}, func(s string) bool { return s == req.Method }) {
			return resp, err
		}
	}
	return resp, err
}

// once is a copy that does not retry.
func (k *Keeper) once() *Keeper {
	c := *k
	c.retries = 0
	return &c
}

func (k *Keeper) send(method, path string, body []byte) error {
	for n := 0; n <= k.retries; n++ {
		req, err := http.NewRequest(method, k.base+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		resp, err := k.hc.Do(req)
		if err == nil {
			return resp.Body.Close()
		}
	}
	return errDark
}

// Fog goes through the copy.
func (k *Keeper) Fog() error { return k.once().send("POST", "/fog", []byte("thick")) }

// Look reads through the client itself.
func (k *Keeper) Look() error { return k.send("GET", "/lamps", nil) }

// order describes one operation.
type order struct {
	method, path string
	tries        int
}

func (k *Keeper) run(o order) error {
	for range o.tries {
		req, err := http.NewRequest(o.method, k.base+o.path, nil)
		if err != nil {
			return err
		}
		resp, err := k.hc.Do(req)
		if err == nil {
			return resp.Body.Close()
		}
	}
	return errDark
}

// Status and Off are the only ones that run orders, and neither writes.
func (k *Keeper) Status() error { return k.run(order{method: "GET", path: "/status", tries: 3}) }

// Off deletes.
func (k *Keeper) Off() error { return k.run(order{method: http.MethodDelete, path: "/lamp", tries: 3}) }

func (k *Keeper) runOnce(o *order) error {
	for range o.tries {
		req, err := http.NewRequest(o.method, k.base+o.path, nil)
		if err != nil {
			return err
		}
		resp, err := k.hc.Do(req)
		if err == nil {
			return resp.Body.Close()
		}
	}
	return errDark
}

// Flash writes, a single time.
func (k *Keeper) Flash() error { return k.runOnce(&order{method: "POST", path: "/flash", tries: 1}) }

// Watch reads, three times.
func (k *Keeper) Watch() error { return k.runOnce(&order{method: "GET", path: "/watch", tries: 3}) }

func (k *Keeper) runAny(o *order) error {
	for range o.tries {
		req, err := http.NewRequest(o.method, k.base+o.path, nil)
		if err != nil {
			return err
		}
		resp, err := k.hc.Do(req) // want "POST"
		if err == nil {
			return resp.Body.Close()
		}
	}
	return errDark
}

// Horn writes, three times.
func (k *Keeper) Horn() error { return k.runAny(&order{method: "POST", path: "/horn", tries: 3}) }

// ask posts to a path that its callers give.
func (k *Keeper) ask(path, text string) error {
	for range 3 {
		resp, err := k.hc.Post(k.base+path, "application/json", strings.NewReader(text))
		if err == nil {
			return resp.Body.Close()
		}
	}
	return errDark
}

// Find reads by the path that it gives.
func (k *Keeper) Find(q string) error { return k.ask("/_search", q) }

// Tell reads by its body.
func (k *Keeper) Tell() error {
	for range 3 {
		resp, err := k.hc.Post(k.base, "application/json", strings.NewReader(`{"query":"query { lamps { id } }"}`))
		if err == nil {
			return resp.Body.Close()
		}
	}
	return errDark
}

// Unsent repeats only what never left, as a trace tells.
func (k *Keeper) Unsent(text string) error {
	for range 3 {
		written := false
		req, err := http.NewRequest("POST", k.base+"/log", strings.NewReader(text))
		if err != nil {
			return err
		}
		trace := &httptrace.ClientTrace{WroteHeaders: func() { written = true }}
		resp, err := k.hc.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
		if err == nil {
			return resp.Body.Close()
		}
		if written {
			return err
		}
	}
	return errDark
}

// counted is a body that knows how much of it was read.
type counted struct {
	r *strings.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// Untouched repeats only while nothing of the body was read.
func (k *Keeper) Untouched(text string) error {
	for range 3 {
		body := &counted{r: strings.NewReader(text)}
		resp, err := k.hc.Post(k.base+"/log", "text/plain", body)
		if err == nil {
			return resp.Body.Close()
		}
		if body.n > 0 {
			return err
		}
	}
	return errDark
}

// Chunk says which bytes it brings: the server refuses a repeat.
func (k *Keeper) Chunk(part []byte, at string) error {
	for range 3 {
		req, err := http.NewRequest("PATCH", k.base+"/film", bytes.NewReader(part))
		if err != nil {
			return err
		}
		req.Header.Set("Upload-Offset", at)
		resp, err := k.hc.Do(req)
		if err == nil {
			return resp.Body.Close()
		}
	}
	return errDark
}
