package apis

import (
	"slices"
	"time"
)

// openai is the official SDK. Its majors differ in how a wait ends, and a little
// in the services they have.
func openai() []Library {
	third := append(openaiServices(),
		calls(ModelCall, "request", "BetaResponseService.New", "BetaResponseService.Compact"),
		calls(ModelStream, "request", "BetaResponseService.NewStreaming"),
		calls(ModelStream, "request", "ImageService.GenerateStreaming", "ImageService.EditStreaming"),
	)
	packages := []string{"responses", "conversations", "realtime", "live"}
	return []Library{
		openaiMajor("", "", "", "v1.12.0", Deaf, openaiServices(), []string{"responses"}),
		openaiMajor("/v2", "", "", "v2.7.1", Deaf, openaiServices(), []string{"responses", "conversations", "realtime"}),
		openaiMajor("/v3", "", "v3.22.1", "v3.22.0", Deaf, third, packages),
		openaiMajor("/v3", "v3.23.0", "", "v3.99.0", Hears, third, packages),
	}
}

// openaiMajor is what the majors have in common. A request whose body cannot be
// made anew is sent once; the header x-should-retry of an answer goes before its
// status.
func openaiMajor(major, since, before, read string, heard Heard, services [][]Symbol, packages []string) Library {
	const options = "internal/requestconfig.RequestOption"
	rows := in("", services...)
	for _, pkg := range append([]string{""}, packages...) {
		rows = append(rows, in(pkg, taking(options, calls(Call, "request", "*.*")))...)
	}
	rows = append(rows, in("responses",
		calls(ModelCall, "request", "ResponseService.New"),
		calls(ModelStream, "request", "ResponseService.NewStreaming"))...)
	rows = append(rows, in("", symbols(NewClient, "request", "NewClient"))...)
	rows = append(rows, stainless("request")...)
	return Library{
		Name: "openai-go", Module: "github.com/openai/openai-go" + major,
		Since: since, Before: before, Read: read,
		Policies: []Policy{{
			Name: "request", Attempts: 3,
			After: NoAnswer | RequestTimeout | Conflict | TooManyRequests | ServerError | Unavailable | OtherServerErrors,
			Wait:  500 * time.Millisecond, Longest: 8 * time.Second, Factor: 2, Jitter: true,
			RetryAfter: Seconds | Date | Milliseconds,
			Context:    heard, Body: Rewound,
			Source: "internal/requestconfig/requestconfig.go:Execute",
		}},
		Symbols: rows,
	}
}

// openaiServices are the calls that every major has.
func openaiServices() [][]Symbol {
	return [][]Symbol{
		calls(ModelCall, "request", "ChatCompletionService.New", "CompletionService.New"),
		calls(ModelStream, "request", "ChatCompletionService.NewStreaming", "CompletionService.NewStreaming"),
	}
}

// stainless are the options of the SDKs that one generator makes, and how their
// streams are read.
func stainless(policy string) []Symbol {
	return slices.Concat(
		in("option",
			count(policy, 0, Count{Plus: 1, Zero: Off, Negative: Panics}, "WithMaxRetries"),
			at(Beneath, policy, 0, "WithHTTPClient"),
			at(PerAttempt, policy, 0, "WithMiddleware"),
			at(Header, policy, 0, "WithHeader", "WithHeaderAdd"),
			timeout(policy, EachAttempt, 0, "WithRequestTimeout"),
		),
		in("packages/ssestream", symbols(Stream, "", "Stream.Next")),
	)
}
