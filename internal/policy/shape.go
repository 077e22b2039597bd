package policy

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// shapes is what syntax and types tell of a package before any of it is put
// into SSA form: which functions send, which call each other, which repeat
// calls. Packages without a repeated send end here.
type shapes struct {
	pass      *analysis.Pass
	im        *imports
	named     map[*types.Func]knownFunc
	libraries *apis.Table
	hedges    bool // something in the package does
	breaks    bool // something in the package makes a circuit breaker, or is handed one
	breakers  bool // or uses one
	limits    bool // something sets a number of attempts of which 0 is without a limit
	// finals and withContexts say that something names what marks an error as final
	// for a retry library, and what gives such a library a context.
	finals, withContexts bool
	// libraryCalls are the calls of clients of services, limitedCalls those among
	// them that are given an option which sets how often they are sent.
	libraryCalls, limitedCalls int
	statedCalls                bool // some of them state a policy of their own, or may
	funcs                      map[*types.Func]*shape
	order                      []*shape // by position
}

// shape is what is known of one declared function.
type shape struct {
	fn    *types.Func
	decl  *ast.FuncDecl
	file  *ast.File
	calls []*types.Func // declared functions of the package that it calls or mentions
	// mayCall are methods that it may call through an interface.
	mayCall []*types.Func
	pieces  bool // it reads something piece by piece
	opens   bool // it opens a stream of a known library
	// asks says that a loop asks a scanner for its error, or that it renews a timer.
	asks    bool
	asksOut bool // it does so outside of a loop
	sends   bool // it calls net/http, something of the shape of Client.Do, or imported code that does
	derives bool // it makes a context that can be cancelled, or calls what does
	fills   bool // it makes or fills a struct that sends, or keeps something that does
	// makesClient says that it makes, or configures, a client of a known library.
	makesClient bool
	makesHedge  bool // it makes what sends a second attempt early
	breaker     breakerShape
	setsLimit   bool // it names what a 0 takes the limit of attempts from, or what hands a number on to that
	keys        bool // it names an idempotency key: a header, a field
	methods     bool // it names a request method
	// generates says that it calls something that makes a new value each time.
	generates bool
	// repeatsGiven says that a loop, or the function again, calls a function
	// value that returns an error: something that callers hand in.
	repeatsGiven bool
	wrapsGiven   bool          // a function literal in it calls such a function value
	callsField   bool          // it calls a function that a field holds
	runsGiven    bool          // it calls such a function value anywhere
	inLoops      []*types.Func // that are given a function, in a loop
	// callsRepeater says that it calls imported code that runs something again.
	callsRepeater bool
	generated     bool // its file is
	// repeats says that a loop, or a jump back, holds a call that may send:
	// a send, a call of a function of this package, of a function value, or
	// of a method of an interface.
	repeats bool
	// handsOn says that it mentions a function without calling it, or has a
	// function literal: something that another function can run again.
	handsOn bool

	index     int    // its place in shapes.order
	reach     bitset // what it calls, through others: places in shapes.order
	recursive bool   // it calls itself, through others too, not counting interfaces
	sendful   bool   // it sends, or something it reaches does
	mayRetry  bool   // it is sendful and something in reach, or it, repeats
}

func newShapes(pass *analysis.Pass, im *imports, libraries *apis.Table) *shapes {
	s := &shapes{pass: pass, im: im, libraries: libraries, named: map[*types.Func]knownFunc{}, funcs: map[*types.Func]*shape{}}
	for _, f := range pass.Files {
		generated := ast.IsGenerated(f)
		for _, d := range f.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			fn, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func)
			if !ok {
				continue
			}
			sh := &shape{fn: fn, decl: decl, file: f, generated: generated}
			s.funcs[fn] = sh
			s.order = append(s.order, sh)
		}
	}
	for _, sh := range s.order {
		s.scan(sh)
	}
	s.close()
	s.hedges = s.hedgesSomething()
	s.findBreakerHands()
	s.findFillers()
	return s
}

