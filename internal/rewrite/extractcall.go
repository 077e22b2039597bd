package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// ExtractCall moves calls whose results a statement uses into functions of their
// own, one for each call: a method where the receiver is needed, else a function.
type ExtractCall struct{}

// Name returns "extractcall".
func (ExtractCall) Name() string { return "extractcall" }

// Draft extracts calls.
func (ExtractCall) Draft(d *Draft) {
	for _, call := range d.statementCalls() {
		d.extractCall(call)
	}
}

// statementCalls returns the calls that are all that a statement computes, in
// the order of the text: what is assigned, declared or returned.
func (d *Draft) statementCalls() []*ast.CallExpr {
	p := d.Package
	var out []*ast.CallExpr
	take := func(exprs []ast.Expr) {
		if len(exprs) != 1 {
			return
		}
		call, ok := ast.Unparen(exprs[0]).(*ast.CallExpr)
		if !ok {
			return
		}
		fun := p.Info.Types[call.Fun]
		if tv := p.Info.Types[call]; fun.IsType() || fun.IsBuiltin() || tv.Value != nil || tv.IsVoid() {
			return
		}
		out = append(out, call)
	}
	for _, f := range p.Files {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if _, comm := p.parents[n].(*ast.CommClause); !comm {
					take(n.Rhs)
				}
			case *ast.ReturnStmt:
				take(n.Results)
			case *ast.ValueSpec:
				if p.function(n) != nil {
					take(n.Values)
				}
			}
			return true
		})
	}
	return out
}

func (d *Draft) extractCall(call *ast.CallExpr) {
	p := d.Package
	h, why := d.helper(call, region{call.Pos(), call.End(), p.function(call)}, call)
	if why != "" {
		d.skip(why)
		return
	}
	types := results(p.Info.TypeOf(call))
	c := d.change("a function for %s", d.Package.text(call))
	text, ok := h.spelled(c, types)
	if !ok {
		d.skip("a type that cannot be written")
		c.dropped = true
		return
	}
	name := d.fresh("call")
	c.replace(call, words(call.Pos(), "%s%s(%s)", h.prefix(), name, list(h.args)))
	c.append(h.file, words(call.Pos(), "func %s%s(%s) %s {\n\treturn ", h.receiver, name, text.params, text.results),
		old(call), words(token.NoPos, "\n}"))
}

// helper is a function that takes over a region of another.
type helper struct {
	draft    *Draft
	file     *File
	free     []*types.Var // parameters
	args     []string     // what they are given
	receiver string       // "(c *T) ", or empty
	recvName string
}

// helper begins a function for a region, or says why the region cannot be moved.
func (d *Draft) helper(anchor ast.Node, r region, nodes ...ast.Node) (*helper, string) {
	p := d.Package
	switch {
	case r.around == nil:
		return nil, "outside of functions"
	case d.generic(anchor):
		return nil, "in a generic function"
	case p.directive(d.statement(anchor)):
		return nil, "a comment speaks of this place"
	case p.recovers(nodes):
		return nil, "it recovers from a panic"
	}
	free, ok := p.free(r, nodes...)
	if !ok {
		return nil, "it needs something else of the function around"
	}
	h := &helper{draft: d, file: p.fileOf(anchor.Pos())}
	recv := p.receiverVar(anchor)
	for _, v := range free {
		if !p.copies(r, v) {
			return nil, "it shares a variable with code outside"
		}
		if v == recv {
			h.recvName = v.Name()
			decl := p.decl(anchor.Pos()).(*ast.FuncDecl)
			h.receiver = "(" + p.text(decl.Recv.List[0]) + ") "
			continue
		}
		h.free = append(h.free, v)
		h.args = append(h.args, v.Name())
	}
	return h, ""
}

// prefix is what stands in front of the helper's name where it is called.
func (h *helper) prefix() string {
	if h.recvName == "" {
		return ""
	}
	return h.recvName + "."
}

// spelling is a signature as text.
type spelling struct{ params, results string }

// spelled writes the helper's parameters and results.
func (h *helper) spelled(c *change, results []types.Type) (spelling, bool) {
	top := h.draft.top(h.file, c)
	var params []string
	for _, v := range h.free {
		t, ok := top.spell(v.Type())
		if !ok {
			return spelling{}, false
		}
		params = append(params, v.Name()+" "+t)
	}
	res, ok := top.spellAll(results)
	if !ok {
		return spelling{}, false
	}
	return spelling{params: list(params), results: tuple(res)}, true
}

// tuple writes types as results of a function.
func tuple(types []string) string {
	if len(types) == 1 {
		return types[0]
	}
	return "(" + list(types) + ")"
}

// statement returns the innermost statement around a node.
func (d *Draft) statement(n ast.Node) ast.Node {
	for m := n; m != nil; m = d.Package.parents[m] {
		if s, ok := m.(ast.Stmt); ok {
			return s
		}
	}
	return n
}

// generic says whether a node is in a function with type parameters.
func (d *Draft) generic(n ast.Node) bool {
	decl, ok := d.Package.decl(n.Pos()).(*ast.FuncDecl)
	if !ok {
		return false
	}
	fn, ok := d.Package.Info.Defs[decl.Name].(*types.Func)
	return ok && (fn.Signature().TypeParams().Len() > 0 || fn.Signature().RecvTypeParams().Len() > 0)
}

// receiverVar returns the receiver of the method around a node, or nil.
func (p *Package) receiverVar(n ast.Node) *types.Var {
	decl, ok := p.decl(n.Pos()).(*ast.FuncDecl)
	if !ok || decl.Recv == nil || len(decl.Recv.List[0].Names) == 0 {
		return nil
	}
	v, _ := p.Info.Defs[decl.Recv.List[0].Names[0]].(*types.Var)
	return v
}

// recovers says whether code calls recover, which only works where it is.
func (p *Package) recovers(nodes []ast.Node) bool {
	found := false
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && p.Info.Uses[id] == types.Universe.Lookup("recover") {
				found = true
			}
			return !found
		})
	}
	return found
}
