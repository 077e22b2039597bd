package driver

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"honnef.co/go/tools/go/loader"
	"honnef.co/go/tools/lintcmd/runner"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// testSuite has two default rules and an opt-in one.
func testSuite() analyzers.Suite {
	var out analyzers.Suite
	for _, d := range []rule.Doc{{Name: "alpha", Default: true}, {Name: "bravo", Default: true}, {Name: "optional"}} {
		out = append(out, analyzers.Rule{Doc: d})
	}
	return out
}

func TestIsVetProtocol(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]bool{
		"":                             false,
		"-V=full":                      true,
		"-flags":                       true,
		"-json -strict /tmp/vet.cfg":   true,
		"/tmp/vet.cfg":                 true,
		"./...":                        false,
		"check -format json ./...":     false,
		"-rules alpha,-optional ./vet": false,
	} {
		if got := isVetProtocol(strings.Fields(args)); got != want {
			t.Errorf("isVetProtocol(%q) = %v", args, got)
		}
	}
}

func TestParseVet(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		enabled string
		policy  policy.Config
		speaker string
	}{
		"x.cfg":                                 {enabled: "alpha bravo"},
		"-json x.cfg":                           {enabled: "alpha bravo"},
		"-strict -unsafe-methods=true x.cfg":    {enabled: "alpha bravo", policy: policy.Config{Strict: true, UnsafeMethods: true}},
		"--strict --strict=false x.cfg":         {enabled: "alpha bravo"},
		"-rules=-alpha x.cfg":                   {enabled: "bravo"},
		"-rules alpha,optional x.cfg":           {enabled: "alpha optional"},
		"-c 3 -rules all x.cfg":                 {enabled: "alpha bravo optional"},
		"-tags strict x.cfg":                    {enabled: "alpha bravo"},
		"-optional x.cfg":                       {enabled: "alpha bravo optional", speaker: "optional"},
		"-optional -suppression x.cfg":          {enabled: "alpha bravo optional"},
		"-bravo=false x.cfg":                    {enabled: "alpha"},
		"-suppression=false x.cfg":              {enabled: "alpha bravo", speaker: "alpha"},
		"-suppression=false -alpha=false x.cfg": {enabled: "bravo", speaker: "bravo"},
		"x.cfg -strict":                         {enabled: "alpha bravo"},
		"-rules":                                {enabled: "alpha bravo"},
	}
	c := &command{suite: testSuite()}
	for args, want := range tests {
		f, err := c.parseVet(strings.Fields(args))
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		var enabled []string
		for _, r := range c.suite {
			if f.enabled(r.Doc.Name) {
				enabled = append(enabled, r.Doc.Name)
			}
		}
		if got := strings.Join(enabled, " "); got != want.enabled || f.policy != want.policy || f.speaker != want.speaker {
			t.Errorf("%s: enabled %q, policy %+v, speaker %q; want %+v", args, got, f.policy, f.speaker, want)
		}
	}
	if _, err := c.parseVet([]string{"-rules=alfa", "x.cfg"}); err == nil {
		t.Error("an unknown rule is accepted")
	}
}

