// Package desk puts the two together.
package desk

import (
	"context"
	"net/http"

	"stackedretry/across/ink"
	"stackedretry/across/press"
)

// Desk has a well of its own.
type Desk struct{ well *ink.Well }

// New makes a desk.
func New() *Desk { return &Desk{&ink.Well{Client: http.DefaultClient}} }

// Blue fetches blue ink.
func (d *Desk) Blue(ctx context.Context) ([]byte, error) {
	return press.Again(ctx, 5, func(ctx context.Context) ([]byte, error) {
		return d.well.Fetch(ctx, "blue") // want `up to 5 × 3 = 15 requests for one call: press.Again tries again what ink.Well.Fetch \(.*ink.go:\d+\) has already tried again`
	})
}

// Red fetches red ink by a method value.
func (d *Desk) Red(ctx context.Context) ([]byte, error) {
	return press.Again(ctx, 2, d.red) // want `up to 2 × 3 = 6 requests`
}

func (d *Desk) red(ctx context.Context) ([]byte, error) { return d.well.Fetch(ctx, "red") }

// Green is fetched once.
func (d *Desk) Green(ctx context.Context) ([]byte, error) { return d.well.Fetch(ctx, "green") }
