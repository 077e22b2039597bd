package apis

import "slices"

func heimdall() []Library {
	// Two packages with the same surface: httpclient is the plain one, hystrix
	// sends through it and opens a breaker.
	client := func(pkg string) []Symbol {
		return in(pkg,
			symbols(NewClient, pkg, "NewClient"),
			at(Call, pkg, 0, "Client.Do"),
			// These make their request without a context.
			symbols(Call, pkg, "Client.Get", "Client.Post", "Client.Put", "Client.Patch", "Client.Delete"),
			// A negative number sends nothing, and says that all is well.
			count(pkg, 0, Count{Plus: 1, Zero: Off}, "WithRetryCount"),
			at(Beneath, pkg, 0, "WithHTTPClient"),
		)
	}
	policy := Policy{
		Name: "httpclient", Attempts: 1,
		After:   NoAnswer | ServerError | Unavailable | OtherServerErrors,
		Context: Deaf, // it also sleeps after the last attempt
		Body:    Rewound, Source: "httpclient/client.go:Do",
	}
	breaking := policy
	breaking.Name, breaking.Source = "hystrix", "hystrix/hystrix_client.go:Do"
	return []Library{{
		Name: "heimdall", Module: "github.com/gojek/heimdall/v7", Read: "v7.0.3",
		Policies: []Policy{policy, breaking},
		Symbols: slices.Concat(
			client("httpclient"),
			in("httpclient",
				at(PerAttempt, "httpclient", 0, "Client.AddPlugin"),
				timeout("httpclient", EachAttempt, 0, "WithHTTPTimeout"),
			),
			client("hystrix"),
			in("hystrix",
				symbols(Breaker, "", "NewClient"),
				at(PerAttempt, "hystrix", 0, "Client.AddPlugin"),
				// When it fires the request goes on, beside the next attempt. There is
				// a WithHTTPTimeout, too, which nothing reads.
				timeout("hystrix", EachHeaders, 0, "WithHystrixTimeout"),
			),
		),
	}}
}
