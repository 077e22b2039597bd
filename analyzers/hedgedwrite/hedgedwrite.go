// Package hedgedwrite reports unsafe requests that are hedged: a second one goes out
// before the first has failed.
package hedgedwrite

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
		Name:  "hedgedwrite",
		Title: "an unsafe request is hedged",
		What: "A POST or PATCH without an idempotency key goes through a client or transport that hedges: one that sends the request again as soon as the answer is slow, and takes whichever answer comes first. Known are hedgedhttp, and failsafe-go's hedge policies " +
			"under an HTTP transport; the client is followed through constructors, struct fields and transports around it.\n\n" +
			"The finding stands at the send; the related position shows what hedges.",
		Why: "A retry waits until the first attempt has failed, and often it has. A hedge does not wait: both requests are under way, the server carries out both, and the client that cancels the loser only stops listening. " +
			"Slowness is enough, nothing has to fail: a server that takes longer than the hedge waits has every write twice. It stays unseen while the server is quick.",
		Risky: `hc, _ := hedgedhttp.NewClient(50*time.Millisecond, 2, &http.Client{})
resp, err := hc.Post(url, "application/json", body)`,
		Safe: `rt, _ := hedgedhttp.NewRoundTripper(50*time.Millisecond, 2, http.DefaultTransport)
hc := &http.Client{Transport: readsOnly{hedged: rt, plain: http.DefaultTransport}}
resp, err := hc.Post(url, "application/json", body)`,
		Runtime: "`resilience.Transport` does not hedge unless it is asked to, and then only methods that are safe.",
		SilentWhen: []string{
			"the request carries an idempotency key: the server can tell that the two are one",
			"a transport in between lets only what reads through to the one that hedges",
			"hedging is switched off, with at most one request at a time",
			"the method comes from a caller that is not in view",
			"the operation reads, by its protocol or by the name of the function that makes it, or a person claims that it is idempotent",
			"two goroutines race each other without a library: that is not looked for",
		},
		Since:    "v0.3.0",
		Severity: policy.Error,
		Default:  true,
	}
}
