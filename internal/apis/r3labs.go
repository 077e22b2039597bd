package apis

import (
	"slices"
	"time"
)

// r3labs reconnects for a quarter of an hour, counted from the first connection,
// and returns without an error when a stream ends in order.
func r3labs() []Library {
	with := slices.Concat(
		hearing(0, symbols(Call, "subscribe", "Client.SubscribeWithContext", "Client.SubscribeRawWithContext",
			"Client.SubscribeChanWithContext", "Client.SubscribeChanRawWithContext")),
		hearing(0, at(Stream, "subscribe", 2, "Client.SubscribeWithContext")),
		hearing(0, at(Stream, "subscribe", 1, "Client.SubscribeRawWithContext")),
	)
	return []Library{{
		Name: "r3labs/sse", Module: "github.com/r3labs/sse/v2", Read: "v2.10.0",
		Policies: []Policy{{
			Name: "subscribe", Attempts: Unlimited, Elapsed: 15 * time.Minute,
			After: NoAnswer | RequestTimeout | Conflict | TooManyRequests | ServerError | Unavailable |
				OtherServerErrors | Garbled,
			Wait: 500 * time.Millisecond, Longest: time.Minute, Factor: 1.5, Jitter: true,
			Context: OnOption, Source: "client.go:SubscribeWithContext",
		}},
		Symbols: in("", with,
			symbols(NewClient, "subscribe", "NewClient"),
			symbols(Call, "subscribe", "Client.Subscribe", "Client.SubscribeRaw", "Client.SubscribeChan",
				"Client.SubscribeChanRaw"),
			at(Stream, "subscribe", 1, "Client.Subscribe"),
			at(Stream, "subscribe", 0, "Client.SubscribeRaw"),
			symbols(WithPolicy, "subscribe", "Client.ReconnectStrategy"),
			symbols(Beneath, "subscribe", "Client.Connection"),
		),
	}}
}
