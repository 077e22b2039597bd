// Package safe asks for a dock gate to be open under one circuit breaker, which
// the client keeps.
package safe

import (
	"context"
	"errors"
	"net/http"

	"github.com/sony/gobreaker/v2"
)

// Dock is a client of the gates of a dock.
type Dock struct {
	hc   *http.Client
	base string
	cb   *gobreaker.CircuitBreaker[int]
}

// New returns the Dock at base.
func New(hc *http.Client, base string) *Dock {
	return &Dock{hc: hc, base: base, cb: gobreaker.NewCircuitBreaker[int](gobreaker.Settings{
		Name:        "dock",
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= 3 },
	})}
}

// Open asks whether the gate is open: an error says that nobody knows.
func (d *Dock) Open(ctx context.Context) error {
	return d.ask(ctx, d.base+"/gate")
}

func (d *Dock) ask(ctx context.Context, url string) error {
	_, err := d.cb.Execute(func() (int, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return 0, err
		}
		resp, err := d.hc.Do(req)
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close()
		if resp.StatusCode >= http.StatusInternalServerError {
			return 0, errors.New("dock answered " + resp.Status)
		}
		return resp.StatusCode, nil
	})
	return err
}
