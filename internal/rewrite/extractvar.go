package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// ExtractVar computes arguments, receivers and conditions in front of the
// statement that uses them, each in a variable of its own.
//
// Calls keep their order: what stands behind a call that is not extracted, or
// is evaluated only sometimes, stays. The new variables stand on the line of the
// statement, so that comments about that line still are.
type ExtractVar struct{}

// Name returns "extractvar".
func (ExtractVar) Name() string { return "extractvar" }

// Draft extracts variables from all statements of blocks.
func (ExtractVar) Draft(d *Draft) {
	for _, f := range d.Package.Files {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				d.extractVars(n.List)
			case *ast.CaseClause:
				d.extractVars(n.Body)
			case *ast.CommClause:
				d.extractVars(n.Body)
			}
			return true
		})
	}
}

func (d *Draft) extractVars(stmts []ast.Stmt) {
	for i, s := range stmts {
		x := &hoister{draft: d}
		switch s := s.(type) {
		case *ast.ExprStmt:
			x.inside(s.X)
		case *ast.SendStmt:
			x.visit(s.Chan)
			x.visit(s.Value)
		case *ast.GoStmt:
			x.inside(s.Call)
		case *ast.DeferStmt:
			x.inside(s.Call)
		case *ast.AssignStmt:
			x.assign(s)
		case *ast.DeclStmt:
			x.declaration(s)
		case *ast.ReturnStmt:
			for _, r := range s.Results {
				x.inside(r)
			}
		case *ast.IfStmt:
			x.header(s.Init, s.Cond)
		case *ast.SwitchStmt:
			x.header(s.Init, s.Tag)
		case *ast.TypeSwitchStmt:
			x.header(s.Init, nil)
		case *ast.RangeStmt:
			x.visit(s.X)
		case *ast.ForStmt:
			if s.Init != nil {
				x.header(s.Init, nil)
			}
		}
		if len(x.found) == 0 {
			continue
		}
		if d.jumpedOver(stmts[i:], s.Pos()) {
			d.skip("a goto would jump over the variable")
			continue
		}
		var needs []*change
		for _, e := range x.found {
			name := d.fresh("v")
			c := d.change("%s is %s", name, d.Package.text(e))
			// It must not go past what is computed before it.
			c.needs = slices.Clone(needs)
			needs = append(needs, c)
			c.insert(s.Pos(), words(e.Pos(), "%s := ", name), old(e), words(e.Pos(), "; "))
			c.replace(e, words(e.Pos(), "%s", name))
		}
	}
}

// jumpedOver says whether a goto in front of a place leads to a label behind it
// in the same list of statements; such a jump must not pass a declaration.
func (d *Draft) jumpedOver(rest []ast.Stmt, at token.Pos) bool {
	p := d.Package
	for _, s := range rest {
		l, ok := s.(*ast.LabeledStmt)
		if !ok {
			continue
		}
		for id, obj := range p.Info.Uses {
			b, isBranch := p.parents[id].(*ast.BranchStmt)
			if isBranch && b.Tok == token.GOTO && obj == p.Info.Defs[l.Label] && b.Pos() < at {
				return true
			}
		}
	}
	return false
}

// hoister looks for what can be computed in front of a statement, in the order
// in which it is computed now.
type hoister struct {
	draft *Draft
	found []ast.Expr
	// blocked says that a call was passed that stays in the statement: what
	// comes after it must not be computed before it.
	blocked bool
}

func (x *hoister) header(init ast.Stmt, cond ast.Expr) {
	switch init := init.(type) {
	case nil:
		if cond != nil {
			x.visit(cond)
		}
	case *ast.AssignStmt:
		x.assign(init)
	case *ast.ExprStmt:
		x.inside(init.X)
	}
}

func (x *hoister) assign(s *ast.AssignStmt) {
	for _, l := range s.Lhs {
		if callsIn(l) {
			x.blocked = true
		}
	}
	for _, r := range s.Rhs {
		x.inside(r)
	}
}

func (x *hoister) declaration(s *ast.DeclStmt) {
	g, ok := s.Decl.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR || len(g.Specs) != 1 {
		return
	}
	for _, v := range g.Specs[0].(*ast.ValueSpec).Values {
		x.inside(v)
	}
}

