package policy

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// findFillers marks the functions that make or fill structs of this package whose
// methods send, or which hold a client of a known library and are given to functions
// that send: what they store decides how.
func (s *shapes) findFillers() {
	clients := map[*types.TypeName]bool{}
	for _, sh := range s.order {
		if !sh.sendful {
			continue
		}
		sig := sh.fn.Signature()
		if recv := sig.Recv(); recv != nil {
			if n, ok := derefNamed(recv.Type()); ok {
				clients[n.Origin().Obj()] = true
			}
		}
		for i := range sig.Params().Len() {
			n, ok := derefNamed(sig.Params().At(i).Type())
			if ok && n.Obj().Pkg() == s.pass.Pkg && s.holdsLibrary(n) {
				clients[n.Origin().Obj()] = true
			}
		}
	}
	if len(clients) == 0 {
		return
	}
	isClient := func(t types.Type) bool {
		if t == nil {
			return false
		}
		n, ok := derefNamed(t)
		return ok && clients[n.Origin().Obj()]
	}
	for _, sh := range s.order {
		ast.Inspect(sh.decl.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				sh.fills = sh.fills || isClient(s.pass.TypesInfo.TypeOf(n))
			case *ast.AssignStmt:
				for _, l := range n.Lhs {
					if sel, ok := ast.Unparen(l).(*ast.SelectorExpr); ok {
						sh.fills = sh.fills || isClient(s.pass.TypesInfo.TypeOf(sel.X))
					}
				}
			}
			return !sh.fills
		})
	}
}

// holdsLibrary says whether a struct has a field for the client of a known library.
func (s *shapes) holdsLibrary(t types.Type) bool {
	st := structOf(t)
	if st == nil || s.libraries == nil {
		return false
	}
	for i := range st.NumFields() {
		n, ok := derefNamed(st.Field(i).Type())
		if ok && n.Obj().Pkg() != nil && !standardPath(n.Obj().Pkg().Path()) && s.libraries.Knows(n.Obj().Pkg().Path()) {
			return true
		}
	}
	return false
}

// changedVariables returns the package variables that something assigns to, or takes the
// address of, after they were initialized.
func changedVariables(s *shapes) map[types.Object]bool {
	out := map[types.Object]bool{}
	note := func(e ast.Expr) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			if v, ok := s.pass.TypesInfo.Uses[id].(*types.Var); ok && v.Parent() == s.pass.Pkg.Scope() {
				out[v] = true
			}
		}
	}
	for _, f := range s.pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, l := range n.Lhs {
					note(l)
					if sel, ok := ast.Unparen(l).(*ast.SelectorExpr); ok {
						note(sel.X) // a field of it
					}
				}
			case *ast.IncDecStmt:
				note(n.X)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					note(n.X)
				}
			}
			return true
		})
	}
	return out
}

// keptGlobal returns what a variable of this package is known to hold: those
// that other packages can set are not known.
func (m *modeler) keptGlobal(g *ir.Global) *template {
	if g.Obj == nil || g.Obj.Pkg() != m.pass.Pkg || g.Obj.Exported() && m.pass.Pkg.Name() != "main" {
		return nil
	}
	if m.changed == nil {
		m.changed = changedVariables(m.shapes)
	}
	if m.changed[g.Obj] {
		return nil
	}
	if t := m.keep().globals[g]; t.tells() {
		return t
	}
	return nil
}
