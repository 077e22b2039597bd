package apis

import (
	"slices"
	"time"
)

func azcore() []Library {
	return []Library{
		azcoreSince("v1.0.0", "v1.1.3", "v1.1.2", 4*time.Second, 2*time.Minute, Seconds|Date),
		azcoreSince("v1.1.4", "v1.9.1", "v1.9.0", 800*time.Millisecond, time.Minute, Seconds|Date),
		azcoreSince("v1.9.1", "", "v1.24.0", 800*time.Millisecond, time.Minute, Seconds|Date|Milliseconds),
	}
}

// azcoreSince is the pipeline of every client of the SDK. A header that asks for
// more than the longest pause ends the attempts.
func azcoreSince(since, before, read string, wait, longest time.Duration, retryAfter RetryAfter) Library {
	return Library{
		Name: "azcore", Module: "github.com/Azure/azure-sdk-for-go/sdk/azcore",
		Since: since, Before: before, Read: read,
		Policies: []Policy{{
			Name: "retry", Attempts: 4,
			After: NoAnswer | RequestTimeout | TooManyRequests | ServerError | Unavailable,
			// The pauses grow as 1, 3, 7, ... times the first.
			Wait: wait, Longest: longest, Jitter: true,
			RetryAfter: retryAfter, Context: Hears, Body: Rewound,
			Source: "runtime/policy_retry.go:Do",
		}},
		Symbols: slices.Concat(
			in("policy",
				symbols(NewPolicy, "retry", "RetryOptions"),
				count("retry", None, Count{Plus: 1, Zero: Default, Negative: Off}, "RetryOptions.MaxRetries"),
				timeout("retry", EachAttempt, None, "RetryOptions.TryTimeout"),
				symbols(Condition, "retry", "RetryOptions.StatusCodes", "RetryOptions.ShouldRetry"),
				hearing(0, at(WithPolicy, "retry", 1, "WithRetryOptions")),
				symbols(WithPolicy, "retry", "ClientOptions.Retry"),
				symbols(Beneath, "retry", "ClientOptions.Transport"),
				symbols(PerAttempt, "retry", "ClientOptions.PerRetryPolicies"),
			),
			in("runtime",
				symbols(NewPolicy, "retry", "NewRetryPolicy"),
				at(WithPolicy, "retry", 0, "NewRetryPolicy"),
				symbols(NewClient, "retry", "NewPipeline"),
			),
			in("internal/exported", at(Call, "retry", 0, "Pipeline.Do")),
		),
	}
}
