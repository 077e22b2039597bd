package driver

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"honnef.co/go/tools/config"
	"honnef.co/go/tools/lintcmd/runner"

	"github.com/resiliencevet/resiliencevet/internal/policy"
)

// why prints what the model knows of a line.
func (c *command) why(args []string) error {
	return c.whyBy((*policy.Model).Explain, args)
}

// whyBy is why with something that answers in the model's place.
func (c *command) whyBy(explain explainer, args []string) error {
	flags, at, err := c.parseWhy(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(c.stdout, whyUsage())
		return nil
	}
	if err != nil {
		return err
	}
	shown := place{shorten(flags.dir, at.file), at.line, 0}
	reason, err := notLookedAt(at, shown)
	if err != nil {
		return err
	}
	if reason != "" {
		fmt.Fprintf(c.stdout, "%s: %s\n", shown.file, reason)
		return nil
	}
	found, err := c.ask(flags, at, shown, explain)
	if err != nil {
		return err
	}
	return c.writeAnswer(flags, shown, found)
}

// ask loads the package that holds a line, and puts the question to its model.
// A check of the package comes first. It says whether there is a model to ask,
// and leaves in the cache what the package's dependencies tell their importers.
func (c *command) ask(flags *checkFlags, at, shown place, explain explainer) (answer, error) {
	disk, err := c.openCache(flags)
	if err != nil {
		return answer{}, err
	}
	defer disk.Trim()
	r, err := runner.New(config.Config{}, disk)
	if err != nil {
		return answer{}, err
	}
	results, err := c.execute(r, flags, nil)
	if err != nil {
		return answer{}, otherModule(err)
	}
	res, file, err := c.holding(flags, results, at, shown)
	if err != nil {
		return answer{}, otherModule(err)
	}

	aside, err := newAside(disk)
	if err != nil {
		return answer{}, fmt.Errorf("cache: %w", err)
	}
	defer aside.remove()
	if r, err = runner.New(config.Config{}, aside); err != nil {
		return answer{}, err
	}
	// In this mode, the runner takes nothing but facts from a cache that was
	// filled in the other: packages that were asked for are analyzed anew.
	r.TestMode = true
	if results, err = c.execute(r, flags, &question{file, at.line, explain}); err != nil {
		return answer{}, err
	}
	for _, again := range results {
		if again.Package.ID != res.Package.ID || again.Failed {
			continue
		}
		data, err := again.Load()
		if err != nil {
			return answer{}, fmt.Errorf("cache: %w", err)
		}
		return readAnswer(data.Diagnostics), nil
	}
	return answer{}, fmt.Errorf("%s changed meanwhile", shown.file)
}

// otherModule adds what to do to the go command's complaint about a directory
// that is not the current module's.
func otherModule(err error) error {
	for _, part := range []string{"outside main module", "does not contain package", "go.mod file not found"} {
		if strings.Contains(err.Error(), part) {
			return fmt.Errorf("%w; -C names a directory of the module that the file belongs to", err)
		}
	}
	return err
}

// inModule reports whether a directory is in a module. Where it is not, the go
// command's complaint gets lost on its way, and no package is all that is left.
func inModule(dir string) bool {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true
		}
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

// holding picks the package that holds a file, of those that were asked for,
// and returns the name that the go command has for the file. It is the package
// together with its tests, if it has any that compile: that is what a check
// judges. The error says why there is nothing to ask.
func (c *command) holding(flags *checkFlags, results []runner.Result, at, shown place) (runner.Result, string, error) {
	results = slices.Clone(results)
	slices.SortFunc(results, func(a, b runner.Result) int { return cmp.Compare(a.Package.ID, b.Package.ID) })
	covered, mains := coveredByTests(results), testMains(results)
	var reasons []problem
	for _, res := range results {
		if !res.Initial || mains[res.Package] || covered[res.Package.ID] {
			continue
		}
		problems := c.notChecked(flags, res, results)
		i := slices.IndexFunc(res.Package.GoFiles, func(name string) bool { return sameFile(name, at.file) })
		switch {
		case i < 0:
			reasons = append(reasons, problems...)
		case len(problems) > 0:
			return res, "", errors.New(problems[0].String())
		default:
			return res, res.Package.GoFiles[i], nil
		}
	}
	if len(results) == 0 && !inModule(flags.dir) {
		return runner.Result{}, "", otherModule(fmt.Errorf("go.mod file not found in %s or above it", flags.dir))
	}
	// A file that the go command cannot read belongs to no package. But where it
	// complains only that it has left out all files, this one is among them.
	reasons = slices.DeleteFunc(reasons, func(p problem) bool {
		return strings.Contains(p.message, "build constraints exclude all Go files")
	})
	if len(reasons) > 0 {
		return runner.Result{}, "", errors.New(reasons[0].String())
	}
	return runner.Result{}, "", fmt.Errorf(
		"%s: no package has this file: its build constraints or its name exclude it (-tags sets build tags)", shown.file)
}

// notChecked says why a package has no model.
func (c *command) notChecked(flags *checkFlags, res runner.Result, results []runner.Result) []problem {
	var out []problem
	switch {
	case len(res.Errors) > 0:
		out = packageProblems(flags.dir, res.Package.PkgPath, res.Errors)
	case res.Failed:
		out = []problem{dependentProblem(res, results)}
	case res.Skipped || hasHugeFile(res.Package):
		out = []problem{hugeProblem(res.Package)}
	}
	for i := range out {
		out[i].file = shorten(flags.dir, out[i].file)
	}
	slices.SortFunc(out, compareProblems)
	return out
}

