package apis

import "time"

func retryablehttp() []Library {
	return []Library{
		retryablehttpSince("v0.7.0", "v0.7.6", "v0.7.5", Seconds),
		retryablehttpSince("v0.7.7", "", "v0.7.8", Seconds|Date),
	}
}

// retryablehttpSince has the forms of Retry-After that a range of versions obeys,
// after 429 and 503, however long the wait is. Before v0.7.0 a 429 was final.
func retryablehttpSince(since, before, read string, retryAfter RetryAfter) Library {
	return Library{
		Name: "go-retryablehttp", Module: "github.com/hashicorp/go-retryablehttp",
		Since: since, Before: before, Read: read,
		Policies: []Policy{{
			Name: "client", Attempts: 5,
			// After it has given up, the answer is an error: a policy around it sees
			// a request that failed, whatever the status was.
			After: NoAnswer | TooManyRequests | ServerError | Unavailable | OtherServerErrors,
			Wait:  time.Second, Longest: 30 * time.Second, Factor: 2,
			RetryAfter: retryAfter, Context: Hears, Body: Rewound,
			Source: "client.go:Do",
		}},
		Symbols: in("",
			symbols(NewClient, "client", "NewClient"),
			symbols(NewClient, "client", "RoundTripper"), // with no Client of its own
			at(Call, "client", 0, "Client.Do", "RoundTripper.RoundTrip"),
			symbols(Call, "client", "Client.Get", "Client.Head", "Client.Post", "Client.PostForm",
				"Get", "Head", "Post", "PostForm"), // without a context
			symbols(AsHTTP, "client", "Client.StandardClient"),
			count("client", None, Count{Plus: 1, Zero: Off, Negative: Off}, "Client.RetryMax"),
			symbols(Condition, "client", "Client.CheckRetry"),
			symbols(Beneath, "client", "Client.HTTPClient"),
			symbols(PerAttempt, "client", "Client.RequestLogHook", "Client.PrepareRetry"),
		),
	}
}
