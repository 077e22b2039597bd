package rewrite

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// module is the path of the modules that results are written to.
const module = "rewritten"

// original is the directory of the packages as they are, beside those of the
// rewrites.
const original = "none"

// A Source is a directory of packages to be rewritten.
type Source struct {
	// Name is a word for messages and for known.txt.
	Name string
	// Root is the directory.
	Root string
	// Path is the import path of Root. Empty for a GOPATH, as the test data of
	// analyzers is one: a package is imported by its directory, and those whose
	// first element holds a dot stand in for modules of other people.
	Path string
	// Tests says whether test files belong to the packages.
	Tests bool
	// Rewritten says whether the package of a directory below Root is to be
	// rewritten and checked. Others are there to be imported.
	Rewritten func(dir string) bool
	// Budget is about how many pairs of a package and a rewrite are tried, since
	// each costs a call of the compiler. Zero is no limit.
	Budget int
	// Always says which pairs are tried whatever the budget is. It may be nil.
	Always func(dir, rewrite string) bool
}

// choose returns the directories of the packages that a rewrite is tried on:
// those within the budget, and all that they import.
func (s *Source) choose(packages []*Package, rewrite string) map[string]bool {
	out, byPath := map[string]bool{}, map[string]*Package{}
	for _, p := range packages {
		byPath[p.Path] = p
	}
	var take func(p *Package)
	take = func(p *Package) {
		if dir := s.Dir(p); s.Rewritten(dir) {
			out[dir] = true
		}
		for path := range p.imports {
			if next := byPath[path]; next != nil && !out[s.Dir(next)] {
				take(next)
			}
		}
	}
	for _, p := range packages {
		if s.chosen(s.Dir(p), rewrite, len(packages)) {
			take(p)
		}
	}
	return out
}

// chosen says whether a pair is within the budget. Of more pairs than that, it
// is always the same ones.
func (s *Source) chosen(dir, rewrite string, packages int) bool {
	pairs := packages * len(All())
	if s.Budget == 0 || pairs <= s.Budget || rewrite == original || s.Always != nil && s.Always(dir, rewrite) {
		return true
	}
	h := sha256.Sum256([]byte(dir + " " + rewrite))
	return int(binary.BigEndian.Uint32(h[:]))%pairs < s.Budget
}

// stub says whether a directory stands in for somebody's module.
func (s *Source) stub(dir string) bool {
	first, _, _ := strings.Cut(dir, "/")
	return s.Path == "" && strings.Contains(first, ".")
}

// local leads from an import path to the directory below Root.
func (s *Source) local(importPath string) (dir string, ok bool) {
	if s.Path != "" {
		if importPath == s.Path {
			return ".", true
		}
		return strings.CutPrefix(importPath, s.Path+"/")
	}
	if s.stub(importPath) {
		return "", false
	}
	names, _ := filepath.Glob(filepath.Join(s.Root, filepath.FromSlash(importPath), "*.go"))
	return importPath, len(names) > 0
}

// Stage copies the source into a new module in dir, below the directory none.
func (s *Source) Stage(dir string) error {
	mod := fmt.Sprintf("module %s\n\ngo 1.26\n", module)
	if text, err := os.ReadFile(filepath.Join(s.Root, "go.mod")); err == nil {
		lines := strings.SplitAfter(string(text), "\n")
		i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "module ") })
		lines[i] = "module " + module + "\n"
		mod = strings.Join(lines, "")
		// Modules beside Root stay where they are.
		mod = strings.ReplaceAll(mod, "=> ../", "=> "+filepath.ToSlash(filepath.Dir(s.Root))+"/")
	}
	if text, err := os.ReadFile(filepath.Join(s.Root, "go.sum")); err == nil {
		if err := writeFile(filepath.Join(dir, "go.sum"), text); err != nil {
			return err
		}
	}
	err := filepath.WalkDir(s.Root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(s.Root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if rel == "go.mod" || rel == "go.sum" || strings.HasSuffix(rel, ".golden") || !s.Tests && strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(rel, ".go") {
			if text, err = s.moveImports(name, text); err != nil {
				return err
			}
		}
		if !s.stub(rel) {
			return writeFile(filepath.Join(dir, original, filepath.FromSlash(rel)), text)
		}
		stub, file := path.Split(rel)
		stub = path.Clean(stub)
		to := filepath.Join(dir, "stubs", filepath.FromSlash(stub))
		if _, err := os.Stat(filepath.Join(to, "go.mod")); err != nil {
			mod += fmt.Sprintf("\nrequire %s %s\nreplace %s => ./stubs/%s\n", stub, stubVersion(stub), stub, stub)
			if err := writeFile(filepath.Join(to, "go.mod"), []byte("module "+stub+"\n\ngo 1.26\n")); err != nil {
				return err
			}
		}
		return writeFile(filepath.Join(to, file), text)
	})
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "go.mod"), []byte(mod))
}

