package policy

import (
	"go/types"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// kept is what is known of fields and package variables.
type kept struct {
	fields  map[fieldKey]*template
	globals map[*ir.Global]*template
	unknown map[fieldKey]bool // stored to where no run went
}

// recorder is a probe that notes which fields of this package's structs are
// stored to, and describes at the end of every path what they hold.
type recorder struct {
	probe
	found map[fieldKey]*template
	seen  map[fieldKey]bool
	glob  map[*ir.Global]*template
}

// stores is the state of a recorder's path: the fields stored to.
type stores struct {
	addr *flow.Value
	key  fieldKey
	next *stores
}

// Stored notes a field.
func (r *recorder) Stored(f *flow.Frame, at *ir.Node, addr, v *flow.Value, w *flow.World) {
	r.probe.Stored(f, at, addr, v, w)
	if at.Op == ir.Send {
		return
	}
	if addr.Global != nil {
		old, _ := w.State.(*stores)
		w.State, w.StateHash = &stores{addr, fieldKey{}, old}, flow.Mix(w.StateHash, addr.Sym)
		return
	}
	if addr.Base == nil || addr.Base.Type == nil || !addr.Fresh {
		return
	}
	t := addr.Base.Type
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() != r.m.pass.Pkg {
		return
	}
	old, _ := w.State.(*stores)
	for s := old; s != nil; s = s.next {
		if s.addr.Sym == addr.Sym {
			return
		}
	}
	w.State, w.StateHash = &stores{addr, fieldKey{typeKey(n.Origin()), addr.Field}, old}, flow.Mix(w.StateHash, addr.Sym)
}

// Return describes what the fields hold.
func (r *recorder) Return(w *flow.World) flow.Result {
	s, _ := w.State.(*stores)
	for ; s != nil; s = s.next {
		v := w.Get(s.addr.Sym)
		t := &template{open: true}
		if v != nil {
			t = templateOf(v, w)
		} else if st := structOf(s.addr.Type); st != nil {
			t = templateOf(&flow.Value{Kind: flow.Struct, Sym: s.addr.Sym, Root: s.addr.Root, Fresh: s.addr.Fresh, Type: st}, w)
		}
		if s.addr.Global != nil {
			r.glob[s.addr.Global] = t // the initializer has one path
			continue
		}
		if !r.seen[s.key] {
			r.seen[s.key], r.found[s.key] = true, t
		} else {
			r.found[s.key] = r.found[s.key].join(t)
		}
	}
	return flow.Result{}
}

func (r *recorder) Join(_ flow.Branch, a, _ flow.Result) flow.Result { return a }

func (r *recorder) Branch(*flow.Frame, *flow.Value, *flow.World) flow.Branch { return flow.Either }

// Call does not send: a constructor that does is no plain constructor.
func (r *recorder) Call(c *flow.Call) flow.Action {
	if _, ok := r.sendOf(c); ok {
		return flow.Action{Handled: true, Value: r.External(c)}
	}
	return r.probe.Call(c)
}

// recordLimits bound the run of a constructor.
var recordLimits = flow.Limits{Steps: 800, Depth: 8, Visits: 8}

// keep runs the functions that fill structs of this package, and the
// initializer of its variables, and notes what they keep.
func (m *modeler) keep() *kept {
	if m.kept != nil {
		return m.kept
	}
	m.kept = &kept{} // while it is being made nothing is known
	r := &recorder{probe: probe{m: m, outcome: success, assume: "POST"}, found: map[fieldKey]*template{}, seen: map[fieldKey]bool{}, glob: map[*ir.Global]*template{}}
	unknown := map[fieldKey]bool{}
	ran := map[*ir.Function]bool{}
	run := func(fn *ir.Function) bool {
		ran[fn] = true
		mach := &flow.Machine{Domain: r, Limits: recordLimits, Lookup: m.prog.lookup, Inline: m.inline, Index: m.index}
		params := make([]*flow.Value, len(fn.Params))
		for i, prm := range fn.Params {
			params[i] = m.parameter(fn, prm, i, &r.probe)
		}
		start := flow.NewWorld()
		mach.Run(fn, append(params, m.captured(fn, &r.probe, start)...), start)
		m.steps += mach.Steps
		return !mach.Exhausted
	}
	for _, s := range m.shapes.order {
		fn := m.prog.fn(s.fn)
		if fn == nil || !s.fills || !fn.HasBody() {
			continue
		}
		ok := run(fn)
		m.storedIn(fn, func(k fieldKey, fresh bool) {
			if !ok || !fresh {
				unknown[k] = true
			}
		})
	}
	init := m.prog.ir.Of(m.prog.pkg.Func("init"))
	if n := sizeOf(init); n > 0 && n < 4000 && !run(init) {
		clear(r.glob)
	}
	m.kept = &kept{fields: r.found, globals: r.glob, unknown: unknown}
	return m.kept
}

// storedIn calls note for every field of a struct of this package that a
// function, or a literal in it, stores to; fresh says whether the struct may be
// one that the function makes itself.
func (m *modeler) storedIn(fn *ir.Function, note func(k fieldKey, fresh bool)) {
	fn.Nodes(func(n *ir.Node) {
		if n.Op != ir.Store || n.X.Op != ir.FieldAddr {
			return
		}
		t := n.X.X.Type
		if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		if named, ok := types.Unalias(t).(*types.Named); ok {
			base := n.X.X
			// Of a parameter, a captured variable or a field: somebody else's.
			fresh := base.Op == ir.Alloc || base.Op == ir.Phi || base.Op == ir.Call || base.Op == ir.Extract || base.Op == ir.UnOp && base.X.Op == ir.Alloc ||
				base.Op == ir.FieldAddr
			note(fieldKey{typeKey(named.Origin()), n.X.N}, fresh)
		}
	})
	for _, a := range fn.AnonFuncs {
		m.storedIn(a, note)
	}
}

// keptIn returns what a field of a struct of this package is known to hold.
func (m *modeler) keptIn(st types.Type, field int) *template {
	n, ok := derefNamed(st)
	if !ok || n.Obj().Pkg() != m.pass.Pkg {
		return nil
	}
	u, ok := n.Underlying().(*types.Struct)
	if !ok || field >= u.NumFields() {
		return nil
	}
	if f := u.Field(field); f.Exported() && n.Obj().Exported() && m.pass.Pkg.Name() != "main" {
		return nil // other packages may set it
	}
	k := fieldKey{typeKey(n.Origin()), field}
	kept := m.keep()
	if kept.unknown[k] {
		return nil
	}
	if t := kept.fields[k]; t.tells() {
		return t
	}
	return nil
}
