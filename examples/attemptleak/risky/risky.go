// Package risky asks for the price of a crossing, up to four times. It looks at
// the status of an answer that is no use and goes on; the answer stays open, and
// so does its connection.
package risky

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

const attempts = 4

// Prices asks a booking system.
type Prices struct {
	hc   *http.Client
	base string
}

// New returns the Prices at base.
func New(hc *http.Client, base string) *Prices {
	return &Prices{hc: hc, base: base}
}

// StatusError is an answer that is no success.
type StatusError int

func (e StatusError) Error() string {
	return fmt.Sprintf("prices answered %d %s", int(e), http.StatusText(int(e)))
}

// Crossing returns the price of a crossing in cents.
func (p *Prices) Crossing(ctx context.Context, route string) (int64, error) {
	for n := 1; ; n++ {
		resp, err := p.ask(ctx, route)
		if err == nil {
			if resp.StatusCode == http.StatusOK {
				return cents(resp)
			}
			err = StatusError(resp.StatusCode)
		}
		if n == attempts || !transient(err) {
			return 0, fmt.Errorf("price of %s, attempt %d: %w", route, n, err)
		}
		if err := pause(ctx, n); err != nil {
			return 0, err
		}
	}
}

// ask is one attempt; its answer is the caller's to close.
func (p *Prices) ask(ctx context.Context, route string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+"/prices/"+url.PathEscape(route), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	return p.hc.Do(req)
}

// cents reads a price, and closes the answer.
func cents(resp *http.Response) (int64, error) {
	defer resp.Body.Close()
	var price struct{ Cents int64 }
	if err := json.NewDecoder(resp.Body).Decode(&price); err != nil {
		return 0, err
	}
	return price.Cents, nil
}

// transient says whether another attempt may go better: after what a proxy
// says for a server that it cannot reach.
func transient(err error) bool {
	status, ok := errors.AsType[StatusError](err)
	return ok && (status == http.StatusBadGateway || status == http.StatusGatewayTimeout)
}

// pause waits before attempt n+1, or until the caller has left.
func pause(ctx context.Context, n int) error {
	d := 200 * time.Millisecond << n
	t := time.NewTimer(d/2 + rand.N(d/2))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
