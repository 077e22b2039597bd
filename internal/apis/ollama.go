package apis

// ollama gives the pieces of an answer to a function. It ends without an error
// also when the stream was cut off.
func ollama() []Library {
	return []Library{{
		Name: "ollama", Module: "github.com/ollama/ollama", Read: "v0.17.4",
		Policies: []Policy{{Name: "once", Attempts: 1, Context: Hears, Source: "api/client.go:stream"}},
		Symbols: in("api",
			symbols(NewClient, "once", "ClientFromEnvironment"),
			at(NewClient, "once", 1, "NewClient"),
			hearing(0, at(ModelStream, "once", 2, "Client.Chat", "Client.Generate")),
			calls(Call, "once", "Client.Embed", "Client.Embeddings", "Client.Pull", "Client.Push", "Client.Create",
				"Client.List", "Client.Show", "Client.Delete", "Client.Copy"),
		),
	}}
}
