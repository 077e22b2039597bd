package policy

import (
	"go/ast"
	"go/types"
)

// signatureOf returns the signature of what is called.
func (s *shapes) signatureOf(e ast.Expr) (*types.Signature, bool) {
	t := s.pass.TypesInfo.TypeOf(e)
	if t == nil {
		return nil, false
	}
	sig, ok := types.Unalias(t).Underlying().(*types.Signature)
	return sig, ok
}

// holdsValue says whether an expression that is called is no function by name.
func (s *shapes) holdsValue(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		_, fn := s.pass.TypesInfo.Uses[e].(*types.Func)
		return !fn
	case *ast.SelectorExpr:
		_, fn := s.pass.TypesInfo.Uses[e.Sel].(*types.Func)
		return !fn
	}
	return false
}

// isField says whether an expression is a field.
func (s *shapes) isField(e ast.Expr) bool {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	v, ok := s.pass.TypesInfo.Uses[sel.Sel].(*types.Var)
	return ok && v.IsField()
}

// isVariable says whether an expression is a variable that is no parameter of
// the function or of one of its literals.
func (s *shapes) isVariable(e ast.Expr, decl *ast.FuncDecl, literals []ast.Node) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := s.pass.TypesInfo.Uses[id].(*types.Var)
	if !ok || decl.Pos() <= v.Pos() && v.Pos() < decl.Body.Pos() {
		return false
	}
	for _, l := range literals {
		if lit := l.(*ast.FuncLit); lit.Pos() <= v.Pos() && v.Pos() < lit.Body.Pos() {
			return false
		}
	}
	return true
}

// isNumbering says whether a function may give out numbers one after another:
// it is given next to nothing, and returns a text or a number.
func isNumbering(sig *types.Signature) bool {
	if sig.Params().Len() > 1 || !returnsText(sig) {
		return false
	}
	b, ok := types.Unalias(sig.Results().At(0).Type()).Underlying().(*types.Basic)
	return !ok || b.Kind() != types.Uint8 && b.Kind() != types.Int32 // a byte or a rune that a parser reads
}

// callsGiven says whether a call is of a function value that returns an error
// and does not come from what is ranged over: a parameter, a field, a variable.
func (s *shapes) callsGiven(call *ast.CallExpr, ranged map[types.Object]bool) bool {
	var obj types.Object
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		obj = s.pass.TypesInfo.Uses[f]
	case *ast.SelectorExpr:
		obj = s.pass.TypesInfo.Uses[f.Sel]
	}
	v, ok := obj.(*types.Var)
	return ok && !ranged[v] && endsInError(v.Type())
}

// endsInError says of the type of a function whether its last result is an error.
func endsInError(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		// F ~func() error
		if it, ok := p.Constraint().Underlying().(*types.Interface); ok && it.NumEmbeddeds() == 1 {
			if u, ok := it.EmbeddedType(0).(*types.Union); ok && u.Len() == 1 {
				t = u.Term(0).Type()
			}
		}
	}
	sig, ok := types.Unalias(t).Underlying().(*types.Signature)
	if !ok || sig.Results().Len() == 0 {
		return false
	}
	return isError(sig.Results().At(sig.Results().Len() - 1).Type())
}

// isCallee says whether the identifier at the end of the stack is what a call calls.
func isCallee(stack []ast.Node, id *ast.Ident) bool {
	var e ast.Node = id
	for i := len(stack) - 2; i >= 0; i-- {
		switch p := stack[i].(type) {
		case *ast.SelectorExpr:
			if p.Sel != e {
				return false
			}
			e = p
		case *ast.IndexExpr, *ast.IndexListExpr, *ast.ParenExpr:
			e = p
		case *ast.CallExpr:
			return p.Fun == e
		default:
			return false
		}
	}
	return false
}
