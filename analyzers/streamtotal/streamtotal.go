// Package streamtotal reports total timeouts that cover a whole stream.
package streamtotal

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
		Name:  "streamtotal",
		Title: "one total timeout bounds a stream",
		What: "A stream is read under `http.Client.Timeout`, a context with a deadline, an SDK's request timeout, or a timer that nothing renews, and no deadline is renewed as data arrives. In Go all of these cover the body.\n\n" +
			"The finding stands where the bound is set, which is where it is changed: at the client's `Timeout`, at `context.WithTimeout`, or at the option that gives an SDK its client; the reading is a related position. A bound that another package sets is reported at the call that leads there.",
		Why: "One number cannot say both that an answer may be long and that silence is suspicious. Healthy long answers are cut off in the middle, and a stall is noticed only when all the time is up. Raising it saves some answers and makes each stall worse; a retry starts from nothing and is cut off again.",
		Risky: `client := &http.Client{Timeout: time.Minute}
...
resp, err := client.Do(req) // Accept: text/event-stream
...
for sc.Scan() {`,
		Safe: `client := &http.Client{} // what bounds the stream is renewed as it arrives
stream, err := resilience.NewStream(ctx, resilience.StreamOptions{FirstToken: time.Minute, Idle: 15 * time.Second, Deadline: 10 * time.Minute})
...
for event, err := range stream.Events(resp.Body, resilience.Rules[resilience.Event]{}) {`,
		Runtime: "The `Deadline` of `resilience.StreamOptions` is the only one of three budgets that bounds the whole, so that it can be as long as a good answer may ever take.",
		SilentWhen: []string{
			"an idle deadline is there as well: then the total one is the cap that it should be",
			"the request asks for no stream and its reader looks for no events: a download may have a total timeout",
			"the timeout bounds the headers only, or another request",
			"the bound is 0, or only a setting that is not known here could make one",
			"whether the context has a deadline is the caller's affair",
		},
		Since:    "v0.3.0",
		Severity: policy.Warning,
		Default:  true,
	}
}
