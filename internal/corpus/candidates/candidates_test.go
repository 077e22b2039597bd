package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestPlaces compares the list with the comments at the ends of the lines in
// testdata/shop: the kinds of places there.
func TestPlaces(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", "shop")
	pkgs, err := packages.Load(&packages.Config{Mode: mode, Dir: dir, Env: append(os.Environ(), "GOWORK=off")}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range pkgs {
		if len(pkg.Errors) > 0 {
			t.Fatal(pkg.Errors)
		}
	}
	got := map[int][]string{}
	for _, pl := range newProgram("shop", pkgs).places() {
		if !slices.Contains(got[pl.line], pl.kind) {
			got[pl.line] = append(got[pl.line], pl.kind)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "shop.go"))
	if err != nil {
		t.Fatal(err)
	}
	wanted := 0
	for i, line := range strings.Split(string(text), "\n") {
		line, comment, _ := strings.Cut(line, "//")
		var want []string
		if strings.TrimSpace(line) != "" {
			want = strings.Fields(comment)
		}
		wanted += len(want)
		slices.Sort(got[i+1])
		if !slices.Equal(got[i+1], want) {
			t.Errorf("shop.go:%d: %v, want %v", i+1, got[i+1], want)
		}
	}
	if wanted == 0 {
		t.Error("testdata wants nothing")
	}
}
