// Package courier delivers messages. What its constructors return is an
// interface.
package courier

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"retrynokey/across/relay/methods"
)

// Courier delivers.
type Courier interface {
	Deliver(ctx context.Context, method, url string, body []byte) error
}

// New returns a Courier that tries up to three times.
func New(hc *http.Client) Courier { return &stubborn{hc: hc, attempts: 3} }

type stubborn struct {
	hc       *http.Client
	attempts int
}

func (s *stubborn) Deliver(ctx context.Context, method, url string, body []byte) error {
	var err error
	for n := range s.attempts {
		if err = once(ctx, s.hc, method, url, body); err == nil {
			return nil
		}
		if n < s.attempts-1 && pause(ctx, n) != nil {
			break
		}
	}
	return err
}

func once(ctx context.Context, hc *http.Client, method, url string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return fmt.Errorf("%s %s: %s", method, url, resp.Status)
	}
	return nil
}

func pause(ctx context.Context, n int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(n+1) * 300 * time.Millisecond):
		return nil
	}
}

// Careful delivers as well; it asks another package before it repeats.
type Careful interface {
	Hand(ctx context.Context, method, url string, body []byte) error
}

// NewCareful returns a Careful.
func NewCareful(hc *http.Client) Careful { return &gated{hc: hc} }

type gated struct{ hc *http.Client }

func (g *gated) Hand(ctx context.Context, method, url string, body []byte) error {
	for n := 0; ; n++ {
		err := once(ctx, g.hc, method, url, body)
		if err == nil || n == 3 || !methods.Repeatable(method) || pause(ctx, n) != nil {
			return err
		}
	}
}
