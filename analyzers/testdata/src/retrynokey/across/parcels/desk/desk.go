// Package desk is an application that knows neither net/http's client nor a
// loop: it calls one package through another.
package desk

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"retrynokey/across/parcels/again"
	"retrynokey/across/parcels/client"
)

// Desk takes in parcels.
type Desk struct{ service *client.Client }

// New opens a desk.
func New(base string) *Desk { return &Desk{service: client.New(base)} }

// Damage reports a damaged parcel.
type Damage struct {
	Parcel string `json:"parcel"`
	Cents  int64  `json:"cents"`
}

// Claim asks for the money.
func (d *Desk) Claim(ctx context.Context, dm Damage) error {
	body, err := json.Marshal(dm)
	if err != nil {
		return err
	}
	return again.Run(ctx, 3, func(ctx context.Context) error {
		return d.service.Send(ctx, "POST", "/claims", body) // want "without an idempotency key"
	})
}

// Amend changes one.
func (d *Desk) Amend(ctx context.Context, claim string, body []byte) error {
	amend := func(ctx context.Context) error {
		return d.service.Send(ctx, "PATCH", "/claims/"+claim, body) // want "PATCH .*without an idempotency key"
	}
	return again.Run(ctx, 3, amend)
}

// ClaimKeyed is silent: each attempt carries the key of the claim.
func (d *Desk) ClaimKeyed(ctx context.Context, dm Damage) error {
	body, err := json.Marshal(dm)
	if err != nil {
		return err
	}
	key := rand.Text()
	return again.Run(ctx, 3, func(ctx context.Context) error {
		return d.service.SendKeyed(ctx, key, "POST", "/claims", body)
	})
}

// Withdraw is silent: a claim that is gone is gone.
func (d *Desk) Withdraw(ctx context.Context, claim string) error {
	return again.Run(ctx, 3, func(ctx context.Context) error {
		return d.service.Send(ctx, "DELETE", "/claims/"+claim, nil)
	})
}

// ClaimAll is silent: it goes over claims, and each is sent once.
func (d *Desk) ClaimAll(ctx context.Context, all []Damage) (failed int) {
	for _, dm := range all {
		body, err := json.Marshal(dm)
		if err != nil {
			failed++
			continue
		}
		if err := d.service.Send(ctx, "POST", "/claims", body); err != nil {
			failed++
		}
	}
	return failed
}
