package main

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// someFact is a fact that the counter cannot know.
type someFact struct{ Text string }

func (*someFact) AFact() {}

// TestFacts counts facts of a type of this test's own.
func TestFacts(t *testing.T) {
	// Not in parallel: honnef.co/go/tools v0.8.2 keeps build ids in a map of the
	// process (go/loader/hash.go), which two runners write at once.
	c := &counter{bytes: map[string]int{}}
	a := &analysis.Analyzer{
		Name:      "some",
		Doc:       "some: exports facts of two sizes",
		FactTypes: []analysis.Fact{(*someFact)(nil)},
		Run: func(pass *analysis.Pass) (any, error) {
			switch pass.Pkg.Path() {
			case "guard/once":
				pass.ExportPackageFact(&someFact{"a short text"})
			case "guard/pay":
				pass.ExportPackageFact(&someFact{"a text that is longer by far than the other one"})
				pass.ExportObjectFact(pass.Pkg.Scope().Lookup("Pay"), &someFact{"a third"})
			}
			return nil, nil
		},
	}
	c.exports(a)
	_, failed, err := analyze(filepath.Join("testdata", "guard"), t.TempDir(), []*analysis.Analyzer{a}, []string{"./..."})
	if err != nil || c.err != nil {
		t.Fatal(err, c.err)
	}
	if failed > 0 {
		t.Fatalf("%d packages could not be analyzed", failed)
	}
	w := c.work()
	if w.Facts != 3 || w.Carriers != 2 {
		t.Errorf("%d facts in %d packages, want 3 in 2", w.Facts, w.Carriers)
	}
	short, long := c.bytes["guard/once"], c.bytes["guard/pay"]
	if short < len("a short text") || long <= short || w.FactBytes != short+long {
		t.Errorf("%d and %d bytes, %d in all", short, long, w.FactBytes)
	}
}
