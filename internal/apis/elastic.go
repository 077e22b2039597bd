package apis

// elastic is the transport beneath the clients of Elasticsearch. Each attempt may
// go to another node.
func elastic() []Library {
	return []Library{{
		Name: "elastic-transport-go", Module: "github.com/elastic/elastic-transport-go/v8", Read: "v8.8.0",
		Policies: []Policy{{
			Name: "transport", Attempts: 4, After: NoAnswer | Unavailable,
			Context: Hears, Body: Rewound, Source: "elastictransport/elastictransport.go:Perform",
		}},
		Symbols: in("elastictransport",
			symbols(NewClient, "transport", "New"),
			at(Call, "transport", 0, "Client.Perform"),
			// Below 0 nothing is sent, and nothing says so.
			count("transport", None, Count{Plus: 1, Zero: Default}, "Config.MaxRetries"),
			symbols(Disable, "transport", "Config.DisableRetry"),
			symbols(Condition, "transport", "Config.RetryOnStatus", "Config.RetryOnError"),
			symbols(Beneath, "transport", "Config.Transport"),
		),
	}}
}
