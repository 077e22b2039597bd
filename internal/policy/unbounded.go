package policy

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// RetryUnbounded is the rule about a 0 that takes the limit away.
const RetryUnbounded = "retryunbounded"

// onPurpose are the words of those who know that there is no limit.
var onPurpose = regexp.MustCompile(`(?i)unlimited|infinit|forever|for ever|endless|unbound|until|always|indefinit|no ?limit|without ?(a )?limit|never give|wait|poll|watch`)

// unlimits says whether 0 takes the limit away that a symbol sets.
func unlimits(e apis.Entry) bool {
	return e.Symbol.Role == apis.Attempts && e.Symbol.Arg >= 0 && e.Symbol.Count.Zero == apis.NoLimit
}

// A zeroSearch looks for such a 0 in one function. It works on syntax: what counts is
// what a person has written there, and what stands beside it.
type zeroSearch struct {
	m     *modeler
	s     *shape
	stack []ast.Node
	vars  map[types.Object]constant.Value
}

// findUnbounded looks for limits of 0 that are none.
func (m *modeler) findUnbounded() {
	for _, s := range m.shapes.order {
		if !s.setsLimit || isTestFile(m.pass.Fset, s.decl.Pos()) || onPurpose.MatchString(s.fn.Name()) {
			continue
		}
		z := &zeroSearch{m: m, s: s}
		ast.Inspect(s.decl, func(n ast.Node) bool {
			if n == nil {
				z.stack = z.stack[:len(z.stack)-1]
				return true
			}
			if call, ok := n.(*ast.CallExpr); ok {
				z.look(call)
			}
			z.stack = append(z.stack, n)
			return true
		})
	}
}

// rolesOfCall returns what the tables say of the function that is called.
func (z *zeroSearch) rolesOfCall(call *ast.CallExpr) []apis.Entry {
	fn, ok := typeutil.Callee(z.m.pass.TypesInfo, call).(*types.Func)
	if !ok || fn.Pkg() == nil {
		return nil
	}
	return z.m.shapes.rolesOf(fn, fn.Pkg().Path())
}

func roleIn(entries []apis.Entry, role apis.Role) (apis.Entry, bool) {
	i := slices.IndexFunc(entries, func(e apis.Entry) bool { return e.Symbol.Role == role })
	if i < 0 {
		return apis.Entry{}, false
	}
	return entries[i], true
}

func (z *zeroSearch) look(call *ast.CallExpr) {
	entries := z.rolesOfCall(call)
	e, ok := roleIn(entries, apis.Attempts)
	if !ok || !unlimits(e) || e.Symbol.Arg >= len(call.Args) {
		return
	}
	_, wraps := roleIn(entries, apis.WithPolicy)
	method := strings.Contains(e.Symbol.Name, ".")
	if !wraps && (method && !z.built(call) || !method && !z.alone(call)) {
		return
	}
	arg := call.Args[e.Symbol.Arg]
	if z.zero(arg) {
		z.say(e, arg)
		return
	}
	if param, i := z.param(arg); param != nil {
		z.fromCallers(e, i)
	}
}

// alone says whether nothing else bounds the retry that an option is for: it is an
// argument of the call that retries, and all others are known.
func (z *zeroSearch) alone(option *ast.CallExpr) bool {
	if len(z.stack) == 0 {
		return false
	}
	parent, ok := z.stack[len(z.stack)-1].(*ast.CallExpr)
	if !ok || parent.Ellipsis.IsValid() {
		return false
	}
	entries := z.rolesOfCall(parent)
	e, runs := roleIn(entries, apis.RetryFunc)
	if !runs {
		if e, ok = roleIn(entries, apis.NewPolicy); !ok {
			return false
		}
	}
	if e.Policy == nil {
		return false
	}
	unbounded := e.Policy.Elapsed == 0
	for i, a := range parent.Args {
		switch {
		case a == option:
		case runs && i == e.Symbol.Arg:
			if z.marksFinal(a) {
				return false
			}
		case runs && i == e.Symbol.Context:
			if !z.neverEnds(a) {
				return false
			}
		default:
			sibling, ok := ast.Unparen(a).(*ast.CallExpr)
			if !ok {
				return false // an option, or several, of which nothing is known
			}
			roles := z.rolesOfCall(sibling)
			if elapsed, ok := roleIn(roles, apis.Elapsed); ok {
				if elapsed.Symbol.Count.Zero != apis.NoLimit || !z.zero(sibling.Args[elapsed.Symbol.Arg]) {
					return false
				}
				unbounded = true
			} else if !z.boundsNothing(sibling, e) {
				return false
			}
		}
	}
	return unbounded
}