// visit looks into an expression, and then takes the expression itself.
func (x *hoister) visit(e ast.Expr) {
	before := x.blocked
	x.look(e)
	if !before && x.draft.hoistable(e) {
		// Calls that stay inside of it go with it.
		x.blocked = false
		x.found = append(x.found, e)
		return
	}
	x.pass(e)
}

// inside looks into an expression that stays where it is.
func (x *hoister) inside(e ast.Expr) {
	x.look(e)
	x.pass(e)
}

// pass notes what it means that an expression stays. Calls in its operands were
// seen by look.
func (x *hoister) pass(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		tv := x.draft.Package.Info.Types[e.Fun]
		switch {
		case tv.IsType():
		case tv.IsBuiltin():
			switch builtinName(e) {
			case "len", "cap", "make", "new", "min", "max":
			default:
				x.blocked = true
			}
		default:
			x.blocked = true
		}
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			x.blocked = true
		}
	}
}

// look visits the operands of an expression.
func (x *hoister) look(e ast.Expr) {
	info := x.draft.Package.Info
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		tv := info.Types[e.Fun]
		if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && !tv.IsType() {
			if _, isCall := ast.Unparen(sel.X).(*ast.CallExpr); isCall {
				x.visit(sel.X)
			} else if info.Types[sel.X].IsValue() {
				x.inside(sel.X)
			}
		} else if !tv.IsType() && !tv.IsBuiltin() {
			x.inside(e.Fun)
		}
		if tv.IsBuiltin() && builtinName(e) != "append" {
			// arguments that are types, and arguments that must be variables
			for _, a := range e.Args {
				if info.Types[a].IsValue() {
					x.inside(a)
				}
			}
			return
		}
		for _, a := range e.Args {
			x.visit(a)
		}
	case *ast.BinaryExpr:
		x.inside(e.X)
		if e.Op == token.LAND || e.Op == token.LOR {
			// The right side is computed only sometimes.
			if callsIn(e.Y) {
				x.blocked = true
			}
			return
		}
		x.inside(e.Y)
	case *ast.UnaryExpr:
		x.inside(e.X)
	case *ast.StarExpr:
		x.inside(e.X)
	case *ast.SelectorExpr:
		if info.Types[e.X].IsValue() {
			x.inside(e.X)
		}
	case *ast.IndexExpr:
		if info.Types[e.X].IsValue() {
			x.inside(e.X)
			if info.Types[e.Index].IsValue() {
				x.inside(e.Index)
			}
		}
	case *ast.SliceExpr:
		x.inside(e.X)
		for _, i := range []ast.Expr{e.Low, e.High, e.Max} {
			if i != nil {
				x.inside(i)
			}
		}
	case *ast.TypeAssertExpr:
		x.inside(e.X)
	case *ast.CompositeLit:
		for _, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				if callsIn(kv.Key) {
					x.blocked = true
				}
				elt = kv.Value
			}
			if lit, ok := elt.(*ast.CompositeLit); ok && lit.Type == nil {
				x.inside(elt)
			} else {
				x.visit(elt)
			}
		}
	}
}

func builtinName(c *ast.CallExpr) string {
	if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// callsIn says whether computing an expression may call or receive.
func callsIn(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// hoistable says whether an expression can be the value of a new variable: not
// so trivial that nobody would, and of the same type outside of its context.
func (d *Draft) hoistable(e ast.Expr) bool {
	p := d.Package
	tv, ok := p.Info.Types[e]
	if !ok || !tv.IsValue() || tv.Value != nil || tv.IsNil() {
		return false
	}
	if _, isTuple := tv.Type.(*types.Tuple); isTuple {
		return false
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.BasicLit:
		return false
	case *ast.CompositeLit:
		if x.Type == nil {
			return false
		}
	}
	alone := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := types.CheckExpr(p.Fset, p.Types, e.Pos(), e, alone); err != nil {
		return false
	}
	got := alone.Types[e].Type
	return got != nil && types.Identical(types.Default(got), tv.Type)
}
