package apis

import "slices"

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
