package apis

import "slices"

func failsafe() []Library {
	executor := []string{
		"Executor.Run", "Executor.RunWithExecution", "Executor.Get", "Executor.GetWithExecution",
		"Executor.RunAsync", "Executor.RunAsyncWithExecution", "Executor.GetAsync", "Executor.GetAsyncWithExecution",
	}
	return []Library{{
		Name: "failsafe-go", Module: "github.com/failsafe-go/failsafe-go", Since: "v0.9.4", Read: "v0.9.8",
		Policies: []Policy{
			{
				// What it does is said by the policies it was made with.
				Name: "executor", Attempts: 0, After: Every, Context: OnOption, Source: "executor.go:executeSync",
			},
			{
				Name: "retry", Attempts: 3, After: Every, Context: OnOption, Source: "retrypolicy/retryexecutor.go:Apply",
			},
			{
				Name: "http", Attempts: 3,
				After:      NoAnswer | TooManyRequests | ServerError | Unavailable | OtherServerErrors,
				RetryAfter: Seconds, // after 429 and 503; with no header there is no pause
				Context:    Hears, Body: Rewound, Source: "failsafehttp/policy.go:NewRetryPolicyBuilder",
			},
			{
				Name: "hedge", Attempts: 2, Context: OnOption, Source: "hedgepolicy/hedgeexecutor.go:Apply",
			},
		},
		Symbols: slices.Concat(
			in("",
				at(WithPolicy, "executor", 0, "With"),
				retries("executor", 0, None, executor...),
				hearing(0, symbols(WithContext, "executor", "Executor.WithContext")),
			),
			in("retrypolicy",
				symbols(NewPolicy, "retry", "NewWithDefaults", "NewBuilder"),
				// -1 alone is without a limit, what is below it is off; so 0 attempts
				// are without one, too.
				count("retry", 0, Count{Plus: 1, Zero: Off, Negative: NoLimit}, "Builder.WithMaxRetries"),
				count("retry", 0, Count{Zero: NoLimit, Negative: NoLimit}, "Builder.WithMaxAttempts"),
				elapsed("retry", 0, NoLimit, "Builder.WithMaxDuration"),
				at(Condition, "retry", 0, "Builder.AbortIf", "Builder.AbortOnErrors", "Builder.AbortOnResult"),
			),
			in("", at(Condition, "retry", 0, "FailurePolicyBuilder.HandleIf", "FailurePolicyBuilder.HandleErrors",
				"FailurePolicyBuilder.HandleErrorTypes", "FailurePolicyBuilder.HandleResult")),
			in("failsafehttp",
				symbols(NewPolicy, "http", "NewRetryPolicyBuilder"),
				at(NewClient, "executor", 0, "NewRoundTripper", "NewRoundTripperWithExecutor"),
				at(WithPolicy, "executor", 1, "NewRoundTripper", "NewRoundTripperWithExecutor"),
				at(NewClient, "executor", 1, "NewRequest", "NewRequestWithExecutor"),
				at(WithPolicy, "executor", 2, "NewRequest", "NewRequestWithExecutor"),
				symbols(Call, "executor", "Request.Do"),
			),
			in("hedgepolicy",
				symbols(Hedge, "hedge", "NewWithDelay", "NewWithDelayFunc", "NewWithDelayQuantile",
					"NewBuilderWithDelay", "NewBuilderWithDelayFunc", "NewBuilderWithDelayQuantile"),
				count("hedge", 0, Count{Plus: 1, Zero: Off, Negative: Panics}, "Builder.WithMaxHedges"),
			),
			in("circuitbreaker", symbols(Breaker, "", "NewWithDefaults", "NewBuilder")),
		),
	}}
}
