package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Package is what a rewrite reads. It is not changed after it was loaded, so
// that several rewrites may share it.
type Package struct {
	// Path is the import path. An external test package has that of the package
	// that it tests, with "_test" behind it.
	Path string
	// Dir is where its files are.
	Dir   string
	Fset  *token.FileSet
	Files []*File
	Types *types.Package
	Info  *types.Info

	imports map[string]*types.Package // by path, what files of the package import
	names   map[string]bool           // every identifier that stands somewhere in the package
	parents map[ast.Node]ast.Node
	vars    map[*types.Var]*varUse
}

// A File is one file of a Package.
type File struct {
	Name   string // without the directory
	Text   []byte
	Syntax *ast.File
}

// Load loads the packages that match patterns, with their test files. env is
// the environment of the go command, as in os/exec.
//
// A package with tests of its own is returned once, tests included; its external
// test package is another one. Packages that do not compile are an error.
func Load(dir string, env []string, patterns ...string) ([]*Package, error) {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedForTest
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: dir, Env: env, Tests: true}, patterns...)
	if err != nil {
		return nil, err
	}
	chosen := map[string]*packages.Package{}
	for _, p := range loaded {
		for _, e := range p.Errors {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, e)
		}
		if strings.HasSuffix(p.ID, ".test") {
			continue // the main package that the go command makes
		}
		if have := chosen[p.PkgPath]; have == nil || len(p.CompiledGoFiles) > len(have.CompiledGoFiles) {
			chosen[p.PkgPath] = p
		}
	}
	var out []*Package
	for _, p := range chosen {
		made, err := newPackage(p)
		if err != nil {
			return nil, err
		}
		out = append(out, made)
	}
	slices.SortFunc(out, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

func newPackage(from *packages.Package) (*Package, error) {
	p := &Package{
		Path: from.PkgPath, Fset: from.Fset, Types: from.Types, Info: from.TypesInfo,
		imports: map[string]*types.Package{}, names: map[string]bool{}, parents: map[ast.Node]ast.Node{},
	}
	for path, imported := range from.Imports {
		p.imports[path] = imported.Types
	}
	for i, syntax := range from.Syntax {
		name := from.CompiledGoFiles[i]
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if tf := from.Fset.File(syntax.FileStart); tf.Size() != len(text) {
			return nil, fmt.Errorf("%s changed while it was read", name)
		}
		p.Dir = filepath.Dir(name)
		p.Files = append(p.Files, &File{Name: filepath.Base(name), Text: text, Syntax: syntax})
		p.index(syntax)
	}
	p.vars = findVars(p)
	return p, nil
}

// index notes names and parents.
func (p *Package) index(file *ast.File) {
	var stack []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok {
			p.names[id.Name] = true
		}
		if len(stack) > 0 {
			p.parents[n] = stack[len(stack)-1]
		}
		stack = append(stack, n)
		return true
	})
}

// test says whether a file holds tests.
func (f *File) test() bool { return strings.HasSuffix(f.Name, "_test.go") }

// fileOf returns the file that holds a place.
func (p *Package) fileOf(at token.Pos) *File {
	for _, f := range p.Files {
		if f.Syntax.FileStart <= at && at <= f.Syntax.FileEnd {
			return f
		}
	}
	return nil
}

// text returns the old text of a node.
func (p *Package) text(n ast.Node) string {
	f, tf := p.fileOf(n.Pos()), p.Fset.File(n.Pos())
	return string(f.Text[tf.Offset(n.Pos()):tf.Offset(n.End())])
}

// decl returns the top-level declaration around a place; nil outside of any.
func (p *Package) decl(at token.Pos) ast.Decl {
	if f := p.fileOf(at); f != nil {
		for _, d := range f.Syntax.Decls {
			if d.Pos() <= at && at < d.End() {
				return d
			}
		}
	}
	return nil
}

// function returns the innermost function around a node: an *ast.FuncDecl, an
// *ast.FuncLit, or nil. A function is around its parameters, too.
func (p *Package) function(n ast.Node) ast.Node {
	for n = p.parents[n]; n != nil; n = p.parents[n] {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return n
		}
	}
	return nil
}

// DeclName names the top-level declaration around an old place as a reader of a
// report would: "Pay", "(*Client).Pay", "var handlers"; empty outside of any.
func (p *Package) DeclName(at token.Pos) string {
	switch d := p.decl(at).(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || len(d.Recv.List) == 0 {
			return d.Name.Name
		}
		t := p.Info.TypeOf(d.Recv.List[0].Type)
		if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
			return "(*" + baseName(ptr.Elem()) + ")." + d.Name.Name
		}
		return baseName(t) + "." + d.Name.Name
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok && v.Pos() <= at && at < v.End() {
				return d.Tok.String() + " " + v.Names[0].Name
			}
		}
	}
	return ""
}

func baseName(t types.Type) string {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Obj().Name()
	}
	return t.String()
}

// directive says whether a comment that speaks to the linter stands on a node's
// lines, or on the one above, or documents the function that holds it: such a
// node must stay where it is.
func (p *Package) directive(n ast.Node) bool {
	tf := p.Fset.File(n.Pos())
	first, last := tf.Line(n.Pos()), tf.Line(n.End())
	decl := p.decl(n.Pos())
	var doc *ast.CommentGroup
	if d, ok := decl.(*ast.FuncDecl); ok {
		doc = d.Doc
	}
	for _, group := range p.fileOf(n.Pos()).Syntax.Comments {
		for _, c := range group.List {
			line := tf.Line(c.Pos())
			if isDirective(c.Text) && (group == doc || first-1 <= line && line <= last) {
				return true
			}
		}
	}
	return false
}

func isDirective(comment string) bool {
	text := strings.TrimLeft(strings.TrimPrefix(comment, "//"), " \t")
	return strings.HasPrefix(text, "lint:") || strings.HasPrefix(text, "nolint") || strings.HasPrefix(text, "resiliencevet:")
}
