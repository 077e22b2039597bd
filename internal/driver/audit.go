package driver

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"honnef.co/go/tools/lintcmd/runner"

	"github.com/resiliencevet/resiliencevet/internal/guard"
	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// auditCategory is the category of the diagnostics that rows of an audit travel in:
// the runner's cache keeps nothing of an analyzer but facts and diagnostics. The
// message is the row as JSON, and the related positions are those of its layers.
const auditCategory = "audit"

// auditRow is one row with its place.
type auditRow struct {
	policy.Call
	pkg    string
	at     place
	layers []place
}

// audit prints the inventory of outbound calls.
func (c *command) audit(args []string) error {
	flags, err := c.parseAudit(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(c.stdout, auditUsage())
		return nil
	}
	if err != nil {
		return err
	}
	disk, err := c.openCache(&flags.checkFlags)
	if err != nil {
		return err
	}
	defer disk.Trim()
	found, err := c.takeStock(disk, flags)
	if err != nil {
		return err
	}
	if flags.json {
		err = found.writeJSON(c.stdout)
	} else {
		err = found.writeText(c.stdout, flags.details)
	}
	if err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	for _, p := range found.problems {
		fmt.Fprintf(c.stderr, "%s: %s\n", name, p)
	}
	if len(found.problems) > 0 {
		return exitStatus(exitFailed)
	}
	return nil
}

// auditReport is everything that an audit has to say, in order.
type auditReport struct {
	rows     []auditRow
	packages int // that were looked at
	problems []problem
}

// add takes the rows of one package out of its diagnostics.
func (r *auditReport) add(res runner.Result, diagnostics []runner.Diagnostic) error {
	for _, d := range diagnostics {
		at := placeOf(d.Position)
		if category, ok := rule.ParseCategory(d.Category); ok {
			if category.Internal {
				r.problems = append(r.problems, problem{pkg: res.Package.PkgPath, rule: category.Rule, message: d.Message, file: at.file, line: at.line, column: at.column})
			}
			continue
		}
		if d.Category != auditCategory {
			continue
		}
		row := auditRow{pkg: res.Package.PkgPath, at: at}
		if err := json.Unmarshal([]byte(d.Message), &row.Call); err != nil {
			return fmt.Errorf("cache: a row of %s cannot be read: %w", res.Package.PkgPath, err)
		}
		row.layers = make([]place, len(row.Layers))
		for _, rel := range d.Related {
			var i int
			if _, err := fmt.Sscanf(rel.Message, "layer %d", &i); err == nil && i >= 0 && i < len(row.layers) {
				row.layers[i] = placeOf(rel.Position)
			}
		}
		r.rows = append(r.rows, row)
	}
	return nil
}

// sort puts rows and problems in their final order: the highest risk first, then by
// place.
func (r *auditReport) sort() {
	rank := func(k policy.Risk) int {
		return slices.Index([]policy.Risk{policy.HighRisk, policy.MediumRisk, policy.LowRisk}, k)
	}
	slices.SortFunc(r.rows, func(a, b auditRow) int {
		return cmp.Or(cmp.Compare(rank(a.Risk), rank(b.Risk)), comparePlaces(a.at, b.at), cmp.Compare(a.Operation, b.Operation),
			cmp.Compare(a.Method.Value, b.Method.Value), cmp.Compare(a.URL.Value, b.URL.Value))
	})
	slices.SortFunc(r.problems, compareProblems)
	r.problems = slices.Compact(r.problems)
}

// shorten makes paths relative to dir where that is shorter.
func (r *auditReport) shorten(dir string) {
	for i := range r.rows {
		row := &r.rows[i]
		row.at.file = shorten(dir, row.at.file)
		for j := range row.layers {
			row.layers[j].file = shorten(dir, row.layers[j].file)
		}
	}
	for i := range r.problems {
		r.problems[i].file = shorten(dir, r.problems[i].file)
	}
	r.sort()
}

