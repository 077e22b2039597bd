// Package book writes into a ledger under policies of another package.
package book

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"retrynokey/across/ledger/backoff"
	"retrynokey/across/ledger/errs"
)

// Book is one ledger.
type Book struct {
	hc     *http.Client
	base   string
	policy *backoff.Policy
}

// New keeps a policy in a field.
func New(base string) *Book {
	return &Book{hc: http.DefaultClient, base: base, policy: &backoff.Policy{Attempts: 6, Base: time.Second}}
}

func (b *Book) append(ctx context.Context, line []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.base+"/lines", bytes.NewReader(line))
	if err != nil {
		return err
	}
	return errs.Of(b.hc.Do(req))
}

// Literal writes the policy out.
func (b *Book) Literal(ctx context.Context, line []byte) error {
	return backoff.Run(ctx, backoff.Policy{Attempts: 3, Base: 50 * time.Millisecond}, func(ctx context.Context) error {
		return b.append(ctx, line) // want "\\(up to 3 attempts\\) without an idempotency key"
	})
}

// Variable takes the policy of the package.
func (b *Book) Variable(ctx context.Context, line []byte) error {
	return backoff.Run(ctx, backoff.Default, func(ctx context.Context) error {
		return b.append(ctx, line) // want "without an idempotency key"
	})
}

// Field takes its own.
func (b *Book) Field(ctx context.Context, line []byte) error {
	return b.policy.Do(ctx, func(ctx context.Context) error {
		return b.append(ctx, line) // want "without an idempotency key"
	})
}

// Changed sets one field later.
func (b *Book) Changed(ctx context.Context, line []byte) error {
	p := backoff.None()
	p.Attempts = 5
	p.Retry = func(err error) bool { return !errs.Throttled(err) }
	return backoff.Run(ctx, p, func(ctx context.Context) error {
		return b.append(ctx, line) // want "without an idempotency key"
	})
}

// Once is silent: the policy is one attempt.
func (b *Book) Once(ctx context.Context, line []byte) error {
	return backoff.Run(ctx, backoff.None(), func(ctx context.Context) error {
		return b.append(ctx, line)
	})
}

// Zero is silent: a policy that says nothing is one attempt.
func (b *Book) Zero(ctx context.Context, line []byte) error {
	return backoff.Run(ctx, backoff.Policy{}, func(ctx context.Context) error {
		return b.append(ctx, line)
	})
}

// Throttled is silent: only a refusal is repeated, and who tells it stands in a
// third package.
func (b *Book) Throttled(ctx context.Context, line []byte) error {
	p := backoff.Policy{Attempts: 6, Base: time.Second, Retry: errs.Throttled}
	return backoff.Run(ctx, p, func(ctx context.Context) error {
		return b.append(ctx, line)
	})
}

// Numbered is silent: the line has a number, and the ledger has it once.
func (b *Book) Numbered(ctx context.Context, number string, line []byte) error {
	return b.policy.Do(ctx, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, b.base+"/lines/"+number, bytes.NewReader(line))
		if err != nil {
			return err
		}
		return errs.Of(b.hc.Do(req))
	})
}
