// Package analyzers is the registry of the rules, and nothing else.
package analyzers

import (
	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/analyzers/attemptcancel"
	"github.com/resiliencevet/resiliencevet/analyzers/attemptleak"
	"github.com/resiliencevet/resiliencevet/analyzers/breakerscope"
	"github.com/resiliencevet/resiliencevet/analyzers/hedgedwrite"
	"github.com/resiliencevet/resiliencevet/analyzers/inheritedpolicy"
	"github.com/resiliencevet/resiliencevet/analyzers/retrybody"
	"github.com/resiliencevet/resiliencevet/analyzers/retryfreshkey"
	"github.com/resiliencevet/resiliencevet/analyzers/retrynokey"
	"github.com/resiliencevet/resiliencevet/analyzers/retryunbounded"
	"github.com/resiliencevet/resiliencevet/analyzers/stackedretry"
	"github.com/resiliencevet/resiliencevet/analyzers/streamerr"
	"github.com/resiliencevet/resiliencevet/analyzers/streamleak"
	"github.com/resiliencevet/resiliencevet/analyzers/streamnoidle"
	"github.com/resiliencevet/resiliencevet/analyzers/streamping"
	"github.com/resiliencevet/resiliencevet/analyzers/streamtotal"
	"github.com/resiliencevet/resiliencevet/analyzers/suppression"
	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// A Rule is what the registry knows of a rule.
type Rule struct {
	Doc rule.Doc
	New func(model *analysis.Analyzer, opts rule.Options) *analysis.Analyzer
}

// A Suite is a list of rules, sorted by name.
type Suite []Rule

// All returns every rule of this program. The housekeeping analyzer is not
// among them: it runs whenever a rule does.
func All() Suite {
	return Suite{
		{attemptcancel.Doc(), attemptcancel.New},
		{attemptleak.Doc(), attemptleak.New},
		{breakerscope.Doc(), breakerscope.New},
		{hedgedwrite.Doc(), hedgedwrite.New},
		{inheritedpolicy.Doc(), inheritedpolicy.New},
		{retrybody.Doc(), retrybody.New},
		{retryfreshkey.Doc(), retryfreshkey.New},
		{retrynokey.Doc(), retrynokey.New},
		{retryunbounded.Doc(), retryunbounded.New},
		{stackedretry.Doc(), stackedretry.New},
		{streamerr.Doc(), streamerr.New},
		{streamleak.Doc(), streamleak.New},
		{streamnoidle.Doc(), streamnoidle.New},
		{streamping.Doc(), streamping.New},
		{streamtotal.Doc(), streamtotal.New},
	}
}

// A Config is what a run needs to know.
type Config struct {
	Policy policy.Config
	Rules  rule.Options
}

// New makes the analyzers of all rules over one model, and the housekeeping
// analyzer after them. Config.Rules.Enabled says which of them do something.
func New(config Config) []*analysis.Analyzer { return All().New(config) }

// New makes the analyzers of the suite.
func (s Suite) New(config Config) []*analysis.Analyzer {
	model := policy.New(config.Policy)
	var out []*analysis.Analyzer
	var known []suppression.Known
	for _, r := range s {
		out = append(out, r.New(model, config.Rules))
		known = append(known, suppression.Known{Name: r.Doc.Name, Default: r.Doc.Default})
	}
	return append(out, suppression.New(model, out, known, config.Rules))
}

// Docs returns the documentation of the suite's rules and of the housekeeping
// analyzer, in the order in which lists show them.
func (s Suite) Docs() []rule.Doc {
	var out []rule.Doc
	for _, r := range s {
		out = append(out, r.Doc)
	}
	return append(out, suppression.Doc())
}

// Doc returns the documentation of the rule of that name.
func (s Suite) Doc(name string) (doc rule.Doc, ok bool) {
	for _, d := range s.Docs() {
		if d.Name == name {
			return d, true
		}
	}
	return rule.Doc{}, false
}
