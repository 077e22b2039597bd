package apis

import "time"

// backoff is cenkalti's. Its v4 takes a value that says how long to wait, and
// when to stop, and asks it anew after every failure; v5 takes options.
func backoff() []Library {
	return []Library{backoff4(), backoff5()}
}

func backoff4() Library {
	given := Policy{Name: "given", After: Every, Context: OnOption, Source: "retry.go:doRetryNotify"}
	exponential := Policy{
		Name: "exponential", Attempts: Unlimited, Elapsed: 15 * time.Minute, After: Every,
		Wait: 500 * time.Millisecond, Longest: time.Minute, Factor: 1.5, Jitter: true,
		Context: OnOption, Source: "exponential.go:NewExponentialBackOff",
	}
	constant := Policy{
		Name: "constant", Attempts: Unlimited, After: Every, Factor: 1,
		Context: OnOption, Source: "backoff.go:NewConstantBackOff",
	}
	v4 := []string{
		"Retry", "RetryWithData", "RetryNotify", "RetryNotifyWithData",
		"RetryNotifyWithTimer", "RetryNotifyWithTimerAndData",
	}
	none := Policy{Name: "none", Attempts: 1, Source: "backoff.go:NextBackOff"}
	return Library{
		Name: "backoff", Module: "github.com/cenkalti/backoff/v4", Read: "v4.3.0",
		Policies: []Policy{given, exponential, constant, none},
		Symbols: in("",
			retries("given", 0, None, v4...),
			at(WithPolicy, "given", 1, v4...),
			symbols(NewPolicy, "exponential", "NewExponentialBackOff"),
			symbols(NewPolicy, "constant", "NewConstantBackOff", "ConstantBackOff", "ZeroBackOff"),
			symbols(NewPolicy, "none", "StopBackOff"),
			count("given", 1, Count{Plus: 1, Zero: Off}, "WithMaxRetries"),
			elapsed("exponential", None, NoLimit, "ExponentialBackOff.MaxElapsedTime"),
			hearing(1, at(WithContext, "given", 0, "WithContext")),
			at(Final, "given", 0, "Permanent"),
		),
	}
}

func backoff5() Library {
	return Library{
		Name: "backoff", Module: "github.com/cenkalti/backoff/v5", Read: "v5.0.3",
		Policies: []Policy{{
			Name: "retry", Attempts: Unlimited, Elapsed: 15 * time.Minute, After: Every,
			Wait: 500 * time.Millisecond, Longest: time.Minute, Factor: 1.5, Jitter: true,
			Context: Hears, Source: "retry.go:Retry",
		}},
		Symbols: in("",
			retries("retry", 1, 0, "Retry"),
			count("retry", 0, Count{Zero: NoLimit}, "WithMaxTries"),
			elapsed("retry", 0, NoLimit, "WithMaxElapsedTime"),
			at(Final, "retry", 0, "Permanent"),
		),
	}
}
