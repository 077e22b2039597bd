package apis

import (
	"slices"
	"time"
)

func cohere() []Library {
	const options = "core.RequestOption"
	var rows []Symbol
	for _, pkg := range []string{
		"client", "v2", "connectors", "datasets", "embedjobs", "finetuning/client", "models",
	} {
		rows = slices.Concat(rows, in(pkg,
			symbols(NewClient, "retrier", "NewClient"),
			taking(options, calls(Call, "retrier", "*.*")),
		))
	}
	return []Library{{
		Name: "cohere-go", Module: "github.com/cohere-ai/cohere-go/v2", Read: "v2.15.3",
		Policies: []Policy{{
			Name: "retrier", Attempts: 2,
			After: RequestTimeout | TooManyRequests | ServerError | Unavailable | OtherServerErrors,
			Wait:  500 * time.Millisecond, Longest: 5 * time.Second, Jitter: true,
			Context: Deaf, Body: Consumed, Source: "internal/retrier.go:run",
		}},
		Symbols: slices.Concat(rows,
			in("client",
				calls(ModelCall, "retrier", "Client.Chat", "Client.Generate", "Client.Summarize"),
				calls(ModelStream, "retrier", "Client.ChatStream", "Client.GenerateStream"),
			),
			in("v2",
				calls(ModelCall, "retrier", "Client.Chat"),
				calls(ModelStream, "retrier", "Client.ChatStream"),
			),
			in("core", symbols(Stream, "", "Stream.Recv")),
			in("option",
				count("retrier", 0, Count{Zero: Default}, "WithMaxAttempts"),
				at(Beneath, "retrier", 0, "WithHTTPClient"),
			),
		),
	}}
}
