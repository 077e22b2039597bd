package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// ExtractBody moves the body of function literals, and the statements with which
// bodies of loops begin, into functions of their own.
//
// What a loop's statements need is handed in, and what they change is handed
// back. They end where the first one leaves the loop or the function, or defers.
type ExtractBody struct{}

// Name returns "extractbody".
func (ExtractBody) Name() string { return "extractbody" }

// Draft extracts bodies.
func (ExtractBody) Draft(d *Draft) {
	for _, f := range d.Package.Files {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ForStmt:
				d.extractBeginning(n.Body)
			case *ast.RangeStmt:
				d.extractBeginning(n.Body)
			case *ast.FuncLit:
				d.extractLiteral(n)
			}
			return true
		})
	}
}

// extractLiteral makes the body of a literal a function, with the literal's
// parameters and what it captures.
func (d *Draft) extractLiteral(lit *ast.FuncLit) {
	p := d.Package
	if !hasCall(lit.Body) {
		return
	}
	if _, isGo := p.parents[p.parents[lit]].(*ast.GoStmt); isGo {
		d.skip("it runs beside the function around")
		return
	}
	h, why := d.helper(lit, region{lit.Pos(), lit.End(), lit}, lit)
	if why != "" {
		d.skip(why)
		return
	}
	sig := p.Info.TypeOf(lit).(*types.Signature)
	c := d.change("a function for a literal")
	text, ok := h.spelled(c, nil)
	top := d.top(h.file, c)
	var params, args []string
	for v := range sig.Params().Variables() {
		t, spelled := top.spell(v.Type())
		ok = ok && spelled
		variadic := sig.Variadic() && v == sig.Params().At(sig.Params().Len()-1)
		switch {
		case v.Name() == "" || v.Name() == "_":
			continue
		case variadic:
			params = append(params, v.Name()+" ..."+t[min(len("[]"), len(t)):])
			args = append(args, v.Name()+"...")
		default:
			params = append(params, v.Name()+" "+t)
			args = append(args, v.Name())
		}
	}
	var res []string
	for v := range sig.Results().Variables() {
		t, spelled := top.spell(v.Type())
		ok = ok && spelled
		res = append(res, strings.TrimSpace(v.Name()+" "+t))
	}
	if !ok {
		d.skip("a type that cannot be written")
		c.dropped = true
		return
	}
	if text.params != "" {
		params = append([]string{text.params}, params...)
	}
	name, begin := d.fresh("body"), ""
	if len(res) > 0 {
		begin = "return "
	}
	at := lit.Body.Pos()
	c.replace(lit.Body, words(at, "{ %s%s%s(%s) }", begin, h.prefix(), name, list(append(h.args, args...))))
	c.append(h.file, words(at, "func %s%s(%s) (%s) ", h.receiver, name, list(params), list(res)), old(lit.Body))
}

// extractBeginning makes the longest possible beginning of a loop's body a
// function.
func (d *Draft) extractBeginning(body *ast.BlockStmt) {
	n := 0
	for n < len(body.List) && !leaves(body.List[n]) {
		n++
	}
	why := "it begins with a jump"
	for ; n > 0; n-- {
		stmts := body.List[:n]
		if !hasCall(stmts...) {
			why = "it begins without a call"
			continue
		}
		if why = d.extractStatements(stmts); why == "" {
			return
		}
	}
	d.skip(why)
}

