package driver

import (
	"errors"
	"flag"
	"fmt"
	"strings"

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
	// Dir makes go/packages set PWD, which the go command wants to agree.
	load := &packages.Config{Dir: flags.dir, Env: c.env, Tests: flags.tests}
	if flags.tags != "" {
		load.BuildFlags = []string{"-tags=" + flags.tags}
	}
	suite := c.suite.New(analyzers.Config{
		Policy: flags.policy,
		Rules: rule.Options{
			Enabled: flags.rules.Has,
			// Kept even if they are not shown: fingerprints count them, so that
			// suppressing one finding does not rename its neighbour.
			KeepSuppressed: true,
		},
	})
	defer ignoreStaticcheckConf()()
	results, err := r.Run(load, suite, flags.patterns)
	if err != nil {
		// go/packages puts the go command's whole output in front of the reason.
		return nil, fmt.Errorf("loading packages: %s", lastLine(err.Error()))
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("no packages match %s", strings.Join(flags.patterns, " "))
	}
	return results, nil
}

// lastLine returns the last line of a message that is not empty.
func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
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
