package libraries

import (
	"context"
	"net/http"

	stripe74 "github.com/stripe/stripe-go/v74"
	charge74 "github.com/stripe/stripe-go/v74/charge"
	stripe81 "github.com/stripe/stripe-go/v81"
	charge81 "github.com/stripe/stripe-go/v81/charge"
	stripe85 "github.com/stripe/stripe-go/v85"
	charge85 "github.com/stripe/stripe-go/v85/charge"
)

// stripes are one major of each kind that the table tells apart.
func stripes() []specimen {
	return []specimen{
		{
			module: "github.com/stripe/stripe-go/v74", policy: "backend", fixed: "POST", garbled: page,
			also: []string{"503", "503 with Retry-After"},
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				b := stripe74.GetBackendWithConfig(stripe74.APIBackend, &stripe74.BackendConfig{
					HTTPClient: c, URL: stripe74.String(base), LeveledLogger: &stripe74.LeveledLogger{},
				})
				params := &stripe74.ChargeParams{Amount: stripe74.Int64(100)}
				params.Context = ctx
				_, err := charge74.Client{B: b, Key: "k"}.New(params)
				return err
			},
		},
		{
			module: "github.com/stripe/stripe-go/v81", policy: "backend", fixed: "POST", garbled: page,
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				b := stripe81.GetBackendWithConfig(stripe81.APIBackend, &stripe81.BackendConfig{
					HTTPClient: c, URL: stripe81.String(base), LeveledLogger: &stripe81.LeveledLogger{},
				})
				params := &stripe81.ChargeParams{Amount: stripe81.Int64(100)}
				params.Context = ctx
				_, err := charge81.Client{B: b, Key: "k"}.New(params)
				return err
			},
		},
		{
			module: "github.com/stripe/stripe-go/v85", policy: "backend", fixed: "POST", garbled: page,
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				return charge(ctx, c, nil)
			},
		},
	}
}

// charge makes one charge with the newest major.
func charge(ctx context.Context, c *http.Client, retries *int64) error {
	b := stripe85.GetBackendWithConfig(stripe85.APIBackend, &stripe85.BackendConfig{
		HTTPClient: c, URL: stripe85.String(base), MaxNetworkRetries: retries,
		LeveledLogger: &stripe85.LeveledLogger{},
	})
	params := &stripe85.ChargeParams{Amount: stripe85.Int64(100)}
	params.Context = ctx
	//lint:ignore SA1019 what is deprecated is still called
	_, err := charge85.Client{B: b, Key: "k"}.New(params)
	return err
}