// stubVersion returns a version that fits the path of a module.
func stubVersion(mod string) string {
	last := path.Base(mod)
	if _, v, ok := strings.Cut(last, ".v"); ok && strings.HasPrefix(mod, "gopkg.in/") {
		return "v" + v + ".0.0"
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(last, "v")); err == nil && strings.HasPrefix(last, "v") && n > 1 {
		return last + ".0.0"
	}
	return "v0.0.0"
}

// moveImports makes a file import its neighbours in the new module.
func (s *Source) moveImports(name string, text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, spec := range slices.Backward(f.Imports) {
		if dir, ok := s.local(unquote(spec.Path.Value)); ok {
			from, to := fset.Position(spec.Path.Pos()).Offset, fset.Position(spec.Path.End()).Offset
			text = slices.Replace(text, from, to, []byte(strconv.Quote(path.Join(module, original, dir)))...)
		}
	}
	return text, nil
}

func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

// Dir returns the directory of one of the module's packages, below Root.
func (*Source) Dir(p *Package) string {
	return strings.TrimPrefix(strings.TrimSuffix(p.Path, "_test"), module+"/"+original+"/")
}

// Tree is what one rewrite makes of a source.
type Tree struct {
	Rewrite string
	// Packages are the rewritten packages by their directory below the source's
	// root.
	Packages map[string]*TreePackage
}

// TreePackage is a directory of a tree: a package, perhaps its external tests,
// and packages below it that the rewrite made.
type TreePackage struct {
	// Changes is the number of places that were changed.
	Changes int
	// Skipped counts what was left as it is, by reason.
	Skipped map[string]int
	dirs    map[string]bool     // to check, relative to the module
	files   map[string]treeFile // by path relative to the module
}

type treeFile struct {
	of   *Package
	text *Output
}

// none is the rewrite that changes nothing.
type none struct{}

func (none) Name() string { return original }
func (none) Draft(*Draft) {}

// Write rewrites packages of a staged module and writes the results to the
// module's directory, below one with the rewrite's name. The rewrite none writes
// nothing, since that is what is there.
func (s *Source) Write(dir string, packages []*Package, rw Rewrite) (*Tree, error) {
	tree := &Tree{Rewrite: rw.Name(), Packages: map[string]*TreePackage{}}
	chosen, here := s.choose(packages, rw.Name()), map[string]string{}
	for _, p := range packages {
		here[p.Path] = path.Join(module, rw.Name(), s.Dir(p))
	}
	retarget := func(p string) string {
		if to, ok := here[p]; ok {
			return to
		}
		return p
	}
	for _, p := range packages {
		rel, how := s.Dir(p), rw
		if !chosen[rel] {
			how = none{}
		}
		res, err := Apply(p, how, retarget)
		if err != nil {
			return nil, err
		}
		tp := tree.Packages[rel]
		if tp == nil {
			tp = &TreePackage{Skipped: map[string]int{}, dirs: map[string]bool{}, files: map[string]treeFile{}}
			if s.Rewritten(rel) {
				tree.Packages[rel] = tp
			}
		}
		tp.Changes += len(res.Changes)
		for why, n := range res.Skipped {
			tp.Skipped[why] += n
		}
		for _, o := range res.Files {
			name := path.Join(rw.Name(), rel, o.Name)
			tp.files[name] = treeFile{p, o}
			tp.dirs[path.Dir(name)] = true
			if rw.Name() == original {
				continue
			}
			if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), o.Text); err != nil {
				return nil, err
			}
		}
	}
	return tree, nil
}
