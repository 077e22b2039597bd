package main

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// program is the module's functions and who calls whom.
type program struct {
	module string
	fset   *token.FileSet
	funcs  []*fun
	byID   map[string]*fun   // declared functions and methods, see id
	named  map[string][]*fun // methods by name, to resolve calls of interfaces
}

// fun is a declared function or a function literal.
type fun struct {
	pkg    *packages.Package
	node   ast.Node // *ast.FuncDecl or *ast.FuncLit
	obj    *types.Func
	name   string
	outer  *fun // of a literal
	calls  []*call
	sends  bool   // a request leaves from here, or from something that it calls
	again  string // why something may run this again; empty if nothing does
	nested bool   // reachable from itself
}

// call is a call in a function's own body; a literal's calls are the literal's.
type call struct {
	expr *ast.CallExpr
	to   []*fun
	send string // what sends, if the call does
	loop string // the loop around it in the same function, if any
}

func newProgram(module string, pkgs []*packages.Package) *program {
	p := &program{module: module, byID: map[string]*fun{}, named: map[string][]*fun{}}
	for _, pkg := range pkgs {
		p.fset = pkg.Fset
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				p.declare(pkg, d)
			}
		}
	}
	for _, f := range slices.Clone(p.funcs) {
		p.walk(f)
	}
	p.settle()
	return p
}

// declare adds a function, or the literals of a variable's value.
func (p *program) declare(pkg *packages.Package, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		obj, _ := pkg.TypesInfo.Defs[d.Name].(*types.Func)
		if d.Body == nil || obj == nil {
			return
		}
		f := &fun{pkg: pkg, node: d, obj: obj, name: id(obj)}
		p.funcs = append(p.funcs, f)
		p.byID[f.name] = f
		if d.Recv != nil {
			p.named[obj.Name()] = append(p.named[obj.Name()], f)
		}
	case *ast.GenDecl:
		f := &fun{pkg: pkg, node: d, name: pkg.Types.Name() + " (variables)"}
		p.funcs = append(p.funcs, f)
	}
}

// id names a function alike in the package itself and in export data of it.
func id(obj *types.Func) string { return obj.Origin().FullName() }

// body is the code of a function.
func (f *fun) body() ast.Node {
	switch n := f.node.(type) {
	case *ast.FuncDecl:
		return n.Body
	case *ast.FuncLit:
		return n.Body
	}
	return f.node
}

// walk collects a function's calls and the literals in it.
func (p *program) walk(f *fun) {
	var stack []ast.Node
	labels := backward(f.body())
	ast.Inspect(f.body(), func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			lit := &fun{pkg: f.pkg, node: n, outer: f, name: f.name + "$lit"}
			p.funcs = append(p.funcs, lit)
			lit.again = literalUse(f, n, stack)
			f.calls = append(f.calls, &call{expr: &ast.CallExpr{Fun: n, Lparen: n.Pos()}, to: []*fun{lit}, loop: loopOf(p.fset, stack, labels, n)})
			p.walk(lit)
			return false
		case *ast.CallExpr:
			c := &call{expr: n, loop: loopOf(p.fset, stack, labels, n)}
			c.send = send(f.pkg.TypesInfo, p.module, n)
			c.to = p.targets(f, n)
			f.calls = append(f.calls, c)
		case *ast.SelectorExpr:
			// A method value that is not called here.
			if parent, ok := last(stack).(*ast.CallExpr); !ok || parent.Fun != n {
				if obj, ok := f.pkg.TypesInfo.Uses[n.Sel].(*types.Func); ok && p.byID[id(obj)] != nil {
					f.calls = append(f.calls, &call{expr: &ast.CallExpr{Fun: n, Lparen: n.Pos()}, to: []*fun{p.byID[id(obj)]}, loop: "function value"})
				}
			}
		}
		stack = append(stack, n)
		return true
	})
}

func last(stack []ast.Node) ast.Node {
	if len(stack) == 0 {
		return nil
	}
	return stack[len(stack)-1]
}

// backward finds the labels that a goto jumps back to, and the goto.
func backward(body ast.Node) map[string][2]token.Pos {
	at := map[string]token.Pos{}
	out := map[string][2]token.Pos{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			at[n.Label.Name] = n.Pos()
		case *ast.BranchStmt:
			if start, ok := at[labelName(n)]; ok && n.Tok == token.GOTO {
				out[n.Label.Name] = [2]token.Pos{start, n.End()}
			}
		}
		return true
	})
	return out
}

func labelName(b *ast.BranchStmt) string {
	if b.Label == nil {
		return ""
	}
	return b.Label.Name
}

// loopOf describes the innermost loop around a node.
func loopOf(fset *token.FileSet, stack []ast.Node, labels map[string][2]token.Pos, n ast.Node) string {
	for i := len(stack) - 1; i >= 0; i-- {
		inner := n
		if i+1 < len(stack) {
			inner = stack[i+1]
		}
		switch loop := stack[i].(type) {
		case *ast.ForStmt:
			if inner == loop.Init {
				continue
			}
			if loop.Cond == nil {
				return "for {}"
			}
			return "for " + types.ExprString(loop.Cond)
		case *ast.RangeStmt:
			if inner == loop.X {
				continue
			}
			return "range " + types.ExprString(loop.X)
		}
	}
	for name, span := range labels {
		if span[0] <= n.Pos() && n.Pos() < span[1] {
			return "goto " + name
		}
	}
	return ""
}

