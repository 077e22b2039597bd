// Package rules holds rules that misbehave on purpose, for the tests of the
// drivers.
package rules

import (
	"errors"
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// Planted returns the rules, in the order of their names:
//
//	plantederror  returns an error for a package that declares plantError
//	plantedfix    is opt-in, and offers to rename every function plantRename
//	plantedinfo   reports every function plantInfo with the message, and severity
//	              info; and plantAlone unless the package declares plantTest
//	plantedpanic  panics in a package that declares plantPanic, and makes the
//	              model panic in one that declares plantModelPanic, even where the
//	              rule does not run
func Planted(message string) analyzers.Suite {
	suite := analyzers.Suite{
		plant("plantederror", policy.Error, true, func(pass *analysis.Pass) ([]policy.Verdict, error) {
			if len(declared(pass, "plantError")) > 0 {
				return nil, errors.New("planted error")
			}
			return nil, nil
		}),
		plant("plantedfix", policy.Warning, false, func(pass *analysis.Pass) ([]policy.Verdict, error) {
			var out []policy.Verdict
			for _, id := range declared(pass, "plantRename") {
				out = append(out, policy.Verdict{
					Severity: policy.Warning, Pos: id.Pos(), End: id.End(), Message: "rename this",
					Fixes: []analysis.SuggestedFix{{
						Message:   "rename to planted",
						TextEdits: []analysis.TextEdit{{Pos: id.Pos(), End: id.End(), NewText: []byte("planted")}},
					}},
				})
			}
			return out, nil
		}),
		plant("plantedinfo", policy.Info, true, func(pass *analysis.Pass) ([]policy.Verdict, error) {
			var out []policy.Verdict
			for _, id := range declared(pass, "plantInfo") {
				out = append(out, policy.Verdict{Severity: policy.Info, Pos: id.Pos(), End: id.End(), Message: message})
			}
			if len(declared(pass, "plantTest")) == 0 {
				for _, id := range declared(pass, "plantAlone") {
					out = append(out, policy.Verdict{Severity: policy.Info, Pos: id.Pos(), End: id.End(), Message: "alone"})
				}
			}
			return out, nil
		}),
		plant("plantedpanic", policy.Error, true, func(pass *analysis.Pass) ([]policy.Verdict, error) {
			for _, id := range declared(pass, "plantPanic") {
				nobody()[id.Name] = 1 // panics
			}
			return nil, nil
		}),
	}
	last := &suite[len(suite)-1]
	makeRule := last.New
	last.New = func(model *analysis.Analyzer, opts rule.Options) *analysis.Analyzer {
		plantInModel(model)
		return makeRule(model, opts)
	}
	return suite
}

// plantInModel makes the model that the rules of a run share panic in a package
// that declares plantModelPanic and imports net/http. It does so at a place of
// its own code, as a mistake in it would: the model meets a package without
// type information.
func plantInModel(model *analysis.Analyzer) {
	run := model.Run
	model.Run = func(pass *analysis.Pass) (any, error) {
		if len(declared(pass, "plantModelPanic")) == 0 {
			return run(pass)
		}
		bare := *pass
		bare.TypesInfo = nil
		return run(&bare)
	}
}

// nobody returns a map that nothing can be put into. (A plain nil map on the
// spot is what linters find.)
func nobody() map[string]int { return nil }

// plant makes a rule of a judgement.
func plant(name string, severity policy.Severity, byDefault bool, judge func(*analysis.Pass) ([]policy.Verdict, error)) analyzers.Rule {
	doc := rule.Doc{Name: name, Title: "planted for a test", What: "Planted for a test.", Severity: severity, Default: byDefault}
	return analyzers.Rule{Doc: doc, New: func(model *analysis.Analyzer, opts rule.Options) *analysis.Analyzer {
		return rule.NewFunc(doc, model, opts, func(pass *analysis.Pass, _ *policy.Model) ([]policy.Verdict, error) {
			return judge(pass)
		})
	}}
}

// declared returns the names of the functions declared as name.
func declared(pass *analysis.Pass, name string) []*ast.Ident {
	var out []*ast.Ident
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == name {
				out = append(out, fn.Name)
			}
		}
	}
	return out
}