func TestGoProblems(t *testing.T) {
	t.Parallel()
	const path = "example.com/p"
	tests := map[string]struct {
		err  packages.Error
		want []problem
	}{
		"type error": {
			packages.Error{Pos: "/w/p/a.go:3:5", Msg: "undefined: x"},
			[]problem{{pkg: path, message: "undefined: x", file: "/w/p/a.go", line: 3, column: 5}},
		},
		"compiler output": {
			packages.Error{Msg: "# example.com/p\np/a.go:3:5: undefined: x\np/a.go:4:6: cannot use y\n\thave int\n\twant string"},
			[]problem{
				{pkg: path, message: "undefined: x", file: "/w/p/a.go", line: 3, column: 5},
				{pkg: path, message: "cannot use y have int want string", file: "/w/p/a.go", line: 4, column: 6},
			},
		},
		"no position": {
			packages.Error{Pos: "-", Msg: "no required module provides package x; to add it:\n\tgo get x"},
			[]problem{{pkg: path, message: "no required module provides package x; to add it: go get x"}},
		},
		"relative position": {
			packages.Error{Pos: "p/a.go:3:8", Msg: "package x is not in std"},
			[]problem{{pkg: path, message: "package x is not in std", file: "/w/p/a.go", line: 3, column: 8}},
		},
		"staticcheck.conf": {
			packages.Error{Pos: "/w/staticcheck.conf:1:3", Msg: "expected value", Kind: packages.ParseError},
			[]problem{{
				message: "malformed staticcheck.conf, and the packages below it were not checked: this program uses nothing of the file, but its loader reads it: expected value",
				file:    "/w/staticcheck.conf", line: 1, column: 3,
			}},
		},
	}
	for name, test := range tests {
		if got := goProblems("/w", path, test.err); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}

// TestDependents has a chain of packages with two broken ones.
func TestDependents(t *testing.T) {
	t.Parallel()
	spec := func(path string, imports ...*loader.PackageSpec) *loader.PackageSpec {
		p := &loader.PackageSpec{ID: path, PkgPath: path, Imports: map[string]*loader.PackageSpec{}}
		for _, i := range imports {
			p.Imports[i.PkgPath] = i
		}
		return p
	}
	bad1, bad2, fine := spec("z/bad"), spec("a/bad"), spec("fine")
	near := spec("near", fine, bad1, bad2)
	far := spec("far", fine, near, bad1)
	lost := spec("lost", fine)
	results := []runner.Result{
		{Package: bad1, Failed: true, Initial: true, Errors: []error{packages.Error{Pos: "/w/z.go:1:1", Msg: "oh"}}},
		{Package: bad2, Failed: true, Errors: []error{packages.Error{Pos: "/w/a.go:1:1", Msg: "oh"}}},
		{Package: near, Failed: true, Initial: true},
		{Package: far, Failed: true, Initial: true},
		{Package: lost, Failed: true, Initial: true},
		{Package: spec("dependency", near), Failed: true},
	}
	c := &command{suite: testSuite()}
	got, err := c.collect(&checkFlags{dir: "/w"}, results)
	if err != nil {
		t.Fatal(err)
	}
	want := []problem{
		{pkg: "a/bad", message: "oh", file: "/w/a.go", line: 1, column: 1},
		{pkg: "z/bad", message: "oh", file: "/w/z.go", line: 1, column: 1},
		{pkg: "far", message: "not checked: its dependency z/bad could not be checked"},
		{pkg: "lost", message: "not checked: a dependency could not be checked"},
		{pkg: "near", message: "not checked: its dependency a/bad could not be checked"},
	}
	if !slices.Equal(got.errors, want) {
		t.Errorf("got %+v, want %+v", got.errors, want)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	f := func(s policy.Severity, suppressed bool) finding { return finding{severity: s, suppressed: suppressed} }
	tests := map[string]report{
		"":                   {},
		"1 finding (1 info)": {findings: []finding{f(policy.Info, false)}},
		"3 findings (2 errors, 1 warning), 1 suppressed": {findings: []finding{
			f(policy.Error, false), f(policy.Error, false), f(policy.Warning, false), f(policy.Error, true),
		}},
		"0 findings, 2 problems":         {errors: make([]problem, 2)},
		"1 finding (1 error), 1 problem": {findings: []finding{f(policy.Error, false)}, errors: make([]problem, 1)},
	}
	for want, r := range tests {
		if got := r.summary(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := (&report{errors: make([]problem, 1)}).summary(); got != "" {
		t.Errorf("a single problem has the summary %q", got)
	}
}

func TestGetenv(t *testing.T) {
	t.Parallel()
	c := &command{env: []string{"A=1", "AB=2", "A=3", "C="}}
	for key, want := range map[string]string{"A": "3", "AB": "2", "B": "", "C": ""} {
		if got := c.getenv(key); got != want {
			t.Errorf("getenv(%q) = %q, want %q", key, got, want)
		}
	}
}

func TestLoadReason(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"err: exit status 1: stderr: go: downloading x\ngo: go.mod requires go >= 1.99\n": "go.mod requires go >= 1.99",
		"err: go command required, not found: stderr: ":                                   "go command required, not found",
		"go: something else": "go: something else",
	} {
		if got := loadReason(message); got != want {
			t.Errorf("loadReason(%q) = %q, want %q", message, got, want)
		}
	}
}

func TestTestMains(t *testing.T) {
	t.Parallel()
	var results []runner.Result
	for id, name := range map[string]string{
		"m/p": "p", "m/p [m/p.test]": "p", "m/p.test": "main", "m/dir.test": "main", "m/lib.test": "lib",
	} {
		path, _, _ := strings.Cut(id, " ")
		results = append(results, runner.Result{Initial: true, Package: &loader.PackageSpec{ID: id, PkgPath: path, Name: name}})
	}
	for p := range testMains(results) {
		if p.ID != "m/p.test" {
			t.Errorf("%s is taken for the main package of a test", p.ID)
		}
	}
	if got := coveredByTests(results); len(got) != 1 || !got["m/p"] {
		t.Errorf("covered by tests: %v", got)
	}
}
