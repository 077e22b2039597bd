// Package retrynokey reports unsafe requests that are sent again without an
// idempotency key.
package retrynokey

import (
	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// Analyzer is the rule with its defaults, for drivers that want a variable.
var Analyzer = New(policy.New(policy.Config{}), rule.Options{})

// New makes the analyzer over a model, which is shared by the rules of a run.
func New(model *analysis.Analyzer, opts rule.Options) *analysis.Analyzer {
	return rule.New(Doc(), model, opts)
}

// Doc returns the rule's documentation.
func Doc() rule.Doc {
	return rule.Doc{
		Name:  "retrynokey",
		Title: "an unsafe request is retried without an idempotency key",
		What: "A POST or PATCH that something sends again after an attempt whose outcome nobody knows: a timeout, a reset connection, a 500, 502 or 504, " +
			"an answer that cannot be read. Nothing in the request tells the server that it is the same operation. Found are loops of every shape, recursion, closures and " +
			"method values that a helper calls again, whoever wrote it and in whatever package, generic helpers, and transports and `Do` helpers that send again whatever they are given.\n\n" +
			"The finding stands at the send that is repeated. Its message says after which outcomes it is, and up to how many attempts there are, where that is certain; the related " +
			"positions show the loop, the send, and the function whose request it is. It is an error; a warning for the answer of a language model, which costs money and not state, and for " +
			"a RoundTripper or exported helper that checks neither the method nor a key, where no caller in the package sends something unsafe through it. Where the repetition is in another package, the finding stands at this package's call, and names the place.",
		Why: "A timeout does not say that the server did nothing. An acquirer that answers later than the client waits has taken the money all the same, and takes it again for each attempt: " +
			"several charges for one fare, and perhaps an error for the passenger, who will try once more. With one key for all attempts the acquirer takes the money once, and the second " +
			"attempt gets the answer to the first.\n\n" +
			"net/http takes part: a POST that carries `Idempotency-Key` or `X-Idempotency-Key` is replayed by `http.Transport` itself when a kept-alive connection dies before the first byte " +
			"of an answer (net/http, request.go, isReplayable, go1.26). So a key must be one that the server honours.",
		Risky: `for range 3 {
	resp, err = http.Post(url, "application/json", bytes.NewReader(order))
	if err == nil && resp.StatusCode < 500 {
		break
	}
}`,
		Safe: `key := uuid.NewString() // once, outside of the loop
for range 3 {
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(order))
	req.Header.Set("Idempotency-Key", key)
	resp, err = client.Do(req)
	if err == nil && resp.StatusCode < 500 {
		break
	}
}`,
		Runtime: "`resilience.Transport` sends POST and PATCH again only with an idempotency key (`resilience.WithIdempotencyKey`), and the same one each time. The server's half of the keys is `resilience/idempotency`.",
		SilentWhen: []string{
			"a key reaches the request: a header `Idempotency-Key`, `X-Idempotency-Key`, `PayPal-Request-Id`, `Repeatability-Request-ID`, one whose name says that it tells repeats " +
				"(`idempot`, `dedup`, `payload-id`, `event-id`, `delivery-id`, `message-id`, `transaction-id`), or a body field, form value or map entry named like a key that is filled (`X-Request-Id` and trace ids are no keys)",
			"something unknown may set one: a request editor, an interface that is handed the request, a header name that is not constant",
			"the method or the presence of a key is checked on the way to the second attempt, wherever in the package: `if`, `switch`, a table, a helper, a flag computed before the loop",
			"a mark in the context, a parameter or an unknown predicate decides whether there is a second attempt",
			"it is sent again only after what was surely not carried out: a failed dial, 429, 503 alone, 401, 409",
			"success goes round as well: workers, polling, pages, items, heartbeats; or the URL's path or the body differs from round to round",
			"the operation reads or may be repeated by its protocol, as constants of its URL and body tell: searches, range queries, OAuth tokens, GraphQL queries, OTLP, remote write and Loki's push (also by `application/x-protobuf` or the tenant's header), JSON-RPC methods that do not say that they write",
			"the function that makes the request has a name that reads: `Search…`, `List…`, `Get…`, `Retrieve…`, `Validate…`, `Login` (but not `GetOrCreate…`, `CheckAndCharge…`)",
			"the first attempt has read the body, so that the next one has none: that is what [retrybody](retrybody.md) says, and once it is mended the key is asked for",
			"`//resiliencevet:idempotent why` stands on the function, or at the call",
			"the method is PUT or DELETE, unless -unsafe-methods; or it is not known",
			"what repeats or decides is code that cannot be seen: an interface with several implementations, a function value of somebody else's, a library that is too large to run; or a library repeats a language model's answer by itself",
			"the function is so large that the analysis gives up (a bound on steps, the same on every machine)",
		},
		Since:    "v0.1.0",
		Severity: policy.Error,
		Default:  true,
	}
}
