package policy

import (
	"go/ast"
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// packageConstants finds package variables that are initialised with
// constants, or tables of constants, and that nothing in the package assigns
// to or takes the address of.
func packageConstants(pass *analysis.Pass) (map[types.Object]constant.Value, map[types.Object]constTable) {
	consts := map[types.Object]constant.Value{}
	tables := map[types.Object]constTable{}
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			gd, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, sp := range gd.Specs {
				vs, ok := sp.(*ast.ValueSpec)
				if !ok || len(vs.Values) != len(vs.Names) {
					continue
				}
				for i, name := range vs.Names {
					obj, ok := pass.TypesInfo.Defs[name].(*types.Var)
					if !ok {
						continue
					}
					if p := pattern(pass.TypesInfo, vs.Values[i]); p != "" && !obj.Exported() {
						consts[obj] = constant.MakeString(p) // stands for the regexp
					} else if tv := pass.TypesInfo.Types[vs.Values[i]]; tv.Value != nil {
						if obj.Exported() {
							continue // another package may set it
						}
						consts[obj] = tv.Value
					} else if t, ok := constantTable(pass.TypesInfo, vs.Values[i]); ok {
						tables[obj] = t
					}
				}
			}
		}
	}
	if len(consts) > 0 || len(tables) > 0 {
		for _, f := range pass.Files {
			dropChanged(pass.TypesInfo, f, consts, tables)
		}
	}
	return consts, tables
}

// pattern returns the pattern of a regexp that is compiled from a constant.
func pattern(info *types.Info, e ast.Expr) string {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return ""
	}
	fn, ok := typeutil.Callee(info, call).(*types.Func)
	if !ok || fn.FullName() != "regexp.MustCompile" {
		return ""
	}
	if v := info.Types[call.Args[0]].Value; v != nil && v.Kind() == constant.String {
		return constant.StringVal(v)
	}
	return ""
}

// constantTable reads a map or list literal of constants.
func constantTable(info *types.Info, e ast.Expr) (constTable, bool) {
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok {
		return constTable{}, false
	}
	u := types.Unalias(info.Types[lit].Type).Underlying()
	if sl, ok := u.(*types.Slice); ok {
		t := constTable{values: map[string]constant.Value{}, keys: map[string]constant.Value{}, elem: sl.Elem()}
		for _, el := range lit.Elts {
			v := info.Types[el].Value
			if v == nil {
				return t, false
			}
			t.values[v.ExactString()], t.keys[v.ExactString()] = v, v
		}
		return t, true
	}
	mt, ok := u.(*types.Map)
	if !ok {
		return constTable{}, false
	}
	t := constTable{values: map[string]constant.Value{}, keys: map[string]constant.Value{}, elem: mt.Elem()}
	for _, el := range lit.Elts {
		kv, ok := el.(*ast.KeyValueExpr)
		if !ok {
			return t, false
		}
		k, v := info.Types[kv.Key].Value, info.Types[kv.Value].Value
		if k == nil {
			return t, false
		}
		if v == nil { // a set: map[int]struct{}
			v = constant.MakeBool(true)
		}
		t.values[k.ExactString()], t.keys[k.ExactString()] = v, k
	}
	return t, true
}

// dropChanged removes the variables that a file assigns to, changes an entry
// of, or hands out.
func dropChanged(info *types.Info, f *ast.File, consts map[types.Object]constant.Value, tables map[types.Object]constTable) {
	drop := func(e ast.Expr) {
		switch e := ast.Unparen(e).(type) {
		case *ast.IndexExpr:
			if id, ok := ast.Unparen(e.X).(*ast.Ident); ok {
				delete(tables, info.Uses[id])
			}
		case *ast.Ident:
			delete(consts, info.Uses[e])
			delete(tables, info.Uses[e])
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				drop(l)
			}
		case *ast.IncDecStmt:
			drop(n.X)
		case *ast.UnaryExpr:
			if n.Op.String() == "&" {
				drop(n.X)
			}
		case *ast.CallExpr:
			if fn, ok := typeutil.Callee(info, n).(*types.Func); ok && fn.Pkg() != nil && (fn.Pkg().Path() == "slices" || fn.Pkg().Path() == "maps") {
				return true
			}
			for _, a := range n.Args {
				if id, ok := ast.Unparen(a).(*ast.Ident); ok {
					delete(tables, info.Uses[id])
				}
			}
		case *ast.RangeStmt:
			if n.Key != nil {
				drop(n.Key)
			}
			if n.Value != nil {
				drop(n.Value)
			}
		}
		return true
	})
}
