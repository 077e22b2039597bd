package apis

import "time"

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
