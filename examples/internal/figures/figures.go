// Package figures keeps what the tests of the examples measure: requests,
// charges, connections, the time of a fake clock. What one package measured lies
// in its figures.txt, which is committed; internal/gen makes the tables on the
// pages of the rules of the files of risky and safe. A test fails when its file
// says something else than it measured, and writes the file anew under -update:
//
//	go test ./examples/retrynokey/... -update
package figures

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var update = flag.Bool("update", false, "write what was measured into figures.txt")

// A Table is what one package measures.
type Table struct {
	t       *testing.T
	rows    []row
	skipped []string // situations that -run left out
}

// row is a line of the file.
type row struct{ situation, measured, figure string }

// Open begins the table of the package under test. When t ends, the table is
// compared with the file, or written into it.
func Open(t *testing.T) *Table {
	t.Helper()
	table := &Table{t: t}
	t.Cleanup(func() {
		if t.Failed() {
			return // the figures of a failed test are of no use
		}
		if err := table.settle("figures.txt", *update); err != nil {
			t.Error(err)
		}
	})
	return table
}

// Try runs a subtest with a fake clock: a synctest bubble. Its name is the
// situation in which it measures, in the words of the page.
func (table *Table) Try(situation string, test func(*testing.T, *Situation)) {
	table.t.Helper()
	ran := false
	table.t.Run(situation, func(t *testing.T) {
		ran = true
		synctest.Test(t, func(t *testing.T) {
			t.Helper()
			test(t, &Situation{t: t, table: table, name: situation})
		})
	})
	if !ran {
		table.skipped = append(table.skipped, situation)
	}
}

// A Situation takes down what is measured in it.
type Situation struct {
	t     *testing.T
	table *Table
	name  string
}

// Row takes down one figure: a number, a time of the fake clock, what became of
// a call (an error, or nil), or a text that a test has made of these. It must be
// the same in every run.
func (s *Situation) Row(measured string, figure any) {
	s.t.Helper()
	if err := s.table.add(row{s.name, measured, format(figure)}); err != nil {
		s.t.Error(err)
	}
}

// add refuses what could not be read back.
func (table *Table) add(r row) error {
	for _, text := range []string{r.situation, r.measured, r.figure} {
		if text == "" || text != strings.TrimSpace(text) || strings.ContainsAny(text, "|\n") || strings.HasPrefix(text, "#") {
			return fmt.Errorf("figures.txt cannot hold %q", text)
		}
	}
	same := func(old row) bool { return old.situation == r.situation && old.measured == r.measured }
	if slices.ContainsFunc(table.rows, same) {
		return fmt.Errorf("%s, %s: measured twice", r.situation, r.measured)
	}
	table.rows = append(table.rows, r)
	return nil
}

// AtMost stands for a time that jitter makes another in every run: the bound, as
// long as the time keeps to it.
func AtMost(took, bound time.Duration) string {
	if took > bound {
		return format(took)
	}
	return "at most " + format(bound)
}

// format writes a figure as the page has it.
func format(figure any) string {
	switch f := figure.(type) {
	case nil:
		return "success"
	case error:
		// What went wrong in the end; where it did is in the layers around it.
		for {
			inner, ok := f.(interface{ Unwrap() error })
			if !ok || inner.Unwrap() == nil {
				return "error: " + f.Error()
			}
			f = inner.Unwrap()
		}
	case time.Duration:
		return fmt.Sprintf("%g s", f.Seconds())
	}
	return fmt.Sprint(figure)
}
