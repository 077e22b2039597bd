package apis

import "time"

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
