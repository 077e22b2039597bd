// Package stripenew makes a client of Stripe's for each attempt: a fresh
// connection was thought to help.
package stripenew

import (
	"context"
	"fmt"

	"github.com/stripe/stripe-go/v85"
)

// Call takes a payment at base.
func Call(base string) error {
	var err error
	for attempt := 1; attempt <= 2; attempt++ {
		backends := &stripe.Backends{API: stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
			URL:           stripe.String(base),
			LeveledLogger: &stripe.LeveledLogger{},
		})}
		client := stripe.NewClient("none", stripe.WithBackends(backends))
		if err = pay(context.Background(), client); err == nil {
			return nil
		}
	}
	return fmt.Errorf("payment: %w", err)
}

func pay(ctx context.Context, client *stripe.Client) error {
	_, err := client.V1PaymentIntents.Create(ctx, &stripe.PaymentIntentCreateParams{
		Amount:   stripe.Int64(1250),
		Currency: stripe.String("eur"),
	})
	return err
}
