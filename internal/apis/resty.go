package apis

import "time"

func resty() []Library {
	return []Library{resty2()}
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
