package main

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/policy"
)

// work is what the model did, in numbers that do not depend on the machine.
type work struct {
	Packages  int // that have a model: all but the standard library
	Modelled  int // of these, the ones with functions in SSA form
	Functions int // function declarations with bodies in all of Packages
	Built     int // of these, the ones in SSA form
	Facts     int // facts that the packages export
	FactBytes int // their size, encoded
	Carriers  int // packages that export facts

	Most    []string // the packages with the most functions in SSA form
	Largest []string // the packages with the largest facts
}

// counter counts what the model does. The runner analyzes in parallel.
type counter struct {
	analyzers []*analysis.Analyzer // what has to be run

	mu        sync.Mutex
	packages  int
	functions int
	facts     int
	built     map[string]int // functions in SSA form, by import path
	bytes     map[string]int // size of facts, by import path
	err       error
}

// watch makes a model's analyzer, and those that it requires, report to a
// counter.
func watch(model *analysis.Analyzer) *counter {
	c := &counter{built: map[string]int{}, bytes: map[string]int{}}
	watched := map[*analysis.Analyzer]bool{}
	var exports func(a *analysis.Analyzer)
	exports = func(a *analysis.Analyzer) {
		if watched[a] {
			return
		}
		watched[a] = true
		for _, required := range a.Requires {
			exports(required)
		}
		// One without facts may be somebody's variable, and is left alone.
		if len(a.FactTypes) > 0 {
			c.exports(a)
		}
	}
	exports(model)
	run := model.Run
	model.Run = func(pass *analysis.Pass) (any, error) {
		result, err := run(pass)
		model, ok := result.(*policy.Model)
		if err == nil && !ok {
			err = errors.New("the model's result is of another type")
		}
		if err == nil && model != nil {
			c.model(pass, model)
		}
		return result, err
	}
	// Verdicts are found when somebody asks. Nobody asks about dependencies: the
	// runner does not run an analyzer without facts there.
	ask := &analysis.Analyzer{
		Name:     "ask",
		Doc:      "ask: asks for the model's verdicts, as a rule does",
		Requires: []*analysis.Analyzer{model},
		Run: func(pass *analysis.Pass) (any, error) {
			if model, ok := pass.ResultOf[model].(*policy.Model); ok && model != nil {
				model.Of("")
				c.decided(pass.Pkg.Path(), model)
			}
			return nil, nil
		},
	}
	c.analyzers = []*analysis.Analyzer{ask}
	return c
}

// exports counts the facts of an analyzer, whatever their types.
func (c *counter) exports(a *analysis.Analyzer) {
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		watched := *pass
		watched.ExportObjectFact = func(obj types.Object, f analysis.Fact) {
			c.fact(pass.Pkg.Path(), f)
			pass.ExportObjectFact(obj, f)
		}
		watched.ExportPackageFact = func(f analysis.Fact) {
			c.fact(pass.Pkg.Path(), f)
			pass.ExportPackageFact(f)
		}
		return run(&watched)
	}
}

// model adds a package.
func (c *counter) model(pass *analysis.Pass, m *policy.Model) {
	if len(pass.Files) == 0 {
		return // unsafe
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.packages++
	c.built[pass.Pkg.Path()] = m.Built
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				c.functions++
			}
		}
	}
}

// decided takes note of what the verdicts of a package have cost.
func (c *counter) decided(path string, m *policy.Model) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.built[path]; known {
		c.built[path] = m.Built
	}
}

// fact adds a fact. Encoded alone it carries the description of its type, which
// in a stream of facts comes once: the second copy is without.
func (c *counter) fact(path string, f analysis.Fact) {
	var b bytes.Buffer
	enc := gob.NewEncoder(&b)
	err := enc.Encode(f)
	first := b.Len()
	err = errors.Join(err, enc.Encode(f))

	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = errors.Join(c.err, err)
	c.facts++
	c.bytes[path] += b.Len() - first
}

// work sums up.
func (c *counter) work() work {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := work{
		Packages:  c.packages,
		Functions: c.functions,
		Facts:     c.facts,
		Carriers:  len(c.bytes),
		Most:      most(c.built, 5),
		Largest:   most(c.bytes, 5),
	}
	for _, n := range c.built {
		w.Built += n
		if n > 0 {
			w.Modelled++
		}
	}
	for _, n := range c.bytes {
		w.FactBytes += n
	}
	return w
}

// most names the packages with the highest numbers, and the numbers.
func most(numbers map[string]int, n int) []string {
	paths := slices.Collect(maps.Keys(numbers))
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(numbers[b], numbers[a]), strings.Compare(a, b))
	})
	var out []string
	for _, path := range paths[:min(n, len(paths))] {
		out = append(out, fmt.Sprintf("%s %d", path, numbers[path]))
	}
	return out
}