// boundsNothing says whether an option only says how to wait, or whom to tell.
func (z *zeroSearch) boundsNothing(option *ast.CallExpr, e apis.Entry) bool {
	fn, ok := typeutil.Callee(z.m.pass.TypesInfo, option).(*types.Func)
	if !ok || fn.Pkg() == nil || z.m.libraries.Name(fn.Pkg().Path()) != e.Library.Name {
		return false
	}
	for v := range fn.Signature().Params().Variables() {
		if isError(v.Type()) || isNamed(v.Type(), "context", "Context") {
			return false
		}
	}
	return !slices.ContainsFunc(z.rolesOfCall(option), func(r apis.Entry) bool {
		return r.Symbol.Role == apis.WithContext || r.Symbol.Role == apis.Condition || r.Symbol.Role == apis.Attempts
	})
}

// built says whether a setter stands in a chain of calls that begins with the making
// of a policy and ends with its being built, with no other bound in between.
func (z *zeroSearch) built(call *ast.CallExpr) bool {
	info := z.m.pass.TypesInfo
	ends, began := false, false
	for i := len(z.stack) - 1; i > 0; i -= 2 {
		sel, ok := z.stack[i].(*ast.SelectorExpr)
		outer, isCall := z.stack[i-1].(*ast.CallExpr)
		if !ok || !isCall || outer.Fun != sel {
			break
		}
		if sel.Sel.Name == "Build" {
			ends = true
			break
		}
		call = outer
	}
	if !ends {
		return false
	}
	for x := ast.Expr(call); ; {
		c, ok := ast.Unparen(x).(*ast.CallExpr)
		if !ok {
			return false
		}
		entries := z.rolesOfCall(c)
		if _, ok := roleIn(entries, apis.NewPolicy); ok {
			began = true
			break
		}
		for _, r := range []apis.Role{apis.Elapsed, apis.Condition, apis.WithContext} {
			if _, ok := roleIn(entries, r); ok {
				return false
			}
		}
		sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if !ok || strings.HasPrefix(sel.Sel.Name, "Abort") {
			return false
		}
		x = sel.X
	}
	// Where the policy is used is not followed: a context may come in there.
	for _, used := range info.Uses {
		if fn, ok := used.(*types.Func); ok && fn.Name() == "WithContext" && fn.Pkg() != nil && z.m.libraries.Knows(fn.Pkg().Path()) {
			return false
		}
	}
	return began
}

// marksFinal says whether a function literal names what ends the retry.
func (z *zeroSearch) marksFinal(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			_, final := roleIn(z.rolesOfCall(c), apis.Final)
			found = found || final
		}
		return true
	})
	return found
}

// neverEnds says whether a context is one that nothing ends.
func (z *zeroSearch) neverEnds(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	fn, ok := typeutil.Callee(z.m.pass.TypesInfo, call).(*types.Func)
	return ok && (fn.FullName() == "context.Background" || fn.FullName() == "context.TODO")
}

