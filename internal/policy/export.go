package policy

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// Bounds of what a package writes out.
const (
	maxExported = 600    // functions, literals not counted
	maxSize     = 40_000 // instructions of all of them
	maxOne      = 2_000  // instructions of one
	maxTable    = 64     // entries of a table of constants
	maxForeign  = 2_500  // instructions of other packages' functions
)

// exports are the functions of the package whose code others need, by position.
func (s *shapes) exports() []*shape {
	if s.pass.Pkg.Name() == "main" {
		return nil
	}
	core := map[*shape]bool{}
	var pend []*shape
	add := func(sh *shape) {
		if !core[sh] && !isTestFile(s.pass.Fset, sh.decl.Pos()) {
			core[sh] = true
			pend = append(pend, sh)
		}
	}
	http := importsHTTP(s.pass.Pkg)
	for _, sh := range s.order {
		switch {
		case sh.generated && !http:
			// an SDK that was generated over a client of another package
		case sh.sendful && (sh.sends || s.reaches(sh, func(x *shape) bool { return x.sends })):
			add(sh)
		case s.repeatsWhatItIsGiven(sh), s.makes(sh), sh.derives && derivesForOthers(sh.fn.Signature()):
			add(sh)
		}
	}
	found := len(core) > 0
	for _, sh := range s.order {
		if found && (sh.fills || helpsOthers(sh.fn.Signature(), false)) || http && helpsOthers(sh.fn.Signature(), true) {
			add(sh)
		}
	}
	if len(core) == 0 {
		return nil
	}
	for len(pend) > 0 {
		sh := pend[len(pend)-1]
		pend = pend[:len(pend)-1]
		for _, c := range slices.Concat(sh.calls, sh.mayCall) {
			if y := s.funcs[c]; y != nil && (y.sendful || s.helps(y)) {
				add(y)
			}
		}
	}
	var out []*shape
	for _, sh := range s.order {
		if core[sh] {
			out = append(out, sh)
		}
	}
	return out
}

func (s *shapes) reaches(sh *shape, what func(*shape) bool) bool {
	for r := range sh.reach {
		if what(r) {
			return true
		}
	}
	return false
}

// repeatsWhatItIsGiven says whether a function calls a function that it is
// given again: a retry helper, perhaps.
func (s *shapes) repeatsWhatItIsGiven(sh *shape) bool {
	if !givenSomething(sh.fn.Signature()) {
		return false
	}
	return sh.repeatsGiven || s.reaches(sh, func(x *shape) bool { return x.repeatsGiven })
}

// makes says whether a function makes a text that is new each time, itself or
// by what it calls.
func (s *shapes) makes(sh *shape) bool {
	return returnsText(sh.fn.Signature()) && (sh.generates || s.reaches(sh, func(x *shape) bool { return x.generates }))
}

// derivesForOthers says whether a function that makes a context gives it to its
// caller, or to a function that its caller gives it.
func derivesForOthers(sig *types.Signature) bool {
	return givesCancel(sig) || givenSomething(sig)
}

// givenSomething says whether a function is given a function that returns an
// error: as an argument, or in the receiver.
func givenSomething(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if t := sig.Params().At(i).Type(); endsInError(t) || holdsFunc(t) {
			return true
		}
	}
	return sig.Recv() != nil && holdsFunc(sig.Recv().Type())
}

// returnsText says whether a function's first result is a text, bytes or a number.
func returnsText(sig *types.Signature) bool {
	if sig.Results().Len() == 0 {
		return false
	}
	if _, ok := types.Unalias(sig.Results().At(0).Type()).(*types.TypeParam); ok {
		return true
	}
	t := types.Unalias(sig.Results().At(0).Type()).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem()).Underlying()
	}
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() == types.String || t.Info()&types.IsInteger != 0
	case *types.Array:
		return isByte(t.Elem())
	case *types.Slice:
		return isByte(t.Elem())
	}
	return false
}

