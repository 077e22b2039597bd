package apis

import "slices"

// The libraries here send once, and repeat nothing: they are in the tables for
// what they call, and for the client beneath them.

// goopenai is sashabaranov's.
func goopenai() []Library {
	return []Library{{
		Name: "go-openai", Module: "github.com/sashabaranov/go-openai", Read: "v1.43.0",
		Policies: []Policy{{Name: "once", Attempts: 1, Context: Hears, Source: "client.go:sendRequest"}},
		Symbols: in("",
			symbols(NewClient, "once", "NewClient", "NewClientWithConfig", "NewOrgClient"),
			symbols(Beneath, "once", "ClientConfig.HTTPClient"),
			calls(ModelCall, "once", "Client.CreateChatCompletion", "Client.CreateCompletion", "Client.CreateResponse"),
			calls(ModelStream, "once", "Client.CreateChatCompletionStream", "Client.CreateCompletionStream",
				"Client.CreateResponseStream"),
			calls(Call, "once", "Client.CreateEmbeddings", "Client.CreateImage", "Client.CreateEditImage",
				"Client.CreateVariImage", "Client.CreateTranscription", "Client.CreateTranslation", "Client.CreateSpeech",
				"Client.Moderations", "Client.CreateThread", "Client.CreateRun", "Client.CreateThreadAndRun",
				"Client.CreateMessage", "Client.CreateFile", "Client.CreateFileBytes", "Client.CreateBatch",
				"Client.CreateAssistant", "Client.CreateFineTuningJob", "Client.CreateVectorStore",
				"Client.ListModels", "Client.GetModel", "Client.RetrieveRun"),
			symbols(Stream, "", "streamReader.Recv", "streamReader.RecvRaw"),
		),
	}}
}

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

// langchain has the same interface for many models. Those named here send once;
// which one an interface value is, and what that one does, its symbols do not say.
func langchain() []Library {
	model := func(pkg string) []Symbol {
		return in(pkg,
			calls(ModelCall, "once", "LLM.GenerateContent", "LLM.Call"),
			at(Beneath, "once", 0, "WithHTTPClient"),
		)
	}
	return []Library{{
		Name: "langchaingo", Module: "github.com/tmc/langchaingo", Read: "v0.1.14",
		Policies: []Policy{{
			Name: "once", Attempts: 1, Context: Hears, Source: "llms/openai/internal/openaiclient/chat.go:createChat",
		}},
		Symbols: slices.Concat(
			in("llms",
				calls(ModelCall, "", "GenerateFromSinglePrompt", "Model.GenerateContent", "Model.Call"),
				at(Stream, "", 0, "WithStreamingFunc", "WithStreamingReasoningFunc"),
			),
			model("llms/openai"), model("llms/anthropic"), model("llms/ollama"),
		),
	}}
}

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

// keys are the generators of what is used as an idempotency key: new for each
// call, so that one inside an attempt is another for the next. Names that are made
// of what they name (UUIDs of versions 3 and 5) are not among them.
func keys() []Library {
	generators := func(name, module, read string, names ...string) Library {
		return Library{Name: name, Module: module, Read: read, Symbols: in("", symbols(Generator, "", names...))}
	}
	return []Library{
		generators("uuid", "github.com/google/uuid", "v1.6.0",
			"New", "NewString", "NewRandom", "NewUUID", "NewV6", "NewV7", "NewRandomFromReader", "NewV7FromReader"),
		generators("uuid", "github.com/gofrs/uuid/v5", "v5.5.1", "NewV1", "NewV4", "NewV6", "NewV7"),
		generators("ulid", "github.com/oklog/ulid/v2", "v2.1.2", "Make", "New", "MustNew", "MustNewDefault"),
		generators("xid", "github.com/rs/xid", "v1.6.0", "New"),
		generators("ksuid", "github.com/segmentio/ksuid", "v1.0.4", "New", "NewRandom"),
	}
}
