package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// example writes the figures of an example.
func example(t *testing.T, dir, risky, safe string) {
	t.Helper()
	for form, text := range map[string]string{"risky": risky, "safe": safe} {
		if err := os.MkdirAll(filepath.Join(dir, form), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, form, "figures.txt"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFresh fails when a page differs from what its rule says.
func TestFresh(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "docs", "rules")
	want, err := pages(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != text {
			t.Errorf("docs/rules/%s is stale: run `go run ./internal/gen`", name)
		}
	}
	extra, err := obsolete(dir, want)
	if err != nil {
		t.Error(err)
	}
	for _, name := range extra {
		t.Errorf("docs/rules/%s belongs to no rule: run `go run ./internal/gen`", name)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := run(root); err == nil {
		t.Error("run accepts a directory that is no module")
	}
	dir := filepath.Join(root, "docs", "rules")
	// A rule without figures has no page.
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(root); err == nil || !strings.Contains(err.Error(), "the figures of retrynokey: ") {
		t.Errorf("run without figures: %v", err)
	}
	for _, d := range analyzers.All().Docs() {
		if !d.NoExample {
			example(t, filepath.Join(root, "examples", d.Name), "a bank | charges | 3\n", "a bank | charges | 1\n")
		}
	}
	for _, err := range []error{
		os.MkdirAll(dir, 0o777),
		os.WriteFile(filepath.Join(dir, "gone.md"), []byte("old\n"), 0o666),
		os.WriteFile(filepath.Join(dir, "README.md"), []byte("old\n"), 0o666),
		run(root),
		run(root), // again, with nothing to do
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, err := pages(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(want) {
		t.Errorf("%d files for %d pages: %v", len(entries), len(want), entries)
	}
	if !strings.Contains(want["retrynokey.md"], "\n| a bank | charges | 3 | 1 |\n") {
		t.Errorf("no figures on\n%s", want["retrynokey.md"])
	}
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
			t.Errorf("%s: %v, or a wrong text", name, err)
		}
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ risky, safe, want string }{
		"joined":        {"# head\na | b | 3\na | c | x y\n", "# another\na | b | 1\na | c | z\n", ""},
		"another row":   {"a | b | 3\n", "a | c | 3\n", "row 1"},
		"another order": {"a | b | 3\na | c | 3\n", "a | c | 3\na | b | 3\n", "row 1"},
		"one more":      {"a | b | 3\na | c | 3\n", "a | b | 3\n", "row 2"},
		"one less":      {"a | b | 3\n", "a | b | 3\na | c | 3\n", "row 2"},
		"none":          {"# head\n", "# head\n", "no rows"},
		"no row":        {"a | b\n", "a | b\n", "is no row"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			example(t, dir, test.risky, test.safe)
			got, err := figures(dir)
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %q, %v; want an error with %q", got, err, test.want)
				}
				return
			}
			want := []rule.Figure{{Situation: "a", Measured: "b", Risky: "3", Safe: "1"}, {Situation: "a", Measured: "c", Risky: "x y", Safe: "z"}}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		})
	}
	if _, err := figures(t.TempDir()); err == nil {
		t.Error("figures without a file")
	}
}