func (s *shapes) scan(sh *shape) {
	labels := map[string]token.Pos{}
	ranged := map[types.Object]bool{nil: true} // variables that take what is ranged over
	seen := map[*types.Func]bool{}
	var loops, literals []ast.Node
	var stack []ast.Node
	ast.Inspect(sh.decl.Body, func(n ast.Node) bool {
		if n == nil {
			last := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if len(loops) > 0 && loops[len(loops)-1] == last {
				loops = loops[:len(loops)-1]
			}
			if len(literals) > 0 && literals[len(literals)-1] == last {
				literals = literals[:len(literals)-1]
			}
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.ForStmt:
			loops = append(loops, n)
		case *ast.RangeStmt:
			loops = append(loops, n)
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok {
					ranged[s.pass.TypesInfo.Defs[id]] = true
				}
			}
		case *ast.LabeledStmt:
			labels[n.Label.Name] = n.Pos()
		case *ast.BranchStmt:
			if n.Tok == token.GOTO && n.Label != nil {
				if _, back := labels[n.Label.Name]; back {
					sh.repeats = true
				}
			}
		case *ast.FuncLit:
			sh.handsOn = true
			literals = append(literals, n)
		case *ast.CallExpr:
			s.countLibraryCall(n)
			kind := s.callKind(n)
			if sig, ok := s.signatureOf(n.Fun); ok && kind == callMaybe && isExchange(sig) && s.holdsValue(n.Fun) {
				sh.sends = true // a function value of the shape of Client.Do
				kind = callSends
			}
			if len(loops) > 0 && kind != callOther {
				sh.repeats = true
			}
			if kind == callMaybe && s.callsGiven(n, ranged) {
				sh.runsGiven = true
				sh.repeatsGiven = sh.repeatsGiven || len(loops) > 0
				sh.wrapsGiven = sh.wrapsGiven || len(loops) > 0 || len(literals) > 0
			}
			sh.callsField = sh.callsField || kind == callMaybe && s.isField(n.Fun)
			if fn, ok := typeutil.Callee(s.pass.TypesInfo, n).(*types.Func); ok {
				k, inLoop := s.known(fn), len(loops) > 0
				sh.asksOut = sh.asksOut || k.asks && !inLoop
				sh.asks = sh.asks || k.renews || k.asks && inLoop
				sh.pieces = sh.pieces || k.decodes && inLoop
				if inLoop && takesSomething(fn.Signature()) {
					sh.inLoops = append(sh.inLoops, fn.Origin())
				}
			}
			if len(literals) > 0 && kind == callMaybe && s.isVariable(n.Fun, sh.decl, literals) {
				sh.repeats = true // a literal that may call itself
			}
			for _, a := range n.Args {
				if _, ok := s.signatureOf(a); ok {
					sh.handsOn = true
					sh.repeats = sh.repeats || len(literals) > 0 && s.isVariable(a, sh.decl, literals) // by way of another function
				}
			}
		case *ast.IncDecStmt:
			if _, ok := ast.Unparen(n.X).(*ast.SelectorExpr); ok && len(loops) == 0 && isNumbering(sh.fn.Signature()) {
				sh.generates = true // a counter that outlives the call
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				text := strings.Trim(n.Value, "`\"")
				sh.keys = sh.keys || isKeyField(text)
				sh.methods = sh.methods || isMethod(text)
			}
		case *ast.Ident:
			fn, ok := s.pass.TypesInfo.Uses[n].(*types.Func)
			if !ok {
				v, ok := s.pass.TypesInfo.Uses[n].(*types.Var)
				if ok && v.Name() == "Reader" && v.Pkg() != nil && v.Pkg().Path() == "crypto/rand" {
					sh.generates = true
				}
				if ok && v.IsField() && isKeyField(v.Name()) {
					sh.keys = true
				}
				if c, ok := s.pass.TypesInfo.Uses[n].(*types.Const); ok && c.Val().Kind() == constant.String {
					sh.keys = sh.keys || isKeyField(constant.StringVal(c.Val()))
					sh.methods = sh.methods || isMethod(constant.StringVal(c.Val()))
				}
				break
			}
			known := s.known(fn)
			sh.callsRepeater = sh.callsRepeater || known.flags&flagRepeats != 0
			sh.repeats = sh.repeats || sh.callsRepeater
			sh.generates = sh.generates || known.generates || known.flags&flagMakes != 0
			sh.derives = sh.derives || known.derives
			sh.makesClient = sh.makesClient || known.makes
			sh.makesHedge = sh.makesHedge || known.hedges
			sh.setsLimit = sh.setsLimit || known.unlimits
			s.limits = s.limits || known.unlimits
			s.finals = s.finals || known.final
			s.withContexts = s.withContexts || known.withContext
			sh.breaker.makes = sh.breaker.makes || known.breaks
			sh.breaker.uses = sh.breaker.uses || known.ofBreaker
			s.breaks = s.breaks || known.breaks
			s.breakers = s.breakers || known.breaks || known.ofBreaker
			sh.pieces = sh.pieces || known.pieces
			sh.opens = sh.opens || known.opens
			if known.sends {
				sh.sends = true
				if !isCallee(stack, n) {
					sh.handsOn = true
				}
			}
			if known.client {
				sh.mayCall = append(sh.mayCall, s.roundTrippers()...)
			}
			// What sends may do so through a client that was given one of these.
			sh.repeats = sh.repeats || (known.client || known.sends) && s.im.repeater
			if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
				for _, impl := range s.implementers(fn) {
					if !seen[impl] {
						sh.mayCall = append(sh.mayCall, impl)
					}
				}
			}
			if fn.Pkg() != s.pass.Pkg {
				break
			}
			fn = fn.Origin()
			if s.funcs[fn] == nil {
				break
			}
			if !seen[fn] {
				seen[fn] = true
				sh.calls = append(sh.calls, fn)
			}
			if !isCallee(stack, n) {
				sh.handsOn = true
			}
		}
		return true
	})
}

