// Package loops pays tolls and tries again. The shape of the loop differs, and
// on which side of it the key is made.
package loops

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"time"

	"retryfreshkey/uuid"
)

const keyHeader = "Idempotency-Key"

var errUnpaid = errors.New("toll not paid")

// Gate is the service of a toll operator.
type Gate struct {
	hc     *http.Client
	base   string
	hosts  []string
	budget time.Duration
}

// StatusError is an answer that is no success.
type StatusError int

func (e StatusError) Error() string { return "toll operator: " + http.StatusText(int(e)) }

// check closes the answer, and says whether the toll was taken.
func check(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode >= 300 {
		return StatusError(resp.StatusCode)
	}
	return nil
}

// passing says whether another attempt may go better.
func passing(err error) bool {
	var status StatusError
	if errors.As(err, &status) {
		return status >= 500
	}
	return true
}

func wait(ctx context.Context, n int) error {
	t := time.NewTimer(100 * time.Millisecond << n)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *Gate) request(ctx context.Context, host string, toll []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, host+"/tolls", bytes.NewReader(toll))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// Counted makes the key where it sets the header.
func (g *Gate) Counted(ctx context.Context, toll []byte) error {
	var err error
	for i := 0; i < 3; i++ {
		var req *http.Request
		req, err = g.request(ctx, g.base, toll)
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", uuid.NewString()) // want `made anew`
		err = check(g.hc.Do(req))
		if err == nil || !passing(err) {
			return err
		}
		if werr := wait(ctx, i); werr != nil {
			return werr
		}
	}
	return err
}

// CountedOnce makes it one line above the loop.
func (g *Gate) CountedOnce(ctx context.Context, toll []byte) error {
	var err error
	key := uuid.NewString()
	for i := 0; i < 3; i++ {
		var req *http.Request
		req, err = g.request(ctx, g.base, toll)
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", key)
		err = check(g.hc.Do(req))
		if err == nil || !passing(err) {
			return err
		}
		if werr := wait(ctx, i); werr != nil {
			return werr
		}
	}
	return err
}

// Elapsed has no count: the time that was spent ends it.
func (g *Gate) Elapsed(ctx context.Context, toll []byte) error {
	began := time.Now()
	for n := 0; ; n++ {
		key := uuid.NewString() // want `made anew`
		req, err := g.request(ctx, g.base, toll)
		if err != nil {
			return err
		}
		req.Header.Set(keyHeader, key)
		if err = check(g.hc.Do(req)); err == nil || !passing(err) {
			return err
		}
		if time.Since(began) > g.budget {
			return err
		}
		if err := wait(ctx, n); err != nil {
			return err
		}
	}
}

