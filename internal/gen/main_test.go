package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFresh fails when a page differs from what its rule says.
func TestFresh(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "docs", "rules")
	want := pages()
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
	for _, err := range []error{
		os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n"), 0o666),
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
	if len(entries) != len(pages()) {
		t.Errorf("%d files for %d pages: %v", len(entries), len(pages()), entries)
	}
	for name, text := range pages() {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
			t.Errorf("%s: %v, or a wrong text", name, err)
		}
	}
}