// zero says whether an expression is surely 0, and is not called by a name that says
// what it does here.
func (z *zeroSearch) zero(e ast.Expr) bool {
	info := z.m.pass.TypesInfo
	if v := info.Types[e].Value; v != nil {
		return isZero(v) && !onPurpose.MatchString(types.ExprString(e))
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr: // a conversion
		return len(e.Args) == 1 && info.Types[e.Fun].IsType() && z.zero(e.Args[0])
	case *ast.Ident:
		if onPurpose.MatchString(e.Name) {
			return false
		}
		v := z.m.constants[info.Uses[e]]
		if v == nil {
			v = z.locals()[info.Uses[e]]
		}
		return v != nil && isZero(v)
	}
	return false
}

func isZero(v constant.Value) bool {
	return (v.Kind() == constant.Int || v.Kind() == constant.Float) && constant.Sign(v) == 0
}

// locals are the variables of the function that are made from a constant and never
// change.
func (z *zeroSearch) locals() map[types.Object]constant.Value {
	if z.vars != nil {
		return z.vars
	}
	info := z.m.pass.TypesInfo
	z.vars = map[types.Object]constant.Value{}
	ast.Inspect(z.s.decl.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && len(a.Lhs) == len(a.Rhs) {
			for i, l := range a.Lhs {
				id, ok := l.(*ast.Ident)
				if v := info.Types[a.Rhs[i]].Value; ok && v != nil && info.Defs[id] != nil {
					z.vars[info.Defs[id]] = v
				}
			}
		}
		return true
	})
	dropChanged(info, z.s.decl, z.vars, map[types.Object]constTable{})
	return z.vars
}

// param returns the parameter that an expression is, converted perhaps, and its
// index, if the function mentions it nowhere else.
func (z *zeroSearch) param(e ast.Expr) (types.Object, int) {
	info := z.m.pass.TypesInfo
	e = ast.Unparen(e)
	if c, ok := e.(*ast.CallExpr); ok && len(c.Args) == 1 && info.Types[c.Fun].IsType() {
		e = ast.Unparen(c.Args[0])
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil, 0
	}
	obj, mentions := info.Uses[id], 0
	ast.Inspect(z.s.decl.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && info.Uses[id] == obj {
			mentions++
		}
		return true
	})
	params := z.s.fn.Signature().Params()
	for i := range params.Len() {
		if params.At(i) == obj && mentions == 1 {
			return obj, i
		}
	}
	return nil, 0
}

// fromCallers looks at the calls of the function, for those that give it a 0.
func (z *zeroSearch) fromCallers(e apis.Entry, param int) {
	info := z.m.pass.TypesInfo
	if z.s.fn.Signature().Variadic() {
		return
	}
	for _, s := range z.m.shapes.order {
		if !slices.Contains(s.calls, z.s.fn) || isTestFile(z.m.pass.Fset, s.decl.Pos()) || onPurpose.MatchString(s.fn.Name()) {
			continue
		}
		in := &zeroSearch{m: z.m, s: s}
		ast.Inspect(s.decl.Body, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok || param >= len(c.Args) {
				return true
			}
			if fn, ok := typeutil.Callee(info, c).(*types.Func); ok && fn.Origin() == z.s.fn && in.zero(c.Args[param]) {
				in.say(e, c.Args[param])
			}
			return true
		})
	}
}

func (z *zeroSearch) say(e apis.Entry, arg ast.Expr) {
	fset := z.m.pass.Fset
	line := fset.Position(arg.Pos()).Line
	for _, g := range z.s.file.Comments {
		first, last := fset.Position(g.Pos()).Line, fset.Position(g.End()).Line
		if first <= line && last >= line-1 && onPurpose.MatchString(g.Text()) {
			return // somebody says that it is meant so
		}
	}
	name := e.Symbol.Name[strings.IndexByte(e.Symbol.Name, '.')+1:]
	z.m.verdicts = append(z.m.verdicts, Verdict{Rule: RetryUnbounded, Severity: Warning, Pos: arg.Pos(), End: arg.End(),
		Message: fmt.Sprintf("%s with 0 does not turn the retry off: in %s it takes the limit away, and the call is made again for as long as it fails; give 1 for a single attempt, or the number of attempts that you want", name, e.Library.Name)})
}
