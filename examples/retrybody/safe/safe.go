// Package safe files a ship's passenger manifest like package risky, and reads it
// before the first attempt. Each attempt has a request with a body of its own.
//
// Written once for any client, this is resilience.Transport, which sends a body
// that cannot be read again only once.
package safe

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mrand "math/rand/v2"
	"net/http"
	"time"
)

const attempts = 3

// Clerk files manifests.
type Clerk struct {
	hc   *http.Client
	base string
}

// New returns a Clerk of the harbour office at base.
func New(hc *http.Client, base string) *Clerk {
	return &Clerk{hc: hc, base: base}
}

// StatusError is an answer that is no success.
type StatusError int

func (e StatusError) Error() string {
	return fmt.Sprintf("harbour office answered %d %s", int(e), http.StatusText(int(e)))
}

// File files what can be read from manifest.
func (c *Clerk) File(ctx context.Context, manifest io.Reader) error {
	data, err := io.ReadAll(manifest)
	if err != nil {
		return err
	}
	key := rand.Text()
	for n := 1; ; n++ {
		err := c.send(ctx, key, data)
		if err == nil {
			return nil
		}
		if n == attempts || !transient(err) {
			return fmt.Errorf("filing the manifest, attempt %d: %w", n, err)
		}
		if err := pause(ctx, n); err != nil {
			return err
		}
	}
}

// send is one attempt.
func (c *Clerk) send(ctx context.Context, key string, data []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/manifests", bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "text/plain")
	req.Header.Set("Idempotency-Key", key)
	resp, err := c.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		return StatusError(resp.StatusCode)
	}
	return nil
}

// transient says whether another attempt may go better: after the 5xx that pass.
func transient(err error) bool {
	status, ok := errors.AsType[StatusError](err)
	return ok && (status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout)
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
