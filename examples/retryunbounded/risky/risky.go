// Package risky asks once, and means by 0 attempts that nothing is to be tried again.
package risky

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/avast/retry-go/v4"
)

// Gate is a client of the gate of a dock.
type Gate struct {
	hc   *http.Client
	base string
}

// New returns the Gate at base.
func New(hc *http.Client, base string) *Gate { return &Gate{hc: hc, base: base} }

// Ask asks whether the gate is open, once: an error says that nobody knows.
func (g *Gate) Ask(ctx context.Context) error {
	return retry.Do(func() error { return g.ask(ctx) }, retry.Attempts(0), retry.Delay(time.Second), retry.DelayType(retry.FixedDelay))
}

func (g *Gate) ask(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.base+"/gate", nil)
	if err != nil {
		return err
	}
	resp, err := g.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusInternalServerError {
		return errors.New("the gate answered " + resp.Status)
	}
	return nil
}
