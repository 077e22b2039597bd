package driver

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"honnef.co/go/tools/config"
	"honnef.co/go/tools/go/loader"
	"honnef.co/go/tools/lintcmd/runner"
)

// packageProblems says why a package could not be checked. dir is where the go
// command ran: names in its output are relative to it.
func packageProblems(dir, path string, errs []error) []problem {
	var out []problem
	for _, err := range errs {
		var e packages.Error
		if !errors.As(err, &e) {
			out = append(out, problem{pkg: path, message: "not checked: " + oneLine(err.Error())})
			continue
		}
		out = append(out, goProblems(dir, path, e)...)
	}
	return out
}

// goProblems converts an error of go/packages. The go command's message may be
// a compiler's output, with a heading and one line for each error.
func goProblems(dir, path string, e packages.Error) []problem {
	file, line, column := parsePosition(e.Pos)
	if filepath.Base(file) == config.ConfigName {
		return []problem{{
			message: "malformed " + config.ConfigName + ", and the packages below it were not checked: " +
				"this program uses nothing of the file, but its loader reads it: " + oneLine(e.Msg),
			file: absolute(dir, file), line: line, column: column,
		}}
	}
	var out []problem
	rest := ""
	for l := range strings.SplitSeq(e.Msg, "\n") {
		if strings.HasPrefix(l, "# ") {
			continue // the compiler's heading: the package
		}
		if f, n, c := parsePosition(l); f != "" && strings.HasSuffix(f, ".go") {
			message := strings.TrimSpace(positioned.ReplaceAllString(l, ""))
			out = append(out, problem{pkg: path, message: message, file: absolute(dir, f), line: n, column: c})
			continue
		}
		if len(out) > 0 && strings.HasPrefix(l, "\t") {
			out[len(out)-1].message += " " + strings.TrimSpace(l)
			continue
		}
		rest += " " + l
	}
	if rest = oneLine(rest); rest != "" {
		out = append(out, problem{pkg: path, message: rest, file: absolute(dir, file), line: line, column: column})
	}
	return out
}

// positioned matches the position that begins a line of a compiler.
var positioned = regexp.MustCompile(`^(.+?):(\d+)(?::(\d+))?(?::\s|$)`)

// parsePosition reads "file:line:column" at the start of a text; the file is
// empty when there is none.
func parsePosition(s string) (file string, line, column int) {
	m := positioned.FindStringSubmatch(s)
	if m == nil {
		return "", 0, 0
	}
	// The pattern admits only digits; too many of them read as 0, which is the
	// unknown line.
	line, _ = strconv.Atoi(m[2])
	column, _ = strconv.Atoi(m[3])
	return m[1], line, column
}

// absolute resolves a file name of the go command.
func absolute(dir, file string) string {
	if file == "" || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

// dependentProblem says which dependency keeps a package from being checked.
// The runner marks such a package as failed and says no more.
func dependentProblem(res runner.Result, results []runner.Result) problem {
	broken := map[*loader.PackageSpec]bool{}
	for _, r := range results {
		if len(r.Errors) > 0 {
			broken[r.Package] = true
		}
	}
	message := "not checked: a dependency could not be checked"
	if dep := nearestBroken(res.Package, broken); dep != nil {
		message = fmt.Sprintf("not checked: its dependency %s could not be checked", dep.PkgPath)
	}
	return problem{pkg: res.Package.PkgPath, message: message}
}

// nearestBroken finds the broken package that is the fewest imports away, and
// of several the first by name.
func nearestBroken(p *loader.PackageSpec, broken map[*loader.PackageSpec]bool) *loader.PackageSpec {
	seen := map[*loader.PackageSpec]bool{p: true}
	for level := []*loader.PackageSpec{p}; len(level) > 0; {
		var next []*loader.PackageSpec
		for _, q := range level {
			for _, path := range slices.Sorted(maps.Keys(q.Imports)) {
				dep := q.Imports[path]
				if dep == nil || seen[dep] {
					continue
				}
				if broken[dep] {
					return dep
				}
				seen[dep] = true
				next = append(next, dep)
			}
		}
		level = next
	}
	return nil
}
