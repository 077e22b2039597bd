package apis

import (
	"slices"
	"time"
)

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
