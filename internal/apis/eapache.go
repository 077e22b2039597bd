package apis

import "slices"

func eapache() []Library {
	run := []Symbol{}
	run = append(run, retries("retrier", 0, None, "Retrier.Run")...)
	run = append(run, retries("retrier", 1, 0, "Retrier.RunCtx", "Retrier.RunFn")...)
	return []Library{{
		Name: "go-resiliency", Module: "github.com/eapache/go-resiliency", Read: "v1.7.0",
		Policies: []Policy{{
			// The pauses that it is given are also the number of retries.
			Name: "retrier", After: Every, Context: OnOption, Source: "retrier/retrier.go:RunFn",
		}},
		Symbols: slices.Concat(
			in("retrier", run,
				symbols(NewPolicy, "retrier", "New"),
				count("retrier", 0, Count{Plus: 1, Zero: Off}, "New"),
				count("retrier", None, Count{Zero: NoLimit}, "Retrier.WithInfiniteRetry"),
				at(Condition, "retrier", 1, "New"),
			),
			in("breaker", symbols(Breaker, "", "New")),
		),
	}}
}
