// Package apis says what functions of known libraries do, as data, where running
// their code does not tell.
package apis

// An Exchange is a function that sends one request and returns its answer,
// beneath the library's own retries.
type Exchange struct {
	// Func is the function's full name, as go/types gives it.
	Func string
	// Request is the argument that describes the request, the receiver counted.
	Request int
	// Method, URL, Header and Body are fields of that description.
	Method, URL, Header, Body string
}

// exchanges were read in the sources that are named.
var exchanges = [...]Exchange{
	{
		// client.go:execute, v2.17.2: what builds the *http.Request is a list of
		// functions that the client holds.
		Func:    "(*github.com/go-resty/resty/v2.Client).execute",
		Request: 1,
		Method:  "Method", URL: "URL", Header: "Header", Body: "Body",
	},
}

// ExchangeOf returns what is known of a function that sends one request.
func ExchangeOf(fullName string) (Exchange, bool) {
	for _, e := range exchanges {
		if e.Func == fullName {
			return e, true
		}
	}
	return Exchange{}, false
}
