package rule

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/guard"
	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/suppress"
)

// Options is what a driver chooses about the rules. The zero value is right
// for drivers that know nothing of this program: golangci-lint, nogo, gopls.
type Options struct {
	// Enabled reports whether the rule of that name runs; nil means that every
	// rule does. A rule that is not enabled returns at once. It is asked when a
	// package is analyzed, not before, so a driver may decide late.
	Enabled func(rule string) bool

	// RuleInMessage appends " (rule)" to messages, for a driver that prints
	// nothing else of a diagnostic.
	RuleInMessage bool

	// WithoutRelated leaves out the further positions of a finding, for a driver
	// that makes findings of them.
	WithoutRelated bool

	// KeepSuppressed reports suppressed findings too, marked in their category.
	KeepSuppressed bool

	// ReportProblems reports whether the rule of that name speaks for the
	// model's own failures, when the housekeeping analyzer does not run.
	ReportProblems func(rule string) bool
}

// A Judge finds a rule's verdicts on a package. The model is not nil.
type Judge func(*analysis.Pass, *policy.Model) ([]policy.Verdict, error)

// A Result is what every rule's analyzer returns, for the housekeeping
// analyzer: *Result is its ResultType.
type Result struct {
	Rule string
	Ran  bool                         // false when the rule was not enabled or had nothing to judge
	Used map[*suppress.Directive]bool // the directives that suppressed a finding of this rule
}

// New makes the analyzer of a rule whose verdicts the model holds.
// model is an analyzer made by policy.New; all rules of a run share one.
func New(doc Doc, model *analysis.Analyzer, opts Options) *analysis.Analyzer {
	return NewFunc(doc, model, opts, func(_ *analysis.Pass, m *policy.Model) ([]policy.Verdict, error) {
		return m.Of(doc.Name), nil
	})
}

// NewFunc makes the analyzer of a rule with a judgement of its own.
func NewFunc(doc Doc, model *analysis.Analyzer, opts Options, judge Judge) *analysis.Analyzer {
	r := &runner{doc: doc, model: model, opts: opts, judge: judge}
	return &analysis.Analyzer{
		Name:       doc.Name,
		Doc:        doc.AnalyzerDoc(),
		URL:        doc.URL(),
		Requires:   []*analysis.Analyzer{model, suppress.Analyzer},
		ResultType: reflect.TypeFor[*Result](),
		Run:        r.run,
	}
}

// runner is the wrapper around a rule. It holds nothing that changes.
type runner struct {
	doc   Doc
	model *analysis.Analyzer
	opts  Options
	judge Judge
}

// run never returns an error: see package guard.
func (r *runner) run(pass *analysis.Pass) (any, error) {
	result := &Result{Rule: r.doc.Name, Used: map[*suppress.Directive]bool{}}
	if r.opts.Enabled != nil && !r.opts.Enabled(r.doc.Name) {
		return result, nil
	}
	// Reports are held back until all is done: a rule that fails halfway says
	// only that it failed, the same in every run.
	var found []analysis.Diagnostic
	failure := guard.Do(func() error {
		var err error
		found, err = r.find(pass, result)
		return err
	})
	if failure != nil {
		found = []analysis.Diagnostic{Internal(pass, r.doc.Name, token.NoPos, failure.Error())}
	}
	for _, d := range found {
		if r.opts.WithoutRelated {
			d.Related = nil
		}
		if r.opts.RuleInMessage {
			d.Message += " (" + r.doc.Name + ")"
		}
		pass.Report(d)
	}
	return result, nil
}

