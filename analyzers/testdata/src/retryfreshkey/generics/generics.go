// Package generics lends books through generic helpers, generic clients, and
// types under other names.
package generics

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	ids "retryfreshkey/uuid"
)

type (
	// Request is net/http's.
	Request = http.Request

	// Op is one attempt at something that has a result.
	Op[T any] = func(ctx context.Context) (T, error)

	// Key is a key by a type of its own.
	Key string

	// Note is another name for the text of a key.
	Note = string
)

const idem Note = "Idempotency-Key"

// Loan is what is lent.
type Loan struct {
	Book   string `json:"book"`
	Reader string `json:"reader"`
}

// Receipt is the answer.
type Receipt struct {
	ID string `json:"id"`
}

// Retry calls op until it succeeds, n times at most.
func Retry[T any](ctx context.Context, n int, op Op[T]) (T, error) {
	var (
		v   T
		err error
	)
	for i := 0; i < n; i++ {
		if v, err = op(ctx); err == nil {
			return v, nil
		}
		select {
		case <-ctx.Done():
			return v, ctx.Err()
		case <-time.After(time.Duration(i+1) * time.Second):
		}
	}
	return v, err
}

// Timed calls op once.
func Timed[T any](ctx context.Context, d time.Duration, op Op[T]) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return op(ctx)
}

// Client posts In and reads Out.
type Client[In, Out any] struct {
	hc   *http.Client
	path string
}

// Fresh makes a key of any text type.
func Fresh[K ~string]() K { return K(ids.NewString()) }

// Create is one attempt under a key.
func (c *Client[In, Out]) Create(ctx context.Context, key Key, in In) (out Out, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	var req *Request
	req, err = http.NewRequestWithContext(ctx, http.MethodPost, c.path, bytes.NewReader(body))
	if err != nil {
		return out, err
	}
	req.Header.Set(idem, string(key))
	resp, err := c.hc.Do(req)
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		return out, fmt.Errorf("library: %s", resp.Status)
	}
	err = json.NewDecoder(resp.Body).Decode(&out)
	return out, err
}

// CreateNew makes the key itself.
func (c *Client[In, Out]) CreateNew(ctx context.Context, in In) (Out, error) {
	return c.Create(ctx, Fresh[Key](), in)
}

// CreateRetrying repeats below the type parameters.
func (c *Client[In, Out]) CreateRetrying(ctx context.Context, in In) (out Out, err error) {
	for range 3 {
		if out, err = c.CreateNew(ctx, in); err == nil { // want `made anew`
			return out, nil
		}
	}
	return out, err
}

// CreateRetryingOnce does so under one key.
func (c *Client[In, Out]) CreateRetryingOnce(ctx context.Context, in In) (out Out, err error) {
	key := Fresh[Key]()
	for range 3 {
		if out, err = c.Create(ctx, key, in); err == nil {
			return out, nil
		}
	}
	return out, err
}

// Desk lends books.
type Desk struct {
	loans *Client[Loan, Receipt]
}

// Lend makes the key inside the operation.
func (d *Desk) Lend(ctx context.Context, l Loan) (Receipt, error) {
	return Retry(ctx, 3, func(ctx context.Context) (Receipt, error) {
		return d.loans.Create(ctx, Fresh[Key](), l) // want `made anew`
	})
}

// LendOnce makes it outside.
func (d *Desk) LendOnce(ctx context.Context, l Loan) (Receipt, error) {
	key := Fresh[Key]()
	return Retry(ctx, 3, func(ctx context.Context) (Receipt, error) {
		return d.loans.Create(ctx, key, l)
	})
}

// LendExplicit writes the type, and calls the method that makes the key.
func (d *Desk) LendExplicit(ctx context.Context, l Loan) (Receipt, error) {
	return Retry[Receipt](ctx, 3, func(ctx context.Context) (Receipt, error) {
		return d.loans.CreateNew(ctx, l) // want `made anew`
	})
}

// LendTimed calls it once.
func (d *Desk) LendTimed(ctx context.Context, l Loan) (Receipt, error) {
	return Timed(ctx, time.Minute, func(ctx context.Context) (Receipt, error) {
		return d.loans.CreateNew(ctx, l)
	})
}

// Batch is a body with a key beside its items.
type Batch[T any] struct {
	IdempotencyKey Key `json:"idempotency_key"`
	Items          []T `json:"items"`
}

// Batches lends many.
type Batches = Client[Batch[Loan], []Receipt]

// LendMany fills the key of a generic body, inside.
func LendMany(ctx context.Context, c *http.Client, url string, loans []Loan) error {
	op := func(ctx context.Context) (int, error) {
		b := Batch[Loan]{Items: loans}
		b.IdempotencyKey = Fresh[Key]() // want `made anew`
		return send(ctx, c, url, b)
	}
	_, err := Retry(ctx, 4, op)
	return err
}

// LendManyOnce fills it before.
func LendManyOnce(ctx context.Context, c *http.Client, url string, loans []Loan) error {
	b := Batch[Loan]{IdempotencyKey: Fresh[Key](), Items: loans}
	_, err := Retry(ctx, 4, func(ctx context.Context) (int, error) { return send(ctx, c, url, b) })
	return err
}

func send[T any](ctx context.Context, c *http.Client, url string, v T) (int, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return resp.StatusCode, fmt.Errorf("library: %s", resp.Status)
	}
	return resp.StatusCode, nil
}

// LendByBatch uses the alias of an instance.
func LendByBatch(ctx context.Context, c *Batches, loans []Loan) (out []Receipt, err error) {
	for range 3 {
		if out, err = c.CreateNew(ctx, Batch[Loan]{Items: loans}); err == nil { // want `made anew`
			return out, nil
		}
	}
	return nil, err
}
