// Package suppression keeps house: it reports comments that suppress nothing,
// say no reason or name no rule, and failures of the model.
package suppression

import (
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/guard"
	"github.com/resiliencevet/resiliencevet/internal/nearest"
	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
	"github.com/resiliencevet/resiliencevet/internal/suppress"
)

// Name is the name under which the reports appear.
const Name = "suppression"

// Doc returns the documentation.
func Doc() rule.Doc {
	return rule.Doc{
		Name:  Name,
		Title: "a suppressing comment is unused, unexplained or misspelt",
		What: "Comments that suppress findings of resiliencevet (`//lint:ignore retrynokey why`, `//nolint:resiliencevet // why`) and its own directives (`//resiliencevet:idempotent why`): " +
			"one that suppresses nothing, one that gives no reason (it works all the same), one that names a rule or a directive that does not exist.",
		Why: "A comment outlives the code it was written for. One that suppresses nothing today hides the next mistake on that line, " +
			"one without a reason cannot be reviewed, and one with a misspelt name does not do what its reader believes.",
		Risky: `//lint:ignore retrynokey
resp, err := client.Do(req) // nothing retries this request any more`,
		Safe: `resp, err := client.Do(req)`,
		SilentWhen: []string{
			"the comment is a bare `//nolint`, or names only other tools (staticcheck's ids, golangci-lint's linters)",
			"the rule that it names does not run this time",
			"the file is generated",
		},
		Since:    "v0.1.0",
		Severity: policy.Warning,
		Default:  true,
		InTests:  true,

		// A comment that suppresses complaints about itself would be absurd.
		NoSuppress: true,
		NoExample:  true, // a comment does nothing at run time
	}
}

// A Known rule is one that a comment may name.
type Known struct {
	Name    string
	Default bool // runs unless it is switched off
}

// New makes the analyzer. rules are the analyzers of the rules, made with the
// same model; known lists the rules in the same order.
func New(model *analysis.Analyzer, rules []*analysis.Analyzer, known []Known, opts rule.Options) *analysis.Analyzer {
	doc := Doc()
	h := &housekeeper{model: model, rules: rules, known: known, opts: opts}
	for _, k := range known {
		h.names = append(h.names, k.Name)
	}
	return &analysis.Analyzer{
		Name:     doc.Name,
		Doc:      doc.AnalyzerDoc(),
		URL:      doc.URL(),
		Requires: append([]*analysis.Analyzer{model, suppress.Analyzer}, rules...),
		Run: func(pass *analysis.Pass) (any, error) {
			var found []analysis.Diagnostic
			failure := guard.Do(func() error {
				found = h.find(pass)
				return nil
			})
			if failure != nil {
				found = []analysis.Diagnostic{rule.Internal(pass, Name, token.NoPos, failure.Error())}
			}
			for _, d := range found {
				if opts.RuleInMessage {
					d.Message += " (" + Name + ")"
				}
				pass.Report(d)
			}
			return nil, nil
		},
	}
}

// housekeeper holds what New was given.
type housekeeper struct {
	model *analysis.Analyzer
	rules []*analysis.Analyzer
	known []Known
	names []string
	opts  rule.Options
}

// find makes the reports of one package.
func (h *housekeeper) find(pass *analysis.Pass) []analysis.Diagnostic {
	model, _ := pass.ResultOf[h.model].(*policy.Model)
	if model == nil {
		return nil
	}
	out := rule.Problems(pass, model)
	results := map[string]*rule.Result{}
	for _, a := range h.rules {
		if r, ok := pass.ResultOf[a].(*rule.Result); ok {
			results[r.Rule] = r
		}
	}
	silent := generatedRanges(pass)
	for _, d := range pass.ResultOf[suppress.Analyzer].(*suppress.Set).All() {
		if slices.ContainsFunc(silent, func(r [2]token.Pos) bool { return r[0] <= d.Pos && d.Pos <= r[1] }) {
			continue
		}
		for _, message := range h.judge(d, results) {
			out = append(out, analysis.Diagnostic{
				Pos: d.Pos, End: d.End, Message: message, URL: rule.PageURL(Name),
				Category: rule.Category{Rule: Name, Severity: policy.Warning}.String(),
			})
		}
	}
	return out
}

