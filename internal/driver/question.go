package driver

import (
	"errors"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"honnef.co/go/tools/lintcmd/runner"

	"github.com/resiliencevet/resiliencevet/internal/guard"
	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// question asks the model about a line. A check asks none.
type question struct {
	file    string // as the go command names it
	line    int
	explain explainer
}

// explainer is (*policy.Model).Explain, or what stands for it in a test.
type explainer func(m *policy.Model, file string, line int) (lines []policy.Explanation, found bool)

// An answer travels from the analyzer to the command in diagnostics, one for
// each of its lines, in order. Their category has the line's depth: "why:2".
// The others are the categories of answers that have no lines.
const (
	whyPrefix   = "why:"
	whyEmpty    = whyPrefix + "empty"    // there is nothing to say of the line
	whyNowhere  = whyPrefix + "nowhere"  // the line is in no function
	whyStandard = whyPrefix + "standard" // the package is the standard library's
)

// newWhy makes the analyzer that answers a question, and does nothing when there
// is none. It belongs to every check: the runner's key of a package holds the
// names of all analyzers, and a question wants to find what a check has left in
// the cache.
func newWhy(suite []*analysis.Analyzer, q *question) *analysis.Analyzer {
	model := modelOf(suite)
	return &analysis.Analyzer{
		Name:     "why",
		Doc:      "why: say what the model knows of a line",
		Requires: []*analysis.Analyzer{model},
		Run: func(pass *analysis.Pass) (any, error) {
			if q == nil {
				return nil, nil
			}
			var out []analysis.Diagnostic
			failure := guard.Do(func() error {
				m, ok := pass.ResultOf[model].(*policy.Model)
				if !ok {
					return errors.New("the model gave no result")
				}
				out = q.ask(m)
				return nil
			})
			if failure != nil {
				out = []analysis.Diagnostic{rule.Internal(pass, "why", token.NoPos, failure.Error())}
			}
			for _, d := range out {
				pass.Report(d)
			}
			return nil, nil
		},
	}
}

// modelOf finds the analyzer of the model, which those of the rules require.
func modelOf(suite []*analysis.Analyzer) *analysis.Analyzer {
	for _, a := range suite {
		for _, required := range a.Requires {
			if required.ResultType == reflect.TypeFor[*policy.Model]() {
				return required
			}
		}
	}
	panic("no analyzer requires the model") // a mistake in the suite
}

// ask makes diagnostics of the model's answer.
func (q *question) ask(m *policy.Model) []analysis.Diagnostic {
	if m == nil {
		return []analysis.Diagnostic{{Category: whyStandard}}
	}
	lines, found := q.explain(m, q.file, q.line)
	if !found {
		return []analysis.Diagnostic{{Category: whyNowhere}}
	}
	if len(lines) == 0 {
		return []analysis.Diagnostic{{Category: whyEmpty}}
	}
	var out []analysis.Diagnostic
	for _, l := range lines {
		out = append(out, analysis.Diagnostic{
			Pos: l.Pos, Message: l.Text, Category: whyPrefix + strconv.Itoa(max(l.Depth, 0)),
		})
	}
	return out
}

// answer is what the diagnostics of a package say of a question.
type answer struct {
	lines    []answerLine
	without  string    // a category, when there are no lines; empty if nobody answered
	problems []problem // failures of this program
}

// answerLine is one line of an answer.
type answerLine struct {
	depth int
	at    place // the file is empty when there is no position
	text  string
}

// readAnswer takes the answer out of the diagnostics of a package.
func readAnswer(diagnostics []runner.Diagnostic) answer {
	var out answer
	for _, d := range diagnostics {
		at := placeOf(d.Position)
		if category, ok := rule.ParseCategory(d.Category); ok {
			if category.Internal && (category.Rule == "model" || category.Rule == "why") {
				out.problems = append(out.problems, problem{
					rule: category.Rule, message: d.Message, file: at.file, line: at.line, column: at.column,
				})
			}
			continue // a finding, or a rule's failure: the model knows better
		}
		suffix, ok := strings.CutPrefix(d.Category, whyPrefix)
		if !ok {
			continue
		}
		depth, err := strconv.Atoi(suffix)
		if err != nil {
			out.without = d.Category
			continue
		}
		out.lines = append(out.lines, answerLine{depth, at, d.Message})
	}
	slices.SortFunc(out.problems, compareProblems)
	out.problems = slices.Compact(out.problems)
	return out
}
