// Package retryfreshkey reports idempotency keys that are made anew for every
// attempt.
package retryfreshkey

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
		Name:  "retryfreshkey",
		Title: "the idempotency key is made anew for every attempt",
		What: "A request that is sent again after a failure carries an idempotency key, and what one more attempt runs again also makes the key: the body of a retry loop, a function " +
			"that a retry helper calls again, a request builder that either of them calls, a transport below one that repeats. The key may be a header, a field of the body, an entry of a map, " +
			"a form value, or a field such as `ClientToken` in the input of a client. Its value may be a UUID or another random identifier, `crypto/rand`, `math/rand`, the time, a counter, the number " +
			"of the attempt, or something made of one of these, in whatever package.\n\n" +
			"The finding stands in what is repeated: at the call that makes the key, or, when a helper makes it, at the call of that helper. Its message says that the key is made anew; the related " +
			"positions show where the key is made, where it is set, and the loop or retry call. Where this rule speaks, retrynokey does not.",
		Why: "A key tells the server which requests are the same operation. With another key in each attempt they are different operations, and the code that looks protected is not. " +
			"An acquirer that answers later than the client waits has taken the money, and takes it again for the next attempt, which has a key that it does not know. If that attempt is quicker, the client is told of " +
			"success and of the last charge only. With a key made before the first attempt, the second one gets the answer to the first.\n\n" +
			"Review and tests pass it easily: every single request carries a key.",
		Risky: `for range 3 {
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(order))
	req.Header.Set("Idempotency-Key", uuid.NewString())
	resp, err = client.Do(req)
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
		Runtime: "`resilience.WithIdempotencyKey` puts the operation's key into the context, once, and `resilience.Transport` sends it with every attempt. A layer underneath that sends another key ends the call.",
		SilentWhen: []string{
			"the key is made before the first attempt, wherever: above the loop, by the caller, in a constructor, in a transport above the one that repeats",
			"the first attempt makes it and the others find it: `if key == \"\" { key = … }` with a variable that outlives the attempt, `sync.Once`, a map of keys, a header that is set only where the same request has none yet",
			"it is computed from the operation: a hash of the body, a UUID of a name, an order number",
			"the value is no key: `X-Request-Id`, trace ids, nonces, timestamps, ids for the log, multipart boundaries",
			"the key is set and does not reach the wire: a field with the tag `json:\"-\"`, another request, a header that is written over with a key made before (no key at all is for retrynokey)",
			"each round is another operation: loops over items, zones, or sizes that reach the request; workers, heartbeats",
			"it is sent again only after what was surely not carried out: a failed dial, 429",
			"what makes the key is not known: an interface, a function of the caller",
			"what repeats is not known to repeat: an interface, a function of which the source is not seen",
		},
		Since:    "v0.2.0",
		Severity: policy.Error,
		Default:  true,
	}
}
