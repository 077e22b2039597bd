// Package streamping reports idle deadlines that keep-alives renew.
package streamping

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
		Name:  "streamping",
		Title: "keep-alives renew the idle deadline",
		What:  "A timer that ends a stream of server-sent events is renewed for every line, before anything is asked about the line, while the loop skips comments, empty lines and pings. The finding stands at the renewal.",
		Why:   "Servers and gateways send comment lines and `ping` events to keep connections open, also when the model behind them has stopped. Each of them renews the deadline, so the stall is never noticed.",
		Risky: `for sc.Scan() {
	watchdog.Reset(idle)
	data, ok := strings.CutPrefix(sc.Text(), "data: ")
	if !ok {
		continue
	}`,
		Safe: `for sc.Scan() {
	data, ok := strings.CutPrefix(sc.Text(), "data: ")
	if !ok {
		continue
	}
	watchdog.Reset(idle)`,
		Runtime: "Only content renews the idle budget of `resilience.Stream`; `Rules.Content` says what that is.",
		SilentWhen: []string{
			"the timer is renewed behind the condition that tells pieces from keep-alives",
			"there is a second timer that only pieces renew",
			"the loop is over an SDK's stream, which swallows keep-alives",
			"the deadline is one on bytes, in a reader or a connection",
			"the timer ends nothing, or what it ends is not known",
		},
		Since:    "v0.3.0",
		Severity: policy.Warning,
		Default:  true,
	}
}