// find judges the package and makes diagnostics of what is left of the verdicts.
func (r *runner) find(pass *analysis.Pass, result *Result) ([]analysis.Diagnostic, error) {
	model, ok := pass.ResultOf[r.model].(*policy.Model)
	if !ok {
		return nil, errors.New("the model gave no result")
	}
	if model == nil { // the standard library
		return nil, nil
	}
	result.Ran = true
	var out []analysis.Diagnostic
	if r.opts.ReportProblems != nil && r.opts.ReportProblems(r.doc.Name) {
		out = Problems(pass, model)
	}
	verdicts, err := r.judge(pass, model)
	if err != nil {
		return nil, err
	}
	verdicts = slices.Clone(verdicts)
	slices.SortStableFunc(verdicts, func(a, b policy.Verdict) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.End, b.End), strings.Compare(a.Message, b.Message))
	})
	directives := pass.ResultOf[suppress.Analyzer].(*suppress.Set)
	for _, v := range verdicts {
		file := fileOf(pass, v.Pos)
		if file == nil {
			return nil, fmt.Errorf("a verdict lies outside of the package: %s", v.Message)
		}
		if Generated(pass.Fset, file) || !r.doc.InTests && inTest(pass.Fset, file) {
			continue
		}
		category := Category{Rule: r.doc.Name, Severity: v.Severity}
		for _, d := range directives.Matching(pass.Fset, r.doc.Name, v.Pos) {
			result.Used[d] = true
			category.Suppressed = true
		}
		if category.Suppressed && !r.opts.KeepSuppressed {
			continue
		}
		out = append(out, analysis.Diagnostic{
			Pos:            v.Pos,
			End:            v.End,
			Category:       category.String(),
			Message:        v.Message,
			URL:            r.doc.URL(), // else x/tools makes one of the category
			Related:        v.Related,
			SuggestedFixes: fixes(pass.Fset, v),
		})
	}
	return out, nil
}

// fixes returns the verdict's fixes if they can be applied: where a //line
// directive moves positions, honnef's runner reports offsets and names of two
// different files, and an edit by them would destroy code.
func fixes(fset *token.FileSet, v policy.Verdict) []analysis.SuggestedFix {
	moved := func(p token.Pos) bool {
		return p.IsValid() && fset.PositionFor(p, false) != fset.PositionFor(p, true)
	}
	for _, fix := range v.Fixes {
		for _, edit := range fix.TextEdits {
			if moved(edit.Pos) || moved(edit.End) {
				return nil
			}
		}
	}
	if moved(v.Pos) {
		return nil
	}
	return v.Fixes
}

// Internal makes the diagnostic of a failure of this program. It stands at pos,
// or else at the package clause of the first file.
func Internal(pass *analysis.Pass, rule string, pos token.Pos, message string) analysis.Diagnostic {
	if !pos.IsValid() && len(pass.Files) > 0 {
		pos = pass.Files[0].Package
	}
	return analysis.Diagnostic{
		Pos:      pos,
		Category: Category{Rule: rule, Internal: true}.String(),
		Message:  fmt.Sprintf("internal error: rule %s on package %s: %s", rule, pass.Pkg.Path(), message),
		URL:      "https://github.com/resiliencevet/resiliencevet/issues",
	}
}

// Problems makes the diagnostics of the model's failures.
func Problems(pass *analysis.Pass, model *policy.Model) []analysis.Diagnostic {
	if model == nil {
		return nil
	}
	var out []analysis.Diagnostic
	for _, p := range model.Problems() {
		out = append(out, Internal(pass, "model", p.Pos, p.Message))
	}
	return out
}

// fileOf returns the file of the package that holds pos, or nil.
func fileOf(pass *analysis.Pass, pos token.Pos) *ast.File {
	for _, f := range pass.Files {
		if f.FileStart <= pos && pos <= f.FileEnd {
			return f
		}
	}
	return nil
}

// inTest reports whether a file is a test file, whatever a //line says.
func inTest(fset *token.FileSet, f *ast.File) bool {
	return strings.HasSuffix(fset.PositionFor(f.Package, false).Filename, "_test.go")
}

// cgoHeader is the first line of the file that cgo makes of a person's file.
const cgoHeader = "// Code generated by cmd/cgo; DO NOT EDIT."

// Generated reports whether a program wrote the file. A file that uses cgo
// reaches analyzers as cgo's output, which says that it is generated and then
// repeats the person's file: for it the answer is that of the original.
func Generated(fset *token.FileSet, f *ast.File) bool {
	if !ast.IsGenerated(f) {
		return false
	}
	if len(f.Comments) == 0 || f.Comments[0].List[0].Text != cgoHeader {
		return true
	}
	raw, shown := fset.PositionFor(f.Package, false).Filename, fset.PositionFor(f.Package, true).Filename
	if raw == shown {
		return true // _cgo_gotypes.go: nobody's file
	}
	original := *f
	original.Comments = f.Comments[1:]
	return ast.IsGenerated(&original)
}
