package rewrite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestStage stages a GOPATH with a neighbour, a stub of somebody's module and
// tests, rewrites it, and loads the result with the go command.
func TestStage(t *testing.T) {
	t.Parallel()
	root, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"rule/desk/desk.go":           "package desk\n\nimport (\n\t\"github.com/acme/id/v4\"\n\t\"rule/util\"\n)\n\nfunc label() string { return util.Join(id.New()) }\n\n// Label is used by tests.\nfunc Label() string { return label() }\n",
		"rule/desk/in_test.go":        "package desk\n\nimport \"testing\"\n\nfunc TestIn(t *testing.T) { t.Log(label()) }\n",
		"rule/desk/out_test.go":       "package desk_test\n\nimport (\n\t\"rule/desk\"\n\t\"testing\"\n)\n\nfunc logged(t *testing.T) { t.Log(desk.Label()) }\n\nfunc TestOut(t *testing.T) { logged(t) }\n",
		"rule/desk/desk.go.golden":    "not Go\n",
		"rule/util/util.go":           "package util\n\nfunc join(a string) string { return a }\n\n// Join joins.\nfunc Join(a string) string { return join(a) }\n",
		"github.com/acme/id/v4/id.go": "package id\n\n// New makes one.\nfunc New() string { return \"x\" }\n",
	} {
		write(t, filepath.Join(root, filepath.FromSlash(name)), []byte(text))
	}
	s := &Source{Name: "x", Root: root, Tests: true, Rewritten: func(dir string) bool { return dir != "rule/util" }}
	if err := s.Stage(dir); err != nil {
		t.Fatal(err)
	}
	packages, err := Load(dir, plainEnv(dir), "./none/...")
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, p := range packages {
		paths = append(paths, p.Path)
	}
	if want := []string{"rewritten/none/rule/desk", "rewritten/none/rule/desk_test", "rewritten/none/rule/util"}; !slices.Equal(paths, want) {
		t.Fatalf("loaded %q, want %q", paths, want)
	}
	for _, rw := range All() {
		if _, err := s.Write(dir, packages, rw); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir, plainEnv(dir), "./"+rw.Name()+"/..."); err != nil {
			t.Errorf("after %s: %v", rw.Name(), err)
		}
	}
	s.Budget, s.Always = 1, func(dir, rewrite string) bool { return dir == "rule/desk" }
	s.Rewritten = func(string) bool { return true }
	if got := s.choose(packages, "rename"); !got["rule/util"] {
		t.Errorf("%v is chosen, and not the package that it imports", got)
	}
	for name, want := range map[string]string{
		"rename/rule/desk/desk.go":     `return util.Join(id.New())`,
		"rename/rule/desk/in_test.go":  `.Log(n1())`,
		"rename/rule/desk/out_test.go": `"rewritten/rename/rule/desk"`,
		"move/rule/desk/desk.go":       `import  "rewritten/move/rule/desk/internal/moved1"`,
		"move/rule/desk/in_test.go":    `moved1.Label1()`,
		"rename/rule/util/util.go":     `return join(a)`, // not to be rewritten
	} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q:\n%s", name, want, text)
		}
	}
}

func TestStubVersion(t *testing.T) {
	t.Parallel()
	for mod, want := range map[string]string{
		"github.com/acme/id": "v0.0.0", "github.com/acme/id/v4": "v4.0.0", "gopkg.in/yaml.v3": "v3.0.0", "github.com/acme/vault": "v0.0.0",
	} {
		if got := stubVersion(mod); got != want {
			t.Errorf("stubVersion(%q) = %q, want %q", mod, got, want)
		}
	}
}

// TestBudget checks that a budget chooses about as many pairs as it says, the
// same ones each time, and those that are always to be chosen.
func TestBudget(t *testing.T) {
	t.Parallel()
	const packages = 100
	s := &Source{Budget: 400, Always: func(dir, _ string) bool { return dir == "p7" }}
	count := func() (n int, always int) {
		for i := range packages {
			dir := "p" + string(rune('0'+i%10))
			if i >= 10 {
				dir += string(rune('0' + i/10))
			}
			for _, rw := range All() {
				if s.chosen(dir, rw.Name(), packages) {
					n++
					if dir == "p7" {
						always++
					}
				}
			}
		}
		return n, always
	}
	n, always := count()
	if n < 300 || n > 500 {
		t.Errorf("%d pairs of 800 are chosen, with a budget of 400", n)
	}
	if always != len(All()) {
		t.Errorf("%d rewrites are chosen for the package that always is", always)
	}
	if again, _ := count(); again != n {
		t.Errorf("first %d pairs are chosen, then %d", n, again)
	}
	s.Budget = 0
	if n, _ := count(); n != packages*len(All()) {
		t.Errorf("without a budget, %d pairs are chosen", n)
	}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	findings := func(ids ...string) []Finding {
		var out []Finding
		for _, id := range ids {
			rule, decl, _ := strings.Cut(id, " ")
			out = append(out, Finding{Rule: rule, Decl: decl})
		}
		return out
	}
	lost, added := Difference(findings("a F", "a F", "b F", "a G"), findings("a G", "a F", "b F", "b F", "c"))
	text := func(list []Finding) (out []string) {
		for _, f := range list {
			out = append(out, f.ID())
		}
		return out
	}
	if got, want := text(lost), []string{"a in F"}; !slices.Equal(got, want) {
		t.Errorf("lost %q, want %q", got, want)
	}
	if got, want := text(added), []string{"b in F", "c outside of what there was"}; !slices.Equal(got, want) {
		t.Errorf("added %q, want %q", got, want)
	}
}

func TestReadKnown(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "known.txt")
	for text, want := range map[string]string{
		"# nothing\n\na/b wrap because of this\n": "",
		"a/b wrap\n":               "want a package, a rewrite, and why",
		"a/b wrap x\na/b wrap y\n": "stand there twice",
	} {
		write(t, name, []byte(text))
		got, err := readKnown(name)
		switch {
		case want == "":
			if err != nil || got[[2]string{"a/b", "wrap"}] != "because of this" {
				t.Errorf("readKnown of %q: %v, %v", text, got, err)
			}
		case err == nil || !strings.Contains(err.Error(), want):
			t.Errorf("readKnown of %q: %v, want an error that says %q", text, err, want)
		}
	}
}
