package apis

// gogithub waits for the end of a rate limit, and sends once more, if the context
// carries the key for it; else it sends once.
func gogithub() []Library {
	return []Library{{
		Name: "go-github", Module: "github.com/google/go-github/v85", Read: "v85.0.0",
		Policies: []Policy{{Name: "once", Attempts: 1, Context: Hears, Source: "github/github.go:bareDo"}},
		Symbols: in("github",
			at(NewClient, "once", 0, "NewClient"),
			calls(Call, "once", "Client.Do", "Client.BareDo"),
		),
	}}
}