// countLibraryCall takes note of a call of a client of a service.
func (s *shapes) countLibraryCall(call *ast.CallExpr) {
	fn, ok := typeutil.Callee(s.pass.TypesInfo, call).(*types.Func)
	if !ok || !s.known(fn).service {
		return
	}
	s.libraryCalls++
	fixed := fn.Signature().Params().Len() - 1 // options come after these
	for i, a := range call.Args {
		option, ok := ast.Unparen(a).(*ast.CallExpr)
		if !ok {
			s.statedCalls = s.statedCalls || i >= fixed
			continue
		}
		fn, ok := typeutil.Callee(s.pass.TypesInfo, option).(*types.Func)
		s.statedCalls = s.statedCalls || i >= fixed && (!ok || fn.Pkg() == s.pass.Pkg || s.known(fn).states)
		if ok && s.known(fn).attempts {
			s.limitedCalls++
			return
		}
	}
}

// rolesOf returns what the tables say of a function of another package.
func (s *shapes) rolesOf(fn *types.Func, path string) []apis.Entry {
	if s.libraries == nil || fn.Pkg() == s.pass.Pkg || standardPath(path) || !s.libraries.Knows(path) {
		return nil
	}
	_, symbol := splitName(fn.Origin().FullName())
	return s.libraries.Funcs(path, symbol, "")
}

// importsLibrary says whether a package names one that the tables know.
func importsLibrary(pkg *types.Package, libraries *apis.Table) bool {
	return libraries != nil && slices.ContainsFunc(pkg.Imports(), func(p *types.Package) bool { return libraries.Knows(p.Path()) })
}

// givesCancel says whether a function returns a cancel function beside a context.
func givesCancel(sig *types.Signature) bool {
	r := sig.Results()
	return r.Len() == 2 && isNamed(r.At(0).Type(), "context", "Context") && isCancel(r.At(1).Type())
}

