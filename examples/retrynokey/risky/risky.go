// Package risky charges ferry fares, and tries again when the acquirer does not
// answer in time. Nothing tells the acquirer that it is the same fare: each
// attempt may take the money once more.
package risky

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	attempts       = 3
	attemptTimeout = 10 * time.Second
)

// Fare is what a passenger pays.
type Fare struct {
	Booking string `json:"booking"`
	Card    string `json:"card"`
	Cents   int64  `json:"cents"`
}

// Cashier charges fares.
type Cashier struct {
	hc   *http.Client
	base string
}

// New returns a Cashier of the acquirer at base.
func New(hc *http.Client, base string) *Cashier {
	return &Cashier{hc: hc, base: base}
}

// StatusError is an answer that is no success.
type StatusError int

func (e StatusError) Error() string {
	return fmt.Sprintf("acquirer answered %d %s", int(e), http.StatusText(int(e)))
}

// Charge takes the money and returns the number of the charge.
func (c *Cashier) Charge(ctx context.Context, f Fare) (string, error) {
	body, err := json.Marshal(f)
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		id, err := c.post(ctx, body)
		if err == nil {
			return id, nil
		}
		if n == attempts || !transient(err) {
			return "", fmt.Errorf("fare of %s, attempt %d: %w", f.Booking, n, err)
		}
		if err := pause(ctx, n); err != nil {
			return "", err
		}
	}
}

// post is one attempt.
func (c *Cashier) post(ctx context.Context, body []byte) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/charges", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.hc.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", StatusError(resp.StatusCode)
	}
	var out struct{ Charge string }
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		return "", err
	}
	return out.Charge, nil
}

// transient says whether another attempt may go better: after a timeout, and
// after the 5xx that pass.
func transient(err error) bool {
	if status, ok := errors.AsType[StatusError](err); ok {
		return status == http.StatusInternalServerError || status == http.StatusBadGateway || status == http.StatusGatewayTimeout
	}
	return errors.Is(err, context.DeadlineExceeded)
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
