// Package safe takes the deposit for a hired boat like package risky, and makes
// the key before the first attempt. Every attempt carries it, so the acquirer
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

// Deposit is what a customer leaves for a boat.
type Deposit struct {
	Boat  string `json:"boat"`
	Card  string `json:"card"`
	Cents int64  `json:"cents"`
}

// Desk takes deposits.
type Desk struct {
	hc   *http.Client
	base string
}

// New returns a Desk of the acquirer at base.
func New(hc *http.Client, base string) *Desk {
	return &Desk{hc: hc, base: base}
}

// StatusError is an answer that is no success.
type StatusError int

func (e StatusError) Error() string {
	return fmt.Sprintf("acquirer answered %d %s", int(e), http.StatusText(int(e)))
}

// Take takes the money and returns the number of the charge.
func (d *Desk) Take(ctx context.Context, dep Deposit) (id string, err error) {
	body, err := json.Marshal(dep)
	if err != nil {
		return "", err
	}
	key := rand.Text() // once per deposit, not per attempt
	err = again(ctx, func(ctx context.Context) error {
		req, err := d.request(ctx, key, body)
		if err != nil {
			return err
		}
		id, err = d.send(req)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("deposit for %s: %w", dep.Boat, err)
	}
	return id, nil
}

// request builds the request of one attempt.
func (d *Desk) request(ctx context.Context, key string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base+"/charges", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	return req, nil
}

// send sends one attempt, and reads the answer.
func (d *Desk) send(req *http.Request) (string, error) {
	resp, err := d.hc.Do(req)
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

// again calls f until it succeeds or its failure is one that stays.
func again(ctx context.Context, f func(context.Context) error) error {
	for n := 1; ; n++ {
		actx, cancel := context.WithTimeout(ctx, attemptTimeout)
		err := f(actx)
		cancel()
		if err == nil || n == attempts || !transient(err) {
			return err
		}
		if err := pause(ctx, n); err != nil {
			return err
		}
	}
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
