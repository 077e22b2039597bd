// Command candidates lists the places in a module that a reader who makes
// labels for internal/corpus must look at:
//
//	go run ./internal/corpus/candidates path@version [pattern...]
//
// A pattern is relative to the module's path; without one, all packages are
// looked at. Each line is
//
//	kind <tab> file:line <tab> function <tab> what
//
// where the kind is one of
//
//	send     a request is sent here, and something may run this again
//	repeat   a call inside a loop, a function literal or a recursion that leads to a send
//	request  a request is built with a body, and something may run this again
//	body     a response's body is read, closed or handed on
//	return   a response, or something that may read one, is returned
//	pause    a sleep or a timer in a function that leads to a send or is repeated
//	cancel   a context is cancelled in a function that leads to a send and returns a response, a reader or a type with one inside
//	key      a value that looks like a key or an id is made where something may run it again
//
// The list is made from syntax and types alone and uses nothing of the linter, so
// that labels made from it do not share the linter's blind spots. It is meant to
// be too long rather than too short; most of the places in it are harmless.
package main

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "candidates:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("want path@version [pattern...]")
	}
	module, version, ok := strings.Cut(args[0], "@")
	if !ok {
		return fmt.Errorf("%q has no version", args[0])
	}
	pkgs, err := load(module, version, args[1:])
	if err != nil {
		return err
	}
	p := newProgram(module, pkgs)
	w := bufio.NewWriter(os.Stdout)
	for _, pl := range p.places() {
		// Files of the module stand below a directory named after the version.
		_, file, ok := strings.Cut(filepath.ToSlash(pl.file), "@"+version+"/")
		if !ok {
			file = pl.file
		}
		fmt.Fprintf(w, "%s\t%s:%d\t%s\t%s\n", pl.kind, file, pl.line, pl.fn, pl.what)
	}
	return w.Flush()
}

// mode is what is needed of packages: their own syntax, and of what they import
// the types.
const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax | packages.NeedExportFile

// load type-checks packages of a module from a scratch module that requires it.
// Packages that do not load completely are kept: what is known of them is
// enough for a list.
func load(module, version string, patterns []string) ([]*packages.Package, error) {
	dir, err := os.MkdirTemp("", "candidates")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system's own temporary directory
	mod := fmt.Sprintf("module scratch\n\ngo 1.26\n\nrequire %s %s\n", module, version)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
		return nil, err
	}
	if len(patterns) == 0 {
		patterns = []string{"..."}
	}
	for i, p := range patterns {
		patterns[i] = strings.TrimSuffix(module+"/"+p, "/")
	}
	config := &packages.Config{
		Mode: mode,
		Dir:  dir,
		Env:  append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off"),
	}
	pkgs, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, err
	}
	for _, pkg := range pkgs {
		if len(pkg.Errors) > 0 {
			fmt.Fprintf(os.Stderr, "%s is not complete: %v\n", pkg.PkgPath, pkg.Errors[0])
		}
	}
	slices.SortFunc(pkgs, func(a, b *packages.Package) int { return cmp.Compare(a.PkgPath, b.PkgPath) })
	return pkgs, nil
}
