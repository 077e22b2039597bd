package policy

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// breakerShape is what syntax and types tell of a function and circuit breakers.
type breakerShape struct {
	makes bool // it makes one, or calls a function of another package that hands one on
	uses  bool // it names a function or method of a library that has them
	hands bool // it makes one, or gets one, and its caller may get it from there
}

// ownsState says whether a breaker's counts are in it: not with a store that several
// processes share, and not in hystrix, which finds its circuits by their names.
func ownsState(e apis.Entry) bool {
	return e.Symbol.Name != "NewDistributedCircuitBreaker" && e.Library.Name != "heimdall"
}

// findBreakerHands marks the functions that may hand a breaker to their callers.
func (s *shapes) findBreakerHands() {
	if !s.breaks {
		return
	}
	for grew := true; grew; {
		grew = false
		for _, sh := range s.order {
			if !sh.breaker.hands && s.getsBreaker(sh) && s.mayHandOut(sh) {
				sh.breaker.hands, grew = true, true
			}
		}
	}
}

// getsBreaker says whether a function makes a breaker, or calls what hands it one.
func (s *shapes) getsBreaker(sh *shape) bool {
	return sh.breaker.makes || slices.ContainsFunc(sh.calls, func(c *types.Func) bool {
		callee := s.funcs[c]
		return callee != nil && callee.breaker.hands
	})
}

// mayHandOut says whether something that a function makes can come to its caller: as
// a result that is no plain value, through a field of something that it is given, or
// from a function that it is given.
func (s *shapes) mayHandOut(sh *shape) bool {
	sig := sh.fn.Signature()
	for v := range sig.Results().Variables() {
		if _, plain := types.Unalias(v.Type()).Underlying().(*types.Basic); !plain && !isError(v.Type()) {
			return true
		}
	}
	stores := false
	ast.Inspect(sh.decl.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			stores = stores || slices.ContainsFunc(a.Lhs, func(l ast.Expr) bool {
				_, variable := ast.Unparen(l).(*ast.Ident)
				return !variable
			})
		}
		return !stores
	})
	return stores
}

// worksWithBreaker says whether a function, or what it calls, makes a breaker or
// uses one.
func (s *shapes) worksWithBreaker(sh *shape) bool {
	works := func(x *shape) bool { return x.breaker.makes || x.breaker.uses }
	return works(sh) || s.reaches(sh, works)
}

// helpsWithBreaker says whether importers have to see a function for what becomes of a
// breaker: it works with one, or returns what holds one, or is a small method of that.
func (s *shapes) helpsWithBreaker(sh *shape) bool {
	if !s.breakers {
		return false
	}
	sig := sh.fn.Signature()
	if recv := sig.Recv(); recv != nil && s.holdsBreaker(recv.Type()) && isSmall(sh.decl) {
		return true
	}
	for v := range sig.Results().Variables() {
		if s.holdsBreaker(v.Type()) {
			return true
		}
	}
	return s.worksWithBreaker(sh)
}

// holdsBreaker says whether a type is a struct with something of a library that has
// breakers in a field.
func (s *shapes) holdsBreaker(t types.Type) bool {
	st := structOf(t)
	if st == nil {
		return false
	}
	for f := range st.Fields() {
		if n, ok := derefNamed(f.Type()); ok && n.Obj().Pkg() != nil && !standardPath(n.Obj().Pkg().Path()) && s.libraries.Has(n.Obj().Pkg().Path(), apis.Breaker) {
			return true
		}
	}
	return false
}

// wantBreakers adds the functions that make a circuit breaker, or are handed one,
// with all that they call, to those that are built.
func (m *modeler) wantBreakers() {
	if !m.shapes.breaks {
		return
	}
	for _, s := range m.shapes.order {
		if isTestFile(m.pass.Fset, s.decl.Pos()) || !m.shapes.getsBreaker(s) {
			continue
		}
		m.want[s.decl] = true
		for r := range m.shapes.reached(s) {
			m.want[r.decl] = true
		}
	}
}

// frequency answers how often functions run, as far as the package tells.
type frequency struct {
	m    *modeler
	once map[*shape]bool
}

// runsOnce says whether a function is one that a program runs once: by its name or
// its parameters, or since all the calls of it are in such functions and in no loop.
// A function that nobody calls is none, as far as anybody knows.
func (q *frequency) runsOnce(s *shape) bool {
	if once, asked := q.once[s]; asked {
		return once
	}
	q.once[s] = false // of a recursion nothing follows
	q.once[s] = beginsSomething(s.fn) || !q.m.open(s.fn) && !isHandler(s.fn.Signature()) && q.calledOnce(s)
	return q.once[s]
}

