package driver

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"honnef.co/go/tools/lintcmd/runner"

	"github.com/resiliencevet/resiliencevet/internal/policy"
)

// report is everything that a run of check has to say, in the order in which it
// says it.
type report struct {
	findings []finding
	errors   []problem
}

// finding is one finding of a rule.
type finding struct {
	pkg         string // import path, for the fingerprint
	rule        string
	severity    policy.Severity
	message     string
	at, end     place
	url         string
	related     []related
	fixes       []runner.SuggestedFix
	fingerprint string
	suppressed  bool
}

// place is a position as people see it: lines and columns from 1, columns in
// bytes, 0 when unknown.
type place struct {
	file         string
	line, column int
}

// related is a further position of a finding.
type related struct {
	at      place
	message string
}

// problem is something that kept a package, or a rule on it, from being
// checked.
type problem struct {
	pkg     string
	rule    string // empty unless a rule failed
	message string
	file    string // empty when there is no position
	line    int
	column  int
}

// sort puts findings and problems in their final order and drops what several
// variants of a package said alike.
func (r *report) sort() {
	slices.SortFunc(r.findings, compareFindings)
	r.findings = slices.CompactFunc(r.findings, func(a, b finding) bool {
		return compareFindings(a, b) == 0 && a.pkg == b.pkg
	})
	slices.SortFunc(r.errors, compareProblems)
	r.errors = slices.Compact(r.errors)
}

// compareProblems orders problems as they are printed.
func compareProblems(a, b problem) int {
	// Causes have a position; what follows of them comes after.
	if (a.file == "") != (b.file == "") {
		return cmp.Compare(len(b.file), len(a.file))
	}
	return cmp.Or(
		strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column),
		strings.Compare(a.pkg, b.pkg), strings.Compare(a.rule, b.rule), strings.Compare(a.message, b.message),
	)
}

// compareFindings orders findings as they are printed.
func compareFindings(a, b finding) int {
	return cmp.Or(
		comparePlaces(a.at, b.at), strings.Compare(a.rule, b.rule),
		comparePlaces(a.end, b.end), strings.Compare(a.message, b.message),
	)
}

// comparePlaces orders positions by file, line and column.
func comparePlaces(a, b place) int {
	return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
}

// shorten makes the paths relative to dir where that is shorter, as the go
// command does, and then sorts anew: the order is that of the printed names.
func (r *report) shorten(dir string) {
	short := func(file *string) { *file = shorten(dir, *file) }
	for i := range r.findings {
		f := &r.findings[i]
		short(&f.at.file)
		short(&f.end.file)
		for j := range f.related {
			short(&f.related[j].at.file)
		}
		for j := range f.fixes {
			for k := range f.fixes[j].TextEdits {
				short(&f.fixes[j].TextEdits[k].Position.Filename)
			}
		}
	}
	for i := range r.errors {
		short(&r.errors[i].file)
	}
	r.sort()
}

// shorten makes one path relative to dir if that is shorter. No path stays none.
func shorten(dir, file string) string {
	if file == "" {
		return ""
	}
	if rel, err := filepath.Rel(dir, file); err == nil && len(rel) < len(file) {
		file = rel
	}
	return filepath.ToSlash(file)
}

// summary is the closing line; empty when there is nothing to say.
func (r *report) summary() string {
	counts := map[policy.Severity]int{}
	total, suppressed := 0, 0
	for _, f := range r.findings {
		if f.suppressed {
			suppressed++
			continue
		}
		total++
		counts[f.severity]++
	}
	if total == 0 && suppressed == 0 && len(r.errors) <= 1 {
		return "" // a single problem is its own summary
	}
	s := plural(total, "finding")
	var parts []string
	for _, severity := range []policy.Severity{policy.Error, policy.Warning} {
		if n := counts[severity]; n > 0 {
			parts = append(parts, plural(n, string(severity)))
		}
	}
	if n := counts[policy.Info]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d info", n))
	}
	if len(parts) > 0 {
		s += " (" + strings.Join(parts, ", ") + ")"
	}
	if suppressed > 0 {
		s += fmt.Sprintf(", %d suppressed", suppressed)
	}
	if n := len(r.errors); n > 0 {
		s += ", " + plural(n, "problem")
	}
	return s
}

// plural counts things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
