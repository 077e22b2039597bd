package apis

import (
	"slices"
	"time"
)

// gosse is tmaxmax's. It reconnects also after an end that no error marks; an
// answer that is no event stream ends it. A body needs GetBody.
func gosse() []Library {
	return []Library{{
		Name: "go-sse", Module: "github.com/tmaxmax/go-sse", Read: "v0.12.0",
		Policies: []Policy{{
			Name: "connection", Attempts: Unlimited, After: NoAnswer | Garbled | Success,
			Wait: 500 * time.Millisecond, Factor: 1.5, Jitter: true,
			Context: Hears, Body: Refused, Source: "client_connection.go:Connect",
		}},
		Symbols: in("",
			symbols(NewClient, "connection", "Client"),
			symbols(Beneath, "connection", "Client.HTTPClient"),
			symbols(Call, "connection", "Connection.Connect"),
			symbols(Stream, "connection", "Connection.Connect"),
			symbols(Stream, "", "Read"),
			count("connection", None, Count{Plus: 1, Zero: NoLimit, Negative: Off}, "Backoff.MaxRetries"),
			elapsed("connection", None, NoLimit, "Backoff.MaxElapsedTime"),
		),
	}}
}

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

// eventsource is LaunchDarkly's. Its first connection is made once, unless an
// option says otherwise; what was a stream is connected again for ever, whatever
// the answer is, until Close.
func eventsource() []Library {
	return []Library{{
		Name: "eventsource", Module: "github.com/launchdarkly/eventsource", Read: "v1.11.0",
		Policies: []Policy{{
			Name: "stream", Attempts: Unlimited,
			After: NoAnswer | RequestTimeout | Conflict | TooManyRequests | ServerError | Unavailable |
				OtherServerErrors | Garbled | Success,
			Wait: 3 * time.Second, Factor: 1,
			Context: Deaf, Body: ReadersConsumed, Source: "stream.go:stream",
		}},
		Symbols: in("",
			symbols(Call, "stream", "Subscribe", "SubscribeWithURL", "SubscribeWithRequest",
				"SubscribeWithRequestAndOptions"),
			at(Call, "stream", 1, "SubscribeWith"),
			symbols(Stream, "stream", "Stream.Events"),
			at(Beneath, "stream", 0, "StreamOptionHTTPClient"),
			// Every line is a reading, a comment also.
			timeout("stream", BetweenReads, 0, "StreamOptionReadTimeout"),
		),
	}}
}
