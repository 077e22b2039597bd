package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/config"
	"honnef.co/go/tools/lintcmd/cache"
	"honnef.co/go/tools/lintcmd/runner"
	"honnef.co/go/tools/simple"
	honnef "honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/driver"
	"github.com/resiliencevet/resiliencevet/internal/policy"
)

// kind is what a run does.
type kind string

const (
	empty       kind = "empty"       // an analyzer that does nothing
	ours        kind = "ours"        // the whole command, as a person runs it
	staticcheck kind = "staticcheck" // the analyzers of the command of that name, on the same runner
	count       kind = "count"       // the model alone, to count what it does; its time means nothing
)

// sample is what one run cost.
type sample struct {
	Self     float64 // processor seconds of the run itself
	Children float64 // processor seconds of the go command that it called
	Peak     int64   // bytes of memory of the run itself, at most
	Findings int     // ours and staticcheck only
	Failed   int     // packages that could not be checked
	Work     work    // count only
}

// runChild does one run in the working directory and prints its sample.
// It writes nothing but its cache: temporary files are below it, too.
func runChild(k kind, dir string, patterns []string, stdout io.Writer) error {
	if err := os.MkdirAll(os.TempDir(), 0o777); err != nil {
		return err
	}
	var s sample
	var err error
	switch k {
	case empty:
		nothing := &analysis.Analyzer{Name: "empty", Doc: "empty: does nothing", Run: func(*analysis.Pass) (any, error) { return nil, nil }}
		_, s.Failed, err = analyze(".", dir, []*analysis.Analyzer{nothing}, patterns)
	case staticcheck:
		s.Findings, s.Failed, err = analyze(".", dir, honnefs(), patterns)
	case ours:
		s.Findings, s.Failed, err = check(patterns)
	case count:
		counter := watch(policy.New(policy.Config{}))
		_, s.Failed, err = analyze(".", dir, counter.analyzers, patterns)
		err = errors.Join(err, counter.err)
		s.Work = counter.work()
	default:
		err = fmt.Errorf("no such kind of run: %q", k)
	}
	if err != nil {
		return err
	}
	if err := s.usage(); err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(s)
}

// honnefs are the analyzers that the command staticcheck runs, whichever of
// their findings it then shows.
func honnefs() (out []*analysis.Analyzer) {
	for _, list := range [][]*lint.Analyzer{simple.Analyzers, honnef.Analyzers, stylecheck.Analyzers, {unused.Analyzer}} {
		for _, a := range list {
			out = append(out, a.Analyzer)
		}
	}
	return out
}

// analyze runs analyzers on packages of a module as the command would, and reads
// the results.
func analyze(dir, cacheDir string, suite []*analysis.Analyzer, patterns []string) (findings, failed int, err error) {
	disk, err := cache.Open(cacheDir)
	if err != nil {
		return 0, 0, err
	}
	cache.SetSalt([]byte("bench"))
	r, err := runner.New(config.Config{}, disk)
	if err != nil {
		return 0, 0, err
	}
	results, err := r.Run(&packages.Config{Dir: dir, Env: append(os.Environ(), "GOWORK=off")}, suite, patterns)
	if err != nil {
		return 0, 0, err
	}
	for _, res := range results {
		switch {
		case res.Failed:
			failed++
		case res.Initial:
			data, err := res.Load()
			if err != nil {
				return 0, 0, err
			}
			findings += len(data.Diagnostics)
		}
	}
	disk.Trim() // as the command does
	return findings, failed, nil
}

// check runs the command with its default rules.
func check(patterns []string) (findings, failed int, err error) {
	var stdout, stderr bytes.Buffer
	args := append([]string{"check", "-tests=false", "-format=json"}, patterns...)
	status := driver.Main(analyzers.All(), args, &stdout, &stderr, os.Environ())
	var report struct {
		Findings, Errors []struct{}
	}
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		return 0, 0, fmt.Errorf("exit status %d: %s", status, stderr.Bytes())
	}
	return len(report.Findings), len(report.Errors), nil
}
