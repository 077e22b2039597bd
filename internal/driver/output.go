package driver

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"honnef.co/go/tools/lintcmd/runner"
)

// writeText prints findings on stdout, one line each with its further positions
// indented below, and on stderr what could not be checked.
func (r *report) writeText(stdout, stderr io.Writer) error {
	w := bufio.NewWriter(stdout)
	for _, f := range r.findings {
		mark := ""
		if f.suppressed {
			mark = " [suppressed]"
		}
		fmt.Fprintf(w, "%s: %s (%s)%s\n", f.at, oneLine(f.message), f.rule, mark)
		for _, rel := range f.related {
			fmt.Fprintf(w, "\t%s: %s\n", rel.at, oneLine(rel.message))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, e := range r.errors {
		if _, err := fmt.Fprintf(stderr, "%s: %s\n", name, e); err != nil {
			return err
		}
	}
	return nil
}

// String is the line that says it.
func (e problem) String() string {
	line := oneLine(e.message)
	if e.file != "" {
		line = place{e.file, e.line, e.column}.String() + ": " + line
	}
	if e.pkg != "" && e.rule == "" { // a rule's failure names the package itself
		line = e.pkg + ": " + line
	}
	return line
}

// String is "file:line:column", without what is unknown.
func (p place) String() string {
	s := p.file
	if p.line > 0 {
		s += fmt.Sprintf(":%d", p.line)
		if p.column > 0 {
			s += fmt.Sprintf(":%d", p.column)
		}
	}
	return s
}

// jsonVersion is the version of the format. Within a version, fields may be
// added; none is removed, renamed or given another meaning. See docs/json.md.
const jsonVersion = 1

type (
	jsonReport struct {
		Version  int           `json:"version"`
		Findings []jsonFinding `json:"findings"`
		Errors   []jsonError   `json:"errors"`
	}
	jsonFinding struct {
		Rule        string        `json:"rule"`
		Severity    string        `json:"severity"`
		Message     string        `json:"message"`
		File        string        `json:"file"`
		Line        int           `json:"line"`
		Column      int           `json:"column"`
		EndLine     int           `json:"endLine"`
		EndColumn   int           `json:"endColumn"`
		URL         string        `json:"url"`
		Related     []jsonRelated `json:"related"`
		Fixes       []jsonFix     `json:"fixes"`
		Fingerprint string        `json:"fingerprint"`
		Suppressed  bool          `json:"suppressed"`
	}
	jsonRelated struct {
		Message string `json:"message"`
		File    string `json:"file"`
		Line    int    `json:"line"`
		Column  int    `json:"column"`
	}
	jsonFix struct {
		Message string     `json:"message"`
		Edits   []jsonEdit `json:"edits"`
	}
	jsonEdit struct {
		File    string `json:"file"`
		Start   int    `json:"start"`
		End     int    `json:"end"`
		NewText string `json:"newText"`
	}
	jsonError struct {
		Package string `json:"package"`
		Rule    string `json:"rule"`
		Message string `json:"message"`
		File    string `json:"file"`
		Line    int    `json:"line"`
	}
)

// writeJSON prints the report as one JSON document. Its lists are never null.
func (r *report) writeJSON(stdout io.Writer) error {
	doc := jsonReport{Version: jsonVersion, Findings: []jsonFinding{}, Errors: []jsonError{}}
	for _, f := range r.findings {
		j := jsonFinding{
			Rule: f.rule, Severity: string(f.severity), Message: f.message,
			File: f.at.file, Line: f.at.line, Column: f.at.column,
			EndLine: f.end.line, EndColumn: f.end.column,
			URL: f.url, Related: []jsonRelated{}, Fixes: []jsonFix{},
			Fingerprint: f.fingerprint, Suppressed: f.suppressed,
		}
		for _, rel := range f.related {
			j.Related = append(j.Related, jsonRelated{rel.message, rel.at.file, rel.at.line, rel.at.column})
		}
		for _, fix := range f.fixes {
			j.Fixes = append(j.Fixes, jsonFix{fix.Message, jsonEdits(fix.TextEdits)})
		}
		doc.Findings = append(doc.Findings, j)
	}
	for _, e := range r.errors {
		doc.Errors = append(doc.Errors, jsonError{e.pkg, e.rule, e.message, e.file, e.line})
	}
	w := bufio.NewWriter(stdout)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // messages hold <, > and &
	enc.SetIndent("", "\t")
	return errors.Join(enc.Encode(doc), w.Flush())
}

// jsonEdits converts edits. An edit without an end inserts.
func jsonEdits(edits []runner.TextEdit) []jsonEdit {
	out := []jsonEdit{}
	for _, e := range edits {
		start, end := e.Position.Offset, e.End.Offset
		if !e.End.IsValid() {
			end = start
		}
		out = append(out, jsonEdit{e.Position.Filename, start, end, string(e.NewText)})
	}
	return out
}
