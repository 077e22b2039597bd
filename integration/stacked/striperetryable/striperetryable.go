// Package striperetryable gives stripe-go a client that retries.
package striperetryable

import (
	"context"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/stripe/stripe-go/v85"
)

// Call reads the balance at base once.
func Call(base string) error {
	rc := retryablehttp.NewClient()
	rc.Logger = nil
	rc.RetryMax = 2
	rc.RetryWaitMin = time.Millisecond
	rc.RetryWaitMax = time.Millisecond
	api := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
		URL:           stripe.String(base),
		HTTPClient:    rc.StandardClient(),
		LeveledLogger: &stripe.LeveledLogger{},
	})
	client := stripe.NewClient("none", stripe.WithBackends(&stripe.Backends{API: api}))
	_, err := client.V1Balance.Retrieve(context.Background(), nil)
	return err
}
