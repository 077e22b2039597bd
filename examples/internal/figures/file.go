package figures

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// head tells a reader of the file where it comes from.
const head = "# situation | measured | figure: written by the tests of this package with -update\n"

// settle compares the table with the file, or writes it.
func (table *Table) settle(path string, update bool) error {
	if update {
		if len(table.skipped) > 0 {
			return fmt.Errorf("%s is not written: -run left out %q", path, table.skipped)
		}
		return replace(path, table.text())
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	got, want := lines(table.text()), lines(string(old))
	want = slices.DeleteFunc(want, func(line string) bool {
		situation, _, _ := strings.Cut(line, " | ")
		return slices.Contains(table.skipped, situation)
	})
	if slices.Equal(got, want) {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s is stale (write it with -update, then run `go run ./internal/gen`):", path)
	for _, line := range want {
		if !slices.Contains(got, line) {
			b.WriteString("\n- " + line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			b.WriteString("\n+ " + line)
		}
	}
	return errors.New(b.String()) // neither - nor +: the lines are in another order
}

// text is the file.
func (table *Table) text() string {
	var b strings.Builder
	b.WriteString(head)
	for _, r := range table.rows {
		b.WriteString(r.situation + " | " + r.measured + " | " + r.figure + "\n")
	}
	return b.String()
}

// lines takes a file apart. Behind the end of its last line is an empty one.
func lines(text string) []string { return strings.Split(text, "\n") }

// replace writes a file as a whole or not at all.
func replace(path, text string) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".figures-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	_, err = tmp.WriteString(text)
	// A temporary file is its owner's alone; this one is everyone's.
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
