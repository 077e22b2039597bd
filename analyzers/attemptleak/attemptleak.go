// Package attemptleak reports responses of failed attempts that are still open
// when the next attempt begins.
package attemptleak

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
		Name:  "attemptleak",
		Title: "a failed attempt's response is not closed before the next",
		What: "Something that surely is a retry gets a response whose status says that it failed, and sends again without closing the body of that response. Found are loops of every shape, recursion, " +
			"closures that a helper repeats, and retrying transports; helpers that only look at the response (a predicate, a log line, a `Retry-After` parser) do not close it, in whatever package they are.\n\n" +
			"The finding stands at the send that is repeated, where the response comes from: in the loop, or in the closure that is handed over. The related positions show the loop.",
		Why: "The connection of a response that is neither read nor closed is not used again, and it is not closed either: each attempt opens another one, and the old ones stay for as long as the request's context lives. " +
			"With every failure read and closed, all attempts go over one. Where `MaxConnsPerHost` limits the connections, an attempt may wait for one that its own predecessors hold, until its caller's time is over: " +
			"the server, well again by then, never sees it.\n\n" +
			"It happens when the server is ill, which is when connections are short.",
		Risky: `for range 4 {
	resp, err = client.Get(url)
	if err == nil && resp.StatusCode < 500 {
		return resp, nil
	}
	time.Sleep(pause)
}`,
		Safe: `for range 4 {
	resp, err = client.Get(url)
	if err == nil && resp.StatusCode < 500 {
		return resp, nil
	}
	if err == nil {
		io.CopyN(io.Discard, resp.Body, 64<<10) // a little, so that the connection is used again
		resp.Body.Close()
	}
	time.Sleep(pause)
}`,
		Runtime: "`resilience.Transport` reads a little of the response of a failed attempt and closes it before the next one, so that the connection is used again.",
		SilentWhen: []string{
			"the body is closed on the way to the next attempt: in place, in a helper of any package, at the top of the next round",
			"a `defer` closes it in the attempt's own function; also a `defer` in the loop's function, which closes late but closes",
			"the response is handed to something unknown that may close it: a hook, an interface, a channel, a slice, a goroutine",
			"only attempts without a response are repeated (after an error of the transport, the response is nil)",
			"it is the last attempt's response, which is returned",
			"the request is a HEAD: there is no body",
			"it is no retry that is certain: items, pages, polling, a single second send",
		},
		Since:    "v0.2.0",
		Severity: policy.Warning,
		Default:  true,
	}
}
