// Package ferry books crossings. Its constructors put a transport of another
// package below the client.
package ferry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"retrynokey/across/tunnel/stubborn"
)

// Crossing is what is booked.
type Crossing struct {
	From string `json:"from"`
	To   string `json:"to"`
	Cars int    `json:"cars"`
}

// Line is a client of a ferry line.
type Line struct {
	hc   *http.Client
	base string
}

// New returns a Line whose transport sends up to four times.
func New(base string) *Line {
	return &Line{base: base, hc: &http.Client{
		Transport: stubborn.New(http.DefaultTransport, 3),
		Timeout:   30 * time.Second,
	}}
}

func booked(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		return fmt.Errorf("ferry line: %s", resp.Status)
	}
	return nil
}

// Book writes: nothing in this package repeats, the transport does.
func (l *Line) Book(ctx context.Context, c Crossing) error {
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.base+"/crossings", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	return booked(l.hc.Do(req)) // want "POST is sent again after .* without an idempotency key"
}

// BookShort writes by the client's Post.
func (l *Line) BookShort(body []byte) error {
	return booked(l.hc.Post(l.base+"/crossings", "application/json", bytes.NewReader(body))) // want "without an idempotency key"
}

// BookKeyed is silent: the key is the crossing's.
func (l *Line) BookKeyed(ctx context.Context, order string, c Crossing) error {
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.base+"/crossings", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", order)
	return booked(l.hc.Do(req))
}

// Timetable is silent: it reads.
func (l *Line) Timetable() (*http.Response, error) { return l.hc.Get(l.base + "/timetable") }

// Once is a Line whose transport does not repeat.
type Once struct{ hc *http.Client }

// NewOnce sets no retries.
func NewOnce() *Once { return &Once{hc: &http.Client{Transport: stubborn.New(nil, 0)}} }

// Book is silent.
func (o *Once) Book(url string, body []byte) error {
	return booked(o.hc.Post(url, "application/json", bytes.NewReader(body)))
}

// Gated is a Line whose transport repeats reads.
type Gated struct{ hc *http.Client }

// NewGated asks the transport's own method.
func NewGated() *Gated {
	return &Gated{hc: &http.Client{Transport: stubborn.ReadOnly{Next: http.DefaultTransport}}}
}

// Book is silent.
func (g *Gated) Book(url string, body []byte) error {
	return booked(g.hc.Post(url, "application/json", bytes.NewReader(body)))
}

// Patient is a Line whose transport waits when it is told to.
type Patient struct{ hc *http.Client }

// NewPatient repeats after 429 only.
func NewPatient() *Patient {
	return &Patient{hc: &http.Client{Transport: &stubborn.Polite{Next: http.DefaultTransport}}}
}

// Book is silent.
func (p *Patient) Book(url string, body []byte) error {
	return booked(p.hc.Post(url, "application/json", bytes.NewReader(body)))
}
