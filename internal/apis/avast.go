package apis

import (
	"slices"
	"time"
)

// avast is github.com/avast/retry-go: v4 has functions, v5 a type that is made
// from the same options.
func avast() []Library {
	return []Library{
		avastMajor("v4", "v4.7.0", "retry.go:DoWithData",
			retries("do", 0, None, "Do", "DoWithData")),
		avastMajor("v5", "v5.1.1", "retry.go:doWithData", slices.Concat(
			symbols(NewPolicy, "do", "New", "NewWithData"),
			retries("do", 0, None, "Retrier.Do", "RetrierWithData.Do"))),
	}
}

func avastMajor(major, read, source string, own []Symbol) Library {
	return Library{
		Name: "retry-go", Module: "github.com/avast/retry-go/" + major, Read: read,
		Policies: []Policy{{
			Name: "do", Attempts: 10, After: Every,
			Wait: 100 * time.Millisecond, Factor: 2, Jitter: true,
			Context: OnOption, Source: source,
		}},
		Symbols: in("", own,
			count("do", 0, Count{Zero: NoLimit}, "Attempts"),
			count("do", None, Count{Zero: NoLimit}, "UntilSucceeded"),
			at(Condition, "do", 0, "RetryIf"),
			at(Final, "do", 0, "Unrecoverable"),
			hearing(0, symbols(WithContext, "do", "Context")),
		),
	}
}
