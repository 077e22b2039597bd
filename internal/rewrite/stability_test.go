package rewrite

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var (
	keep = flag.Bool("keep", false, "keep the rewritten packages, and say where they are")
	only = flag.String("only", "", "carry out only these rewrites, a comma-separated list")
	all  = flag.Bool("all", false, "carry out every rewrite on every package, however long it takes")
)

// known lists what is not stable yet.
const known = "testdata/known.txt"

// TestStability runs the linter on packages and on what the rewrites make of
// them, and wants the same findings: as many of each rule in each function. Code
// that was extracted counts for the function that it was taken from.
//
// What differs is listed with the folder to look at, if there is -keep. A
// difference that is known stands in testdata/known.txt with its reason; an
// entry there that is not true any more fails the test, too.
func TestStability(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	t.Parallel()
	scratch, linter := setup(t)
	entries, err := readKnown(known)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources(t) {
		t.Run(s.Name, func(t *testing.T) {
			if _, err := os.Stat(s.Root); err != nil {
				t.Skipf("%v; RESILIENCEVET_SHARED names the directory that holds the cases", err)
			}
			stable(t, s, filepath.Join(scratch, s.Name), linter, entries)
		})
	}
}

// setup builds the linter, and names a directory for the packages.
func setup(t *testing.T) (scratch string, linter Linter) {
	t.Helper()
	scratch = t.TempDir()
	if *keep {
		var err error
		if scratch, err = os.MkdirTemp("", "rewrite"); err != nil {
			t.Fatal(err)
		}
		t.Logf("the packages are kept in %s", scratch)
	}
	linter = Linter{
		Bin:   filepath.Join(t.TempDir(), "resiliencevet"),
		Cache: filepath.Join(t.TempDir(), "cache"),
		Env:   append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -gcflags=-l"), // compile, but not too well
	}
	if runtime.GOOS == "windows" {
		linter.Bin += ".exe"
	}
	build := exec.Command("go", "build", "-o", linter.Bin, "./cmd/resiliencevet")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	return scratch, linter
}

// sources returns where the packages come from.
func sources(t *testing.T) []*Source {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	shared := os.Getenv("RESILIENCEVET_SHARED")
	if shared == "" {
		shared = filepath.Join(root, "..", "shared")
	}
	every := func(string) bool { return true }
	return []*Source{
		{Name: "testdata", Root: filepath.Join(root, "analyzers", "testdata", "src"), Tests: true, Rewritten: every, Budget: 400},
		{
			Name: "examples", Root: filepath.Join(root, "examples"), Path: "github.com/resiliencevet/resiliencevet/examples",
			Rewritten: func(dir string) bool { return strings.HasSuffix(dir, "/risky") || strings.HasSuffix(dir, "/safe") },
		},
		{Name: "cases", Root: filepath.Join(shared, "cases"), Path: "cases", Rewritten: every, Budget: 150},
	}
}

// selected returns the rewrites that -only names.
func selected(t *testing.T) []Rewrite {
	t.Helper()
	if *only == "" {
		return All()
	}
	var out []Rewrite
	for name := range strings.SplitSeq(*only, ",") {
		i := slices.IndexFunc(All(), func(rw Rewrite) bool { return rw.Name() == name })
		if i < 0 {
			t.Fatalf("-only: there is no rewrite %q", name)
		}
		out = append(out, All()[i])
	}
	return out
}

// stable rewrites a source in all ways and compares.
func stable(t *testing.T, s *Source, dir string, linter Linter, entries map[[2]string]string) {
	t.Helper()
	if *all {
		s.Budget = 0
	}
	s.Always = func(dir, rewrite string) bool {
		_, isKnown := entries[[2]string{s.Name + "/" + dir, rewrite}]
		return isKnown
	}
	if err := s.Stage(dir); err != nil {
		t.Fatal(err)
	}
	packages, err := Load(dir, append(slices.Clone(linter.Env), "PWD="+dir), "./"+original+"/...")
	if err != nil {
		t.Fatal(err)
	}
	var trees []*Tree
	for _, rw := range append([]Rewrite{none{}}, selected(t)...) {
		tree, err := s.Write(dir, packages, rw)
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
	}
	found, err := linter.Findings(dir, trees)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, list := range found[original] {
		total += len(list)
	}
	if total == 0 {
		t.Errorf("nothing is found in %s, so nothing can be lost", s.Name)
	}
	for _, tree := range trees[1:] {
		t.Run(tree.Rewrite, func(t *testing.T) {
			changed, skipped := 0, map[string]int{}
			for rel, p := range tree.Packages {
				if p.Changes > 0 {
					changed++
				}
				for why, n := range p.Skipped {
					skipped[why] += n
				}
				name := s.Name + "/" + rel
				lost, added := Difference(found[original][rel], found[tree.Rewrite][rel])
				why, isKnown := entries[[2]string{name, tree.Rewrite}]
				switch stable := len(lost)+len(added) == 0; {
				case stable && isKnown:
					t.Errorf("%s has %q for %s, which is stable now: remove the line", known, why, name)
				case !stable && isKnown:
					t.Logf("known: %s, %s: %s", name, tree.Rewrite, why)
				case !stable:
					t.Error(describe(name, tree, found[original][rel], found[tree.Rewrite][rel], lost, added, filepath.Join(dir, tree.Rewrite, rel)))
				}
			}
			if changed == 0 {
				t.Errorf("%s changes nothing in %s", tree.Rewrite, s.Name)
			}
			t.Logf("%d findings; %s changed %d of %d packages", total, tree.Rewrite, changed, len(tree.Packages))
			for why, n := range skipped {
				t.Logf("left %4d times: %s", n, why)
			}
		})
	}
	for key, why := range entries {
		if rel, ok := strings.CutPrefix(key[0], s.Name+"/"); ok {
			if _, exists := trees[0].Packages[rel]; !exists || !slices.ContainsFunc(All(), func(rw Rewrite) bool { return rw.Name() == key[1] }) {
				t.Errorf("%s speaks of %s and %s, of which one does not exist (%s)", known, key[0], key[1], why)
			}
		}
	}
}

// describe tells how the findings differ.
func describe(name string, tree *Tree, before, after, lost, added []Finding, folder string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s changes the verdict (%d findings before, %d after)", name, tree.Rewrite, len(before), len(after))
	if *keep {
		fmt.Fprintf(&b, "\n\tsee %s", folder)
	}
	for _, f := range lost {
		fmt.Fprintf(&b, "\n\tlost: %s (%s): %s", f.ID(), f.Was, f.Message)
	}
	for _, f := range added {
		fmt.Fprintf(&b, "\n\tnew:  %s (%s, now %s): %s", f.ID(), f.Was, f.Is, f.Message)
	}
	return b.String()
}
