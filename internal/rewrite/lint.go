package rewrite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// A Finding is one of the linter, led back to the code before the rewrite.
type Finding struct {
	// Rule and Decl are what is compared: which mistake, in which declaration.
	Rule, Decl string
	// Was is the place in the old code, Is the one in the new: file:line.
	Was, Is string
	Message string
}

// ID is what stays the same when code is rewritten.
func (f Finding) ID() string {
	if f.Decl == "" {
		return f.Rule + " outside of what there was"
	}
	return f.Rule + " in " + f.Decl
}

// Linter runs resiliencevet.
type Linter struct {
	// Bin is the program, Cache a directory for its cache.
	Bin, Cache string
	// Env is the environment.
	Env []string
}

type report struct {
	Findings []struct {
		Rule, Message, File string
		Line, Column        int
	}
	Errors []struct{ Package, Rule, Message, File string }
}

// check runs the linter on directories of a module.
func (l Linter) check(module string, flags, dirs []string) (*report, error) {
	args := append([]string{"check", "-format=json", "-rules=all"}, flags...)
	for _, d := range dirs {
		args = append(args, "./"+d)
	}
	cmd := exec.Command(l.Bin, args...)
	cmd.Dir = module
	cmd.Env = append(slices.Clone(l.Env), "PWD="+module, "RESILIENCEVET_CACHE="+l.Cache)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok || exit.ExitCode() > 2 || out.Len() == 0 {
			return nil, fmt.Errorf("%s: %w\n%s", l.Bin, err, problems.Bytes())
		}
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return nil, fmt.Errorf("the report: %w", err)
	}
	if len(r.Errors) > 0 {
		e := r.Errors[0]
		return nil, fmt.Errorf("%d errors, the first of %s %s: %s: %s", len(r.Errors), e.Package, e.Rule, e.File, e.Message)
	}
	return &r, nil
}

// flagsOf returns the flags with which a package of test data is checked: the
// end of its directory chooses them, as in the tests of the rules.
func flagsOf(dir string) string {
	switch {
	case strings.HasSuffix(dir, "_strict"):
		return "-strict"
	case strings.HasSuffix(dir, "_unsafemethods"):
		return "-unsafe-methods"
	}
	return ""
}

// Findings checks trees, all in one run for each set of flags, and returns what
// is found by rewrite and package. The tree of the rewrite none must be among them.
func (l Linter) Findings(module string, trees []*Tree) (map[string]map[string][]Finding, error) {
	dirs := map[string][]string{}
	out := map[string]map[string][]Finding{}
	type where struct {
		rewrite, pkg string
		file         treeFile
	}
	files := map[string]where{}
	for _, t := range trees {
		out[t.Rewrite] = map[string][]Finding{}
		for rel, p := range t.Packages {
			if t.Rewrite != original && p.Changes == 0 {
				// Every package costs a call of the compiler. What is found in this
				// one is known.
				continue
			}
			dirs[flagsOf(rel)] = append(dirs[flagsOf(rel)], slices.Collect(maps.Keys(p.dirs))...)
			for name, f := range p.files {
				files[name] = where{t.Rewrite, rel, f}
			}
		}
	}
	for flags, list := range dirs {
		sort.Strings(list)
		r, err := l.check(module, strings.Fields(flags), list)
		if err != nil {
			return nil, err
		}
		for _, f := range r.Findings {
			at, ok := files[filepath.ToSlash(f.File)]
			if !ok {
				return nil, fmt.Errorf("a finding in %s, which is no file of the test", f.File)
			}
			found := at.file.trace(f.Line, f.Column)
			found.Rule, found.Message = f.Rule, f.Message
			found.Is = fmt.Sprintf("%s:%d", f.File, f.Line)
			out[at.rewrite][at.pkg] = append(out[at.rewrite][at.pkg], found)
		}
	}
	for _, t := range trees {
		for rel, p := range t.Packages {
			if t.Rewrite != original && p.Changes == 0 {
				out[t.Rewrite][rel] = out[original][rel]
			}
		}
	}
	return out, nil
}

// trace leads a place of a result back.
func (f treeFile) trace(line, column int) Finding {
	offset := 0
	for range line - 1 {
		offset += bytes.IndexByte(f.text.Text[offset:], '\n') + 1
	}
	pos := f.text.Origin(offset + max(column-1, 0))
	if !pos.IsValid() {
		return Finding{Was: "new code"}
	}
	at := f.of.Fset.Position(pos)
	return Finding{Decl: f.of.DeclName(pos), Was: fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)}
}

// Difference returns what is found in only one of two lists, by ID: lost, and
// new.
func Difference(before, after []Finding) (lost, added []Finding) {
	rest := map[string]int{}
	for _, f := range after {
		rest[f.ID()]++
	}
	for _, f := range before {
		if rest[f.ID()] == 0 {
			lost = append(lost, f)
		} else {
			rest[f.ID()]--
		}
	}
	for _, f := range slices.Backward(after) {
		if rest[f.ID()] > 0 {
			rest[f.ID()]--
			added = append(added, f)
		}
	}
	slices.Reverse(added)
	return lost, added
}

// readKnown reads the file of known instabilities: lines of a package, a
// rewrite, and why.
func readKnown(name string) (map[[2]string]string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	out := map[[2]string]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		if len(words) < 3 {
			return nil, fmt.Errorf("%s:%d: want a package, a rewrite, and why", name, i+1)
		}
		key := [2]string{words[0], words[1]}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("%s:%d: %s and %s stand there twice", name, i+1, words[0], words[1])
		}
		out[key] = strings.Join(words[2:], " ")
	}
	return out, nil
}
