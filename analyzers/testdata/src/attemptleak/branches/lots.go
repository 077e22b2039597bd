// Package branches closes answers on some ways through its loops.
package branches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"time"
)

var errNoLots = errors.New("no lots")

// Auction is a client.
type Auction struct {
	hc    *http.Client
	base  string
	trace io.Writer
}

// Lot is one.
type Lot struct {
	Number int
	Cents  int64
}

func (a *Auction) ask(ctx context.Context, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base+path, nil)
	if err != nil {
		return nil, err
	}
	return a.hc.Do(req)
}

// ThrottledOnly closes after 429, and after 5xx it does not.
func (a *Auction) ThrottledOnly(ctx context.Context) (*http.Response, error) {
	var last error
	for range 4 {
		resp, err := a.ask(ctx, "/lots") // want "not closed"
		if err != nil {
			last = err
			continue
		}
		if resp.StatusCode == http.StatusTooManyRequests {
			resp.Body.Close()
			last = errors.New("throttled")
			time.Sleep(time.Second)
			continue
		}
		if resp.StatusCode >= 500 {
			last = fmt.Errorf("auction: %s", resp.Status)
			continue
		}
		return resp, nil
	}
	return nil, last
}

// Deferred has its defer below the line that goes round.
func (a *Auction) Deferred(ctx context.Context) (lots []Lot, err error) {
	for n := 0; n < 3; n++ {
		resp, err := a.ask(ctx, "/lots") // want "not closed"
		if err != nil || resp.StatusCode != http.StatusOK {
			time.Sleep(time.Second)
			continue
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(&lots); err != nil {
			return nil, err
		}
		return lots, nil
	}
	return nil, errNoLots
}

// OnErrorOnly closes where there is nothing to close.
func (a *Auction) OnErrorOnly(ctx context.Context) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := a.ask(ctx, "/lots") // want "not closed"
		if err != nil {
			if resp != nil {
				resp.Body.Close()
			}
		} else if resp.StatusCode < 500 {
			return resp, nil
		}
		if n == 3 {
			return nil, errors.Join(errNoLots, err)
		}
		time.Sleep(time.Second)
	}
}

// AtTheEnd closes the last one, and not those before.
func (a *Auction) AtTheEnd(ctx context.Context) (*http.Response, error) {
	const attempts = 4
	for n := 1; ; n++ {
		resp, err := a.ask(ctx, "/lots") // want "not closed"
		if err != nil {
			return nil, err
		}
		if resp.StatusCode == http.StatusOK {
			return resp, nil
		}
		if n == attempts {
			resp.Body.Close()
			return nil, errNoLots
		}
		time.Sleep(time.Duration(n) * time.Second)
	}
}

// Traced closes where somebody looks on.
func (a *Auction) Traced(ctx context.Context) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := a.ask(ctx, "/lots") // want "not closed"
		if err != nil {
			return nil, err
		}
		if resp.StatusCode != http.StatusBadGateway || n == 3 {
			return resp, nil
		}
		if a.trace != nil {
			if dump, err := httputil.DumpResponse(resp, true); err == nil {
				a.trace.Write(dump)
			}
			resp.Body.Close()
		}
	}
}

// From here on: nothing to report.

// EachWay closes on every one.
func (a *Auction) EachWay(ctx context.Context) (*http.Response, error) {
	var last error
	for range 4 {
		resp, err := a.ask(ctx, "/lots")
		if err != nil {
			last = err
			continue
		}
		switch {
		case resp.StatusCode == http.StatusTooManyRequests:
			resp.Body.Close()
			last = errors.New("throttled")
		case resp.StatusCode >= 500:
			last = fmt.Errorf("auction: %s", resp.Status)
			resp.Body.Close()
		default:
			return resp, nil
		}
		time.Sleep(time.Second)
	}
	return nil, last
}

// Function has a literal for each round, with a defer that runs in it.
func (a *Auction) Function(ctx context.Context) (lots []Lot, err error) {
	for range 3 {
		again := func() bool {
			var resp *http.Response
			if resp, err = a.ask(ctx, "/lots"); err != nil {
				return true
			}
			defer resp.Body.Close()
			if resp.StatusCode >= 500 {
				err = fmt.Errorf("auction: %s", resp.Status)
				return true
			}
			err = json.NewDecoder(resp.Body).Decode(&lots)
			return false
		}()
		if !again {
			break
		}
	}
	return lots, err
}

// AtReturn defers in the loop: all are closed, late, and by default that is let be.
func (a *Auction) AtReturn(ctx context.Context) (lots []Lot, err error) {
	for range 3 {
		resp, err := a.ask(ctx, "/lots")
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusServiceUnavailable {
			continue
		}
		err = json.NewDecoder(resp.Body).Decode(&lots)
		return lots, err
	}
	return nil, errNoLots
}

// Body has the body in a variable of its own, and closes that.
func (a *Auction) Body(ctx context.Context) ([]byte, error) {
	for n := 0; ; n++ {
		resp, err := a.ask(ctx, "/lots")
		if err != nil {
			return nil, err
		}
		body := resp.Body
		b, err := io.ReadAll(body)
		if cerr := body.Close(); err == nil {
			err = cerr
		}
		if err == nil && resp.StatusCode < 500 || n == 3 {
			return b, err
		}
	}
}
