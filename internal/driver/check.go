package driver

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
	"honnef.co/go/tools/config"
	"honnef.co/go/tools/lintcmd/runner"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// check loads packages, runs the rules on them and prints what they found.
func (c *command) check(args []string) error {
	flags, err := c.parseCheck(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(c.stdout, checkUsage())
		return nil
	}
	if err != nil {
		return err
	}
	results, err := c.analyze(flags)
	if err != nil {
		return err
	}
	report, err := c.collect(flags, results)
	if err != nil {
		return err
	}
	report.shorten(flags.dir)
	if flags.json {
		err = report.writeJSON(c.stdout)
	} else {
		err = report.writeText(c.stdout, c.stderr)
	}
	if err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	if s := report.summary(); s != "" {
		fmt.Fprintf(c.stderr, "%s: %s\n", name, s)
	}
	return report.status(flags.failOn)
}

// analyze runs the rules on the packages.
func (c *command) analyze(flags *checkFlags) ([]runner.Result, error) {
	disk, err := c.openCache(flags)
	if err != nil {
		return nil, err
	}
	// The runner never closes it. Trimming looks at its files once a day.
	defer disk.Trim()

	r, err := runner.New(config.Config{}, disk)
	if err != nil {
		return nil, err
	}
	results, err := c.execute(r, flags, nil)
	if err == nil && len(results) == 0 {
		err = fmt.Errorf("no packages match %s", strings.Join(flags.patterns, " "))
	}
	return results, err
}

// execute loads the packages and runs all analyzers on them with a runner. The
// results are none if no package matches the patterns.
func (c *command) execute(r *runner.Runner, flags *checkFlags, q *question) ([]runner.Result, error) {
	load := &packages.Config{
		// Dir makes go/packages set PWD, which the go command wants to agree.
		Dir: flags.dir,
		// Never nil, which would mean the process's environment: it is not the
		// user's while ignoreStaticcheckConf is in effect.
		Env:   append([]string{}, c.env...),
		Tests: flags.tests,
	}
	if flags.tags != "" {
		load.BuildFlags = []string{"-tags=" + flags.tags}
	}
	defer ignoreStaticcheckConf()()
	results, err := r.Run(load, c.analyzers(flags, q), flags.patterns)
	if err != nil {
		return nil, fmt.Errorf("loading packages: %s", loadReason(err.Error()))
	}
	return results, nil
}

// analyzers makes those of the rules, and the one that answers a question.
func (c *command) analyzers(flags *checkFlags, q *question) []*analysis.Analyzer {
	suite := c.suite.New(analyzers.Config{
		Policy: flags.policy,
		Rules: rule.Options{
			Enabled: flags.rules.Has,
			// Kept even if they are not shown: fingerprints count them, so that
			// suppressing one finding does not rename its neighbour.
			KeepSuppressed: true,
		},
	})
	extra := []*analysis.Analyzer{newWhy(suite, q)}
	if flags.policy.Inventory {
		extra = append(extra, newAudit(suite))
	}
	return append(suite, extra...)
}

// loadReason takes the reason out of an error of go/packages, which has the form
// "err: exit status 1: stderr: go: the reason".
func loadReason(s string) string {
	how, reason, ok := strings.Cut(s, ": stderr: ")
	if reason = strings.TrimSpace(reason); ok && reason != "" {
		lines := strings.Split(reason, "\n")
		return strings.TrimPrefix(lines[len(lines)-1], "go: ")
	}
	return strings.TrimPrefix(how, "err: ")
}

// status is the exit status that a report asks for.
func (r *report) status(failOn policy.Severity) error {
	if len(r.errors) > 0 {
		return exitStatus(exitFailed)
	}
	for _, f := range r.findings {
		if !f.suppressed && rule.Rank(f.severity) >= rule.Rank(failOn) {
			return exitStatus(exitFindings)
		}
	}
	return nil
}
