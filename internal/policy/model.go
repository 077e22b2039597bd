// Package policy reconstructs the resilience policy that an outbound call
// really has: who may send it again and after what, what bounds it, which key
// travels with it. Rules read the result and never parse HTTP semantics
// themselves.
package policy

import (
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// Severity says how bad a verdict is.
type Severity string

// The severities, worst first.
const (
	Error   Severity = "error"   // it duplicates, hangs or loses data when the failure comes
	Warning Severity = "warning" // it makes an outage worse, or cannot be right as written
	Info    Severity = "info"    // worth knowing
)

// A Verdict is one mistake that the model found. Which rule speaks about a
// place is decided here, once, so that two rules never report one mistake.
type Verdict struct {
	Rule     string
	Severity Severity
	Pos, End token.Pos
	Message  string
	Related  []analysis.RelatedInformation
	Fixes    []analysis.SuggestedFix
}

// A Model is what the analysis knows of one package. Rules only read it.
// The model of a package of the standard library is nil.
type Model struct {
	Verdicts []Verdict
	Problems []Problem
	// Built is the number of functions that were put into SSA form, the
	// model's main cost.
	Built int
}

// A Problem is something that kept the model from being complete: a bug of
// this program, never the user's mistake.
type Problem struct {
	Pos     token.Pos
	Message string
}

// Of returns the verdicts of one rule, in the order of their positions.
func (m *Model) Of(rule string) []Verdict {
	if m == nil {
		return nil
	}
	var out []Verdict
	for _, v := range m.Verdicts {
		if v.Rule == rule {
			out = append(out, v)
		}
	}
	return out
}
