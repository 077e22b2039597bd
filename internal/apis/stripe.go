package apis

import (
	"slices"
	"time"
)

// stripe has a module for each of its API's versions. What is tried again has
// changed: up to v76 a POST was, after 409, 503 and what is not the API's, other
// methods after every 5xx (the rows say what holds for all); up to v81 every 5xx
// counted for a POST as well; since v82 an error that the API itself describes is
// tried again only for a lock that timed out, and what is not the API's (a
// proxy's page) always.
//
// The SDK makes an idempotency key for every writing call that has none, and
// keeps it over its own attempts; a loop around the call gets a new one each time.
func stripe() []Library {
	const always = NoAnswer | Garbled
	var all []Library
	for _, m := range []struct {
		major, read string
		after       Failure
	}{
		{"v74", "v74.30.0", always | Conflict},
		{"v75", "v75.11.0", always | Conflict},
		{"v76", "v76.25.0", always | Conflict},
		{"v78", "v78.12.0", always | Conflict | ServerError | Unavailable | OtherServerErrors},
		{"v79", "v79.12.0", always | Conflict | ServerError | Unavailable | OtherServerErrors},
		{"v80", "v80.2.1", always | Conflict | ServerError | Unavailable | OtherServerErrors},
		{"v81", "v81.4.0", always | Conflict | ServerError | Unavailable | OtherServerErrors},
		{"v82", "v82.5.1", always},
		{"v83", "v83.2.1", always},
		{"v84", "v84.4.1", always},
		{"v85", "v85.0.0", always},
	} {
		rows := stripeSymbols()
		if m.major >= "v82" {
			rows = append(rows, in("",
				symbols(NewClient, "backend", "NewClient"),
				calls(Call, "backend", "v1ChargeService.Create", "v1CheckoutSessionService.Create",
					"v1CustomerService.Create", "v1InvoiceService.Create", "v1PaymentIntentService.Create",
					"v1PayoutService.Create", "v1RefundService.Create", "v1SubscriptionService.Create",
					"v1TransferService.Create"),
				taking("context.Context", calls(Call, "backend", "*.*")),
			)...)
		}
		all = append(all, Library{
			Name: "stripe-go", Module: "github.com/stripe/stripe-go/" + m.major, Read: m.read,
			Policies: []Policy{{
				Name: "backend", Attempts: 3, After: m.after,
				Wait: 500 * time.Millisecond, Longest: 5 * time.Second, Jitter: true,
				Context: Deaf, // it looks before it sleeps
				Body:    Rewound, Source: "stripe.go:requestWithRetriesAndTelemetry",
				Timeout: 80 * time.Second, Keyed: true, // stripe.go:defaultHTTPTimeout
			}},
			Symbols: rows,
		})
	}
	return all
}

// stripeSymbols are what every major has.
func stripeSymbols() []Symbol {
	rows := in("",
		symbols(NewClient, "backend", "GetBackend", "GetBackendWithConfig"),
		at(NewClient, "backend", 0, "NewBackends"),
		at(Beneath, "backend", 0, "SetHTTPClient"),
		symbols(Beneath, "backend", "BackendConfig.HTTPClient"),
		count("backend", None, Count{Plus: 1, Zero: Off, Negative: Off}, "BackendConfig.MaxNetworkRetries"),
		symbols(Call, "backend", "Backend.Call", "Backend.CallRaw", "Backend.CallMultipart", "Backend.CallStreaming",
			"BackendImplementation.Call", "BackendImplementation.CallRaw",
			"BackendImplementation.CallMultipart", "BackendImplementation.CallStreaming"),
		at(Key, "backend", 0, "Params.SetIdempotencyKey"),
		symbols(Key, "backend", "Params.IdempotencyKey"),
		symbols(Generator, "", "NewIdempotencyKey"),
	)
	// What is called most, so that it is known without the SDK's own source.
	for _, pkg := range []string{
		"charge", "checkout/session", "customer", "invoice", "paymentintent", "payout", "refund", "subscription",
		"transfer",
	} {
		rows = slices.Concat(rows, in(pkg, symbols(Call, "backend", "New", "Client.New")))
	}
	return rows
}
