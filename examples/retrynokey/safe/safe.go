// Package safe charges ferry fares like package risky, and makes one key per
// fare before the first attempt. Every attempt carries it, so the acquirer
// takes the money once, however often it is asked.
//
// Written once for any client, this is resilience.WithIdempotencyKey and
// resilience.Transport.
package safe

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mrand "math/rand/v2"
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
	key := rand.Text() // once per fare, not per attempt
	for n := 1; ; n++ {
		id, err := c.post(ctx, key, body)
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
func (c *Cashier) post(ctx context.Context, key string, body []byte) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/charges", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
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
	t := time.NewTimer(d/2 + mrand.N(d/2))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
