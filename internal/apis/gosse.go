package apis

import "time"

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
