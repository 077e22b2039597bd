// Command gen writes the pages of the rules, docs/rules/*.md, from the rules'
// documentation and the figures that the tests of their examples measured. Run it
// in the root of the repository:
//
//	go run ./internal/gen
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

func main() {
	root := flag.String("root", ".", "the root of the repository")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run writes the pages and removes those of rules that are gone.
func run(root string) error {
	dir := filepath.Join(root, "docs", "rules")
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return fmt.Errorf("%s is not the root of the repository: %w", root, err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	pages, err := pages(root)
	if err != nil {
		return err // no page is touched
	}
	for name, text := range pages {
		if err := replace(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	extra, err := obsolete(dir, pages)
	for _, name := range extra {
		err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
	}
	return err
}

// pages makes the text of each file in docs/rules.
func pages(root string) (map[string]string, error) {
	docs := analyzers.All().Docs()
	out := map[string]string{"README.md": rule.Index(docs)}
	var failed error
	for _, d := range docs {
		var rows []rule.Figure
		if !d.NoExample {
			var err error
			if rows, err = figures(filepath.Join(root, "examples", d.Name)); err != nil {
				failed = errors.Join(failed, fmt.Errorf("the figures of %[1]s: %[2]w (go test ./examples/%[1]s/... -update)", d.Name, err))
			}
		}
		out[d.Name+".md"] = d.Page(rows)
	}
	return out, failed
}

// obsolete returns the Markdown files in dir that are no page.
func obsolete(dir string, pages map[string]string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if _, ok := pages[e.Name()]; !ok && strings.HasSuffix(e.Name(), ".md") {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// replace writes a file as a whole or not at all: a reader sees the old text or
// the new one, whatever happens in between.
func replace(path, text string) (err error) {
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return nil
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".gen-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	_, err = tmp.WriteString(text)
	// A temporary file is its owner's alone; a page is everyone's.
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