// UntilCaller goes on until the caller leaves.
func (g *Gate) UntilCaller(ctx context.Context, toll []byte) error {
	for ctx.Err() == nil {
		req, err := g.request(ctx, g.base, toll)
		if err != nil {
			return err
		}
		req.Header[keyHeader] = []string{uuid.New().String()} // want `made anew`
		if err := check(g.hc.Do(req)); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return ctx.Err()
}

// UntilCallerOnce sets the header of a template, and clones the template.
func (g *Gate) UntilCallerOnce(ctx context.Context, toll []byte) error {
	h := make(http.Header)
	h.Set("Accept", "application/json")
	h.Set(keyHeader, uuid.NewString())
	for ctx.Err() == nil {
		req, err := g.request(ctx, g.base, toll)
		if err != nil {
			return err
		}
		req.Header = h.Clone()
		if err := check(g.hc.Do(req)); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return ctx.Err()
}

// Recursive calls itself with one attempt less.
func (g *Gate) Recursive(ctx context.Context, toll []byte, left int) error {
	req, err := g.request(ctx, g.base, toll)
	if err != nil {
		return err
	}
	req.Header.Set(keyHeader, uuid.NewString()) // want `made anew`
	err = check(g.hc.Do(req))
	if err != nil && passing(err) && left > 1 {
		if werr := wait(ctx, left); werr != nil {
			return werr
		}
		return g.Recursive(ctx, toll, left-1)
	}
	return err
}

// Pay starts a recursion that hands the key on.
func (g *Gate) Pay(ctx context.Context, toll []byte) error {
	return g.pay(ctx, uuid.NewString(), toll, 3)
}

func (g *Gate) pay(ctx context.Context, key string, toll []byte, left int) error {
	req, err := g.request(ctx, g.base, toll)
	if err != nil {
		return err
	}
	req.Header.Set(keyHeader, key)
	err = check(g.hc.Do(req))
	if err != nil && passing(err) && left > 1 {
		if werr := wait(ctx, left); werr != nil {
			return werr
		}
		return g.pay(ctx, key, toll, left-1)
	}
	return err
}

// Jump has no for.
func (g *Gate) Jump(ctx context.Context, toll []byte) error {
	tries := 0
again:
	tries++
	req, err := g.request(ctx, g.base, toll)
	if err != nil {
		return err
	}
	req.Header.Set(keyHeader, uuid.NewString()) // want `made anew`
	if err = check(g.hc.Do(req)); err != nil && tries < 4 && passing(err) {
		time.Sleep(time.Second)
		goto again
	}
	return err
}

// Failover sends one toll to the next host, under another key.
func (g *Gate) Failover(ctx context.Context, toll []byte) error {
	for _, host := range g.hosts {
		req, err := g.request(ctx, host, toll)
		if err != nil {
			return err
		}
		req.Header.Set(keyHeader, uuid.NewString()) // want `made anew`
		if err := check(g.hc.Do(req)); err == nil {
			return nil
		}
	}
	return errUnpaid
}

// FailoverOnce sends it to the next host under the key of the first.
func (g *Gate) FailoverOnce(ctx context.Context, toll []byte) error {
	key := uuid.NewString()
	for _, host := range g.hosts {
		req, err := g.request(ctx, host, toll)
		if err != nil {
			return err
		}
		req.Header.Set(keyHeader, key)
		if err := check(g.hc.Do(req)); err == nil {
			return nil
		}
	}
	return errUnpaid
}

// attempts yields the numbers of the attempts, and waits between them.
func attempts(ctx context.Context, max int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := range max {
			if n > 0 && wait(ctx, n) != nil {
				return
			}
			if !yield(n) {
				return
			}
		}
	}
}

// Iterated ranges over a function.
func (g *Gate) Iterated(ctx context.Context, toll []byte) error {
	last := errUnpaid
	for range attempts(ctx, 4) {
		req, err := g.request(ctx, g.base, toll)
		if err != nil {
			return err
		}
		req.Header.Set(keyHeader, uuid.NewString()) // want `made anew`
		if last = check(g.hc.Do(req)); last == nil {
			return nil
		}
	}
	return last
}

// IteratedOnce does so with a key made before.
func (g *Gate) IteratedOnce(ctx context.Context, toll []byte) error {
	last := errUnpaid
	key := uuid.NewString()
	for range attempts(ctx, 4) {
		req, err := g.request(ctx, g.base, toll)
		if err != nil {
			return err
		}
		req.Header.Set(keyHeader, key)
		if last = check(g.hc.Do(req)); last == nil {
			return nil
		}
	}
	return last
}

// ThroughHelper keeps building, stamping and sending in a function that takes
// the toll; the loop only calls it.
func (g *Gate) ThroughHelper(ctx context.Context, toll []byte) (err error) {
	for i := range 5 {
		if err = g.attempt(ctx, toll); err == nil || !passing(err) { // want `made anew`
			return err
		}
		if werr := wait(ctx, i); werr != nil {
			return errors.Join(err, werr)
		}
	}
	return err
}

func (g *Gate) attempt(ctx context.Context, toll []byte) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := g.request(ctx, g.base, toll)
	if err != nil {
		return err
	}
	req.Header.Set(keyHeader, uuid.NewString())
	return check(g.hc.Do(req))
}

// Single calls the same function, once: a key per call is right.
func (g *Gate) Single(ctx context.Context, toll []byte) error {
	return g.attempt(ctx, toll)
}