// extractStatements makes statements a function, or says why it cannot.
func (d *Draft) extractStatements(stmts []ast.Stmt) string {
	p := d.Package
	first, last := stmts[0], stmts[len(stmts)-1]
	r := region{first.Pos(), last.End(), p.function(first)}
	nodes := make([]ast.Node, len(stmts))
	for i, s := range stmts {
		nodes[i] = s
		if p.directive(s) {
			return "a comment speaks of this place"
		}
	}
	h, why := d.helper(first, r, nodes...)
	if why != "" {
		return why
	}
	var back, declared []string // what is handed back: changed, and new
	var types []types.Type
	for _, v := range d.declaredIn(stmts) {
		if !p.usedOutside(r, v) {
			continue
		}
		if p.shared(r, v) {
			return "it shares a variable with code outside"
		}
		declared = append(declared, v.Name())
		types = append(types, v.Type())
	}
	for _, v := range h.free {
		if p.assigns(r, v) {
			back = append(back, v.Name())
			types = append(types, v.Type())
		}
	}
	if recv := p.receiverVar(first); recv != nil && p.assigns(r, recv) {
		return "it changes the receiver"
	}
	c := d.change("a function for the beginning of a loop")
	text, ok := h.spelled(c, types)
	if !ok {
		c.dropped = true
		return "a type that cannot be written"
	}
	name, at := d.fresh("part"), first.Pos()
	call := words(at, "%s%s(%s)", h.prefix(), name, list(h.args))
	all := append(declared, back...)
	var begin []piece
	switch {
	case len(all) == 0:
	case len(back) == 0:
		begin = []piece{words(at, "%s := ", list(all))}
	default:
		here := d.at(h.file, c, at)
		for i, v := range declared {
			t, _ := here.spell(types[i]) // if not, it does not compile
			begin = append(begin, words(at, "var %s %s; ", v, t))
		}
		begin = append(begin, words(at, "%s = ", list(all)))
	}
	c.edit(r.from, r.to, append(begin, call))
	end := words(token.NoPos, "\n}")
	if len(all) > 0 {
		end = words(at, "\n\treturn %s\n}", list(all))
	}
	c.append(h.file, words(at, "func %s%s(%s) %s {\n\t", h.receiver, name, text.params, text.results), span(r.from, r.to), end)
	return ""
}

// declaredIn returns the variables that a list of statements declares for those
// behind it.
func (d *Draft) declaredIn(stmts []ast.Stmt) []*types.Var {
	var out []*types.Var
	add := func(id *ast.Ident) {
		if v, ok := d.Package.Info.Defs[id].(*types.Var); ok && id.Name != "_" {
			out = append(out, v)
		}
	}
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.AssignStmt:
			for _, l := range s.Lhs {
				if id, ok := l.(*ast.Ident); ok {
					add(id)
				}
			}
		case *ast.DeclStmt:
			for _, spec := range s.Decl.(*ast.GenDecl).Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, id := range v.Names {
						add(id)
					}
				}
			}
		}
	}
	return out
}

// leaves says whether a statement may leave the list that it stands in, or
// cannot be moved away from it: a jump, a return, a defer, a declaration of
// something that is no variable.
func leaves(s ast.Stmt) bool {
	found := false
	var walk func(n ast.Node, inLoop, inSwitch bool)
	walk = func(n ast.Node, inLoop, inSwitch bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			if m == n {
				return true
			}
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt, *ast.DeferStmt, *ast.LabeledStmt:
				found = true
			case *ast.BranchStmt:
				free := m.Label == nil && (m.Tok == token.BREAK && (inLoop || inSwitch) ||
					m.Tok == token.CONTINUE && inLoop || m.Tok == token.FALLTHROUGH)
				found = found || !free
			case *ast.GenDecl:
				found = found || m.Tok != token.VAR
			case *ast.ForStmt, *ast.RangeStmt:
				walk(m, true, inSwitch)
				return false
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				walk(m, inLoop, true)
				return false
			}
			return !found
		})
	}
	walk(&ast.BlockStmt{List: []ast.Stmt{s}}, false, false)
	return found
}

// hasCall says whether statements call something.
func hasCall(stmts ...ast.Stmt) bool {
	found := false
	for _, s := range stmts {
		ast.Inspect(s, func(n ast.Node) bool {
			_, ok := n.(*ast.CallExpr)
			found = found || ok
			return !found
		})
	}
	return found
}
