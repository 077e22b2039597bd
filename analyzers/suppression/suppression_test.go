package suppression_test

import (
	"go/ast"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/resiliencevet/resiliencevet/analyzers/suppression"
	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// TestSuppression has three rules that report every function whose name begins
// with theirs; the third does not run.
func TestSuppression(t *testing.T) {
	t.Parallel()
	analysistest.Run(t, analysistest.TestData(), newAnalyzer(rule.Options{
		Enabled: func(name string) bool { return name != "idlerule" },
	}), "shop", "gen")
}

// TestSuite leaves out a rule that would run by default: what names the whole
// suite may have been meant for it.
func TestSuite(t *testing.T) {
	t.Parallel()
	analysistest.Run(t, analysistest.TestData(), newAnalyzer(rule.Options{
		Enabled: func(name string) bool { return name == "callrule" },
	}), "partly")
}

func newAnalyzer(opts rule.Options) *analysis.Analyzer {
	model := policy.New(policy.Config{})
	known := []suppression.Known{{Name: "bodyrule", Default: true}, {Name: "callrule", Default: true}, {Name: "idlerule"}}
	var rules []*analysis.Analyzer
	for _, k := range known {
		doc := rule.Doc{Name: k.Name, Title: "for a test", InTests: true}
		rules = append(rules, rule.NewFunc(doc, model, opts, func(pass *analysis.Pass, _ *policy.Model) ([]policy.Verdict, error) {
			var out []policy.Verdict
			for _, f := range pass.Files {
				for _, d := range f.Decls {
					if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, k.Name) {
						out = append(out, policy.Verdict{Severity: policy.Error, Pos: fn.Pos(), Message: k.Name})
					}
				}
			}
			return out, nil
		}))
	}
	return suppression.New(model, rules, known, opts)
}
