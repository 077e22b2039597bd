package apis

import (
	"slices"
	"time"
)

// aws is the SDK's core, its configuration, and the clients of its services, each
// of which is a module.
func aws() []Library {
	const early = NoAnswer | ServerError | Unavailable
	return []Library{
		awsCore("v1.2.0", "v1.41.13", "v1.41.12", early, time.Second, 0),
		awsCore("v1.42.0", "v1.47.9", "v1.47.8", early, 50*time.Millisecond, Milliseconds),
		awsCore("v1.48.0", "", "v1.48.0", early|TooManyRequests, 50*time.Millisecond, Milliseconds),
		awsConfig(),
		awsServices(),
		awsModels(),
	}
}

// awsPolicy is the standard retryer's. Codes of throttling are tried again in
// every version, whatever their status is. It spends from a bucket that the whole
// client shares: under a lasting outage it sends less than this.
func awsPolicy(after Failure, wait time.Duration, retryAfter RetryAfter) Policy {
	return Policy{
		Name: "standard", Attempts: 3, After: after,
		Wait: wait, Longest: 20 * time.Second, Factor: 2, Jitter: true,
		RetryAfter: retryAfter, // X-Amz-Retry-After, not the header of the RFC
		Context:    Hears, Body: Rewound, Source: "aws/retry/middleware.go:handleAttempt",
	}
}

func awsCore(since, before, read string, after Failure, wait time.Duration, retryAfter RetryAfter) Library {
	return Library{
		Name: "aws-sdk-go-v2", Module: "github.com/aws/aws-sdk-go-v2", Since: since, Before: before, Read: read,
		Policies: []Policy{
			awsPolicy(after, wait, retryAfter),
			{Name: "none", Attempts: 1, Source: "aws/retryer.go:MaxAttempts"},
		},
		Symbols: slices.Concat(
			in("aws",
				symbols(NewPolicy, "none", "NopRetryer"),
				// What is below 0 passes the check that knows 0 only.
				count("standard", None, Count{Zero: Default, Negative: NoLimit}, "Config.RetryMaxAttempts"),
				symbols(WithPolicy, "standard", "Config.Retryer"),
				symbols(Beneath, "standard", "Config.HTTPClient"),
			),
			in("aws/retry",
				symbols(NewPolicy, "standard", "NewStandard", "NewAdaptiveMode"),
				count("standard", None, Count{Zero: Default, Negative: Default}, "StandardOptions.MaxAttempts"),
				count("standard", 1, Count{Zero: NoLimit, Negative: NoLimit}, "AddWithMaxAttempts"),
				at(WithPolicy, "standard", 0, "AddWithMaxAttempts"),
			),
			in("aws/transport/http",
				timeout("", EachAttempt, 0, "BuildableClient.WithTimeout"),
			),
		),
	}
}

func awsConfig() Library {
	return Library{
		Name: "aws-sdk-go-v2", Module: "github.com/aws/aws-sdk-go-v2/config", Read: "v1.33.18",
		Policies: []Policy{awsPolicy(NoAnswer|ServerError|Unavailable, 50*time.Millisecond, 0)},
		Symbols: in("",
			hearing(0, symbols(NewClient, "standard", "LoadDefaultConfig")),
			count("standard", 0, Count{Zero: Default, Negative: NoLimit}, "WithRetryMaxAttempts"),
			at(WithPolicy, "standard", 0, "WithRetryer"),
			at(Beneath, "standard", 0, "WithHTTPClient"),
		),
	}
}

// awsServices is every service's client: its methods are the operations. Those
// that have a member for an idempotency token fill it once for each call.
func awsServices() Library {
	return awsService("github.com/aws/aws-sdk-go-v2/service/*", nil)
}

// awsModels is the service whose operations ask language models.
func awsModels() Library {
	return awsService("github.com/aws/aws-sdk-go-v2/service/bedrockruntime", in("",
		calls(ModelCall, "standard", "Client.Converse", "Client.InvokeModel"),
		calls(ModelStream, "standard", "Client.ConverseStream", "Client.InvokeModelWithResponseStream",
			"Client.InvokeModelWithBidirectionalStream"),
		symbols(Stream, "", "ConverseStreamEventStream.Events", "InvokeModelWithResponseStreamEventStream.Events",
			"InvokeModelWithBidirectionalStreamEventStream.Events"),
	))
}

// awsService says what holds whatever the version of the core is.
func awsService(module string, own []Symbol) Library {
	return Library{
		Name: "aws-sdk-go-v2", Module: module, Read: "v1.63.13",
		Policies: []Policy{awsPolicy(NoAnswer|ServerError|Unavailable, 50*time.Millisecond, 0)},
		Symbols: in("",
			symbols(NewClient, "standard", "New", "NewFromConfig"),
			taking("func(*Options)", calls(Call, "standard", "Client.*")),
			count("standard", None, Count{Zero: Default, Negative: NoLimit}, "Options.RetryMaxAttempts"),
			symbols(WithPolicy, "standard", "Options.Retryer"),
			symbols(Beneath, "standard", "Options.HTTPClient"),
			own,
		),
	}
}