// mayNameKey is a quick look whether a text can be the name of a key.
func mayNameKey(text string) bool {
	if len(text) < 5 || len(text) > 48 {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c == ' ' || c == '%' || c == '/' || c == '.' || c == '\\' {
			return false
		}
	}
	return true
}

// roundTrippers returns the methods of this package that a client's transport
// may be.
func (s *shapes) roundTrippers() []*types.Func {
	var out []*types.Func
	for _, sh := range s.order {
		if sh.decl.Recv != nil && sh.fn.Name() == "RoundTrip" && isExchange(sh.fn.Signature()) {
			out = append(out, sh.fn)
		}
	}
	return out
}

// implementers returns the methods of this package that a call of an
// interface's method may run.
func (s *shapes) implementers(m *types.Func) []*types.Func {
	it, ok := m.Signature().Recv().Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var out []*types.Func
	for _, sh := range s.order {
		if sh.decl.Recv == nil || sh.fn.Name() != m.Name() {
			continue
		}
		recv := types.Unalias(sh.fn.Signature().Recv().Type())
		if n, ok := derefNamed(recv); ok && n.TypeParams().Len() > 0 {
			continue
		}
		if types.Implements(recv, it) {
			out = append(out, sh.fn)
		}
	}
	return out
}

type callKind uint8

const (
	callOther callKind = iota
	callMaybe          // of this package, of a function value or of an interface
	callSends
)

func (s *shapes) callKind(call *ast.CallExpr) callKind {
	obj := typeutil.Callee(s.pass.TypesInfo, call)
	switch obj := obj.(type) {
	case *types.Func:
		known := s.known(obj)
		switch {
		case known.sends:
			return callSends
		case obj.Pkg() == s.pass.Pkg || known.flags&flagRepeats != 0:
			return callMaybe
		}
		return callOther
	case *types.Builtin, *types.TypeName:
		return callOther
	}
	if tv, ok := s.pass.TypesInfo.Types[call.Fun]; ok && tv.Value == nil && !tv.IsType() {
		switch t := types.Unalias(tv.Type).(type) {
		case *types.TypeParam:
			return callMaybe
		default:
			if _, ok := t.Underlying().(*types.Signature); ok {
				return callMaybe // a function value
			}
		}
	}
	return callOther
}

// close computes what each function reaches, and what follows from it.
func (s *shapes) close() {
	if !slices.ContainsFunc(s.order, func(sh *shape) bool {
		return sh.sends || sh.keys || sh.derives || sh.generates || sh.runsGiven || sh.callsRepeater || sh.breaker.makes || sh.breaker.uses || sh.setsLimit || sh.makesClient || sh.asks
	}) {
		return // what they reach does not matter
	}
	for i, sh := range s.order {
		sh.index = i
	}
	for _, sh := range s.order {
		if len(sh.calls)+len(sh.mayCall) == 0 {
			sh.sendful = sh.sends || sh.keys
			continue
		}
		sh.recursive = s.reachable(sh, false).has(sh.index)
		sh.reach = s.reachable(sh, true)
		sh.sendful = sh.sends || sh.keys
		for r := range s.reached(sh) {
			sh.sendful = sh.sendful || r.sends || r.keys
		}
	}
	for _, sh := range s.order {
		sh.repeatsGiven = sh.repeatsGiven || sh.recursive && sh.runsGiven
		for _, fn := range sh.inLoops {
			y := s.funcs[fn]
			sh.repeatsGiven = sh.repeatsGiven || y != nil && (y.runsGiven || s.reaches(y, func(x *shape) bool { return x.runsGiven }))
		}
		if !sh.sendful {
			continue
		}
		sh.mayRetry = sh.repeats || sh.recursive
		for r := range s.reached(sh) {
			sh.mayRetry = sh.mayRetry || r.repeats || r.recursive
		}
	}
}
