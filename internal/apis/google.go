package apis

import (
	"slices"
	"time"
)

// gax is beneath Google's generated clients. It repeats nothing unless WithRetry
// gives it a retryer, and that has no bound but the context.
func gax() []Library {
	return []Library{{
		Name: "gax-go", Module: "github.com/googleapis/gax-go/v2", Read: "v2.27.0",
		Policies: []Policy{
			{Name: "invoke", Attempts: 1, Context: Hears, Source: "invoke.go:invoke"},
			{
				// After the codes it is given, which is what After cannot say; and the
				// pause is anything up to Wait.
				Name: "retryer", Attempts: Unlimited, After: Every,
				Wait: time.Second, Longest: 30 * time.Second, Factor: 2, Jitter: true,
				Context: Hears, Source: "call_option.go:Retry",
			},
		},
		Symbols: in("",
			retries("invoke", 1, 0, "Invoke"),
			at(WithPolicy, "retryer", 0, "WithRetry"),
			symbols(NewPolicy, "retryer", "OnCodes", "OnHTTPCodes", "OnErrorFunc"),
			// None, if the context has a deadline already.
			timeout("invoke", WholeCall, 0, "WithTimeout"),
		),
	}}
}

// genai sends once, unless it is given RetryOptions; the services that came with
// Interactions are made by another generator, and try again by themselves.
func genai() []Library {
	once := Policy{Name: "once", Attempts: 1, Context: Hears, Body: Rewound, Source: "api_client.go:doRequest"}
	models := in("",
		hearing(0, symbols(NewClient, "once", "NewClient")),
		symbols(Beneath, "once", "ClientConfig.HTTPClient"),
		calls(ModelCall, "once", "Models.GenerateContent", "Models.GenerateImages", "Models.EditImage",
			"Models.GenerateVideos", "Chat.SendMessage", "Chat.Send"),
		calls(Call, "once", "Models.EmbedContent", "Models.CountTokens", "Models.List", "Models.Get"),
		calls(ModelStream, "once", "Models.GenerateContentStream", "Chat.SendMessageStream", "Chat.SendStream"),
		// One context for all attempts and for the stream's body.
		timeout("once", WholeCall, None, "HTTPOptions.Timeout"),
	)
	return []Library{
		{
			Name: "genai", Module: "google.golang.org/genai", Since: "v1.1.0", Before: "v1.66.1", Read: "v1.66.0",
			Policies: []Policy{once}, Symbols: models,
		},
		{
			Name: "genai", Module: "google.golang.org/genai", Since: "v1.67.0", Read: "v1.77.0",
			Policies: []Policy{
				once,
				{
					Name: "retry", Attempts: 5,
					After: NoAnswer | RequestTimeout | TooManyRequests | ServerError | Unavailable,
					Wait:  time.Second, Longest: time.Minute, Factor: 2, Jitter: true,
					Context: Hears, Body: Rewound, Source: "common.go:retryHTTPRequest",
				},
				{
					Name: "interactions", Attempts: 5, Elapsed: 30 * time.Second,
					// Of what has no answer, a POST is sent again after timeouts only.
					After: RequestTimeout | Conflict | TooManyRequests | ServerError | Unavailable |
						OtherServerErrors | TimedOut,
					Wait: 500 * time.Millisecond, Longest: 8 * time.Second, Factor: 2, Jitter: true,
					RetryAfter: Seconds | Date | Milliseconds,
					Context:    Hears, Body: Rewound, Source: "interactions/internal/utils/retries.go:Retry",
				},
			},
			Symbols: slices.Concat(models,
				in("",
					symbols(NewPolicy, "retry", "HTTPRetryOptions"),
					symbols(WithPolicy, "retry", "HTTPOptions.RetryOptions"),
					count("retry", None, Count{Zero: Off, Negative: Off}, "HTTPRetryOptions.Attempts"),
					symbols(Condition, "retry", "HTTPRetryOptions.HTTPStatusCodes"),
				),
				in("interactions",
					taking("interactions/models/operations.Option", calls(Call, "interactions", "*.*")),
					calls(ModelCall, "interactions", "Interactions.Create"),
				),
				in("interactions/models/operations", at(WithPolicy, "interactions", 0, "WithRetries")),
			),
		},
	}
}

// googleapi are the options of Google's clients.
func googleapi() []Library {
	return []Library{{
		Name: "google-api-go-client", Module: "google.golang.org/api", Read: "v0.309.0",
		Symbols: in("option", at(Beneath, "", 0, "WithHTTPClient")),
	}}
}

// storage tries operations again that may be: all that read, and those that write
// under a condition; WithPolicy makes it all of them, or none. There is no bound
// but the context.
func storage() []Library {
	return []Library{{
		Name: "storage", Module: "cloud.google.com/go/storage", Since: "v1.37.0", Read: "v1.56.0",
		Policies: []Policy{{
			Name: "read", Attempts: Unlimited, Methods: []string{"GET", "HEAD"},
			After: NoAnswer | RequestTimeout | TooManyRequests | ServerError | Unavailable | OtherServerErrors,
			Wait:  time.Second, Longest: 30 * time.Second, Factor: 2, Jitter: true,
			Context: Hears, Source: "invoke.go:run",
		}},
		Symbols: in("",
			hearing(0, symbols(NewClient, "read", "NewClient")),
			calls(Call, "read", "ObjectHandle.Attrs", "ObjectHandle.NewReader", "ObjectHandle.NewRangeReader",
				"BucketHandle.Attrs"),
			count("read", 0, Count{Zero: Off, Negative: Off}, "WithMaxAttempts"),
			at(Methods, "read", 0, "WithPolicy"),
			at(Condition, "read", 0, "WithErrorFunc"),
			at(WithPolicy, "read", 0, "Client.SetRetry", "BucketHandle.Retryer", "ObjectHandle.Retryer"),
		),
	}}
}
