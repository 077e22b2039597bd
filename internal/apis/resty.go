package apis

import "time"

func resty() []Library {
	return []Library{resty2(), resty3()}
}

// resty2 repeats nothing until it is given a number. One condition replaces the
// default, which is every error of the transport and no status.
func resty2() Library {
	number := Count{Plus: 1, Zero: Off} // below 0 nothing is sent at all
	client := Policy{
		Name: "client", Attempts: 1, After: NoAnswer,
		Wait: 100 * time.Millisecond, Longest: 2 * time.Second, Factor: 2, Jitter: true,
		Context: Hears, Body: ReadersConsumed, Source: "request.go:Execute",
	}
	loop := client
	loop.Name, loop.Attempts, loop.After, loop.Body, loop.Source = "backoff", 4, Every, NoBody, "retry.go:Backoff"
	loop.Context = OnOption // that of the request in the answer, if there is one
	return Library{
		Name: "resty", Module: "github.com/go-resty/resty/v2", Since: "v2.3.0", Read: "v2.17.2",
		Policies: []Policy{client, loop},
		Symbols: in("",
			symbols(NewClient, "client", "New"),
			at(NewClient, "client", 0, "NewWithClient"),
			symbols(Call, "client", "Request.Get", "Request.Head", "Request.Post", "Request.Put", "Request.Patch",
				"Request.Delete", "Request.Options", "Request.Send", "Request.Execute"),
			count("client", 0, number, "Client.SetRetryCount"),
			count("client", None, number, "Client.RetryCount"),
			at(Condition, "client", 0, "Client.AddRetryCondition", "Request.AddRetryCondition"),
			symbols(Condition, "client", "Client.RetryConditions", "Client.AddRetryAfterErrorCondition"),
			at(Beneath, "client", 0, "Client.SetTransport"),
			at(PerAttempt, "client", 0, "Client.OnBeforeRequest", "Client.SetPreRequestHook"),
			at(Header, "client", 0, "Client.SetHeader", "Request.SetHeader",
				"Client.SetHeaderVerbatim", "Request.SetHeaderVerbatim"),
			hearing(0, symbols(WithContext, "client", "Request.SetContext")),
			timeout("client", EachAttempt, 0, "Client.SetTimeout"),
			retries("backoff", 0, None, "Backoff"),
			count("backoff", 0, number, "Retries"),
		),
	}
}

// resty3 repeats methods that may be repeated, unless it is told otherwise, and
// by default only after what says of itself that it is temporary: timeouts. What
// answers is tried again on conditions that the caller adds.
func resty3() Library {
	number := Count{Plus: 1, Zero: Off, Negative: Off}
	readOnly := []string{"GET", "HEAD", "OPTIONS", "QUERY", "TRACE"}
	return Library{
		Name: "resty", Module: "resty.dev/v3", Since: "v3.0.0-rc.4", Read: "v3.0.0-rc.4",
		Policies: []Policy{
			{
				Name: "client", Attempts: 1, After: TimedOut,
				Methods: []string{"DELETE", "GET", "HEAD", "OPTIONS", "PUT", "QUERY", "TRACE"},
				Wait:    100 * time.Millisecond, Longest: 2 * time.Second, Factor: 2, Jitter: true,
				RetryAfter: Seconds | Date, // after 429 and 503
				Context:    Hears, Body: Rewound, Source: "request.go:Execute",
			},
			{
				Name: "hedge", Attempts: 3, Methods: readOnly,
				Wait: 50 * time.Millisecond, Factor: 1,
				Context: Hears, Source: "hedging.go:RoundTrip",
			},
			{
				// The connection alone is made again, not a stream that breaks off.
				Name: "sse", Attempts: 4, After: TimedOut | TooManyRequests | ServerError | Unavailable | OtherServerErrors,
				Wait: 100 * time.Millisecond, Longest: 2 * time.Second, Factor: 2, Jitter: true,
				RetryAfter: Seconds | Date, Context: OnOption, Source: "sse.go:connect",
			},
		},
		Symbols: in("",
			symbols(NewClient, "client", "New", "NewWithTransportSettings", "NewWithDialer",
				"NewWithLocalAddr", "NewWithDialerAndTransportSettings"),
			at(NewClient, "client", 0, "NewWithClient"),
			symbols(Call, "client", "Request.Get", "Request.Head", "Request.Post", "Request.Put", "Request.Patch",
				"Request.Delete", "Request.Options", "Request.Trace", "Request.Query", "Request.Send", "Request.Execute"),
			count("client", 0, number, "Client.SetRetryCount", "Request.SetRetryCount"),
			count("client", None, number, "Request.RetryCount"),
			at(Methods, "client", 0, "Client.SetRetryAllowNonIdempotent", "Request.SetRetryAllowNonIdempotent"),
			at(Condition, "client", 0, "Client.AddRetryConditions", "Request.AddRetryConditions",
				"Request.SetRetryConditions"),
			symbols(Condition, "client", "Client.SetRetryDefaultConditions", "Request.SetRetryDefaultConditions"),
			at(Beneath, "client", 0, "Client.SetTransport"),
			at(PerAttempt, "client", 0, "Client.AddRequestMiddleware", "Client.SetRequestMiddlewares"),
			at(Header, "client", 0, "Client.SetHeader", "Request.SetHeader",
				"Client.SetHeaderVerbatim", "Request.SetHeaderVerbatim"),
			hearing(0, symbols(WithContext, "client", "Request.SetContext", "Request.WithContext", "Client.SetContext")),
			// Nothing is bounded if the context of the request has a deadline already.
			timeout("client", EachAttempt, 0, "Client.SetTimeout", "Request.SetTimeout"),
			at(Hedge, "hedge", 0, "Client.SetHedging"),
			symbols(NewPolicy, "hedge", "NewHedging"),
			count("hedge", 0, Count{Zero: Off, Negative: Off}, "Hedging.SetMaxRequest"),
			at(Methods, "hedge", 0, "Hedging.SetNonReadOnlyAllowed"),
			symbols(Breaker, "", "NewCircuitBreakerCount", "NewCircuitBreakerRatio"),
			symbols(NewClient, "sse", "NewSSESource"),
			symbols(Call, "sse", "SSESource.Get"),
			symbols(Stream, "sse", "SSESource.Get"),
			hearing(0, symbols(WithContext, "sse", "SSESource.SetContext")),
			count("sse", 0, Count{Plus: 1, Zero: Off}, "SSESource.SetRetryCount"),
		),
	}
}
