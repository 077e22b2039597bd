package analyzers_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// TestRules runs every rule on its packages under testdata/src/<rule>, and
// fails for a rule that lacks tests, documentation or examples.
//
// The name of a package's directory chooses the configuration: one that ends in
// _strict is checked with -strict, and one that ends in _unsafemethods with
// -unsafe-methods. A package with .golden files is checked for its fixes, too.
func TestRules(t *testing.T) {
	t.Parallel()
	testdata := analysistest.TestData()
	for _, r := range analyzers.All() {
		t.Run(r.Doc.Name, func(t *testing.T) {
			t.Parallel()
			complete(t, r.Doc)
			packages := packagesOf(t, testdata, r.Doc.Name)
			if !slices.ContainsFunc(packages, func(p testPackage) bool { return p.wants }) {
				t.Fatalf("no package under testdata/src/%s has a // want comment", r.Doc.Name)
			}
			for _, group := range groups(packages) {
				a := r.New(policy.New(group.config), rule.Options{})
				if len(group.plain) > 0 {
					analysistest.Run(t, testdata, a, group.plain...)
				}
				if len(group.golden) > 0 {
					analysistest.RunWithSuggestedFixes(t, testdata, a, group.golden...)
				}
			}
		})
	}
}

// complete checks a rule's documentation and examples.
func complete(t *testing.T, doc rule.Doc) {
	t.Helper()
	for field, text := range map[string]string{
		"Title": doc.Title, "What": doc.What, "Why": doc.Why, "Risky": doc.Risky, "Safe": doc.Safe,
		"SilentWhen": strings.Join(doc.SilentWhen, ""), "Since": doc.Since,
	} {
		if strings.TrimSpace(text) == "" {
			t.Errorf("the Doc of %s has no %s", doc.Name, field)
		}
	}
	if doc.NoExample {
		t.Errorf("the Doc of %s says that there is no example", doc.Name)
	}
	if rule.Rank(doc.Severity) == 0 {
		t.Errorf("the Doc of %s has the severity %q", doc.Name, doc.Severity)
	}
	for _, path := range []string{
		"docs/rules/" + doc.Name + ".md",
		"examples/" + doc.Name + "/risky/figures.txt",
		"examples/" + doc.Name + "/safe/figures.txt",
	} {
		if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(path))); err != nil {
			t.Errorf("%s is missing", path)
		}
	}
	// A file that no test holds to would say for ever what it says now.
	for _, form := range []string{"risky", "safe"} {
		path := filepath.Join("..", "examples", doc.Name, form, form+"_test.go")
		if text, err := os.ReadFile(path); err != nil || !bytes.Contains(text, []byte("figures.Open(t)")) {
			t.Errorf("%s: no test measures the figures: %v", path, err)
		}
	}
}

// testPackage is a directory of Go files below testdata/src.
type testPackage struct {
	path   string // from testdata/src
	wants  bool   // some file holds a // want comment
	golden bool   // some file has a golden for its fixes
}

// packagesOf finds the packages of a rule.
func packagesOf(t *testing.T, testdata, name string) []testPackage {
	t.Helper()
	src := filepath.Join(testdata, "src")
	byDir := map[string]*testPackage{}
	err := filepath.WalkDir(filepath.Join(src, name), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		golden := strings.HasSuffix(path, ".go.golden")
		if !golden && !strings.HasSuffix(path, ".go") {
			return nil
		}
		rel, err := filepath.Rel(src, filepath.Dir(path))
		if err != nil {
			return err
		}
		p := byDir[rel]
		if p == nil {
			p = &testPackage{path: filepath.ToSlash(rel)}
			byDir[rel] = p
		}
		p.golden = p.golden || golden
		text, err := os.ReadFile(path)
		p.wants = p.wants || bytes.Contains(text, []byte("// want "))
		return err
	})
	if err != nil {
		t.Fatalf("the packages of %s: %v", name, err)
	}
	var out []testPackage
	for _, p := range byDir {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b testPackage) int { return strings.Compare(a.path, b.path) })
	return out
}

// group is the packages that are checked with one configuration.
type group struct {
	config        policy.Config
	plain, golden []string
}

// groups sorts packages by their configuration.
func groups(packages []testPackage) []group {
	byDefault, strict, unsafe := group{}, group{config: policy.Config{Strict: true}}, group{config: policy.Config{UnsafeMethods: true}}
	for _, p := range packages {
		g := &byDefault
		switch {
		case strings.HasSuffix(p.path, "_strict"):
			g = &strict
		case strings.HasSuffix(p.path, "_unsafemethods"):
			g = &unsafe
		}
		if p.golden {
			g.golden = append(g.golden, p.path)
		} else {
			g.plain = append(g.plain, p.path)
		}
	}
	return []group{byDefault, strict, unsafe}
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	all := analyzers.All()
	if !slices.IsSortedFunc(all, func(a, b analyzers.Rule) int { return strings.Compare(a.Doc.Name, b.Doc.Name) }) {
		t.Error("the rules are not sorted by name")
	}
	made := analyzers.New(analyzers.Config{})
	if err := analysis.Validate(made); err != nil {
		t.Error(err)
	}
	if len(made) != len(all)+1 {
		t.Fatalf("%d analyzers for %d rules and the housekeeping", len(made), len(all))
	}
	for i, doc := range all.Docs() {
		a := made[i]
		if a.Name != doc.Name || a.URL != doc.URL() || !strings.HasPrefix(a.Doc, doc.Name+": "+doc.Title+"\n") {
			t.Errorf("the analyzer %s does not fit the documentation of %s", a.Name, doc.Name)
		}
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	suite := analyzers.Suite{}
	for _, d := range []rule.Doc{{Name: "alpha", Default: true}, {Name: "bravo", Default: true}, {Name: "optional"}} {
		suite = append(suite, analyzers.Rule{Doc: d})
	}
	tests := map[string]string{
		"":                   "alpha bravo",
		" ":                  "alpha bravo",
		"alpha":              "alpha",
		"alpha,optional":     "alpha optional",
		"-alpha":             "bravo",
		"-alpha,optional":    "bravo optional",
		"default,optional":   "alpha bravo optional",
		"all":                "alpha bravo optional",
		"all, -bravo":        "alpha optional",
		"all,-default":       "optional",
		"-all":               "",
		"-alpha,-bravo":      "",
		"alpha,-alpha":       "",
		"-alpha,alpha":       "alpha bravo",
		"alphaa":             `error: unknown rule "alphaa": did you mean alpha?`,
		"-optionall":         `error: unknown rule "optionall": did you mean optional?`,
		"zulu":               "error: unknown rule \"zulu\": `resiliencevet rules` lists them",
		"alpha,":             `error: empty rule name in "alpha,"`,
		"-":                  `error: empty rule name in "-"`,
		"alpha,-suppression": "error: suppression is no rule to choose: it runs whenever a rule does",
	}
	for list, want := range tests {
		selection, err := suite.Select(list)
		got := strings.Join(selection.Names(), " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("Select(%q) = %q, want %q", list, got, want)
		}
	}
}
