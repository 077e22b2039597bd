package main

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
	"honnef.co/go/tools/config"
	"honnef.co/go/tools/lintcmd/cache"
	"honnef.co/go/tools/lintcmd/runner"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/driver"
	"github.com/resiliencevet/resiliencevet/internal/policy"
)

// kind is what a run does.
type kind string

const (
	empty kind = "empty" // an analyzer that does nothing
	ours  kind = "ours"  // the whole command, as a person runs it
	count kind = "count" // the model alone, to count what it does; its time means nothing
)

// sample is what one run cost.
type sample struct {
	Self     float64 // processor seconds of the run itself
	Children float64 // processor seconds of the go command that it called
	Peak     int64   // bytes of memory of the run itself, at most
	Findings int     // ours only
	Failed   int     // packages that could not be checked
	Work     work    // count only
}

// work is what the model did, in numbers that do not depend on the machine.
type work struct {
	Packages  int // that have a model: all but the standard library
	Modelled  int // of these, the ones with functions in SSA form
	Functions int // function declarations with bodies in all of Packages
	Built     int // of these, the ones in SSA form
	Facts     int // facts that the packages export
	FactBytes int // their size, encoded

	Most []string // the packages with the most functions in SSA form
}

// runChild does one run in the working directory and prints its sample.
// It writes nothing but its cache: temporary files are below it, too.
func runChild(k kind, dir string, stdout io.Writer) error {
	if err := os.MkdirAll(os.TempDir(), 0o777); err != nil {
		return err
	}
	var s sample
	var err error
	switch k {
	case empty:
		analyzer := &analysis.Analyzer{Name: "empty", Doc: "empty: does nothing", Run: func(*analysis.Pass) (any, error) { return nil, nil }}
		s.Failed, err = analyze(".", dir, analyzer)
	case ours:
		s.Findings, s.Failed, err = check()
	case count:
		model := policy.New(policy.Config{})
		counter := watch(model)
		s.Failed, err = analyze(".", dir, model)
		err = errors.Join(err, counter.err)
		s.Work = counter.work
		s.Work.Most = counter.most(5)
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

// analyze runs an analyzer on a module as the command would, and reads the results.
func analyze(dir, cacheDir string, a *analysis.Analyzer) (failed int, err error) {
	disk, err := cache.Open(cacheDir)
	if err != nil {
		return 0, err
	}
	cache.SetSalt([]byte("bench"))
	r, err := runner.New(config.Config{}, disk)
	if err != nil {
		return 0, err
	}
	results, err := r.Run(&packages.Config{Dir: dir, Env: append(os.Environ(), "GOWORK=off")}, []*analysis.Analyzer{a}, []string{"./..."})
	if err != nil {
		return 0, err
	}
	for _, res := range results {
		switch {
		case res.Failed:
			failed++
		case res.Initial:
			if _, err := res.Load(); err != nil {
				return 0, err
			}
		}
	}
	disk.Trim() // as the command does
	return failed, nil
}

// check runs the command with its default rules.
func check() (findings, failed int, err error) {
	var stdout, stderr bytes.Buffer
	status := driver.Main(analyzers.All(), []string{"check", "-tests=false", "-format=json", "./..."}, &stdout, &stderr, os.Environ())
	var report struct {
		Findings, Errors []struct{}
	}
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		return 0, 0, fmt.Errorf("exit status %d: %s", status, stderr.Bytes())
	}
	return len(report.Findings), len(report.Errors), nil
}

// counter counts what the model does. The runner analyzes in parallel.
type counter struct {
	mu    sync.Mutex
	work  work
	built map[string]int // functions in SSA form, by import path
	err   error
}

// watch makes a model's analyzer report to a counter.
func watch(model *analysis.Analyzer) *counter {
	c := &counter{built: map[string]int{}}
	run := model.Run
	model.Run = func(pass *analysis.Pass) (any, error) {
		watched := *pass
		watched.ExportObjectFact = func(obj types.Object, f analysis.Fact) {
			c.fact(f)
			pass.ExportObjectFact(obj, f)
		}
		watched.ExportPackageFact = func(f analysis.Fact) {
			c.fact(f)
			pass.ExportPackageFact(f)
		}
		result, err := run(&watched)
		model, ok := result.(*policy.Model)
		if err == nil && !ok {
			err = errors.New("the model's result is of another type")
		}
		if err == nil && model != nil {
			c.model(pass, model)
		}
		return result, err
	}
	return c
}

// model adds a package.
func (c *counter) model(pass *analysis.Pass, m *policy.Model) {
	if len(pass.Files) == 0 {
		return // unsafe
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.work.Packages++
	c.built[pass.Pkg.Path()] = m.Built
	c.work.Built += m.Built
	if m.Built > 0 {
		c.work.Modelled++
	}
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				c.work.Functions++
			}
		}
	}
}

// most names the packages with the most functions in SSA form.
func (c *counter) most(n int) []string {
	paths := slices.Collect(maps.Keys(c.built))
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.built[b], c.built[a]), strings.Compare(a, b))
	})
	var out []string
	for _, path := range paths[:min(n, len(paths))] {
		out = append(out, fmt.Sprintf("%s %d", path, c.built[path]))
	}
	return out
}

// fact adds a fact. Encoded alone it carries the description of its type, which
// in a stream of facts comes once: the second copy is without.
func (c *counter) fact(f analysis.Fact) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b bytes.Buffer
	enc := gob.NewEncoder(&b)
	err := enc.Encode(f)
	first := b.Len()
	err = errors.Join(err, enc.Encode(f))
	c.err = errors.Join(c.err, err)
	c.work.Facts++
	c.work.FactBytes += b.Len() - first
}
