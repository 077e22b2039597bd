package apis

func rehttp() []Library {
	return []Library{{
		Name: "rehttp", Module: "github.com/PuerkitoBio/rehttp", Read: "v1.4.0",
		Policies: []Policy{{
			// It asks its function after every answer, also after a good one, and
			// goes on for as long as that says so.
			Name: "transport", Attempts: Unlimited, After: Every,
			Context: Hears, Body: Rewound, Source: "rehttp.go:RoundTrip",
		}},
		Symbols: in("",
			at(NewClient, "transport", 0, "NewTransport"),
			at(Call, "transport", 0, "Transport.RoundTrip"),
			// It bounds only together with the other conditions (RetryAll); one of
			// several (RetryAny) it adds to them.
			count("transport", 0, Count{Plus: 1, Zero: Off, Negative: Off}, "RetryMaxRetries"),
			at(Methods, "transport", 0, "RetryHTTPMethods"),
			at(Condition, "transport", 0, "RetryStatuses", "RetryIsErr"),
			symbols(Condition, "transport", "RetryStatusInterval", "RetryTemporaryErr", "RetryTimeoutErr"),
			symbols(Beneath, "transport", "Transport.RoundTripper"),
			timeout("transport", EachAttempt, None, "Transport.PerAttemptTimeout"),
		),
	}}
}
