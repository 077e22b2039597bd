package main

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// place is one line of the list.
type place struct {
	kind, file string
	line       int
	fn, what   string
}

// places lists everything that a reader should look at.
func (p *program) places() []place {
	found := map[place]bool{}
	for _, f := range p.funcs {
		add := func(kind string, n ast.Node, what string) {
			at := p.fset.Position(n.Pos())
			found[place{kind, at.Filename, at.Line, shortName(f), what}] = true
		}
		for _, c := range f.calls {
			again := c.loop
			if again == "" {
				again = f.again
			}
			if again == "" && f.nested {
				again = "recursion"
			}
			p.call(f, c, again, func(kind, what string) { add(kind, c.expr, what) })
		}
		p.statements(f, add)
	}
	return sorted(found)
}

// call lists what a call is by itself.
func (p *program) call(f *fun, c *call, again string, add func(kind, what string)) {
	info := f.pkg.TypesInfo
	if c.send != "" && again != "" {
		add("send", c.send+"; "+again)
	}
	if c.send == "" && (c.loop != "" || f.nested || strings.HasPrefix(f.again, "literal")) {
		for _, t := range c.to {
			if t.sends {
				add("repeat", "leads to a send by "+shortName(t)+"; "+again)
				break
			}
		}
	}
	obj, _ := typeutil.Callee(info, c.expr).(*types.Func)
	if obj == nil || obj.Pkg() == nil {
		return
	}
	name := obj.FullName()
	switch name {
	case "net/http.NewRequest", "net/http.NewRequestWithContext":
		body := c.expr.Args[len(c.expr.Args)-1]
		if again != "" && types.ExprString(body) != "nil" && types.ExprString(body) != "http.NoBody" {
			add("request", "body "+types.ExprString(body)+"; "+again)
		}
	case "(*net/http.Request).Clone", "(*net/http.Request).WithContext":
		if again != "" {
			add("request", obj.Name()+"; "+again)
		}
	case "time.Sleep", "time.After", "time.NewTimer", "time.NewTicker", "time.Tick", "time.AfterFunc":
		if f.sends || f.again != "" {
			add("pause", types.ExprString(c.expr.Fun))
		}
	}
	if again != "" && f.sends && makesValue(name) {
		add("key", name+"; "+again)
	}
}

// makesValue tells whether a function returns another value each time that may
// serve as a key.
func makesValue(name string) bool {
	for _, word := range []string{"uuid.", "ulid", "xid.", "ksuid", "nanoid", "crypto/rand.", "math/rand", "time.Now"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// statements lists bodies, returns and cancels.
func (p *program) statements(f *fun, add func(kind string, n ast.Node, what string)) {
	info := f.pkg.TypesInfo
	var stack []ast.Node
	ast.Inspect(f.body(), func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // a function of its own
		case *ast.SelectorExpr:
			if tv, ok := info.Types[n.X]; ok && n.Sel.Name == "Body" && isNamed(tv.Type, "net/http", "Response") {
				add("body", n, use(stack, n))
			}
		case *ast.ReturnStmt:
			for _, r := range n.Results {
				if tv, ok := info.Types[r]; ok && isNamed(tv.Type, "net/http", "Response") && types.ExprString(r) != "nil" {
					add("return", n, types.ExprString(r))
				}
			}
		case *ast.DeferStmt:
			if holder := returnsReader(f); holder != "" && f.sends && cancels(info, n.Call) {
				add("cancel", n, "deferred; returns "+holder)
			}
		case *ast.ExprStmt:
			if c, ok := n.X.(*ast.CallExpr); ok && f.sends && cancels(info, c) {
				if holder := returnsReader(f); holder != "" {
					add("cancel", n, "called; returns "+holder)
				}
			}
		}
		stack = append(stack, n)
		return true
	})
}

// use describes what is done with a body.
func use(stack []ast.Node, n ast.Node) string {
	switch parent := last(stack).(type) {
	case *ast.SelectorExpr:
		return "." + parent.Sel.Name
	case *ast.CallExpr:
		return "given to " + types.ExprString(parent.Fun)
	case *ast.ReturnStmt:
		return "returned"
	case *ast.AssignStmt:
		for _, l := range parent.Lhs {
			if l == n {
				return "replaced"
			}
		}
		return "assigned"
	}
	return "used"
}

// cancels tells whether a call cancels a context, by the type of what is called
// or, of a literal, by one of its calls.
func cancels(info *types.Info, c *ast.CallExpr) bool {
	if lit, ok := c.Fun.(*ast.FuncLit); ok {
		found := false
		ast.Inspect(lit.Body, func(n ast.Node) bool {
			if inner, ok := n.(*ast.CallExpr); ok && cancels(info, inner) {
				found = true
			}
			return !found
		})
		return found
	}
	if strings.Contains(strings.ToLower(types.ExprString(c.Fun)), "cancel") {
		return true
	}
	tv, ok := info.Types[c.Fun]
	return ok && (isNamed(tv.Type, "context", "CancelFunc") || isNamed(tv.Type, "context", "CancelCauseFunc"))
}

// returnsReader names the result of a function that is a response or a reader,
// or a struct with one inside.
func returnsReader(f *fun) string {
	var sig *types.Signature
	switch n := f.node.(type) {
	case *ast.FuncDecl:
		sig, _ = f.obj.Type().(*types.Signature)
	case *ast.FuncLit:
		sig, _ = f.pkg.TypesInfo.TypeOf(n).(*types.Signature)
	}
	if sig == nil {
		return ""
	}
	for v := range sig.Results().Variables() {
		if holdsReader(v.Type(), 2) {
			return v.Type().String()
		}
	}
	return ""
}

// holdsReader tells whether a type is something that reads, or holds one at most
// depth fields below.
func holdsReader(t types.Type, depth int) bool {
	if isNamed(t, "net/http", "Response") {
		return true
	}
	if isNamed(t, "bytes", "Buffer") || isNamed(t, "bytes", "Reader") || isNamed(t, "strings", "Reader") {
		return false
	}
	ms := types.NewMethodSet(t)
	for _, name := range []string{"Read", "Recv", "Next", "Scan"} {
		if ms.Lookup(nil, name) != nil {
			return true
		}
	}
	if ptr, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	if s, ok := types.Unalias(t).Underlying().(*types.Struct); ok && depth > 0 {
		for field := range s.Fields() {
			if holdsReader(field.Type(), depth-1) {
				return true
			}
		}
	}
	return false
}

// shortName is a function's name without the directories of its package.
func shortName(f *fun) string {
	name := f.name
	prefix := ""
	if strings.HasPrefix(name, "(") {
		prefix, name = "(", name[1:]
		if strings.HasPrefix(name, "*") {
			prefix, name = "(*", name[1:]
		}
	}
	return prefix + name[strings.LastIndex(name, "/")+1:]
}
