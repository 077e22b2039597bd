// Package pier has a client of which only the environment knows whether it
// tries again.
package pier

import (
	"context"
	"net/http"

	"github.com/hardy/persist"

	"retrynokey/across/lido/api"
	"retrynokey/across/lido/trace"
)

// Pier rents out chairs on a pier.
type Pier struct{ api *api.Client }

// Open opens a pier.
func Open() *Pier { return &Pier{api.New(trace.Maybe())} }

// Rent sends once, or more often.
func (p *Pier) Rent(ctx context.Context, row string) error {
	return p.api.Chairs.Rent(ctx, row)
}

// probe asks again and again, whether the pier is open.
func probe() (*http.Response, error) {
	return persist.New().Standard().Get("https://lido.example/open")
}
