package apis

import "time"

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
