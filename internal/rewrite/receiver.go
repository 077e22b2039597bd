package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Receiver turns unexported methods into functions with one more parameter, and
// functions whose first parameter is a type of the package into methods.
//
// It takes those that are only called: not handed over as values, and not
// called through an interface or an embedded field.
type Receiver struct{}

// Name returns "receiver".
func (Receiver) Name() string { return "receiver" }

// Draft exchanges receivers and parameters.
func (Receiver) Draft(d *Draft) {
	p := d.Package
	uses := map[types.Object][]*ast.Ident{}
	for _, f := range p.Files {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if fn, ok := p.Info.Uses[id].(*types.Func); ok {
					uses[fn.Origin()] = append(uses[fn.Origin()], id)
				}
			}
			return true
		})
	}
	members := p.members()
	for _, f := range p.Files {
		for _, decl := range f.Syntax.Decls {
			fd, ok := decl.(*ast.FuncDecl)
			if !ok || fd.Body == nil || token.IsExported(fd.Name.Name) {
				continue
			}
			fn, ok := p.Info.Defs[fd.Name].(*types.Func)
			if !ok || fn.Name() == "_" || fn.Name() == "init" || fn.Name() == "main" {
				continue
			}
			switch {
			case d.generic(fd):
				d.skip("generic")
			case fd.Recv != nil:
				d.toFunction(fd, fn, uses[fn], members)
			default:
				d.toMethod(fd, fn, uses[fn], members)
			}
		}
	}
}

// members counts the fields and methods of each name, declared anywhere in the
// package; methods of interfaces count doubly.
func (p *Package) members() map[string]int {
	out := map[string]int{}
	for id, obj := range p.Info.Defs {
		if obj == nil || !isMember(obj) {
			continue
		}
		out[id.Name]++
		if fn, ok := obj.(*types.Func); ok && types.IsInterface(fn.Signature().Recv().Type()) {
			out[id.Name]++
		}
	}
	return out
}

// toFunction makes a method a function.
func (d *Draft) toFunction(fd *ast.FuncDecl, fn *types.Func, uses []*ast.Ident, members map[string]int) {
	p := d.Package
	if members[fn.Name()] > 1 {
		// An interface, perhaps; or a method that hides another.
		d.skip("several fields or methods have its name")
		return
	}
	calls := make([]*ast.CallExpr, len(uses))
	for i, id := range uses {
		sel, _ := p.parents[id].(*ast.SelectorExpr)
		call, _ := p.parents[sel].(*ast.CallExpr)
		if sel == nil || call == nil || call.Fun != sel {
			d.skip("a method that is used as a value")
			return
		}
		s := p.Info.Selections[sel]
		if s == nil || s.Kind() != types.MethodVal || len(s.Index()) > 1 {
			d.skip("a method that is called through an embedded field")
			return
		}
		calls[i] = call
	}
	recv := fn.Signature().Recv().Type()
	c := d.change("%s becomes a function", fn.Name())
	name := d.nameFor(fn, uses, p.Types.Scope().Lookup(fn.Name()) == nil)
	if name == "" {
		d.skip("no name of the same class is free")
		c.dropped = true
		return
	}
	field := fd.Recv.List[0]
	param := "_ " + p.text(field.Type)
	if len(field.Names) > 0 {
		param = p.text(field)
	}
	params := fd.Type.Params
	// "func (c *T) f(" becomes "func f(c *T, "
	c.edit(fd.Recv.Pos(), params.Opening+1, []piece{words(fd.Name.Pos(), "%s(%s", name, comma(param, params.NumFields() > 0 || len(params.List) > 0))})
	if len(params.List) > 0 && len(params.List[0].Names) == 0 {
		d.nameParams(c, params)
	}
	for _, call := range calls {
		sel := call.Fun.(*ast.SelectorExpr)
		prefix := ""
		switch have := p.Info.TypeOf(sel.X); {
		case isPointer(recv) && !isPointer(have):
			prefix = "&"
		case !isPointer(recv) && isPointer(have):
			prefix = "*"
		}
		c.edit(call.Pos(), call.Lparen+1, []piece{words(call.Pos(), "%s(%s", name, prefix), old(sel.X), words(call.Pos(), "%s", comma("", len(call.Args) > 0))})
	}
}

