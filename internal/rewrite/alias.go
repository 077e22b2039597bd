package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Alias writes types by another name: the package's own, and those of requests,
// responses, clients and contexts.
type Alias struct{}

// Name returns "alias".
func (Alias) Name() string { return "alias" }

// foreign are the types of other packages that get an alias.
func foreign(pkg, name string) bool {
	switch pkg + "." + name {
	case "net/http.Request", "net/http.Response", "net/http.Client", "context.Context":
		return true
	}
	return false
}

// Draft aliases types.
func (Alias) Draft(d *Draft) {
	p := d.Package
	changes, names := map[*types.TypeName]*change{}, map[*types.TypeName]string{}
	for _, f := range p.Files {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			obj, ok := p.Info.Uses[id].(*types.TypeName)
			if !ok || obj.Pkg() == nil {
				return true
			}
			own := obj.Parent() == p.Types.Scope()
			if !own && !foreign(obj.Pkg().Path(), obj.Name()) {
				return true
			}
			var use ast.Expr = id
			if sel, ok := p.parents[id].(*ast.SelectorExpr); ok {
				use = sel
			}
			if why := p.needsName(use, obj); why != "" {
				d.skip(why)
				return true
			}
			c := changes[obj]
			if c == nil {
				c = d.alias(f, use, obj, names)
				changes[obj] = c
			}
			c.replace(use, words(use.Pos(), "%s", names[obj]))
			return true
		})
	}
}

// needsName says why a use of a type must stay as it is.
func (p *Package) needsName(use ast.Expr, obj *types.TypeName) string {
	var n ast.Node = use
	for {
		switch parent := p.parents[n].(type) {
		case *ast.StarExpr, *ast.ParenExpr, *ast.IndexExpr, *ast.IndexListExpr:
			switch ix := parent.(type) {
			case *ast.IndexExpr:
				if ix.X != n {
					return ""
				}
			case *ast.IndexListExpr:
				if ix.X != n {
					return ""
				}
			}
			n = parent
			continue
		case *ast.Field:
			list := p.parents[parent]
			_, inStruct := p.parents[list].(*ast.StructType)
			decl, inDecl := p.parents[list].(*ast.FuncDecl)
			switch {
			case inStruct && len(parent.Names) == 0:
				return "an embedded field is named after its type"
			case inDecl && decl.Recv == list && isGeneric(obj):
				return "a receiver of a generic type"
			}
		}
		return ""
	}
}

func isGeneric(obj *types.TypeName) bool {
	switch t := obj.Type().(type) {
	case *types.Named:
		return t.TypeParams().Len() > 0
	case *types.Alias:
		return t.TypeParams().Len() > 0
	}
	return false
}

// alias declares an alias: of an own type beside it, of another in a file
// without tests.
func (d *Draft) alias(f *File, use ast.Expr, obj *types.TypeName, names map[*types.TypeName]string) *change {
	p := d.Package
	name := d.fresh("alias")
	names[obj] = name
	c := d.change("%s is %s", name, obj.Name())
	if obj.Pkg() != p.Types {
		home := d.mainFile(f)
		text, ok := d.top(home, c).spell(obj.Type())
		if !ok {
			home = f
			text, _ = d.top(home, c).spell(obj.Type())
		}
		c.append(home, words(use.Pos(), "type %s = %s", name, text))
		return c
	}
	home := p.fileOf(obj.Pos())
	var params *ast.FieldList
	for _, decl := range home.Syntax.Decls {
		if g, ok := decl.(*ast.GenDecl); ok {
			for _, s := range g.Specs {
				if t, ok := s.(*ast.TypeSpec); ok && p.Info.Defs[t.Name] == obj {
					params = t.TypeParams
				}
			}
		}
	}
	if params == nil {
		c.append(home, words(use.Pos(), "type %s = %s", name, obj.Name()))
		return c
	}
	var args []string
	for _, field := range params.List {
		for _, id := range field.Names {
			args = append(args, id.Name)
		}
	}
	c.append(home, words(use.Pos(), "type %s", name), old(params), words(token.NoPos, " = %s[%s]", obj.Name(), list(args)))
	return c
}
