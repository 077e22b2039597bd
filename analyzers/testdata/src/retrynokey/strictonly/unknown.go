// Package strictonly repeats POSTs where one thing that decides is not known.
// By default nothing is reported; under -strict each of these is, with the name
// of what is unknown.
package strictonly

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

var errLost = errors.New("message lost")

// Operation is implemented elsewhere.
type Operation interface {
	Method() string
	Path() string
}

// Signer is implemented elsewhere.
type Signer interface {
	Sign(*http.Request) error
}

// Runner is implemented elsewhere.
type Runner interface {
	Run(ctx context.Context, fn func() error) error
}

// Messenger sends messages.
type Messenger struct {
	hc        *http.Client
	base      string
	keyHeader string
	headers   http.Header
	again     func(*http.Response, error) bool
	prepare   func(*http.Request)
	edits     []func(context.Context, *http.Request) error
	signer    Signer
	runner    Runner
	attempts  func(fn func() error) error
}

func gone(resp *http.Response) {
	if resp != nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

// PredicateField: which outcomes go round is up to whoever sets the field.
func (m *Messenger) PredicateField(text []byte) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := m.hc.Post(m.base+"/messages", "text/plain", bytes.NewReader(text))
		if n == 3 || !m.again(resp, err) {
			return resp, err
		}
		gone(resp)
	}
}

// PredicateParameter: the same, as a parameter of an exported function.
func PredicateParameter(hc *http.Client, url string, text []byte, again func(error) bool) error {
	for range 3 {
		resp, err := hc.Post(url, "text/plain", bytes.NewReader(text))
		if err == nil {
			gone(resp)
			return nil
		}
		if !again(err) {
			return err
		}
	}
	return errLost
}

// MethodOfInterface: the method is what the operation says.
func (m *Messenger) MethodOfInterface(ctx context.Context, op Operation) error {
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, op.Method(), m.base+op.Path(), nil)
		if err != nil {
			return err
		}
		resp, err := m.hc.Do(req)
		if err == nil {
			gone(resp)
			return nil
		}
	}
	return errLost
}

// KeyHeaderVariable: a header is set, and its name may be that of a key.
func (m *Messenger) KeyHeaderVariable(id string, text []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, m.base+"/messages", bytes.NewReader(text))
		if err != nil {
			return err
		}
		req.Header.Set(m.keyHeader, id)
		resp, err := m.hc.Do(req)
		if err == nil {
			gone(resp)
			return nil
		}
	}
	return errLost
}

// HeadersCopied: the client's own headers go on every request; a key of one
// operation cannot be among them.
func (m *Messenger) HeadersCopied(text []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, m.base+"/messages", bytes.NewReader(text))
		if err != nil {
			return err
		}
		for name, values := range m.headers {
			req.Header[name] = values
		}
		resp, err := m.hc.Do(req) // want "POST"
		if err == nil {
			gone(resp)
			return nil
		}
	}
	return errLost
}

// HeadersOfCaller: the same with headers that the caller gives.
func (m *Messenger) HeadersOfCaller(extra map[string]string, text []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, m.base+"/messages", bytes.NewReader(text))
		if err != nil {
			return err
		}
		for name, value := range extra {
			req.Header.Set(name, value)
		}
		resp, err := m.hc.Do(req)
		if err == nil {
			gone(resp)
			return nil
		}
	}
	return errLost
}

// PreparedByField: a function that nobody knows here gets the request.
func (m *Messenger) PreparedByField(text []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, m.base+"/messages", bytes.NewReader(text))
		if err != nil {
			return err
		}
		m.prepare(req)
		resp, err := m.hc.Do(req)
		if err == nil {
			gone(resp)
			return nil
		}
	}
	return errLost
}

// EditedByList: so do the functions of a list.
func (m *Messenger) EditedByList(ctx context.Context, text []byte) error {
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.base+"/messages", bytes.NewReader(text))
		if err != nil {
			return err
		}
		for _, edit := range m.edits {
			if err := edit(ctx, req); err != nil {
				return err
			}
		}
		resp, err := m.hc.Do(req)
		if err == nil {
			gone(resp)
			return nil
		}
	}
	return errLost
}

// SignedByInterface: and the method of an interface.
func (m *Messenger) SignedByInterface(text []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, m.base+"/messages", bytes.NewReader(text))
		if err != nil {
			return err
		}
		if err := m.signer.Sign(req); err != nil {
			return fmt.Errorf("signing: %w", err)
		}
		resp, err := m.hc.Do(req)
		if err == nil {
			gone(resp)
			return nil
		}
	}
	return errLost
}

// once sends a single time.
func (m *Messenger) once(text []byte) error {
	resp, err := m.hc.Post(m.base+"/messages", "text/plain", bytes.NewReader(text))
	gone(resp)
	return err
}

// RunnerOfInterface: whether the runner repeats is not known.
func (m *Messenger) RunnerOfInterface(ctx context.Context, text []byte) error {
	return m.runner.Run(ctx, func() error { return m.once(text) })
}

// RunnerField: nor whether the function of a field does.
func (m *Messenger) RunnerField(text []byte) error {
	return m.attempts(func() error { return m.once(text) })
}

// gated is a transport whose gate is a field.
type gated struct {
	next   http.RoundTripper
	decide func(*http.Request) bool
}

func (g *gated) RoundTrip(req *http.Request) (*http.Response, error) {
	if !g.decide(req) {
		return g.next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		resp, err := g.next.RoundTrip(req)
		if err == nil || n == 3 {
			return resp, err
		}
	}
}

// policed is a transport whose policy is an interface.
type policed struct {
	next   http.RoundTripper
	policy interface {
		Again(req *http.Request, resp *http.Response, err error) bool
	}
}

func (p *policed) RoundTrip(req *http.Request) (*http.Response, error) {
	for {
		resp, err := p.next.RoundTrip(req)
		if !p.policy.Again(req, resp, err) {
			return resp, err
		}
		gone(resp)
	}
}

// SenderField: what sends is a function of a field; it may do anything.
type SenderField struct {
	send func(ctx context.Context, text []byte) error
}

// Deliver repeats it.
func (s *SenderField) Deliver(ctx context.Context, text []byte) (err error) {
	for range 3 {
		if err = s.send(ctx, text); err == nil {
			return nil
		}
	}
	return err
}

// AttemptsUnknown: the number of attempts comes from outside, and may be one.
// This one is a retry all the same, and is reported in the package loops
// (RangeField); here the function that repeats is not known either.
func AttemptsUnknown(hc *http.Client, url string, repeat func(int, func() error) error, n int) error {
	return repeat(n, func() error {
		resp, err := hc.Post(url, "text/plain", nil)
		gone(resp)
		return err
	})
}
