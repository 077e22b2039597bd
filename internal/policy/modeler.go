package policy

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/ir"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// modeler makes the model of one package.
type modeler struct {
	pass   *analysis.Pass
	config *Config
	shapes *shapes
	im     *imports
	// libraries are the tables; roleOf remembers what they say of a function.
	libraries *apis.Table
	roleOf    map[string][]apis.Entry
	prog      *program
	claims    *claims

	requestPointer types.Type
	// keyedTransport says that a RoundTripper of this package sets a key header.
	keyedTransport bool
	methodFields   map[fieldKey]bool
	methodParams   map[*ir.Node]bool
	methodFuncs    map[*ir.Function]bool           // that return methods
	steps          int                             // of all runs so far
	constants      map[types.Object]constant.Value // package variables that never change
	tables         map[types.Object]constTable

	index   *flow.Index
	stored  map[*types.Var][]types.Type
	kept    *kept
	changed map[types.Object]bool
	want    map[*ast.FuncDecl]bool // what the questions need
	built   map[*ast.FuncDecl]bool // what is in SSA form
	exports []*shape               // what is told to importers
	// shapeOfFn has the literals in functions, too.
	shapeOfFn map[*ir.Function]*shape
	reports   map[reportKey]*report
	repeating map[*ir.Function]bool // memoised by mayRepeat
	// freshLayers repeat operations under keys that are made anew.
	freshLayers map[*ir.Function]bool
	// streams are the functions that open a stream which is read in this package.
	streams  []*shape
	bodies   []resend            // what retrybody found
	leaky    map[repetition]bool // where attemptleak found something in the function that repeats
	order    []*report
	heard    []heardReading // for Explain
	verdicts []Verdict
}

// newModeler returns nil when nothing in the package can send a request twice,
// and nothing of it is worth the while of those that import it.
func newModeler(pass *analysis.Pass, config *Config, libraries *apis.Table) (*modeler, error) {
	im := newImports(pass)
	if im.err != nil {
		return nil, im.err
	}
	if !importsHTTP(pass.Pkg) && !im.any() && !importsLibrary(pass.Pkg, libraries) && !mayHelp(pass) && !mayRead(pass) {
		return nil, nil
	}
	sh := newShapes(pass, im, libraries)
	m := &modeler{
		pass: pass, config: config, im: im, shapes: sh, want: map[*ast.FuncDecl]bool{},
		index: flow.NewIndex(), shapeOfFn: map[*ir.Function]*shape{}, reports: map[reportKey]*report{}, freshLayers: map[*ir.Function]bool{}, leaky: map[repetition]bool{},
		repeating: map[*ir.Function]bool{}, libraries: libraries, roleOf: map[string][]apis.Entry{},
	}
	for _, s := range sh.order {
		cancels := s.sendful && (s.derives || sh.reaches(s, func(x *shape) bool { return x.derives }))
		if (s.mayRetry || cancels || s.makesClient || sh.nearClient(s, 2) || s.makesHedge || sh.hedges && s.sendful || config.Inventory && s.sendful) && !isTestFile(pass.Fset, s.decl.Pos()) {
			m.want[s.decl] = true
			for r := range sh.reached(s) {
				m.want[r.decl] = true
			}
		}
	}
	m.wantBreakers()
	m.wantLimits()
	if len(m.want) > 0 {
		for _, s := range sh.order {
			if s.fills && !isTestFile(pass.Fset, s.decl.Pos()) {
				m.want[s.decl] = true
			}
		}
	}
	m.wantStreams()
	m.exports = sh.exports()
	if len(m.want) == 0 && len(m.exports) == 0 {
		return nil, nil
	}
	return m, nil
}

// buildExports puts the functions that others need into the form that is run.
// That is all that is needed of most packages: nobody asks about them.
func (m *modeler) buildExports() {
	want := map[*ast.FuncDecl]bool{}
	for _, s := range m.exports {
		want[s.decl] = true
	}
	m.build(want)
}

