package policy

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// program is the SSA form of the functions of a package that are worth it.
type program struct {
	ssa   *ssa.Program
	pkg   *ssa.Package
	ir    *ir.Program
	built int // functions with bodies
	calls map[token.Pos]*ast.CallExpr
	decls []*ast.FuncDecl // by position
}

// build puts the wanted functions of a package into SSA form, and leaves the
// bodies of the others out.
func build(pass *analysis.Pass, im *imports, want func(*ast.FuncDecl) bool) *program {
	p := &program{calls: map[token.Pos]*ast.CallExpr{}}
	p.ssa = ssa.NewProgram(pass.Fset, ssa.InstantiateGenerics)
	for _, q := range pass.Pkg.Imports() {
		p.ssa.CreatePackage(q, nil, nil, true)
	}
	files := make([]*ast.File, len(pass.Files))
	for i, f := range pass.Files {
		c := *f
		c.Decls = make([]ast.Decl, len(f.Decls))
		for j, d := range f.Decls {
			c.Decls[j] = d
			fd, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if fd.Body == nil || want(fd) {
				p.decls = append(p.decls, fd)
				p.note(fd)
				continue
			}
			bare := *fd
			bare.Body = nil
			c.Decls[j] = &bare
		}
		files[i] = &c
	}
	p.pkg = p.ssa.CreatePackage(pass.Pkg, files, pass.TypesInfo, false)
	p.pkg.Build()
	p.ir = ir.NewProgram(pass.Pkg, im.archive)
	p.built = len(p.decls)
	return p
}

// note remembers where the calls of a function are written.
func (p *program) note(fd *ast.FuncDecl) {
	if fd.Body == nil {
		return
	}
	ast.Inspect(fd.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			p.calls[c.Lparen] = c
		}
		return true
	})
}

// span returns where the call instruction is written: of a chain of calls over
// several lines, where this one's name is.
func (p *program) span(in *ir.Node) (pos, end token.Pos) {
	if in == nil {
		return token.NoPos, token.NoPos
	}
	if c := p.calls[in.Pos]; c != nil {
		if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && p.line(sel.Sel.Pos()) != p.line(c.Pos()) {
			return sel.Sel.Pos(), c.End()
		}
		return c.Pos(), c.End()
	}
	return in.Pos, in.Pos
}

func (p *program) line(pos token.Pos) int { return p.ssa.Fset.Position(pos).Line }

// fn returns a declared function of the package; nil if it has no SSA form.
func (p *program) fn(obj *types.Func) *ir.Function {
	if fn := p.ssa.FuncValue(obj); fn != nil {
		return p.ir.Of(fn)
	}
	return nil
}

// lookup finds the method that a call of an interface's method runs on a
// value of type t.
func (p *program) lookup(t types.Type, call *ir.Node) *ir.Function {
	if t == nil || types.IsInterface(t) {
		return nil // nil: of code that was read, a type that cannot be named here
	}
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return nil
	}
	pkg := p.pkg.Pkg
	n, ok := derefNamed(t)
	if ok && n.Obj().Pkg() != nil {
		pkg = n.Obj().Pkg()
	}
	sel := p.ssa.MethodSets.MethodSet(t).Lookup(pkg, call.Name)
	if sel == nil {
		return nil
	}
	if ok && n.Obj().Pkg() != p.pkg.Pkg {
		if len(sel.Index()) > 1 {
			return nil // promoted, in another package
		}
		obj := sel.Obj().(*types.Func).Origin()
		return p.ir.External(obj.FullName(), obj.Pkg().Path())
	}
	if fn := p.ssa.MethodValue(sel); fn != nil {
		return p.ir.Of(fn)
	}
	return nil
}
