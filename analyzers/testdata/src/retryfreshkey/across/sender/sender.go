// Package sender has its own HTTP client and loop, and lets another package
// build the requests.
package sender

import (
	"context"
	"io"
	"net/http"

	"retryfreshkey/across/client"
	"retryfreshkey/across/ids"
)

// Sender sends what a client builds.
type Sender struct {
	hc *http.Client
	c  *client.Client
}

func ok(resp *http.Response, err error) bool {
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode < 500
}

// Send asks the builder in every round.
func (s *Sender) Send(ctx context.Context, p client.Pension) (bool, error) {
	for range 3 {
		req, err := s.c.NewRequest(ctx, p) // want `made anew`
		if err != nil {
			return false, err
		}
		if ok(s.hc.Do(req)) {
			return true, nil
		}
	}
	return false, nil
}

// SendKeyed gives the builder a key.
func (s *Sender) SendKeyed(ctx context.Context, p client.Pension) (bool, error) {
	key := ids.Of(p.Person, p.Month)
	for range 3 {
		req, err := s.c.Request(ctx, key, p)
		if err != nil {
			return false, err
		}
		if ok(s.hc.Do(req)) {
			return true, nil
		}
	}
	return false, nil
}

// SendOverwritten asks the builder in every round, and sets its own key over
// the builder's.
func (s *Sender) SendOverwritten(ctx context.Context, p client.Pension) (bool, error) {
	key := ids.New("over")
	for range 3 {
		req, err := s.c.NewRequest(ctx, p)
		if err != nil {
			return false, err
		}
		req.Header.Set("Idempotency-Key", key)
		if ok(s.hc.Do(req)) {
			return true, nil
		}
	}
	return false, nil
}

// SendReplaced gives the builder a key that is the same, and sets another one
// over it in every round.
func (s *Sender) SendReplaced(ctx context.Context, p client.Pension) (bool, error) {
	key := ids.Of(p.Person, p.Month)
	for range 3 {
		req, err := s.c.Request(ctx, key, p)
		if err != nil {
			return false, err
		}
		req.Header.Set("Idempotency-Key", ids.New("again")) // want `made anew`
		if ok(s.hc.Do(req)) {
			return true, nil
		}
	}
	return false, nil
}