// sameFile reports whether two paths name one file.
func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// writeAnswer prints an answer.
func (c *command) writeAnswer(flags *checkFlags, shown place, found answer) error {
	w := bufio.NewWriter(c.stdout)
	for _, l := range found.lines {
		w.WriteString(strings.Repeat("\t", l.depth))
		if l.at.file != "" {
			l.at.file = shorten(flags.dir, l.at.file)
			fmt.Fprintf(w, "%s: ", l.at)
		}
		fmt.Fprintf(w, "%s\n", oneLine(l.text))
	}
	if found.without == whyStandard {
		fmt.Fprintf(w, "%s: the standard library is not looked at: what it does is built into the program\n", shown.file)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	for _, p := range found.problems {
		p.file = shorten(flags.dir, p.file)
		fmt.Fprintf(c.stderr, "%s: %s\n", name, p)
	}
	switch {
	case len(found.problems) > 0:
		return exitStatus(exitFailed)
	case len(found.lines) > 0 || found.without == whyStandard:
		return nil
	case found.without == whyNowhere:
		return fmt.Errorf("no function at %s", shown)
	case found.without == whyEmpty:
		return fmt.Errorf("nothing is known of %s: no call or loop there that the model looks at", shown)
	}
	return fmt.Errorf("internal error: nobody answered about %s", shown)
}

// parseWhy reads the arguments of why. The place has an absolute path. The
// error is flag.ErrHelp if the usage is asked for.
func (c *command) parseWhy(args []string) (*checkFlags, place, error) {
	set, raw := newFlagSet("why")
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, place{}, err
		}
		return nil, place{}, fmt.Errorf("%w (`resiliencevet help why` lists the flags)", err)
	}
	for _, arg := range set.Args() {
		if strings.HasPrefix(arg, "-") {
			return nil, place{}, fmt.Errorf("flag %s stands after the place: put flags first", arg)
		}
	}
	if set.NArg() != 1 {
		return nil, place{}, fmt.Errorf("why takes one place, file.go:line, but got %d", set.NArg())
	}
	dir, err := workingDir(raw.dir)
	if err != nil {
		return nil, place{}, err
	}
	at, err := parsePlace(dir, set.Arg(0))
	if err != nil {
		return nil, place{}, err
	}
	rules, err := c.suite.Select("")
	if err != nil {
		return nil, place{}, err
	}
	return &checkFlags{
		policy: raw.policy(), rules: rules, tags: raw.tags, tests: raw.tests, dir: dir,
		patterns: []string{pattern(dir, filepath.Dir(at.file))},
	}, at, nil
}

// pattern is how the go command, in dir, is told of the package in a directory.
func pattern(dir, pkg string) string {
	rel, err := filepath.Rel(dir, pkg)
	if err != nil {
		return pkg // on another drive
	}
	if rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return rel
	}
	return "." + string(filepath.Separator) + rel
}

// located matches a place as messages have it, with the colon that may be
// copied with it.
var located = regexp.MustCompile(`^(.+?):(\d+)(?::\d+)?:?$`)

// parsePlace reads "file.go:line" or "file.go:line:column". The column is left
// out: an answer is about a line.
func parsePlace(dir, arg string) (place, error) {
	m := located.FindStringSubmatch(arg)
	if m == nil {
		return place{}, fmt.Errorf("%q is no place in a file: want file.go:line or file.go:line:column", arg)
	}
	if filepath.Ext(m[1]) != ".go" {
		return place{}, fmt.Errorf("%s is no Go file", m[1])
	}
	line, err := strconv.Atoi(m[2])
	if err != nil || line < 1 {
		return place{}, fmt.Errorf("%q is no place in a file: there is no line %s", arg, m[2])
	}
	return place{absolute(dir, filepath.Clean(m[1])), line, 0}, nil
}

// notLookedAt says why findings are never reported in a file, if that is so.
func notLookedAt(at, shown place) (reason string, err error) {
	text, err := os.ReadFile(at.file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("no such file: %s", shown.file)
	case err != nil:
		return "", err
	}
	lines := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		lines++
	}
	if at.line > lines {
		return "", fmt.Errorf("no function at %s: the file has %s", shown, plural(lines, "line"))
	}
	if strings.HasSuffix(at.file, "_test.go") {
		return "test files are not looked at: nothing that they send is reported", nil
	}
	// What is wrong with the rest of the file is the compiler's to say.
	file, _ := parser.ParseFile(token.NewFileSet(), at.file, text, parser.PackageClauseOnly|parser.ParseComments)
	if file != nil && ast.IsGenerated(file) {
		return "generated files are not looked at: nothing is reported in them", nil
	}
	return "", nil
}

// whyUsage lists the flags of why.
func whyUsage() string {
	var b strings.Builder
	b.WriteString("usage: resiliencevet why [flags] file.go:line[:column]\n\n" +
		"Says what the model knows of the calls and loops on a line: who sends again and\n" +
		"how often, what ends it, which key it has, the verdicts, and why the rest is\n" +
		"unknown. It answers why there is a finding, or none. See docs/why.md.\n\nFlags:\n")
	set, _ := newFlagSet("why")
	set.SetOutput(&b)
	set.PrintDefaults()
	b.WriteString("\nExit status: 0 there was something to say, 2 there was not, or the program could not run.\n")
	return b.String()
}
