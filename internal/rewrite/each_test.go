package rewrite

import (
	"flag"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

var each = flag.String("each", "", "a package and a rewrite, as testdata/retrynokey/keys:wrap: make each change alone, and tell which ones change the verdict")

// TestEach finds out which change of a rewrite makes the difference. It does
// nothing without -each.
func TestEach(t *testing.T) {
	if *each == "" {
		t.Skip("needs -each")
	}
	name, rewrite, _ := strings.Cut(*each, ":")
	from, rel, _ := strings.Cut(name, "/")
	var source *Source
	for _, s := range sources(t) {
		if s.Name == from {
			source = s
		}
	}
	var rw Rewrite
	for _, r := range All() {
		if r.Name() == rewrite {
			rw = r
		}
	}
	if source == nil || rw == nil {
		t.Fatalf("there is no source %q or no rewrite %q", from, rewrite)
	}
	source.Budget = 0
	scratch, linter := setup(t)
	dir := filepath.Join(scratch, source.Name)
	if err := source.Stage(dir); err != nil {
		t.Fatal(err)
	}
	packages, err := Load(dir, append(linter.Env, "PWD="+dir), "./"+path.Join(original, rel))
	if err != nil {
		t.Fatal(err)
	}
	p := packages[0]
	tree, err := source.Write(dir, packages[:1], none{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Apply(p, rw, same)
	if err != nil {
		t.Fatal(err)
	}
	trees := []*Tree{tree}
	for i := range whole.Changes {
		one, err := source.Write(dir, packages[:1], One{rw, i})
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, one)
	}
	found, err := linter.Findings(dir, trees)
	if err != nil {
		t.Fatal(err)
	}
	before := found[original][rel]
	for i, tree := range trees[1:] {
		after := found[tree.Rewrite][rel]
		if lost, added := Difference(before, after); len(lost)+len(added) > 0 {
			t.Logf("%s\n%s", whole.Changes[i], describe(name, tree, before, after, lost, added, filepath.Join(dir, tree.Rewrite, rel)))
		}
	}
}
