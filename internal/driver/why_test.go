package driver

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"honnef.co/go/tools/lintcmd/runner"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// shop is a module with a package that imports another.
var shop = map[string]string{
	"go.mod":     "module example.com/shop\n\ngo 1.26\n",
	"dep/dep.go": "package dep\n\nfunc Dep() {}\n",
	"pay/pay.go": "package pay\n\nimport \"example.com/shop/dep\"\n\nfunc Pay() {\n\tdep.Dep()\n}\n",
	"pay/pay_test.go": "package pay\n\nimport \"testing\"\n\n" +
		"func TestPay(t *testing.T) { Pay() }\n",
	"pay/ext_test.go": "package pay_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/shop/pay\"\n)\n\n" +
		"func TestExt(t *testing.T) { pay.Pay() }\n",
}

// lab runs commands in a module, with a suite that tells whose models are made.
type lab struct {
	dir      string
	c        command
	out, err bytes.Buffer

	mu     sync.Mutex
	models []string // import paths
}

func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{dir: t.TempDir()}
	for file, text := range shop {
		file = filepath.Join(l.dir, filepath.FromSlash(file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	l.c = command{
		suite: analyzers.Suite{{Doc: rule.Doc{Name: "alpha", Default: true}, New: l.newRule}}, stdout: &l.out, stderr: &l.err,
		env: append(os.Environ(), cacheVariable+"="+t.TempDir(), "GOFLAGS=", "GOWORK=off"),
	}
	return l
}

// newRule makes a rule that has nothing to say, over a model that is watched.
func (l *lab) newRule(model *analysis.Analyzer, opts rule.Options) *analysis.Analyzer {
	run := model.Run
	model.Run = func(pass *analysis.Pass) (any, error) {
		if strings.HasPrefix(pass.Pkg.Path(), "example.com/") {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.models = append(l.models, pass.Pkg.Path())
		}
		return run(pass)
	}
	return rule.New(rule.Doc{Name: "alpha"}, model, opts)
}

// ask puts a question to something else than the model. It returns what was
// printed on either side, and which models were made.
func (l *lab) ask(explain explainer, args ...string) (stdout, models string, err error) {
	l.out.Reset()
	l.models = nil
	err = l.c.whyBy(explain, append([]string{"-C", l.dir}, args...))
	slices.Sort(l.models)
	return l.out.String() + l.err.String(), strings.Join(slices.Compact(l.models), " "), err
}

// TestWhy is not parallel: a process has one salt.
func TestWhy(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	l := newLab(t)
	echo := func(_ *policy.Model, file string, line int) ([]policy.Explanation, bool) {
		return []policy.Explanation{
			{Text: fmt.Sprintf("asked about line %d of %s", line, filepath.Base(file))},
			{Depth: 1, Text: "two\n lines"},
			{Depth: 2, Text: "below"},
			{Depth: -1, Text: "none"},
		}, true
	}
	const all = "example.com/shop/dep example.com/shop/pay example.com/shop/pay.test example.com/shop/pay_test"
	const asked = "example.com/shop/pay example.com/shop/pay.test example.com/shop/pay_test"
	steps := []struct {
		line   int
		models string
	}{
		{6, all},   // nothing is in the cache
		{6, asked}, // the same again, and then other lines: only of the package
		{5, asked},
		{7, asked},
		{6, asked},
	}
	for i, step := range steps {
		out, models, err := l.ask(echo, fmt.Sprintf("pay/pay.go:%d", step.line))
		if want := fmt.Sprintf("asked about line %d of pay.go\n\ttwo lines\n\t\tbelow\nnone\n", step.line); out != want || err != nil {
			t.Errorf("step %d: got %q, %v; want %q", i, out, err, want)
		}
		if models != step.models {
			t.Errorf("step %d: models of %q, want %q", i, models, step.models)
		}
	}

	// A check finds everything in the cache. With other flags, it does not, but
	// then a question does.
	for _, args := range [][]string{nil, {"-strict"}} {
		l.models = nil
		if err := l.c.check(append(args, "-C", l.dir, "./pay")); err != nil {
			t.Fatal(err)
		}
		if want := len(args) > 0; want != (len(l.models) > 0) {
			t.Errorf("check %q made models of %q", args, l.models)
		}
	}
	if _, models, err := l.ask(echo, "-strict", "pay/pay.go:6"); models != asked || err != nil {
		t.Errorf("after a check: models of %q, want %q; %v", models, asked, err)
	}

	for name, test := range map[string]struct {
		explain explainer
		out     string
		err     string
	}{
		"nowhere": {
			explain: func(*policy.Model, string, int) ([]policy.Explanation, bool) { return nil, false },
			err:     "no function at pay/pay.go:6",
		},
		"empty": {
			explain: func(*policy.Model, string, int) ([]policy.Explanation, bool) { return nil, true },
			err:     "nothing is known of pay/pay.go:6: no call or loop there that the model looks at",
		},
		"panic": {
			explain: func(*policy.Model, string, int) ([]policy.Explanation, bool) { panic("oh") },
			out:     "resiliencevet: pay/pay.go:1:1: internal error: rule why on package example.com/shop/pay: panic: oh (internal/driver/why_test.go:",
			err:     "exit status 2",
		},
	} {
		out, _, err := l.ask(test.explain, "pay/pay.go:6")
		if !strings.HasPrefix(out, test.out) || (test.out == "") != (out == "") || err == nil || err.Error() != test.err {
			t.Errorf("%s: got %q, %v; want %q, %s", name, out, err, test.out, test.err)
		}
		l.err.Reset()
	}
}

func TestReadAnswer(t *testing.T) {
	t.Parallel()
	at := token.Position{Filename: "/w/a.go", Line: 3, Column: 5}
	got := readAnswer([]runner.Diagnostic{
		{Category: "retrynokey:error", Message: "a finding", Position: at},
		{Category: "why:0", Message: "first"},
		{Category: "internal:retrynokey", Message: "a rule failed", Position: at},
		{Category: "internal:model", Message: "the model failed", Position: at},
		{Category: "internal:model", Message: "the model failed", Position: at},
		{Category: "why:12", Message: "second", Position: at},
		{Category: "compile", Message: "not ours"},
	})
	lines := []answerLine{{text: "first"}, {depth: 12, at: place{"/w/a.go", 3, 5}, text: "second"}}
	problems := []problem{{rule: "model", message: "the model failed", file: "/w/a.go", line: 3, column: 5}}
	if !slices.Equal(got.lines, lines) || !slices.Equal(got.problems, problems) || got.without != "" {
		t.Errorf("got %+v", got)
	}
	for _, category := range []string{whyEmpty, whyNowhere, whyStandard} {
		if got := readAnswer([]runner.Diagnostic{{Category: category}}); got.without != category || got.lines != nil {
			t.Errorf("%s: got %+v", category, got)
		}
	}
}

func TestWriteAnswer(t *testing.T) {
	t.Parallel()
	dir := filepath.FromSlash("/w")
	file := func(name string) string { return filepath.Join(dir, name) }
	for name, test := range map[string]struct {
		found       answer
		out, stderr string
		err         string
	}{
		"lines": {
			found: answer{lines: []answerLine{
				{text: "top", at: place{file("p/a.go"), 3, 5}},
				{depth: 1, text: "no column", at: place{file("p/b.go"), 4, 0}},
				{depth: 2, text: "no position"},
			}},
			out: "p/a.go:3:5: top\n\tp/b.go:4: no column\n\t\tno position\n",
		},
		"standard": {
			found: answer{without: whyStandard},
			out:   "p/a.go: the standard library is not looked at: what it does is built into the program\n",
		},
		"incomplete": {
			found:  answer{lines: []answerLine{{text: "top"}}, problems: []problem{{rule: "model", message: "failed", file: file("p/a.go"), line: 1}}},
			out:    "top\n",
			stderr: "resiliencevet: p/a.go:1: failed\n",
			err:    "exit status 2",
		},
		"nobody": {err: "internal error: nobody answered about p/a.go:3"},
	} {
		var out, stderr bytes.Buffer
		c := &command{stdout: &out, stderr: &stderr}
		err := c.writeAnswer(&checkFlags{dir: dir}, place{"p/a.go", 3, 0}, test.found)
		if out.String() != test.out || stderr.String() != test.stderr || fmt.Sprint(err) != fmt.Sprint(errorOf(test.err)) {
			t.Errorf("%s: got %q, %q, %v", name, out.String(), stderr.String(), err)
		}
	}
}

// errorOf makes an error of a text, and none of none.
func errorOf(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}

func TestParsePlace(t *testing.T) {
	t.Parallel()
	dir := filepath.FromSlash("/w")
	for arg, want := range map[string]place{
		"a.go:3":           {filepath.FromSlash("/w/a.go"), 3, 0},
		"a.go:3:14":        {filepath.FromSlash("/w/a.go"), 3, 0},
		"a.go:3:14:":       {filepath.FromSlash("/w/a.go"), 3, 0},
		"./p/../q/a.go:3:": {filepath.FromSlash("/w/q/a.go"), 3, 0},
		"x:12/a.go:3":      {filepath.FromSlash("/w/x:12/a.go"), 3, 0},
	} {
		if got, err := parsePlace(dir, arg); got != want || err != nil {
			t.Errorf("%s: got %v, %v", arg, got, err)
		}
	}
	for _, arg := range []string{"", "a.go", "a.go:", "a.go:x", "a.go:-3", "a.go:0", "a.go:3:x", ":3", "a.txt:3", "a:3", "a.go:99999999999999999999"} {
		if got, err := parsePlace(dir, arg); err == nil {
			t.Errorf("%q is taken for %v", arg, got)
		}
	}
}

func TestPattern(t *testing.T) {
	t.Parallel()
	for pkg, want := range map[string]string{"/w/p": "./p", "/w": "./.", "/v/q": "../v/q", "/w/..p": "./..p", "/": ".."} {
		if got := filepath.ToSlash(pattern(filepath.FromSlash("/w"), filepath.FromSlash(pkg))); got != want {
			t.Errorf("%s: got %s, want %s", pkg, got, want)
		}
	}
}
