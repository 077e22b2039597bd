// Package rule is the frame of a rule: its documentation as data, and the one
// wrapper around every Run.
//
// The model (internal/policy) decides what is wrong and which rule says so.
// A rule adds what a person needs to act on it. So a rule's package holds a
// Doc and a constructor, and everything else happens here.
package rule

import (
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/policy"
)

// pagesURL is where the rule pages are published.
const pagesURL = "https://github.com/resiliencevet/resiliencevet/blob/main/docs/rules/"

// A Doc is the documentation of a rule. Analyzer.Doc, the text of `explain`,
// the rule page and the URL of a finding are all made of it.
//
// Texts are plain paragraphs separated by an empty line; `code` is set in
// backquotes, and the renderings keep them.
type Doc struct {
	Name  string // "retrynokey"; also the analyzer's name
	Title string // one line without a final stop: "an unsafe request is retried without an idempotency key"

	What  string // what is reported, and how the message reads
	Why   string // what happens in production; the figures are measured, and the page has them
	Risky string // a short piece of Go that is reported
	Safe  string // the same piece, right

	Runtime string // how package resilience does it right, if it does

	SilentWhen []string // when the rule does not report, one phrase each

	Since    string          // the first release that has the rule, "v0.1.0"
	Severity policy.Severity // the worst severity the rule reports
	Default  bool            // runs unless switched off; otherwise opt-in
	InTests  bool            // also reports in _test.go files

	NoSuppress bool // no comment silences its findings
	NoExample  bool // no code runs to show it, so there are no figures
}

// A Figure is what both forms of a rule's example measure in one situation.
type Figure struct {
	Situation, Measured, Risky, Safe string
}

// URL is the address of the rule's page.
func (d Doc) URL() string { return PageURL(d.Name) }

// PageURL is the address of the page of the rule with that name.
func PageURL(name string) string { return pagesURL + name + ".md" }

// AnalyzerDoc is the text for analysis.Analyzer.Doc: a first line
// "name: title", as the drivers of x/tools expect, then the rest.
func (d Doc) AnalyzerDoc() string {
	var b strings.Builder
	b.WriteString(d.Name + ": " + d.Title + "\n")
	for _, text := range []string{d.What, d.Why} {
		if text = strings.TrimSpace(text); text != "" {
			b.WriteString("\n" + text + "\n")
		}
	}
	if len(d.SilentWhen) > 0 {
		b.WriteString("\nIt is silent when\n")
		for _, s := range d.SilentWhen {
			b.WriteString("  - " + s + "\n")
		}
	}
	b.WriteString("\nSee " + d.URL())
	return b.String()
}

// state says in one phrase how the rule is switched on and what it reports.
func (d Doc) state() string {
	s := "opt-in"
	if d.Default {
		s = "on by default"
	}
	s += ", severity " + string(d.Severity)
	if d.Since != "" {
		s += ", since " + d.Since
	}
	if d.InTests {
		s += ", also in _test.go files"
	}
	return s
}
