package driver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"honnef.co/go/tools/config"
	"honnef.co/go/tools/lintcmd/cache"
	"honnef.co/go/tools/lintcmd/runner"
)

// takeStock runs the audit on packages.
func (c *command) takeStock(disk *cache.DiskCache, flags *auditFlags) (*auditReport, error) {
	r, err := runner.New(config.Config{}, disk)
	if err != nil {
		return nil, err
	}
	results, err := c.execute(r, &flags.checkFlags, nil)
	if err != nil {
		return nil, err
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("no packages match %s", strings.Join(flags.patterns, " "))
	}
	slices.SortFunc(results, func(a, b runner.Result) int { return cmp.Compare(a.Package.ID, b.Package.ID) })
	out := &auditReport{}
	err = c.eachInitial(flags.dir, results, &out.problems, func(res runner.Result, diagnostics []runner.Diagnostic) error {
		out.packages++
		return out.add(res, diagnostics)
	})
	if err != nil {
		return nil, err
	}
	out.sort()
	out.merge()
	out.shorten(flags.dir)
	return out, nil
}
