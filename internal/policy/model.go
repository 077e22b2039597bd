// Package policy reconstructs the resilience policy that an outbound call
// really has: who may send it again and after what, what bounds it, which key
// travels with it. Rules read the result and never parse HTTP semantics
// themselves.
package policy

import (
	"go/token"
	"sync"

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
//
// What a package tells its importers is made at once; verdicts are found when
// the first rule asks, since nobody asks about dependencies. It is safe for
// concurrent use.
type Model struct {
	// Built is the number of functions that were put into SSA form, the
	// model's main cost. It may grow when verdicts are found.
	Built int

	pass    *analysis.Pass
	modeler *modeler // nil where nothing is worth a look

	once     sync.Once
	find     func() // sets what follows; nil where there is nothing to find
	verdicts []Verdict
	problems []Problem
}

// NewModel returns a model that is complete, for tests of what reads one.
func NewModel(verdicts []Verdict, problems []Problem) *Model {
	return &Model{verdicts: verdicts, problems: problems}
}

func (m *Model) decide() {
	m.once.Do(func() {
		if m.find != nil {
			m.find()
			m.find = nil // lets go of the package's code
		}
	})
}

// Problems returns what kept the model from being complete.
func (m *Model) Problems() []Problem {
	if m == nil {
		return nil
	}
	m.decide()
	return m.problems
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
	m.decide()
	for _, v := range m.verdicts {
		if v.Rule == rule {
			out = append(out, v)
		}
	}
	return out
}
