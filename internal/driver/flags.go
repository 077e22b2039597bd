package driver

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// checkFlags is what the flags of check say, read and validated.
type checkFlags struct {
	policy         policy.Config
	rules          analyzers.Selection
	json           bool
	failOn         policy.Severity
	tags           string
	tests          bool
	dir            string // absolute: the working directory, or that of -C
	showSuppressed bool
	patterns       []string
}

// rawFlags is where package flag leaves its values.
type rawFlags struct {
	rules, format, failOn, tags, dir             string
	strict, unsafeMethods, tests, showSuppressed bool
}

// newFlagSet declares the flags that say what is loaded, and how the model
// judges it. It prints nothing by itself.
func newFlagSet(verb string) (*flag.FlagSet, *rawFlags) {
	f, raw := flag.NewFlagSet(verb, flag.ContinueOnError), &rawFlags{}
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.BoolVar(&raw.strict, "strict", false, "also report what rests on something unknown")
	f.BoolVar(&raw.unsafeMethods, "unsafe-methods", false, "count PUT and DELETE as unsafe to repeat, too")
	f.StringVar(&raw.tags, "tags", "", "comma-separated `list` of build tags")
	f.BoolVar(&raw.tests, "tests", true, "load test files, too")
	f.StringVar(&raw.dir, "C", "", "change to `dir` first; paths are then relative to it")
	return f, raw
}

// newCheckFlagSet declares the flags of check.
func newCheckFlagSet() (*flag.FlagSet, *rawFlags) {
	f, raw := newFlagSet("check")
	f.StringVar(&raw.rules, "rules", "", "`list` of rules: a,b for only those, -c for the default ones without c, default,d for those and an opt-in one, or all")
	f.StringVar(&raw.format, "format", "text", "output `format`: text or json")
	f.StringVar(&raw.failOn, "fail-on", "warning", "exit with 1 for findings of at least this `severity`: error, warning or info")
	f.BoolVar(&raw.showSuppressed, "show-suppressed", false, "show findings that a comment suppresses, too")
	return f, raw
}

// policy is what the flags say about the model.
func (raw *rawFlags) policy() policy.Config {
	return policy.Config{Strict: raw.strict, UnsafeMethods: raw.unsafeMethods}
}

// parseCheck reads the arguments of check. flag.ErrHelp asks for the usage.
func (c *command) parseCheck(args []string) (*checkFlags, error) {
	set, raw := newCheckFlagSet()
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, fmt.Errorf("%w (`resiliencevet help check` lists the flags)", err)
	}
	out := &checkFlags{
		policy:         raw.policy(),
		failOn:         policy.Severity(raw.failOn),
		tags:           raw.tags,
		tests:          raw.tests,
		showSuppressed: raw.showSuppressed,
		patterns:       set.Args(),
	}
	for _, p := range out.patterns {
		// package flag stops at the first pattern. A flag behind it would be
		// taken for a package and fail in a way that nobody understands.
		if strings.HasPrefix(p, "-") {
			return nil, fmt.Errorf("flag %s stands after a package: put flags first", p)
		}
	}
	if len(out.patterns) == 0 {
		out.patterns = []string{"./..."}
	}
	switch raw.format {
	case "text":
	case "json":
		out.json = true
	default:
		return nil, fmt.Errorf("invalid value %q for flag -format: want text or json", raw.format)
	}
	if rule.Rank(out.failOn) == 0 {
		return nil, fmt.Errorf("invalid value %q for flag -fail-on: want error, warning or info", raw.failOn)
	}
	var err error
	if out.rules, err = c.suite.Select(raw.rules); err != nil {
		return nil, fmt.Errorf("invalid value %q for flag -rules: %w", raw.rules, err)
	}
	if out.dir, err = workingDir(raw.dir); err != nil {
		return nil, err
	}
	return out, nil
}

// workingDir returns the absolute directory that -C names.
func workingDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if dir == "" {
		return abs, nil
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", fmt.Errorf("flag -C: %w", err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("flag -C: %s is not a directory", dir)
	}
	return abs, nil
}

// checkUsage lists the flags of check.
func checkUsage() string {
	var b strings.Builder
	b.WriteString("usage: resiliencevet [check] [flags] [packages]\n\nChecks packages, ./... if none are given.\n\nFlags:\n")
	set, _ := newCheckFlagSet()
	set.SetOutput(&b)
	set.PrintDefaults()
	b.WriteString("\nThe cache is in the user's cache directory; RESILIENCEVET_CACHE moves it.\n")
	return b.String()
}