// newAudit makes the analyzer that reports the rows of a package.
func newAudit(suite []*analysis.Analyzer) *analysis.Analyzer {
	model := modelOf(suite)
	return &analysis.Analyzer{
		Name:     auditCategory,
		Doc:      "audit: list the outbound calls of a package",
		Requires: []*analysis.Analyzer{model},
		Run: func(pass *analysis.Pass) (any, error) {
			var out []analysis.Diagnostic
			failure := guard.Do(func() error {
				m, ok := pass.ResultOf[model].(*policy.Model)
				if !ok {
					return errors.New("the model gave no result")
				}
				calls, err := m.Calls()
				if err != nil {
					return err
				}
				out, err = auditDiagnostics(calls)
				return err
			})
			if failure != nil {
				out = []analysis.Diagnostic{rule.Internal(pass, auditCategory, token.NoPos, failure.Error())}
			}
			for _, d := range out {
				pass.Report(d)
			}
			return nil, nil
		},
	}
}

// auditDiagnostics puts rows into diagnostics.
func auditDiagnostics(calls []policy.Call) ([]analysis.Diagnostic, error) {
	var out []analysis.Diagnostic
	for _, call := range calls {
		text, err := json.Marshal(call)
		if err != nil {
			return nil, err
		}
		d := analysis.Diagnostic{Pos: call.Pos, End: call.End, Category: auditCategory, Message: string(text)}
		for i, l := range call.Layers {
			if l.Pos.IsValid() {
				d.Related = append(d.Related, analysis.RelatedInformation{Pos: l.Pos, Message: fmt.Sprintf("layer %d", i)})
			}
		}
		out = append(out, d)
	}
	return out, nil
}

// auditFlags is what the flags of audit say.
type auditFlags struct {
	checkFlags
	details bool
}

// newAuditFlagSet declares the flags of audit.
func newAuditFlagSet() (*flag.FlagSet, *rawFlags, *bool) {
	f, raw := newFlagSet("audit")
	f.StringVar(&raw.format, "format", "text", "output `format`: text or json")
	details := f.Bool("details", false, "say of each call which layers it has, what the rules say, and why something is unknown")
	return f, raw, details
}

// parseAudit reads the arguments of audit. flag.ErrHelp asks for the usage.
func (c *command) parseAudit(args []string) (*auditFlags, error) {
	set, raw, details := newAuditFlagSet()
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, fmt.Errorf("%w (`resiliencevet help audit` lists the flags)", err)
	}
	out := &auditFlags{details: *details}
	out.policy, out.tags, out.tests, out.patterns = raw.policy(), raw.tags, raw.tests, set.Args()
	out.policy.Inventory = true
	for _, p := range out.patterns {
		if strings.HasPrefix(p, "-") {
			return nil, fmt.Errorf("flag %s stands after a package: put flags first", p)
		}
	}
	if len(out.patterns) == 0 {
		out.patterns = []string{"./..."}
	}
	switch raw.format {
	case "text":
	case "json":
		out.json = true
	default:
		return nil, fmt.Errorf("invalid value %q for flag -format: want text or json", raw.format)
	}
	var err error
	if out.rules, err = c.suite.Select(""); err != nil {
		return nil, err
	}
	if out.dir, err = workingDir(raw.dir); err != nil {
		return nil, err
	}
	return out, nil
}

// auditUsage lists the flags of audit.
func auditUsage() string {
	var b strings.Builder
	b.WriteString("usage: resiliencevet audit [flags] [packages]\n\n" +
		"Lists the outbound calls of packages, ./... if none are given, with the policy that\n" +
		"each of them really has: what sends it again and how often, what ends it, its\n" +
		"idempotency key, and what is not known. The riskiest come first. See docs/audit.md.\n\nFlags:\n")
	set, _, _ := newAuditFlagSet()
	set.SetOutput(&b)
	set.PrintDefaults()
	b.WriteString("\nExit status: 0 the list is complete, 2 some package could not be looked at, or\nthe program could not run. Whether something is wrong, check says.\n")
	return b.String()
}