// judge says what is wrong with one directive.
func (h *housekeeper) judge(d *suppress.Directive, results map[string]*rule.Result) []string {
	if d.Kind == suppress.Own {
		return judgeOwn(d)
	}
	var ours []string
	for _, name := range d.Names {
		if name == suppress.Suite || slices.Contains(h.names, name) {
			ours = append(ours, name)
		}
	}
	out := h.misspelt(d, len(ours) > 0)
	if len(ours) == 0 {
		return out
	}
	if d.Reason == "" {
		out = append(out, fmt.Sprintf("%s of %s gives no reason: say why the code is right", d.Text, strings.Join(ours, ", ")))
	}
	for _, name := range ours {
		if h.unused(d, name, results) {
			out = append(out, fmt.Sprintf("%s of %s suppresses nothing: remove it", d.Text, name))
		}
	}
	return out
}

// unused reports whether one of our names in a directive is known to have had
// no effect: every rule that it speaks of ran, and none needed it.
func (h *housekeeper) unused(d *suppress.Directive, name string, results map[string]*rule.Result) bool {
	judged := false
	for _, k := range h.known {
		if name != suppress.Suite && name != k.Name {
			continue
		}
		r := results[k.Name]
		ran := r != nil && r.Ran
		if ran && r.Used[d] {
			return false
		}
		// Whoever names the whole suite need not run its opt-in rules.
		if !ran && (k.Default || name == k.Name) {
			return false
		}
		judged = true
	}
	return judged
}

// foreign matches the names of staticcheck's checks, and patterns.
var foreign = regexp.MustCompile(`^[a-z]{1,3}[0-9*]+$|[*?[]`)

// misspelt reports names in a staticcheck-style list that can only have been
// meant for this program: the list names another rule of ours, or the name is
// a slip of one. golangci-lint's lists are full of names that we do not know.
func (h *housekeeper) misspelt(d *suppress.Directive, haveOurs bool) []string {
	if d.Kind == suppress.NoLint {
		return nil
	}
	var out []string
	for _, name := range d.Names {
		if name == suppress.Suite || slices.Contains(h.names, name) || foreign.MatchString(name) {
			continue
		}
		near := nearest.To(name, h.names)
		switch {
		case near != "" && (haveOurs || nearest.Distance(near, name) <= 2):
			out = append(out, fmt.Sprintf("unknown rule %q in %s: did you mean %s?", name, d.Text, near))
		case haveOurs:
			out = append(out, fmt.Sprintf("unknown rule %q in %s", name, d.Text))
		}
	}
	return out
}

// verbs are the directives of this program: claims about code, which the model
// reads.
func verbs() []string { return []string{"idempotent"} }

// judgeOwn says what is wrong with a //resiliencevet: comment.
func judgeOwn(d *suppress.Directive) []string {
	if !slices.Contains(verbs(), d.Verb) {
		if near := nearest.To(d.Verb, verbs()); near != "" {
			return []string{fmt.Sprintf("unknown directive %s: did you mean //%s:%s?", d.Text, suppress.Suite, near)}
		}
		return []string{fmt.Sprintf("unknown directive %s: known is //%s:%s", d.Text, suppress.Suite, strings.Join(verbs(), ", "))}
	}
	if d.Reason == "" {
		return []string{fmt.Sprintf("%s gives no reason: say what makes it true", d.Text)}
	}
	return nil
}

// generatedRanges returns the extents of the generated files.
func generatedRanges(pass *analysis.Pass) [][2]token.Pos {
	var out [][2]token.Pos
	for _, f := range pass.Files {
		if rule.Generated(pass.Fset, f) {
			out = append(out, [2]token.Pos{f.FileStart, f.FileEnd})
		}
	}
	return out
}