// buildAll puts all wanted functions into the form that is run.
func (m *modeler) buildAll() {
	missing := m.prog == nil
	for _, s := range m.exports {
		m.want[s.decl] = true
	}
	for d := range m.want {
		missing = missing || !m.built[d]
	}
	if missing {
		m.build(m.want)
	}
}

func (m *modeler) build(want map[*ast.FuncDecl]bool) {
	m.built = want
	m.prog = build(m.pass, m.im, func(d *ast.FuncDecl) bool { return want[d] })
	clear(m.shapeOfFn)
	var fns []*ir.Function
	var add func(fn *ir.Function, s *shape)
	add = func(fn *ir.Function, s *shape) {
		m.shapeOfFn[fn] = s
		fns = append(fns, fn)
		for _, a := range fn.AnonFuncs {
			add(a, s)
		}
	}
	for _, s := range m.shapes.order {
		if fn := m.prog.fn(s.fn); fn != nil && want[s.decl] {
			add(fn, s)
		}
	}
	m.constants, m.tables = packageConstants(m.pass)
	src := findMethodSources(fns)
	m.methodFields, m.methodParams, m.methodFuncs = src.fields, src.params, src.funcs
	m.claims = findClaims(m.pass)
	m.keyedTransport = m.shapes.setsKeyInTransport()
}

// mayHelp looks at signatures only, whether a package that knows nothing of
// HTTP may have functions that repeat what they are given, or make keys.
func mayHelp(pass *analysis.Pass) bool {
	generator := false
	for _, p := range pass.Pkg.Imports() {
		generator = generator || generatorPackages[p.Path()]
	}
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			fn, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func)
			if !ok {
				continue
			}
			if givenSomething(fn.Signature()) || givesCancel(fn.Signature()) || handsThrough(fn.Signature()) || generator && fn.Exported() && returnsText(fn.Signature()) {
				return true
			}
		}
	}
	return false
}

// requestType is a pointer to http.Request, as far as it is known here.
func (m *modeler) requestType() types.Type {
	if m.requestPointer == nil {
		t := m.prog.ir.Named("net/http", "Request")
		if t == nil { // no code that was read so far has shown it
			return types.NewPointer(types.NewStruct(nil, nil))
		}
		m.requestPointer = types.NewPointer(t)
	}
	return m.requestPointer
}

// relevant says whether a closure is worth running where only its caller is
// not known: it is written in a function that sends.
func (m *modeler) relevant(fn *ir.Function) bool {
	s := m.shapeOf(fn)
	return s != nil && s.sendful || !fn.Local
}

func (m *modeler) shapeOf(fn *ir.Function) *shape {
	if s := m.shapeOfFn[fn]; s != nil {
		return s
	}
	if !fn.Local {
		return nil
	}
	d := fn.Outermost()
	if s := m.shapeOfFn[d]; s != nil {
		return s
	}
	if d.Obj != nil {
		return m.shapes.funcs[d.Obj.Origin()]
	}
	return nil
}

// unsafe says whether a method is unsafe to repeat.
func (m *modeler) unsafe(method string) bool {
	switch method {
	case "POST", "PATCH":
		return true
	case "PUT", "DELETE":
		return m.config.UnsafeMethods
	}
	return false
}

// setsKeyInTransport says whether a client of this package gets a transport of
// this package that sets a key header.
func (s *shapes) setsKeyInTransport() bool {
	var keyed []types.Type
	for _, sh := range s.order {
		if sh.fn.Name() == "RoundTrip" && isExchange(sh.fn.Signature()) && s.setsKey(sh) {
			keyed = append(keyed, sh.fn.Signature().Recv().Type())
		}
	}
	if len(keyed) == 0 {
		return false
	}
	given := false
	for _, f := range s.pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			kv, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			if id, ok := kv.Key.(*ast.Ident); ok && id.Name == "Transport" {
				t := s.pass.TypesInfo.TypeOf(kv.Value)
				for _, k := range keyed {
					given = given || t != nil && (types.Identical(t, k) || types.Identical(types.NewPointer(t), k))
				}
			}
			return true
		})
	}
	return given
}

