package driver

import (
	"cmp"
	"fmt"
	"go/token"
	"os"
	"slices"
	"strings"

	"honnef.co/go/tools/go/loader"
	"honnef.co/go/tools/lintcmd/runner"

	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// collect makes a report of what the runner returned: one result for every
// package, dependencies and variants for tests included, in no order.
func (c *command) collect(flags *checkFlags, results []runner.Result) (*report, error) {
	results = slices.Clone(results)
	slices.SortFunc(results, func(a, b runner.Result) int { return cmp.Compare(a.Package.ID, b.Package.ID) })
	out := &report{}
	err := c.eachInitial(flags.dir, results, &out.errors, func(res runner.Result, diagnostics []runner.Diagnostic) error {
		out.add(res.Package, diagnostics)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.sort()
	fingerprint(out.findings)
	if !flags.showSuppressed {
		out.findings = slices.DeleteFunc(out.findings, func(f finding) bool { return f.suppressed })
	}
	return out, nil
}

// eachInitial hands over what was said of each package that was asked for, and adds
// to problems why others could not be looked at.
func (c *command) eachInitial(dir string, results []runner.Result, problems *[]problem, each func(runner.Result, []runner.Diagnostic) error) error {
	covered, mains := coveredByTests(results), testMains(results)
	for _, res := range results {
		switch {
		case len(res.Errors) > 0:
			path := res.Package.PkgPath
			if mains[res.Package] {
				path = strings.TrimSuffix(path, ".test")
			}
			*problems = append(*problems, packageProblems(dir, path, res.Errors)...)
		case res.Failed:
			if res.Initial && !mains[res.Package] {
				*problems = append(*problems, dependentProblem(res, results))
			}
		case !res.Initial || mains[res.Package] || covered[res.Package.ID]:
		case res.Skipped || hasHugeFile(res.Package):
			// The runner leaves such packages out, and on a second run it does
			// not even say so.
			*problems = append(*problems, hugeProblem(res.Package))
		default:
			data, err := res.Load()
			if err != nil {
				return fmt.Errorf("cache: %w", err)
			}
			if err := each(res, data.Diagnostics); err != nil {
				return err
			}
		}
	}
	return nil
}

// coveredByTests returns the IDs of the packages whose test variant was checked
// too. "p [p.test]" holds all files of p and those of its tests, and only it
// shows what the tests use, so p itself has nothing to add: go vet, too, looks
// at the variant alone.
func coveredByTests(results []runner.Result) map[string]bool {
	out := map[string]bool{}
	for _, res := range results {
		path, variant, found := strings.Cut(res.Package.ID, " [")
		if found && res.Initial && !res.Failed && variant == path+".test]" && res.Package.PkgPath == path {
			out[path] = true
		}
	}
	return out
}

// testMains returns the main packages of test binaries, which the go command
// makes. A person's directory may be called x.test, too, but only the go
// command's packages name the test that they are variants for.
func testMains(results []runner.Result) map[*loader.PackageSpec]bool {
	tests := map[string]bool{}
	for _, res := range results {
		if _, variant, found := strings.Cut(res.Package.ID, " ["); found {
			tests[strings.TrimSuffix(variant, "]")] = true
		}
	}
	out := map[*loader.PackageSpec]bool{}
	for _, res := range results {
		if res.Package.Name == "main" && tests[res.Package.ID] {
			out[res.Package] = true
		}
	}
	return out
}

// hasHugeFile reports whether the loader skips the package for a file's size.
func hasHugeFile(p *loader.PackageSpec) bool {
	return slices.ContainsFunc(p.CompiledGoFiles, func(file string) bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() >= loader.MaxFileSize
	})
}

// hugeProblem says that a package was left out for a file's size.
func hugeProblem(p *loader.PackageSpec) problem {
	return problem{pkg: p.PkgPath, message: "not checked: it has a file of more than 50 MB"}
}

// add puts the diagnostics of one package into the report.
func (r *report) add(p *loader.PackageSpec, diagnostics []runner.Diagnostic) {
	for _, d := range diagnostics {
		at := placeOf(d.Position)
		category, ok := rule.ParseCategory(d.Category)
		if !ok || category.Internal {
			// What is no finding of ours is a failure: no analyzer of this
			// program reports under any other category.
			r.errors = append(r.errors, problem{
				pkg: p.PkgPath, rule: category.Rule, message: d.Message, file: at.file, line: at.line, column: at.column,
			})
			continue
		}
		f := finding{
			pkg:        p.PkgPath,
			rule:       category.Rule,
			severity:   category.Severity,
			suppressed: category.Suppressed,
			message:    d.Message,
			at:         at,
			end:        placeOf(d.End),
			url:        rule.PageURL(category.Rule), // the runner loses it
			fixes:      d.SuggestedFixes,
		}
		if f.end.file != f.at.file || comparePlaces(f.end, f.at) < 0 {
			f.end = f.at
		}
		for _, rel := range d.Related {
			f.related = append(f.related, related{placeOf(rel.Position), rel.Message})
		}
		r.findings = append(r.findings, f)
	}
}

// placeOf converts a position.
func placeOf(p token.Position) place { return place{p.Filename, p.Line, p.Column} }
