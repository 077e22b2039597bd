// Package streamleak reports deadlines that give up on a stream and leave its reader running.
package streamleak

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
		Name:  "streamleak",
		Title: "a deadline fires and the response stays open",
		What:  "A goroutine reads a stream and hands the pieces over; whoever waits for them gives up after some time, and neither cancels the request nor closes the body. The finding stands at the time that is waited for.",
		Why:   "The caller returns, and the goroutine stays in its reading, with its connection and the memory around it, until the server ends the stream. A server that is wedged does not. Each stall leaves one behind.",
		Risky: `go read(resp.Body, pieces)
for {
	select {
	case p := <-pieces:
		show(p)
	case <-time.After(idle):
		return ErrStalled
	}
}`,
		Safe: `ctx, cancel := context.WithCancel(ctx) // the request's
defer cancel()
...
go read(resp.Body, pieces)
for {
	select {
	case p := <-pieces:
		show(p)
	case <-time.After(idle):
		return ErrStalled // cancel ends the reading
	}
}`,
		Runtime: "`resilience.Stream` closes the body when a budget expires, and waits for its reading goroutine.",
		SilentWhen: []string{
			"the request's context is cancelled or the body closed when the function returns, or on that way",
			"the request has a deadline",
			"the reading is bounded otherwise",
			"who waits for the pieces is not in view",
		},
		Since:    "v0.3.0",
		Severity: policy.Warning,
		Default:  true,
	}
}
