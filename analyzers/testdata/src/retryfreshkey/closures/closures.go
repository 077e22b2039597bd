// Package closures ships parcels through retry helpers of its own, which call a
// function again after it failed.
package closures

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"retryfreshkey/uuid"
)

// Parcel is what is shipped.
type Parcel struct {
	To    string `json:"to"`
	Grams int    `json:"grams"`
}

// Carrier takes parcels.
type Carrier struct {
	hc   *http.Client
	base string
}

// again calls f until it succeeds, n times at most.
func again(ctx context.Context, n int, f func() error) error {
	var err error
	for i := range n {
		if err = f(); err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		time.Sleep(time.Duration(i+1) * 250 * time.Millisecond)
	}
	return err
}

// measured calls f a single time.
func measured(name string, f func() error) error {
	began := time.Now()
	err := f()
	println(name, time.Since(began).Milliseconds(), err == nil)
	return err
}

// Policy says how often something is tried.
type Policy struct {
	Attempts int
	Pause    func(attempt int) time.Duration
}

// Run calls f up to Attempts times, with the context of each attempt.
func (p Policy) Run(ctx context.Context, f func(ctx context.Context, attempt int) error) error {
	for n := 1; ; n++ {
		actx, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := f(actx, n)
		cancel()
		if err == nil || n >= p.Attempts || ctx.Err() != nil {
			return err
		}
		time.Sleep(p.Pause(n))
	}
}

// send posts one parcel under a key.
func (c *Carrier) send(ctx context.Context, key string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/parcels", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Idempotency-Key", key)
	resp, err := c.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		return fmt.Errorf("carrier: %s", resp.Status)
	}
	return nil
}

// ship makes the key itself.
func (c *Carrier) ship(ctx context.Context, p Parcel) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return c.send(ctx, uuid.NewString(), body)
}

// Inside makes the key inside the closure.
func (c *Carrier) Inside(ctx context.Context, p Parcel) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return again(ctx, 3, func() error {
		return c.send(ctx, uuid.NewString(), body) // want `made anew`
	})
}

// Outside captures a key that was made before.
func (c *Carrier) Outside(ctx context.Context, p Parcel) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	key := uuid.NewString()
	return again(ctx, 3, func() error {
		return c.send(ctx, key, body)
	})
}

// Overwritten captures a key, and writes another over it.
func (c *Carrier) Overwritten(ctx context.Context, p Parcel) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	key := uuid.NewString()
	return again(ctx, 3, func() error {
		key = uuid.NewString() // want `made anew`
		return c.send(ctx, key, body)
	})
}

// RenewedAfter writes another one once the operation is over.
func (c *Carrier) RenewedAfter(ctx context.Context, parcels []Parcel) error {
	key := uuid.NewString()
	for _, p := range parcels {
		body, err := json.Marshal(p)
		if err != nil {
			return err
		}
		if err := again(ctx, 3, func() error { return c.send(ctx, key, body) }); err != nil {
			return err
		}
		key = uuid.NewString()
	}
	return nil
}

// ThroughMethod calls a method that makes the key.
func (c *Carrier) ThroughMethod(ctx context.Context, p Parcel) error {
	return again(ctx, 4, func() error {
		return c.ship(ctx, p) // want `made anew`
	})
}

// CalledOnce hands the same to a helper that does not repeat.
func (c *Carrier) CalledOnce(ctx context.Context, p Parcel) error {
	return measured("ship", func() error {
		return c.ship(ctx, p)
	})
}

// pickup asks for a collection; the key is made here.
func (c *Carrier) pickup() error {
	return c.send(context.Background(), uuid.NewString(), []byte(`{"pickup":true}`))
}

// MethodValue hands the method over by its name.
func (c *Carrier) MethodValue(ctx context.Context) error {
	return again(ctx, 3, c.pickup) // want `made anew`
}

// MethodValueOnce hands it to the helper that does not repeat.
func (c *Carrier) MethodValueOnce() error {
	return measured("pickup", c.pickup)
}

// ByPolicy runs under a policy's method, with the context of the attempt.
func (c *Carrier) ByPolicy(ctx context.Context, p Parcel) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	policy := Policy{Attempts: 4, Pause: func(n int) time.Duration { return time.Duration(n) * time.Second }}
	return policy.Run(ctx, func(ctx context.Context, _ int) error {
		key := uuid.NewString() // want `made anew`
		return c.send(ctx, key, body)
	})
}

// ByPolicyNumbered gives each attempt a number for the log, and one key.
func (c *Carrier) ByPolicyNumbered(ctx context.Context, p Parcel) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	key := uuid.NewString()
	policy := Policy{Attempts: 4, Pause: func(n int) time.Duration { return time.Duration(n) * time.Second }}
	return policy.Run(ctx, func(ctx context.Context, attempt int) error {
		println("attempt", attempt, uuid.NewString())
		return c.send(ctx, key, body)
	})
}

// ByPolicyAttempt puts the number of the attempt into the key.
func (c *Carrier) ByPolicyAttempt(ctx context.Context, order string, p Parcel) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	policy := Policy{Attempts: 3, Pause: func(int) time.Duration { return time.Second }}
	return policy.Run(ctx, func(ctx context.Context, attempt int) error {
		return c.send(ctx, fmt.Sprintf("%s-%d", order, attempt), body) // want `made anew`
	})
}

// Variable keeps the closure in a variable, and the loop is here.
func (c *Carrier) Variable(ctx context.Context, p Parcel) (err error) {
	attempt := func() error {
		body, err := json.Marshal(p)
		if err != nil {
			return err
		}
		return c.send(ctx, uuid.NewString(), body) // want `made anew`
	}
	for range 3 {
		if err = attempt(); err == nil {
			return nil
		}
	}
	return err
}

// Returned makes a function that has its key already.
func (c *Carrier) Returned(ctx context.Context, p Parcel) func() error {
	key := uuid.NewString()
	return func() error {
		body, err := json.Marshal(p)
		if err != nil {
			return err
		}
		return again(ctx, 3, func() error { return c.send(ctx, key, body) })
	}
}

// PerParcel repeats per parcel; each has a key of its own.
func (c *Carrier) PerParcel(ctx context.Context, parcels []Parcel) error {
	for _, p := range parcels {
		body, err := json.Marshal(p)
		if err != nil {
			return err
		}
		key := uuid.NewString()
		if err := again(ctx, 3, func() error { return c.send(ctx, key, body) }); err != nil {
			return fmt.Errorf("parcel to %s: %w", p.To, err)
		}
	}
	return nil
}
