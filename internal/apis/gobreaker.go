package apis

// gobreaker is sony's. A breaker refuses; it repeats nothing.
func gobreaker() []Library {
	return []Library{
		{
			Name: "gobreaker", Module: "github.com/sony/gobreaker", Read: "v1.0.0",
			Symbols: in("", symbols(Breaker, "", "NewCircuitBreaker", "NewTwoStepCircuitBreaker")),
		},
		{
			Name: "gobreaker", Module: "github.com/sony/gobreaker/v2", Read: "v2.4.0",
			Symbols: in("", symbols(Breaker, "", "NewCircuitBreaker", "NewTwoStepCircuitBreaker",
				"NewDistributedCircuitBreaker")),
		},
	}
}
