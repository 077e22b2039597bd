package main

import (
	_ "embed" // the page's text
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

//go:embed results.md.tmpl
var resultsTemplate string

// enough is how many findings a rule needs before a percentage of them says
// something.
const enough = 10

// page is what the template of docs/results.md is given.
type page struct {
	Modules []pageModule
	Rules   []pageRule
	Recall  []pageRecall
	Before  string // commit of the first row of recall.txt
	Nobody  string // rules of which no label expects a finding, "a or b"
	Missed  []string
	Walked  []string
	// Labels, Reports, Traps and Labelled count labels and their modules.
	Labels, Reports, Traps, Labelled int
	Total                            int
	Unjudged                         int // findings without a verdict
	Counts                           []pageCount
	Columns                          []pageColumn // of the audit
	Calls                            int          // whose cells were compared
	Seed                             int
	Cost                             string // what go run ./internal/bench printed; empty if it was not kept
}

type pageModule struct {
	Name      string
	Findings  int
	Unchecked int
	Note      string
	List      []pageFinding
}

type pageFinding struct{ Place, Rule, Severity, Judgement, Reason string }

type pageRule struct {
	Name                             string
	Right, Arguable, Wrong, Unjudged int
	Precision                        string
}

type pageRecall struct {
	Rule                  string
	Before, Now           string // "3 of 8"
	TrapsBefore, TrapsNow string
}

// A pageCount is what stackedretry says of one form in integration/stacked, and
// what a server received.
type pageCount struct{ Form, Product, Failure, Counted string }

// makeResults makes docs/results.md of the files in dir, and of those that other
// packages keep.
func makeResults(dir string) (string, error) {
	fs, err := readFindings(filepath.Join(dir, "findings.txt"))
	if err != nil {
		return "", err
	}
	labels, err := readLabels(filepath.Join(dir, "labels.txt"))
	if err != nil {
		return "", err
	}
	rows, err := readRecall(filepath.Join(dir, "recall.txt"))
	if err != nil {
		return "", err
	}
	counts, err := readCounts(filepath.Join(dir, "..", "..", "integration", "stacked", "counts.txt"))
	if err != nil {
		return "", err
	}
	cost, err := os.ReadFile(filepath.Join(dir, "..", "bench", "measured.txt"))
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	cells, err := readCells(filepath.Join(dir, "audit.txt"))
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	p := newPage(targets(), fs, labels, rows)
	p.Counts = counts
	p.Columns, p.Calls = countCells(cells)
	p.Seed = auditSeed
	p.Cost = strings.TrimSpace(string(cost))
	t, err := template.New("results").Parse(resultsTemplate)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, p); err != nil {
		return "", err
	}
	return b.String(), nil
}

// readCounts reads what the test in integration/stacked has written. The file is
// read, and nothing is imported: the linter's module does not require the libraries
// of that one.
func readCounts(file string) ([]pageCount, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseCounts(string(text))
}

func parseCounts(text string) ([]pageCount, error) {
	var list []pageCount
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("counts.txt: %q is not form, product, failure and count", line)
		}
		list = append(list, pageCount{f[0], f[1], f[2], f[3]})
	}
	return list, nil
}

// newPage collects the numbers.
func newPage(targets []target, fs *findings, labels []label, rows []recall) *page {
	p := &page{Total: len(fs.list), Labels: len(labels)}
	for _, t := range targets {
		m := pageModule{Name: t.path + " " + t.version, Note: t.note}
		for _, known := range fs.modules {
			if known.name == t.module() {
				m.Unchecked = known.unchecked
			}
		}
		for _, f := range fs.of(t.module()) {
			m.Findings++
			m.List = append(m.List, pageFinding{
				fmt.Sprintf("%s:%d", f.file, f.line), f.rule, f.severity, f.judgement(), strings.ReplaceAll(f.reason(), "|", `\|`),
			})
		}
		p.Modules = append(p.Modules, m)
	}
	p.Rules = countRules(fs.list)
	for _, r := range p.Rules {
		p.Unjudged += r.Unjudged
	}
	p.addRecall(labels, fs.list, rows)
	return p
}

// countRules counts verdicts: of the rules with labels in their order, then of
// others that have findings.
func countRules(list []finding) []pageRule {
	names := rules()
	for _, f := range list {
		if !slices.Contains(names, f.rule) {
			names = append(names, f.rule)
		}
	}
	slices.Sort(names[len(rules()):])
	var out []pageRule
	for _, name := range names {
		r := pageRule{Name: name}
		for _, f := range list {
			if f.rule != name {
				continue
			}
			switch f.judgement() {
			case "right":
				r.Right++
			case "arguable":
				r.Arguable++
			case "wrong":
				r.Wrong++
			default:
				r.Unjudged++
			}
		}
		r.Precision = precision(r)
		out = append(out, r)
	}
	return out
}

// precision is the part of a rule's findings that is right, in per cent; what is
// arguable counts half.
func precision(r pageRule) string {
	n := r.Right + r.Arguable + r.Wrong
	switch {
	case r.Unjudged > 0:
		return "not all are judged"
	case n < enough:
		return "not enough evidence"
	}
	return fmt.Sprintf("%.0f %%", 100*(float64(r.Right)+float64(r.Arguable)/2)/float64(n))
}

// addRecall compares labels with findings, and with what was recorded first.
func (p *page) addRecall(labels []label, list []finding, rows []recall) {
	modules := map[string]bool{}
	for _, l := range labels {
		modules[l.module] = true
		switch l.expect {
		case report:
			p.Reports++
		case silent:
			p.Traps++
		}
	}
	p.Labelled = len(modules)
	if len(rows) > 0 {
		p.Before = rows[0].commit
	}
	var nobody []string
	for _, s := range compareLabels(labels, list) {
		if s.expected == 0 {
			nobody = append(nobody, s.rule)
		}
		r := pageRecall{
			Rule:     s.rule,
			Before:   "–",
			Now:      fmt.Sprintf("%d of %d", s.found, s.expected),
			TrapsNow: fmt.Sprintf("%d of %d", s.hit, s.traps),
		}
		r.TrapsBefore = r.Before
		if i := slices.IndexFunc(rows, func(r recall) bool { return r.commit == p.Before && r.rule == s.rule }); i >= 0 {
			r.Before = fmt.Sprintf("%d of %d", rows[i].found, rows[i].expected)
			r.TrapsBefore = fmt.Sprintf("%d of %d", rows[i].hit, rows[i].traps)
		}
		p.Recall = append(p.Recall, r)
		for _, l := range s.missed {
			p.Missed = append(p.Missed, fmt.Sprintf("%s, %s %s:%d: %s", s.rule, l.module, l.file, l.lines[0], l.why))
		}
		for _, l := range s.walked {
			p.Walked = append(p.Walked, fmt.Sprintf("%s, %s %s:%d: %s", s.rule, l.module, l.file, l.lines[0], l.why))
		}
	}
	p.Nobody = strings.Join(nobody, " or ")
}
