// Package streamerr reports streams whose terminal error is dropped.
package streamerr

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
		Name:  "streamerr",
		Title: "the stream's terminal error is dropped",
		What: "A loop over a stream ends, and nobody asks whether it was the end of the answer: a loop over an SDK's `Next` with no `Err` after it, a `bufio.Scanner` over a response body whose `Err` is never read or only inside the loop, where it is always nil, and a loop over `Recv`, `ReadString`, `Decode` and the like that takes every error for the end of the stream.\n\n" +
			"The finding stands at the reading.",
		Why: "Once the status is 200, every failure arrives as the end of the body: a lost connection, a reset, a line longer than the scanner's buffer, an error that an SDK has found in an event. Without the question, half an answer is stored, shown and acted upon as if it were whole.",
		Risky: `for stream.Next() {
	text.WriteString(stream.Current().Delta.Text)
}
return text.String(), nil`,
		Safe: `for stream.Next() {
	text.WriteString(stream.Current().Delta.Text)
}
return text.String(), stream.Err()`,
		Runtime: "The iterators of `resilience.Stream` yield the error: an answer without its last event is an `IncompleteError`, and so is one with an error event.",
		SilentWhen: []string{
			"`Err` is asked on some way after the loop, in a deferred function or by a helper that gets the stream",
			"the error is returned, sent, stored, handed to a function or logged",
			"the function returns an error on that way all the same, as where a last event is missing",
			"the stream or scanner is returned: whoever gets it can ask",
			"what is read is no response body, unless `Err` is asked inside the loop",
		},
		Since:    "v0.3.0",
		Severity: policy.Error,
		Default:  true,
	}
}
