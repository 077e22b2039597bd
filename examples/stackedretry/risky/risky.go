// Package risky asks for the price of a crossing through a client that tries
// again by itself. Whoever wrote the function above it did not know, and tries
// again as well: each of four attempts is three.
package risky

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

// Prices asks a booking system.
type Prices struct {
	hc   *http.Client
	base string
}

// New returns the Prices at base, whose requests go through under.
func New(under http.RoundTripper, base string) *Prices {
	return &Prices{hc: &http.Client{Transport: &persistent{next: under, attempts: 3}}, base: base}
}

// Crossing returns the price of a crossing in cents. It tries four times.
func (p *Prices) Crossing(ctx context.Context, route string) (cents int64, err error) {
	for n := 1; n <= 4; n++ {
		if cents, err = p.ask(ctx, route); err == nil {
			return cents, nil
		}
		if err := pause(ctx, n); err != nil {
			return 0, err
		}
	}
	return 0, fmt.Errorf("price of %s: %w", route, err)
}

func (p *Prices) ask(ctx context.Context, route string) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+"/prices/"+url.PathEscape(route), nil)
	if err != nil {
		return 0, err
	}
	resp, err := p.hc.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("prices answered %s", resp.Status)
	}
	var price struct{ Cents int64 }
	if err := json.NewDecoder(resp.Body).Decode(&price); err != nil {
		return 0, err
	}
	return price.Cents, nil
}

// persistent sends a request that reads again while the server is ill.
type persistent struct {
	next     http.RoundTripper
	attempts int
}

// RoundTrip sends up to so many attempts.
func (t *persistent) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 1; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if req.Method != http.MethodGet || n >= t.attempts || err == nil && resp.StatusCode < http.StatusInternalServerError {
			return resp, err
		}
		if err == nil {
			resp.Body.Close()
		}
		if err := pause(req.Context(), n); err != nil {
			return nil, err
		}
	}
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
