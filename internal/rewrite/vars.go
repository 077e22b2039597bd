package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// varUse is what happens to a local variable.
type varUse struct {
	declared ast.Node   // the function in which it is declared
	assigned []ast.Node // the identifiers through which it changes, after its declaration
	used     []ast.Node // the identifiers that name it
	address  bool       // its address is taken: it may change anywhere
}

// findVars looks at all local variables of a package.
func findVars(p *Package) map[*types.Var]*varUse {
	vars := map[*types.Var]*varUse{}
	use := func(v *types.Var) *varUse {
		u := vars[v]
		if u == nil {
			u = &varUse{}
			vars[v] = u
		}
		return u
	}
	assign := func(e ast.Expr) {
		if id, v := p.root(e); v != nil && p.Info.Defs[id] == nil {
			use(v).assigned = append(use(v).assigned, id)
		}
	}
	address := func(e ast.Expr) {
		if _, v := p.root(e); v != nil {
			use(v).address = true
		}
	}
	for _, f := range p.Files {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if v := p.local(p.Info.Uses[n]); v != nil {
					use(v).used = append(use(v).used, n)
				}
				if v := p.local(p.Info.Defs[n]); v != nil {
					use(v).declared = p.function(n)
				}
			case *ast.AssignStmt:
				for _, l := range n.Lhs {
					assign(l)
				}
			case *ast.IncDecStmt:
				assign(n.X)
			case *ast.RangeStmt:
				if n.Key != nil {
					assign(n.Key)
				}
				if n.Value != nil {
					assign(n.Value)
				}
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					address(n.X)
				}
			case *ast.SliceExpr:
				if _, ok := p.Info.TypeOf(n.X).Underlying().(*types.Array); ok {
					address(n.X)
				}
			case *ast.SelectorExpr:
				// a method with a pointer receiver, called on a variable
				if sel := p.Info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal && !isPointer(sel.Recv()) {
					if sig, ok := sel.Obj().Type().(*types.Signature); ok && isPointer(sig.Recv().Type()) {
						address(n.X)
					}
				}
			}
			return true
		})
	}
	for n, obj := range p.Info.Implicits { // the variable of a type switch
		if v := p.local(obj); v != nil {
			use(v).declared = p.function(n)
		}
	}
	return vars
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// local returns an object as a variable of a function, or nil.
func (p *Package) local(obj types.Object) *types.Var {
	v, ok := obj.(*types.Var)
	if !ok || v.IsField() || v.Pkg() != p.Types || v.Parent() == p.Types.Scope() {
		return nil
	}
	return v
}

// root returns the local variable in whose memory an expression lies: x of
// x.f[2], where x is neither a pointer nor a slice.
func (p *Package) root(e ast.Expr) (*ast.Ident, *types.Var) {
	switch e := e.(type) {
	case *ast.Ident:
		obj := p.Info.Uses[e]
		if obj == nil {
			obj = p.Info.Defs[e]
		}
		if v := p.local(obj); v != nil {
			return e, v
		}
	case *ast.ParenExpr:
		return p.root(e.X)
	case *ast.SelectorExpr:
		if sel := p.Info.Selections[e]; sel != nil && sel.Kind() == types.FieldVal && !sel.Indirect() {
			return p.root(e.X)
		}
	case *ast.IndexExpr:
		if t := p.Info.TypeOf(e.X); t != nil {
			if _, ok := t.Underlying().(*types.Array); ok {
				return p.root(e.X)
			}
		}
	}
	return nil, nil
}

// region is code that is to become a function of its own.
type region struct {
	from, to token.Pos
	around   ast.Node // the function that it is taken from
}

func (r region) holds(n ast.Node) bool { return r.from <= n.Pos() && n.End() <= r.to }

// free returns the local variables that a region uses and that are declared
// outside, in the order of their first use. It fails when the region needs
// something else of the function around: a local type, a constant, a label, a
// type parameter.
func (p *Package) free(r region, nodes ...ast.Node) (vars []*types.Var, ok bool) {
	seen := map[types.Object]bool{}
	ok = true
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			id, isIdent := n.(*ast.Ident)
			if !isIdent {
				return true
			}
			obj := p.Info.Uses[id]
			if obj == nil || seen[obj] || obj.Pkg() != p.Types || r.from <= obj.Pos() && obj.Pos() < r.to {
				return true
			}
			seen[obj] = true
			switch {
			case p.local(obj) != nil:
				vars = append(vars, p.local(obj))
			case obj.Parent() == p.Types.Scope(), isMember(obj):
			case isImportName(obj):
			default:
				ok = false
			}
			return true
		})
	}
	return vars, ok
}

func isImportName(obj types.Object) bool { _, ok := obj.(*types.PkgName); return ok }

// isMember says whether an object is a field or a method.
func isMember(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.IsField()
	case *types.Func:
		return obj.Signature().Recv() != nil
	}
	return false
}

// assigns says whether a region changes a variable.
func (p *Package) assigns(r region, v *types.Var) bool {
	for _, id := range p.vars[v].assigned {
		if r.holds(id) {
			return true
		}
	}
	return false
}

// copies says whether a region may work on a copy of a variable from outside,
// and hand it back if it changed: nothing else sees the variable meanwhile.
func (p *Package) copies(r region, v *types.Var) bool {
	u := p.vars[v]
	if u.address {
		return false
	}
	if len(u.assigned) == 0 {
		return true
	}
	// A literal inside the region may live longer than the region, and would keep
	// the copy.
	for _, id := range u.used {
		if r.holds(id) && p.function(id) != r.around {
			return false
		}
	}
	if p.assigns(r, v) {
		// Then nobody but the function itself may know it.
		for _, id := range u.used {
			if p.function(id) != r.around {
				return false
			}
		}
		return u.declared == r.around
	}
	for _, id := range u.assigned {
		if p.function(id) != u.declared {
			return false
		}
	}
	return u.declared == r.around || isLit(r.around)
}

func isLit(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok }

// usedOutside says whether a variable that a region declares is used behind it.
func (p *Package) usedOutside(r region, v *types.Var) bool {
	u := p.vars[v]
	for _, id := range u.used {
		if !r.holds(id) {
			return true
		}
	}
	return false
}

// shared says whether a literal inside a region uses a variable that the region
// declares, or its address is taken: then there must not be two of it.
func (p *Package) shared(r region, v *types.Var) bool {
	u := p.vars[v]
	if u == nil {
		return false
	}
	for _, id := range u.used {
		if r.holds(id) && p.function(id) != r.around {
			return true
		}
	}
	return u.address
}
