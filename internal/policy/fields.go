package policy

import (
	"go/constant"
	"go/types"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// A template is what is known of a value that a package keeps in a field or a
// package variable: enough to make it again where the field is read.
type template struct {
	kind   flow.Kind
	c      constant.Value
	fn     *ir.Function
	elems  []*template // what a closure captures, or the elements of a slice
	slice  bool
	cell   *template // what a pointer to a variable leads to
	typ    types.Type
	dyn    types.Type
	fields map[int]*template
	open   bool // there is more that is not known
	global *ir.Global
}

// kept is what is known of fields and package variables.
type kept struct {
	fields  map[fieldKey]*template
	globals map[*ir.Global]*template
	unknown map[fieldKey]bool // stored to where no run went
}

// Bounds of templates: in depth, and in values.
const (
	maxDepth  = 4
	maxValues = 60
	// of slices
	maxElements = 8
)

// templateOf describes a value in a memory.
func templateOf(v *flow.Value, w *flow.World) *template {
	d := &describer{w: w, left: maxValues, inside: map[uint64]bool{}}
	return d.describe(v, 0)
}

// describer makes one template.
type describer struct {
	w      *flow.World
	left   int
	inside map[uint64]bool // structs that are being described: they may lead to themselves
}

func (d *describer) describe(v *flow.Value, depth int) *template {
	w := d.w
	t := &template{kind: v.Kind, c: v.C, fn: v.Fn, typ: v.Type, dyn: v.Dyn, global: v.Global}
	if d.left--; depth > maxDepth || d.left < 0 || d.inside[v.Sym] {
		return &template{dyn: v.Dyn, typ: v.Type, open: true}
	}
	if v.Kind == flow.Pointer || v.Kind == flow.Struct {
		d.inside[v.Sym] = true
		defer delete(d.inside, v.Sym)
	}
	switch v.Kind {
	case flow.Const, flow.Nil:
	case flow.Func:
		for _, e := range v.Elems {
			t.elems = append(t.elems, d.describe(e, depth+1))
		}
	case flow.Pointer, flow.Struct:
		t.open = !v.Fresh || w.Filled(v.Root)
		if st := structOf(v.Type); st != nil {
			t.fields = map[int]*template{}
			for i := range st.NumFields() {
				addr := flow.FieldAddr(v.Sym, i)
				if x := w.Get(addr); x != nil {
					t.fields[i] = d.describe(x, depth+1)
				} else if inner, ok := types.Unalias(st.Field(i).Type()).Underlying().(*types.Struct); ok {
					t.fields[i] = d.describe(&flow.Value{Kind: flow.Struct, Sym: addr, Root: v.Root, Fresh: v.Fresh, Type: inner}, depth+1)
				}
			}
		} else if x := w.Get(v.Sym); x != nil {
			t.cell = d.describe(x, depth+1)
		}
	default:
		if n, ok := v.Obj.(flow.SliceLen); ok && v.Kind == flow.NonNil && n <= maxElements {
			t.slice = true
			for i := range int(n) {
				e := &template{open: true}
				if x := w.Get(flow.ElementAddr(v.Sym, i)); x != nil {
					e = d.describe(x, depth+1)
				}
				t.elems = append(t.elems, e)
			}
			break
		}
		t.kind, t.open = flow.Unknown, true
		if v.Kind == flow.NonNil {
			t.kind = flow.NonNil
		}
	}
	return t
}

func structOf(t types.Type) *types.Struct {
	if t == nil {
		return nil
	}
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, _ := types.Unalias(t).Underlying().(*types.Struct)
	return st
}

// tells says whether a template knows more than that there is a value.
func (t *template) tells() bool {
	return t != nil && (t.kind != flow.Unknown && t.kind != flow.NonNil || t.dyn != nil)
}

// join returns what two templates have in common; nil for nothing.
func (t *template) join(o *template) *template {
	switch {
	case t == nil || o == nil || t.kind != o.kind || t.fn != o.fn || t.slice != o.slice || t.global != o.global || !sameType(t.dyn, o.dyn) || !sameType(t.typ, o.typ) || len(t.elems) != len(o.elems):
		return nil
	case t.kind == flow.Const:
		if t.c.Kind() != o.c.Kind() || t.c.ExactString() != o.c.ExactString() {
			return nil
		}
		return t
	}
	j := *t
	j.open = t.open || o.open
	j.elems, j.fields = nil, nil
	unknown := &template{open: true}
	for i := range t.elems {
		e := t.elems[i].join(o.elems[i])
		if e == nil {
			e = unknown
		}
		j.elems = append(j.elems, e)
	}
	if t.cell != nil || o.cell != nil {
		if j.cell = t.cell.join(o.cell); j.cell == nil {
			j.cell = unknown
		}
	}
	if t.fields != nil || o.fields != nil {
		j.fields = map[int]*template{}
		for _, fs := range []map[int]*template{t.fields, o.fields} {
			for i := range fs {
				x := t.fields[i].join(o.fields[i])
				if x == nil {
					x = unknown
				}
				j.fields[i] = x
			}
		}
	}
	return &j
}

func sameType(a, b types.Type) bool {
	return a == nil && b == nil || a != nil && b != nil && types.Identical(a, b)
}

// value makes a value of a template, under the identity sym, in a memory.
func (t *template) value(sym uint64, w *flow.World) *flow.Value {
	switch t.kind {
	case flow.Const:
		v := *flow.ConstValue(t.c)
		v.Dyn = t.dyn
		return &v
	case flow.Nil:
		return flow.NilValue()
	case flow.Func:
		v := &flow.Value{Kind: flow.Func, Fn: t.fn, Sym: flow.Mix(sym, flow.HashString(t.fn.ID)), Dyn: t.dyn}
		for i, e := range t.elems {
			v.Elems = append(v.Elems, e.value(flow.Mix(sym, uint64(i)+7), w))
		}
		return v
	case flow.Pointer, flow.Struct:
		v := &flow.Value{Kind: t.kind, Sym: sym, Root: sym, Fresh: !t.open, Type: t.typ, Dyn: t.dyn, Global: t.global}
		if t.open {
			v.Taint = flow.Config
		}
		for i, f := range t.fields {
			addr := flow.FieldAddr(sym, i)
			if f.kind == flow.Struct && f.dyn == nil {
				f.fill(addr, sym, w)
				continue
			}
			w.Set(addr, sym, f.value(flow.Mix(addr, 3), w))
		}
		if t.cell != nil {
			w.Set(sym, sym, t.cell.value(flow.Mix(sym, 5), w))
		}
		return v
	}
	v := flow.UnknownValue(sym, flow.Config)
	v.Kind, v.Dyn, v.Type, v.Root = t.kind, t.dyn, t.typ, sym
	if t.slice {
		v.Obj = flow.SliceLen(len(t.elems))
		for i, e := range t.elems {
			at := flow.ElementAddr(sym, i)
			w.Set(at, sym, e.value(flow.Mix(at, 3), w))
		}
	}
	if t.dyn != nil && t.kind == flow.Unknown {
		v.Kind = receiverKind(t.dyn)
		v.Type = t.dyn
	}
	return v
}

// fill writes the fields of a struct inside another.
func (t *template) fill(addr, root uint64, w *flow.World) {
	for i, f := range t.fields {
		at := flow.FieldAddr(addr, i)
		if f.kind == flow.Struct && f.dyn == nil {
			f.fill(at, root, w)
			continue
		}
		w.Set(at, root, f.value(flow.Mix(at, 3), w))
	}
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
func (r *recorder) Stored(_ *flow.Frame, at *ir.Node, addr, _ *flow.Value, w *flow.World) {
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
