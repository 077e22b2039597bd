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
		What: "A POST or PATCH that something sends again after an attempt whose outcome is unknown (a timeout, a reset connection, a 5xx answer) " +
			"while nothing in the request tells the server that it is the same operation. The message names the method and how often it is sent; the related positions say what retries it.",
		Why: "A timeout does not say that the server did nothing. A payment that took twelve seconds, under a client with default timeouts and retries, " +
			"became three charges and one error for the caller. With an idempotency key it was one charge and a 200.",
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
		SilentWhen: []string{
			"an idempotency key that outlives the attempt reaches the request",
			"the retrying layer lets only idempotent methods through",
			"it retries only what was never sent, or what the server says it did not process (429)",
			"the operation is declared idempotent: `//resiliencevet:idempotent why`",
			"the method is not known",
		},
		Since:    "v0.1.0",
		Severity: policy.Error,
		Default:  true,
	}
}
