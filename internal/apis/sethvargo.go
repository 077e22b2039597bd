package apis

func sethvargo() []Library {
	return []Library{{
		Name: "go-retry", Module: "github.com/sethvargo/go-retry", Read: "v0.5.0",
		Policies: []Policy{
			{Name: "given", After: Marked, Context: Hears, Source: "retry.go:DoValue"},
			{Name: "constant", Attempts: Unlimited, After: Marked, Factor: 1, Context: Hears, Source: "backoff_constant.go:NewConstant"},
			{Name: "exponential", Attempts: Unlimited, After: Marked, Factor: 2, Context: Hears, Source: "backoff_exponential.go:NewExponential"},
			// Each pause is the sum of the two before it.
			{Name: "fibonacci", Attempts: Unlimited, After: Marked, Context: Hears, Source: "backoff_fibonacci.go:NewFibonacci"},
		},
		Symbols: in("",
			retries("given", 2, 0, "Do", "DoValue"),
			at(WithPolicy, "given", 1, "Do", "DoValue"),
			retries("constant", 2, 0, "Constant"),
			retries("exponential", 2, 0, "Exponential"),
			retries("fibonacci", 2, 0, "Fibonacci"),
			symbols(NewPolicy, "constant", "NewConstant"),
			symbols(NewPolicy, "exponential", "NewExponential"),
			symbols(NewPolicy, "fibonacci", "NewFibonacci"),
			// It counts for as long as it lives, not anew for each Do.
			count("given", 0, Count{Plus: 1, Zero: Off}, "WithMaxRetries"),
			elapsed("given", 0, Off, "WithMaxDuration"),
			at(Again, "given", 0, "RetryableError"),
		),
	}}
}
