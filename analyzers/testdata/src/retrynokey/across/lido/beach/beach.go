// Package beach gives the API a client that tries again: it is here that the
// two meet.
package beach

import (
	"context"

	"github.com/hardy/persist"

	"retrynokey/across/lido/api"
	"retrynokey/across/lido/trace"
)

// Beach rents out what there is.
type Beach struct {
	api   *api.Client
	plain *api.Client
	rows  map[string]bool
}

// Open opens a beach.
func Open(seal string) (*Beach, error) {
	c := persist.New()
	c.Max = 2
	once := persist.New()
	once.Max = 0
	return &Beach{
		api:   api.New(trace.Wrap(api.Signed(c.Standard(), seal))),
		plain: api.New(trace.Wrap(once.Standard())),
		rows:  map[string]bool{},
	}, nil
}

// Rent goes through the client that tries again, by way of two other transports.
func (b *Beach) Rent(ctx context.Context, row string) error {
	b.rows[row] = true
	return b.api.Chairs.Rent(ctx, row) // want `POST is sent again after a timeout, a connection reset or a 5xx response \(by Do, .*persist.go:\d+\) \(up to 3 attempts\) without an idempotency key`
}

// Free only asks.
func (b *Beach) Free(ctx context.Context, row string) error {
	return b.api.Chairs.Free(ctx, row)
}

// Pitch goes through a client that tries once.
func (b *Beach) Pitch(ctx context.Context, row string) error {
	return b.plain.Tents.Pitch(ctx, row)
}
