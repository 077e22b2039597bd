// Command corpus runs the linter on real modules at pinned versions and
// compares what it finds with findings.txt, where each finding has been read
// and judged, and with labels.txt, where a reader who did not know the linter
// says what it should find.
//
//	go run ./internal/corpus             fetch, run, print the difference from findings.txt; exit 1 if there is one
//	go run ./internal/corpus -update     write what was found into findings.txt, keeping verdicts
//	go run ./internal/corpus slack lego  only modules whose path contains one of the words
//	go run ./internal/corpus -labels     compare findings.txt with labels.txt: recall, and traps that were walked into
//	go run ./internal/corpus -record     the same, and write the numbers into recall.txt under the current commit
//	go run ./internal/corpus -audit      take calls of two modules by chance, and compare their cells with audit.txt; with -update, write them there
//	go run ./internal/corpus -results    write docs/results.md
//
// Run it from the repository's root. The first forms need a Go module proxy and,
// cold, the time to compile the modules; the others read only the files.
//
// A verdict in findings.txt is right, arguable or wrong, a colon, and why. A new
// finding is unjudged, and as long as there is one the command fails.
// `go run ./internal/corpus/candidates` lists the places that somebody who writes
// labels has to read.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// dir is where this command's files are, from the repository's root.
const dir = "internal/corpus"

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("corpus", flag.ContinueOnError)
	update := flags.Bool("update", false, "write findings.txt instead of comparing with it")
	labels := flags.Bool("labels", false, "compare findings.txt with labels.txt and print recall and traps; runs nothing")
	record := flags.Bool("record", false, "as -labels, and write the numbers into recall.txt under the current commit")
	cells := flags.Bool("audit", false, "audit two modules, and compare the cells of calls taken by chance with audit.txt")
	results := flags.Bool("results", false, "write docs/results.md from findings.txt, labels.txt and recall.txt; runs nothing")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if (*labels || *record || *results) && (*update || flags.NArg() > 0) {
		return errors.New("-labels, -record and -results take neither words nor -update")
	}
	if *cells && (*labels || *record || *results || flags.NArg() > 0) {
		return errors.New("-audit goes with -update only")
	}
	switch {
	case *cells:
		return sample(out, *update)
	case *labels, *record:
		return reportRecall(out, dir, *record)
	case *results:
		text, err := makeResults(dir)
		if err != nil {
			return err
		}
		return replace(filepath.Join("docs", "results.md"), text)
	}
	return compare(out, *update, flags.Args())
}

// compare runs the linter on the modules that the words name, or all, and
// prints or writes what differs from findings.txt.
func compare(out io.Writer, update bool, words []string) error {
	file := filepath.Join(dir, "findings.txt")
	old, err := readFindings(file)
	if err != nil {
		return err
	}
	linter, cleanup, err := build()
	if err != nil {
		return err
	}
	defer cleanup()
	now := &findings{}
	differs := false
	for _, t := range targets() {
		if len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(t.path, w) }) {
			now.keep(old, t.module())
			continue
		}
		m, list, err := linter.check(t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.module(), err)
		}
		list = old.judge(list)
		now.add(m, list)
		fmt.Fprintf(out, "%s: %d findings, %d packages not checked\n", t.module(), len(list), m.unchecked)
		if len(m.missing) > 0 {
			fmt.Fprintln(out, "  cannot be had:", strings.Join(m.missing, ", "))
		}
		added, gone := difference(old.of(t.module()), list)
		for _, f := range added {
			fmt.Fprintln(out, "  +", f)
		}
		for _, f := range gone {
			fmt.Fprintln(out, "  -", f)
		}
		differs = differs || len(added)+len(gone) > 0
	}
	if update {
		if err := replace(file, now.String()); err != nil {
			return err
		}
	} else if differs {
		return errors.New("the findings differ from findings.txt; run with -update, read what is new, give it a verdict there, and run -results")
	}
	return now.unjudged()
}

// replace writes a file in one step.
func replace(file, text string) error {
	tmp := file + ".new"
	if err := os.WriteFile(tmp, []byte(text), 0o666); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}