// comma adds a comma if more follows.
func comma(s string, more bool) string {
	if more {
		return s + ", "
	}
	return s
}

// nameParams gives unnamed parameters the name _, since named and unnamed ones do
// not mix.
func (d *Draft) nameParams(c *change, params *ast.FieldList) {
	for _, f := range params.List {
		if len(f.Names) == 0 {
			c.insert(f.Type.Pos(), words(f.Type.Pos(), "_ "))
		}
	}
}

// nameFor returns a name of the same class, see [meaningful]: the old one if it
// is free and nothing hides it, or the old one with a number.
func (d *Draft) nameFor(fn *types.Func, uses []*ast.Ident, free bool) string {
	p := d.Package
	for _, id := range uses {
		if _, obj := p.Types.Scope().Innermost(id.Pos()).LookupParent(fn.Name(), id.Pos()); obj != nil && obj != fn {
			free = false
		}
	}
	if free && !predeclared(fn.Name()) {
		return fn.Name()
	}
	if strings.HasSuffix(strings.ToLower(fn.Name()), "asget") {
		return "" // a number at the end would change the class
	}
	return d.fresh(fn.Name() + "Fn")
}

// toMethod makes a function a method of the type of its first parameter.
func (d *Draft) toMethod(fd *ast.FuncDecl, fn *types.Func, uses []*ast.Ident, members map[string]int) {
	p := d.Package
	sig := fn.Signature()
	if sig.Params().Len() == 0 || sig.Variadic() && sig.Params().Len() == 1 {
		return
	}
	first := sig.Params().At(0).Type()
	if !p.canReceive(first) {
		return
	}
	calls := make([]*ast.CallExpr, len(uses))
	for i, id := range uses {
		call, _ := p.parents[id].(*ast.CallExpr)
		if call == nil || call.Fun != id {
			d.skip("a function that is used as a value")
			return
		}
		if len(call.Args) == 0 || len(call.Args) == 1 && sig.Params().Len() > 1 && !sig.Variadic() || !types.Identical(p.Info.TypeOf(call.Args[0]), first) {
			d.skip("a call with another first argument")
			return
		}
		calls[i] = call
	}
	c := d.change("%s becomes a method", fn.Name())
	name := d.nameFor(fn, nil, members[fn.Name()] == 0)
	if name == "" {
		d.skip("no name of the same class is free")
		c.dropped = true
		return
	}
	field := fd.Type.Params.List[0]
	recv := piece{words: p.text(field.Type), at: field.Pos()}
	// "func f(c *T, x int)" becomes "func (c *T) f(x int)"
	names := field.Names
	rest := token.NoPos // where the other parameters begin
	switch {
	case len(names) > 1: // f(a, b *T)
		recv.words = names[0].Name + " " + recv.words
		rest = names[1].Pos()
	case len(fd.Type.Params.List) > 1:
		rest = fd.Type.Params.List[1].Pos()
		fallthrough
	default:
		if len(names) == 1 {
			recv.words = names[0].Name + " " + recv.words
		}
	}
	if !rest.IsValid() {
		rest = fd.Type.Params.Closing
	}
	c.edit(fd.Name.Pos(), rest, []piece{words(fd.Name.Pos(), "("), recv, words(fd.Name.Pos(), ") %s(", name)})
	for _, call := range calls {
		arg := call.Args[0]
		open, closing := "", ""
		if !isPrimary(arg) {
			open, closing = "(", ")"
		}
		end := call.Rparen
		if len(call.Args) > 1 {
			end = call.Args[1].Pos()
		}
		c.edit(call.Pos(), end, []piece{words(call.Pos(), "%s", open), old(arg), words(call.Pos(), "%s.%s(", closing, name)})
	}
}

// canReceive says whether methods can be declared on a type.
func (p *Package) canReceive(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Parent() != p.Types.Scope() || named.TypeParams().Len() > 0 {
		return false
	}
	switch named.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return false
	}
	return true
}

// isPrimary says whether a selector may stand behind an expression as it is.
func isPrimary(e ast.Expr) bool {
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.IndexExpr, *ast.ParenExpr, *ast.TypeAssertExpr, *ast.SliceExpr:
		return true
	}
	return false
}
