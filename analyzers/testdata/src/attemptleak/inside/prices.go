// Package inside has its attempts in functions that return no answer: what is
// left open is left there, and the loop knows nothing of it.
package inside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

var errBusy = errors.New("prices: busy")

// Prices is a client.
type Prices struct {
	hc   *http.Client
	base string
}

// once leaves early, before the line that closes.
func (p *Prices) once(ctx context.Context, item string) (price int64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+"/prices/"+item, nil)
	if err != nil {
		return 0, err
	}
	resp, err := p.hc.Do(req)
	if err != nil {
		return 0, err
	}
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return 0, errBusy
	default:
		return 0, fmt.Errorf("prices: %s", resp.Status)
	}
	defer resp.Body.Close()
	err = json.NewDecoder(resp.Body).Decode(&price)
	return price, err
}

// Price repeats it while the server is busy.
func (p *Prices) Price(ctx context.Context, item string) (int64, error) {
	for n := 1; ; n++ {
		price, err := p.once(ctx, item) // want "not closed"
		if n == 5 || !errors.Is(err, errBusy) {
			return price, err
		}
		if err := wait(ctx, n); err != nil {
			return 0, err
		}
	}
}

func wait(ctx context.Context, n int) error {
	select {
	case <-time.After(time.Duration(n) * time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func again(ctx context.Context, fn func(context.Context) error) (err error) {
	for n := range 3 {
		if err = fn(ctx); err == nil {
			return nil
		}
		if werr := wait(ctx, n); werr != nil {
			break
		}
	}
	return err
}

func (p *Prices) refresh(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, p.base+"/refresh", nil)
	if err != nil {
		return err
	}
	resp, err := p.hc.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusNoContent {
		return fmt.Errorf("prices: %s", resp.Status)
	}
	return resp.Body.Close()
}

// Refresh hands the attempt over by its name.
func (p *Prices) Refresh(ctx context.Context) error {
	return again(ctx, p.refresh) // want "not closed"
}

// RefreshIn calls it in a literal.
func (p *Prices) RefreshIn(ctx context.Context) error {
	return again(ctx, func(ctx context.Context) error {
		return p.refresh(ctx) // want "not closed"
	})
}

// From here on: nothing to report.

// whole closes whatever comes.
func (p *Prices) whole(ctx context.Context, item string) (price int64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+"/prices/"+item, nil)
	if err != nil {
		return 0, err
	}
	resp, err := p.hc.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return 0, errBusy
	}
	err = json.NewDecoder(resp.Body).Decode(&price)
	return price, err
}

// Whole repeats it.
func (p *Prices) Whole(ctx context.Context, item string) (int64, error) {
	for n := 1; ; n++ {
		price, err := p.whole(ctx, item)
		if n == 5 || !errors.Is(err, errBusy) {
			return price, err
		}
		if err := wait(ctx, n); err != nil {
			return 0, err
		}
	}
}

// RefreshOnce does not repeat it.
func (p *Prices) RefreshOnce(ctx context.Context) error { return p.refresh(ctx) }
