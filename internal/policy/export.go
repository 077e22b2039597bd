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

	// Of a package in which more functions than these send, and are generated,
	// none of them is written out: an SDK of a service with all its operations,
	// whose layers are interfaces that running the code does not see through.
	maxGenerated = 80
)

// exportFacts writes out the code of functions for packages that import this one.
func (m *modeler) exportFacts() {
	c := &collection{m: m, in: map[*ir.Function]bool{}}
	for _, sh := range m.exports {
		fn := m.prog.fn(sh.fn)
		if fn == nil || !fn.HasBody() {
			continue
		}
		fn.Flags = 0
		if m.shapes.reallySends(sh) {
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
		if sh.fn.Name() == "RoundTrip" && isExchange(sh.fn.Signature()) && m.shapes.setsKey(sh) {
			fn.Flags |= flagKeys
		}
		if sh.breaker.hands {
			fn.Flags |= flagBreaks
		}
		if m.shapes.limits && m.shapes.nearLimit(sh, 2) && takesNumber(sh.fn.Signature()) {
			fn.Flags |= flagLimits
		}
		if m.shapes.handsClient(sh) {
			fn.Flags |= flagClient
		}
		if m.readsPieces(sh) && takesReader(sh.fn.Signature()) {
			fn.Flags |= flagReads
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
// export data does not have, four of net/http, which an API may hide, and the
// error that its client returns.
func definable(t *types.TypeName) bool {
	path := t.Pkg().Path()
	switch path {
	case "net/http":
		switch t.Name() {
		case "Request", "Response", "Client", "Transport":
			return true
		}
	case "net/url":
		return t.Name() == "Error"
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
		switch n.Op {
		case ir.MakeClosure:
			c.need(n.Fn)
		case ir.MakeInterface:
			// A transport that is put under a client is called by nobody's name.
			if fn := c.m.prog.lookup(n.X.Type, roundTrip()); fn != nil && fn.HasBody() && isExchange(fn.Signature) {
				c.need(fn)
			}
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
