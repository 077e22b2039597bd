package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/resiliencevet/resiliencevet/internal/corpus/revision"
)

// recall is a row of recall.txt: how many labels of a rule the linter of a
// commit found.
type recall struct {
	commit, rule    string
	found, expected int
	hit, traps      int
}

const recallHeader = `# What go run ./internal/corpus -record has measured: labels that expect a report and have one, and traps that were
# walked into. Columns: commit of the linter, rule, found, expected, walked into, traps. +changes marks a commit whose
# linter had been changed and not committed yet.
`

func (r recall) String() string {
	return fmt.Sprintf("%s\t%s\t%d\t%d\t%d\t%d", r.commit, r.rule, r.found, r.expected, r.hit, r.traps)
}

// readRecall reads recall.txt, the oldest rows first. Without one there are none.
func readRecall(file string) ([]recall, error) {
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var rows []recall
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		var r recall
		if n, err := fmt.Sscan(line, &r.commit, &r.rule, &r.found, &r.expected, &r.hit, &r.traps); err != nil {
			return nil, fmt.Errorf("%s: %q: %w after %d columns", file, line, err, n)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// rowsOf makes rows of scores.
func rowsOf(commit string, scores []score) (rows []recall) {
	for _, s := range scores {
		rows = append(rows, recall{commit, s.rule, s.found, s.expected, s.hit, s.traps})
	}
	return rows
}

// reportRecall prints how findings.txt compares with labels.txt and, if asked
// to, records the numbers in recall.txt.
func reportRecall(out io.Writer, dir string, record bool) error {
	fs, err := readFindings(filepath.Join(dir, "findings.txt"))
	if err != nil {
		return err
	}
	labels, err := readLabels(filepath.Join(dir, "labels.txt"))
	if err != nil {
		return err
	}
	scores := compareLabels(labels, fs.list)
	if err := printRecall(out, scores); err != nil || !record {
		return err
	}
	commit, err := revision.Linter()
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "recall.txt")
	rows, err := readRecall(file)
	if err != nil {
		return err
	}
	// Measured again at the same commit, the new numbers stand.
	rows = slices.DeleteFunc(rows, func(r recall) bool { return r.commit == commit })
	text := recallHeader
	for _, r := range append(rows, rowsOf(commit, scores)...) {
		text += r.String() + "\n"
	}
	return replace(file, text)
}

// printRecall prints the table, then what is missed, what was walked into, and
// what no label is about.
func printRecall(out io.Writer, scores []score) error {
	var errs []error
	printf := func(w io.Writer, format string, args ...any) {
		_, err := fmt.Fprintf(w, format, args...)
		errs = append(errs, err)
	}
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	printf(tw, "rule\tfound\texpected\ttraps hit\ttraps\tunlabelled\t\n")
	for _, s := range scores {
		printf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t\n", s.rule, s.found, s.expected, s.hit, s.traps, len(s.unlabelled))
	}
	errs = append(errs, tw.Flush())
	for _, s := range scores {
		for _, l := range s.missed {
			printf(out, "%s missed: %s\n", s.rule, l)
		}
		for _, l := range s.walked {
			printf(out, "%s walked into a trap: %s\n", s.rule, l)
		}
		for _, f := range s.unlabelled {
			printf(out, "%s without a label: %s %s:%d: %s\n", s.rule, f.module, f.file, f.line, f.verdict)
		}
	}
	return errors.Join(errs...)
}