// beginsSomething says whether a function's name or parameters are those of code that runs
// when a program, a test or a command begins.
func beginsSomething(fn *types.Func) bool {
	name := fn.Name()
	if name == "init" || name == "main" && fn.Pkg().Name() == "main" {
		return true
	}
	if fn.Signature().Recv() != nil {
		return slices.Contains([]string{"Init", "Setup", "Start", "Connect", "Run"}, name)
	}
	if name == "run" || name == "Run" {
		return true // what main does, where it may return an error
	}
	for _, p := range []string{"New", "Must", "Open", "Connect", "Dial", "Init", "Setup", "Start", "Test", "Benchmark", "Example"} {
		if hasWord(name, p) || hasWord(name, strings.ToLower(p)) {
			return true
		}
	}
	return runsCommand(fn.Signature())
}

// hasWord says whether a name begins with a word.
func hasWord(name, word string) bool {
	rest, ok := strings.CutPrefix(name, word)
	return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
}

// runsCommand says whether a function is given what tests and commands of a command
// line are given.
func runsCommand(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		n, ok := derefNamed(v.Type())
		if !ok || n.Obj().Pkg() == nil {
			continue
		}
		switch path := n.Obj().Pkg().Path(); {
		case path == "testing", path == "flag",
			n.Obj().Name() == "Command" && !standardPath(path),
			n.Obj().Name() == "Context" && strings.Contains(path, "cli"):
			return true
		}
	}
	return false
}

// calledOnce says whether the functions that mention a function run once, and call it
// outside of loops.
func (q *frequency) calledOnce(s *shape) bool {
	info := q.m.pass.TypesInfo
	mentioned := false
	for _, t := range q.m.shapes.order {
		if isTestFile(q.m.pass.Fset, t.decl.Pos()) || !slices.Contains(t.calls, s.fn) {
			continue
		}
		if t == s || !q.runsOnce(t) {
			return false
		}
		mentioned = true
		once := true
		var stack []ast.Node
		ast.Inspect(t.decl.Body, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			if id, ok := n.(*ast.Ident); ok {
				if fn, ok := info.Uses[id].(*types.Func); ok && fn.Origin() == s.fn {
					once = once && q.atMostOnce(stack)
				}
			}
			return true
		})
		if !once {
			return false
		}
	}
	return mentioned
}

// atMostOnce says whether code runs once at most when the function around it does:
// no loop is around it, and no literal that somebody else may run often. In package
// main a literal that is no handler is taken for one that main runs.
func (q *frequency) atMostOnce(stack []ast.Node) bool {
	for i, n := range stack {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return false
		case *ast.FuncLit:
			if i > 0 {
				if call, ok := stack[i-1].(*ast.CallExpr); ok {
					if fn, ok := typeutil.Callee(q.m.pass.TypesInfo, call).(*types.Func); ok && fn.Pkg() != nil && fn.Pkg().Path() == "sync" {
						continue
					}
				}
			}
			sig, ok := q.m.pass.TypesInfo.TypeOf(n).(*types.Signature)
			if !ok || q.m.pass.Pkg.Name() != "main" || isHandler(sig) {
				return false
			}
		}
	}
	// A function that is mentioned and not called is somebody else's to run.
	return isCallee(stack, stack[len(stack)-1].(*ast.Ident)) || q.m.pass.Pkg.Name() == "main"
}

// isHandler says whether a function answers requests, and so runs often: those of
// net/http, and what gin, echo and their like call so.
func isHandler(sig *types.Signature) bool {
	params := sig.Params()
	if params.Len() == 2 && isNamed(params.At(0).Type(), "net/http", "ResponseWriter") && isPointerTo(params.At(1).Type(), "net/http", "Request") {
		return true
	}
	if params.Len() != 1 {
		return false
	}
	n, ok := derefNamed(params.At(0).Type())
	return ok && n.Obj().Pkg() != nil && !standardPath(n.Obj().Pkg().Path()) && (n.Obj().Name() == "Context" || n.Obj().Name() == "Ctx") && !runsCommand(sig)
}

// givenToSync says whether a literal is given to sync.Once and its like.
func givenToSync(lit *ir.Function) (given bool) {
	lit.Parent.Nodes(func(n *ir.Node) {
		callee := (*ir.Function)(nil)
		if n.Op == ir.Call {
			callee = n.StaticCallee()
		}
		if callee == nil || callee.Path != "sync" {
			return
		}
		given = given || slices.ContainsFunc(n.Args, func(a *ir.Node) bool { return a.Fn == lit })
	})
	return given
}
