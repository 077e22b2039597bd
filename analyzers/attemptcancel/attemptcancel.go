// Package attemptcancel reports contexts that end before the body of the
// response that came with them is read.
package attemptcancel

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
		Name:  "attemptcancel",
		Title: "an attempt's context ends before the body is read",
		What: "A function derives a context with a timeout or a cancel function, sends a request under it, ends the context when it returns, and returns the response with its body unread: " +
			"the response itself, its `Body`, or a scanner, decoder, iterator or struct that reads from it. Found are a `RoundTrip` that limits each attempt, helpers that return `*http.Response`, functions " +
			"that open a stream, contexts that are derived only where a timeout is configured, and contexts that a helper derives, in this package or another.\n\n" +
			"The finding stands at the `defer cancel()`, or at the call that ends the context before the return; under whatever name, and also where a method or a closure makes that call.",
		Why: "In net/http a request's context covers the body: once it has ended, reading the body fails with `context canceled`, however well the server does and however much of the attempt's time is left. " +
			"The error says `context canceled` although nobody cancelled anything, so it is looked for at the server and at the caller. With the cancel function in the body's `Close`, the whole body is " +
			"read, and one that stalls still ends with the attempt's time.\n\n" +
			"It passes tests: an answer that arrives with its headers in one piece lies in the client's buffer by then, and is read without a fault. It fails for what is large, slow or streamed.",
		Risky: `func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), t.limit)
	defer cancel()
	return t.next.RoundTrip(req.WithContext(ctx))
}`,
		Safe: `func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), t.limit)
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = &body{resp.Body, cancel} // its Close calls cancel
	return resp, nil
}`,
		Runtime: "The attempt timeout of `resilience.Transport` ends at the headers. The body is read under the caller's context, which also bounds it.",
		SilentWhen: []string{
			"the body is read before the return: into memory, by a decoder, by a copy, by a helper in any package",
			"the body of the returned response was replaced by a reader over memory, or is closed and only status and headers are of use",
			"the cancel function goes with the body: into a wrapper whose `Close` calls it, into a struct that is returned, to the caller",
			"it is called only where no response is returned, or something else ends the context: a timer, `context.AfterFunc`, a goroutine that reads the body first",
			"the request carries another context than the one that ends: the limit is for a token, a place in a queue, a probe",
			"the request is a HEAD: there is no body",
			"what is done with the response, or which context the request carries, is not known",
		},
		Since:    "v0.2.0",
		Severity: policy.Error,
		Default:  true,
	}
}