// literalUse says what is done with a function literal: called once here is no
// reason to run it again.
func literalUse(f *fun, lit *ast.FuncLit, stack []ast.Node) string {
	switch parent := last(stack).(type) {
	case *ast.CallExpr:
		if parent.Fun == lit {
			return ""
		}
		return "literal given to " + types.ExprString(parent.Fun)
	case *ast.ReturnStmt:
		return "literal that " + f.name + " returns"
	case *ast.KeyValueExpr:
		return "literal in field " + types.ExprString(parent.Key)
	default:
		return "literal in a variable"
	}
}

// targets are the functions of the module that a call may reach.
func (p *program) targets(f *fun, c *ast.CallExpr) []*fun {
	obj, _ := typeutil.Callee(f.pkg.TypesInfo, c).(*types.Func)
	if obj == nil {
		return nil
	}
	if to := p.byID[id(obj)]; to != nil {
		return []*fun{to}
	}
	sig := obj.Type().(*types.Signature)
	if sig.Recv() == nil || !types.IsInterface(sig.Recv().Type()) {
		return nil
	}
	// Types of other packages come from export data, where identity does not
	// hold; names and the number of parameters are enough for a list.
	var out []*fun
	for _, m := range p.named[obj.Name()] {
		if ms := m.obj.Type().(*types.Signature); ms.Params().Len() == sig.Params().Len() && ms.Results().Len() == sig.Results().Len() {
			out = append(out, m)
		}
	}
	return out
}

// send says what a call sends, if it sends something: whatever returns a
// response of net/http, and calls with a context into other modules that may
// fail, since an SDK's request may be behind them.
func send(info *types.Info, module string, c *ast.CallExpr) string {
	tv, ok := info.Types[c.Fun]
	if !ok || tv.IsType() || tv.Type == nil {
		return ""
	}
	sig, ok := types.Unalias(tv.Type).Underlying().(*types.Signature)
	if !ok {
		return ""
	}
	obj, _ := typeutil.Callee(info, c).(*types.Func)
	for v := range sig.Results().Variables() {
		if isNamed(v.Type(), "net/http", "Response") && (obj == nil || obj.Pkg() == nil || !strings.HasPrefix(obj.Pkg().Path()+"/", module+"/") || types.IsInterface(recvType(obj))) {
			return "response of " + types.ExprString(c.Fun)
		}
	}
	if obj == nil || obj.Pkg() == nil || sig.Params().Len() == 0 || sig.Results().Len() == 0 {
		return ""
	}
	path := obj.Pkg().Path()
	first, _, _ := strings.Cut(path, "/")
	if !strings.Contains(first, ".") || strings.HasPrefix(path+"/", module+"/") {
		return ""
	}
	if isNamed(sig.Params().At(0).Type(), "context", "Context") && sig.Results().At(sig.Results().Len()-1).Type().String() == "error" {
		return "call of " + path
	}
	return ""
}

func recvType(obj *types.Func) types.Type {
	if recv := obj.Type().(*types.Signature).Recv(); recv != nil {
		return recv.Type()
	}
	return types.Typ[types.Invalid]
}

// isNamed tells whether a type is a named type or a pointer to it.
func isNamed(t types.Type, path, name string) bool {
	t = types.Unalias(t)
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path && n.Obj().Name() == name
}

// settle finds out which functions lead to a send and which may be run again.
func (p *program) settle() {
	for changed := true; changed; {
		changed = false
		for _, f := range p.funcs {
			for _, c := range f.calls {
				if !f.sends && (c.send != "" || slices.ContainsFunc(c.to, func(t *fun) bool { return t.sends })) {
					f.sends, changed = true, true
				}
			}
		}
	}
	for _, f := range p.funcs {
		f.nested = p.reaches(f)
	}
	for changed := true; changed; {
		changed = false
		for _, f := range p.funcs {
			for _, c := range f.calls {
				why := c.loop
				switch {
				case why != "":
					why += " in " + f.name
				case f.again != "":
					why = f.again
				case f.nested:
					why = "recursion of " + f.name
				default:
					continue
				}
				for _, t := range c.to {
					if t.again == "" {
						t.again, changed = why, true
					}
				}
			}
		}
	}
}

// reaches tells whether a function may call itself.
func (p *program) reaches(f *fun) bool {
	seen := map[*fun]bool{}
	work := []*fun{f}
	for len(work) > 0 {
		next := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range next.calls {
			// A method of an interface may be anybody's; recursion through one
			// would make everything recursive.
			if len(c.to) != 1 {
				continue
			}
			if c.to[0] == f {
				return true
			}
			if !seen[c.to[0]] {
				seen[c.to[0]] = true
				work = append(work, c.to[0])
			}
		}
	}
	return false
}

// sorted returns the distinct places in order.
func sorted(places map[place]bool) []place {
	return slices.SortedFunc(maps.Keys(places), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.kind, b.kind), cmp.Compare(a.what, b.what))
	})
}
