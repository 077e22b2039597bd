package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// linter is the command, built from the working directory.
type linter struct {
	program string
	scratch string // directory of the module from which others are checked
}

// build makes a linter. cleanup removes what it made.
func build() (l *linter, cleanup func(), err error) {
	tmp, err := os.MkdirTemp("", "corpus")
	if err != nil {
		return nil, nil, err
	}
	cleanup = func() { _ = os.RemoveAll(tmp) } // in the system's own temporary directory
	l = &linter{program: filepath.Join(tmp, "resiliencevet"), scratch: filepath.Join(tmp, "scratch")}
	if out, err := exec.Command("go", "build", "-o", l.program, "./cmd/resiliencevet").CombinedOutput(); err != nil {
		cleanup()
		return nil, nil, fmt.Errorf("build: %w\n%s", err, out)
	}
	return l, cleanup, nil
}

// check runs the linter on a target, without its tests and with default flags,
// from a scratch module that requires it. Findings are sorted as the linter
// sorts them, and not judged.
func (l *linter) check(t target) (module, []finding, error) {
	m := module{name: t.module()}
	cmd, err := l.command(t, []string{"check", "-format=json", "-tests=false"})
	if err != nil {
		return m, nil, err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, _ := cmd.Output() // findings and problems make it exit with 1 and 2
	return decode(m, t, out, stderr.Bytes())
}

// decode reads the linter's JSON.
func decode(m module, t target, out, stderr []byte) (module, []finding, error) {
	var doc struct {
		Findings []struct {
			Rule, Severity, Message, File string
			Line                          int
		}
		Errors []struct{ Package, Rule, Message string }
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return m, nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr))
	}
	for _, e := range doc.Errors {
		if e.Rule != "" {
			return m, nil, fmt.Errorf("the linter failed on %s: %s", e.Package, e.Message)
		}
		if strings.HasPrefix(e.Package+"/", t.path+"/") {
			m.unchecked++
			continue
		}
		// What the module imports and cannot be had: the message begins with the
		// other module's name and version, and goes on with the proxy's words.
		cause, _, _ := strings.Cut(e.Message, ": ")
		m.missing = append(m.missing, cause)
	}
	slices.Sort(m.missing)
	m.missing = slices.Compact(m.missing)
	list := make([]finding, 0, len(doc.Findings))
	for _, f := range doc.Findings {
		// The module cache has the module below a directory named after its version.
		_, file, ok := strings.Cut(filepath.ToSlash(f.File), "@"+t.version+"/")
		if !ok {
			return m, nil, fmt.Errorf("a finding in %s, which is outside of the module", f.File)
		}
		list = append(list, finding{module: m.name, file: file, line: f.Line, severity: f.Severity, rule: f.Rule, message: f.Message})
	}
	slices.SortStableFunc(list, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line), strings.Compare(a.rule, b.rule))
	})
	return m, list, nil
}
