package apis

func hedgedhttp() []Library {
	upto := Count{Zero: Off, Negative: Panics}
	return []Library{{
		Name: "hedgedhttp", Module: "github.com/cristalhq/hedgedhttp", Read: "v0.9.2",
		Policies: []Policy{{
			// A request that fails lets the next one go at once; an answer, whatever
			// its status, ends them all. Every attempt reads the same body.
			Name: "hedge", After: NoAnswer,
			Context: Hears, Body: Consumed, Source: "hedged.go:RoundTrip",
		}},
		Symbols: in("",
			symbols(Hedge, "hedge", "New"),
			at(Hedge, "hedge", 2, "NewClient", "NewClientAndStats", "NewRoundTripper", "NewRoundTripperAndStats"),
			count("hedge", 1, upto, "NewClient", "NewClientAndStats", "NewRoundTripper", "NewRoundTripperAndStats"),
			count("hedge", None, upto, "Config.Upto"),
			symbols(Beneath, "hedge", "Config.Transport"),
			at(Call, "hedge", 0, "Client.Do", "Client.RoundTrip"),
		),
	}}
}