// setsKey says whether a function sets a key header, by a constant name.
func (s *shapes) setsKey(sh *shape) (found bool) {
	ast.Inspect(sh.decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return true
		}
		fn, ok := typeutil.Callee(s.pass.TypesInfo, call).(*types.Func)
		if ok && (fn.FullName() == "(net/http.Header).Set" || fn.FullName() == "(net/http.Header).Add") {
			if v := s.pass.TypesInfo.Types[call.Args[0]].Value; v != nil && v.Kind() == constant.String && isKeyHeader(constant.StringVal(v)) {
				found = true
			}
		}
		return true
	})
	return found
}

// constant returns the value of a package variable that is known to be constant.
func (m *modeler) constant(g *ir.Global) constant.Value {
	if g.Obj != nil {
		if c := m.constants[g.Obj]; c != nil {
			return c
		}
	}
	if t, ok := m.im.tables[g.Full()]; ok && t.Single {
		return decodeConst(t.Zero)
	}
	return nil
}

// table returns the table of constants that a package variable is known to be.
func (m *modeler) table(g *ir.Global) (constTable, bool) {
	if g.Obj != nil {
		if t, ok := m.tables[g.Obj]; ok {
			return t, true
		}
	}
	if t, ok := m.im.tables[g.Full()]; ok && !t.Single {
		return t.table(), true
	}
	return constTable{}, false
}

// heldTypes returns the types of what an interface field of this package's
// holds, where everything that the package stores in it is of a few types
// declared here; nil otherwise.
func (m *modeler) heldTypes(st types.Type, field int) []types.Type {
	u, ok := types.Unalias(st).Underlying().(*types.Struct)
	if !ok || field >= u.NumFields() {
		return nil
	}
	f := u.Field(field)
	if f.Pkg() != m.pass.Pkg || !types.IsInterface(f.Type()) || isError(f.Type()) {
		return nil
	}
	if m.stored == nil {
		m.stored = storedTypes(m.pass)
	}
	ts := m.stored[f.Origin()]
	if len(ts) > maxAlternatives {
		return nil
	}
	for _, t := range ts {
		if t == nil {
			return nil
		}
		if n, ok := derefNamed(t); !ok || n.Obj().Pkg() != m.pass.Pkg {
			return nil
		}
	}
	return ts
}

// storedTypes collects the types of what is stored in fields of interface
// type; nil stands for one that is not known.
func storedTypes(pass *analysis.Pass) map[*types.Var][]types.Type {
	out := map[*types.Var][]types.Type{}
	add := func(f *types.Var, e ast.Expr) {
		if f == nil || !f.IsField() || !types.IsInterface(f.Type()) {
			return
		}
		t := pass.TypesInfo.TypeOf(e)
		if t == nil || types.IsInterface(t) {
			t = nil
		} else if b, ok := t.(*types.Basic); ok && b.Kind() == types.UntypedNil {
			return
		}
		for _, x := range out[f.Origin()] {
			if x == t || x != nil && t != nil && types.Identical(x, t) {
				return
			}
		}
		out[f.Origin()] = append(out[f.Origin()], t)
	}
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if sel, ok := ast.Unparen(l).(*ast.SelectorExpr); ok && len(n.Lhs) == len(n.Rhs) {
						f, _ := pass.TypesInfo.Uses[sel.Sel].(*types.Var)
						add(f, n.Rhs[i])
					}
				}
			case *ast.CompositeLit:
				st, ok := types.Unalias(pass.TypesInfo.TypeOf(n)).Underlying().(*types.Struct)
				if !ok {
					return true
				}
				for i, el := range n.Elts {
					if kv, ok := el.(*ast.KeyValueExpr); ok {
						if id, ok := kv.Key.(*ast.Ident); ok {
							f, _ := pass.TypesInfo.Uses[id].(*types.Var)
							add(f, kv.Value)
						}
					} else if i < st.NumFields() {
						add(st.Field(i), el)
					}
				}
			}
			return true
		})
	}
	return out
}