func isByte(t types.Type) bool {
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

// helps says whether the machine would go into a function for what it takes
// and returns.
func (s *shapes) helps(sh *shape) bool {
	sig := sh.fn.Signature()
	if helpsOthers(sig, false) {
		return true
	}
	if recv := sig.Recv(); recv != nil && sig.Results().Len() > 0 {
		if n, ok := derefNamed(recv.Type()); ok { // a client's own settings
			for i := range n.NumMethods() {
				if m := s.funcs[n.Method(i)]; m != nil && (m.sends || m.repeatsGiven) {
					return true
				}
			}
		}
	}
	return false
}

// helpsOthers says whether the types that a function takes and returns are of
// the kind that decides about requests; strictly, whether they are net/http's,
// or tell errors and statuses apart.
func helpsOthers(sig *types.Signature, strictly bool) bool {
	params, results := sig.Params(), sig.Results()
	for i := range params.Len() {
		if isNamed(params.At(i).Type(), "net/http", "ResponseWriter") {
			return false // a server's side
		}
	}
	tells := results.Len() == 1 && isBool(results.At(0).Type())
	for i := range params.Len() {
		t := params.At(i).Type()
		switch {
		case isPointerTo(t, "net/http", "Request"), isPointerTo(t, "net/http", "Response"), isNamed(t, "net/http", "Header"):
			return true
		case tells && (isError(t) || isStatus(params, i)):
			return true
		case !strictly && isError(t) && results.Len() > 0:
			return true
		case !strictly && takesFunc(t):
			return true
		}
	}
	for i := range results.Len() {
		t := results.At(i).Type()
		if isPointerTo(t, "net/http", "Request") || isPointerTo(t, "net/http", "Response") || isPointerTo(t, "net/http", "Client") ||
			isNamed(t, "net/http", "RoundTripper") || isNamed(t, "context", "CancelFunc") {
			return true
		}
		if !strictly && makes(t) {
			return true
		}
		if !strictly && holdsFunc(t) {
			return true
		}
	}
	if recv := sig.Recv(); !strictly && recv != nil && (results.Len() == 1 && implementsError(recv.Type()) || holdsFunc(recv.Type())) {
		return true // an error's Unwrap, Is, Timeout; what runs a function that it keeps
	}
	return false
}

func takesFunc(t types.Type) bool {
	_, ok := types.Unalias(t).Underlying().(*types.Signature)
	return ok
}

// isStatus says whether a parameter may be a response's status.
func isStatus(params *types.Tuple, i int) bool {
	b, ok := types.Unalias(params.At(i).Type()).(*types.Basic)
	return ok && b.Kind() == types.Int && params.Len() <= 2
}

// exportFacts writes out the code of functions for packages that import this one.
func (m *modeler) exportFacts() {
	c := &collection{m: m, in: map[*ir.Function]bool{}}
	for _, sh := range m.exports {
		fn := m.prog.fn(sh.fn)
		if fn == nil || !fn.HasBody() {
			continue
		}
		fn.Flags = 0
		if sh.sendful {
			fn.Flags |= flagSends
		}
		if sh.mayRetry || m.shapes.repeatsWhatItIsGiven(sh) {
			fn.Flags |= flagRepeats
		}
		if m.shapes.makes(sh) {
			fn.Flags |= flagMakes
		}
		if sh.derives || m.shapes.reaches(sh, func(x *shape) bool { return x.derives }) {
			fn.Flags |= flagDerives
		}
		if fn.Flags == 0 {
			fn.Flags = flagHelps
		}
		c.add(fn)
	}
	for i := 0; i < len(c.list); i++ {
		c.follow(c.list[i])
	}
	if len(c.list) == 0 {
		return
	}
	w := ir.Write(c.list, func(p token.Pos) token.Position { return m.pass.Fset.Position(p) }, definable)
	m.pass.ExportPackageFact(&CodeFact{Index: w.Index, Bodies: w.Bodies, Tables: c.tables(), Incomplete: c.cut})
}

// definable says which types are written out with their fields: those that
// export data does not have, and four of net/http, which an API may hide.
func definable(t *types.TypeName) bool {
	path := t.Pkg().Path()
	if path == "net/http" {
		switch t.Name() {
		case "Request", "Response", "Client", "Transport":
			return true
		}
	}
	return !t.Exported() && !standardPath(path)
}

// collection is the functions that are written out.
type collection struct {
	m    *modeler
	list []*ir.Function
	in   map[*ir.Function]bool
	size int
	// foreign is the part of size that is other packages'.
	foreign int
	cut     bool
}

func (c *collection) add(fn *ir.Function) {
	fn = fn.Outermost()
	if c.in[fn] || !fn.HasBody() {
		return
	}
	c.in[fn] = true
	n := sizeOf(fn)
	if n > maxOne || c.size+n > maxSize || len(c.list) == maxExported {
		c.cut = true
		return
	}
	if !fn.Local {
		if c.foreign+n > maxForeign {
			c.cut = true
			return
		}
		c.foreign += n
	}
	c.size += n
	c.list = append(c.list, fn)
}

func sizeOf(fn *ir.Function) int {
	n := 0
	for _, b := range fn.Blocks() {
		n += len(b.Nodes)
	}
	for _, a := range fn.AnonFuncs {
		n += sizeOf(a)
	}
	return n
}

// follow adds what a function needs: code of other packages, wrappers that
// the compiler makes, functions of this package that no other names.
func (c *collection) follow(fn *ir.Function) {
	fn.Nodes(func(n *ir.Node) {
		for _, x := range n.Operands(nil) {
			if x.Op == ir.Func {
				c.need(x.Fn)
			}
		}
		if n.Op == ir.MakeClosure {
			c.need(n.Fn)
		}
	})
	for _, a := range fn.AnonFuncs {
		c.follow(a)
	}
}

// tables are the constants that the functions read from package variables.
func (c *collection) tables() []Table {
	by := map[string]Table{}
	for _, fn := range c.list {
		c.tablesIn(fn, by)
	}
	var out []Table
	for _, name := range slices.Sorted(maps.Keys(by)) {
		out = append(out, by[name])
	}
	return out
}

func (c *collection) tablesIn(fn *ir.Function, by map[string]Table) {
	fn.Nodes(func(n *ir.Node) {
		for _, x := range n.Operands(nil) {
			if x.Op != ir.GlobalAddr {
				continue
			}
			name := x.Global.Full()
			if k := c.m.constant(x.Global); k != nil {
				by[name] = Table{Name: name, Single: true, Zero: encodeConst(k)}
			} else if t, ok := c.m.table(x.Global); ok && len(t.keys) <= maxTable {
				by[name] = t.export(name)
			}
		}
	})
	for _, a := range fn.AnonFuncs {
		c.tablesIn(a, by)
	}
}

func (c *collection) need(fn *ir.Function) {
	if !fn.Local || fn.Synthetic != "" {
		c.add(fn)
	}
}
