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
	sender *sender
	// back says that it is the value that leads to it which is so deep in the
	// template, counted from its root, less one; 0 if it is not. A client and its
	// services lead to each other.
	back int
	// alts are what it is one of, where the way through the code that keeps it
	// decides; nothing else is set then.
	alts   []*template
	global *ir.Global
	// timeout is the Timeout of an http.Client.
	timeout *setAt
}

// Bounds of templates: in depth, and in values.
const (
	maxDepth  = 6
	maxValues = 60
	// of slices
	maxElements = 8
)

// templateOf describes a value in a memory.
func templateOf(v *flow.Value, w *flow.World) *template {
	d := &describer{w: w, left: maxValues, inside: map[uint64]int{}}
	return d.describe(v, 0)
}

// describer makes one template.
type describer struct {
	w      *flow.World
	left   int
	inside map[uint64]int // structs that are being described, and how deep: they may lead to themselves
}

func (d *describer) describe(v *flow.Value, depth int) *template {
	w := d.w
	t := &template{kind: v.Kind, c: v.C, fn: v.Fn, typ: v.Type, dyn: v.Dyn, global: v.Global, sender: senderOf(w, v)}
	if n := w.Marked(flow.Mix(v.Sym, timeoutNote)); n != nil {
		t.timeout, _ = n.Obj.(*setAt)
	}
	at, inside := d.inside[v.Sym]
	if inside && v.Kind == flow.Pointer {
		return &template{kind: v.Kind, dyn: v.Dyn, typ: v.Type, back: at + 1}
	}
	if d.left--; depth > maxDepth || d.left < 0 || inside {
		return &template{dyn: v.Dyn, typ: v.Type, open: true}
	}
	if v.Kind == flow.Pointer || v.Kind == flow.Struct {
		d.inside[v.Sym] = depth
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
	return t != nil && (len(t.alts) > 0 || t.sender != nil || t.kind != flow.Unknown && t.kind != flow.NonNil || t.dyn != nil)
}

// join returns what two templates have in common; nil for nothing.
func (t *template) join(o *template) *template {
	if t.alternative() && o.alternative() && (len(t.alts)+len(o.alts) > 0 || !sameType(t.dyn, o.dyn)) {
		return t.either(o)
	}
	switch {
	case t == nil || o == nil || len(t.alts)+len(o.alts) > 0 || t.kind != o.kind || t.fn != o.fn || t.slice != o.slice || t.back != o.back || t.global != o.global || !sameType(t.dyn, o.dyn) || !sameType(t.typ, o.typ) || len(t.elems) != len(o.elems):
		return nil
	case t.kind == flow.Const:
		if t.c.Kind() != o.c.Kind() || t.c.ExactString() != o.c.ExactString() {
			return nil
		}
		return t
	}
	j := *t
	j.open = t.open || o.open
	j.sender = joinSenders(t.sender, o.sender)
	switch {
	case t.timeout != nil && o.timeout != nil:
		j.timeout = &setAt{t.timeout.bound.join(o.timeout.bound)}
	case t.timeout != o.timeout:
		j.timeout = &setAt{unknown(totalName, "a setting decides")}
	}
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

// maxAlternatives bounds what a value may be one of.
const maxAlternatives = 3

// alternative says whether a template is worth keeping beside another that has
// nothing in common with it: a value in an interface whose methods are known.
func (t *template) alternative() bool {
	return t != nil && (len(t.alts) > 0 || t.dyn != nil && (t.kind == flow.Pointer || t.kind == flow.Struct))
}

// either keeps both of two templates; nil if that is too many.
func (t *template) either(o *template) *template {
	var alts []*template
	for _, x := range []*template{t, o} {
		list := x.alts
		if list == nil {
			list = []*template{x}
		}
	next:
		for _, y := range list {
			for i, z := range alts {
				if sameType(y.dyn, z.dyn) {
					j := y.join(z)
					if j == nil {
						return nil
					}
					alts[i] = j
					continue next
				}
			}
			alts = append(alts, y)
		}
	}
	if len(alts) > maxAlternatives {
		return nil
	}
	return &template{alts: alts, open: true}
}

func sameType(a, b types.Type) bool {
	return a == nil && b == nil || a != nil && b != nil && types.Identical(a, b)
}

// value makes a value of a template, under the identity sym, in a memory.
func (t *template) value(sym uint64, w *flow.World) *flow.Value {
	return (&maker{w: w}).value(t, sym)
}

// maker makes a value of a template. It knows what leads to what it makes.
type maker struct {
	w    *flow.World
	path []*flow.Value
}

func (k *maker) value(t *template, sym uint64) *flow.Value {
	if len(t.alts) > 0 {
		var of []*flow.Value
		for i, a := range t.alts {
			of = append(of, k.value(a, flow.Mix(sym, uint64(i)+11)))
		}
		return flow.OneOfValues(sym, flow.Config, of)
	}
	if t.back > 0 {
		if t.back > len(k.path) {
			return flow.UnknownValue(sym, flow.Config)
		}
		v := *k.path[t.back-1]
		v.Kind, v.Type, v.Dyn = t.kind, t.typ, t.dyn
		return &v
	}
	v := t.alone(sym)
	if t.sender != nil && v.Obj == nil {
		v.Obj = t.sender
	}
	k.noteTimeout(t, v)
	k.path = append(k.path, v)
	defer func() { k.path = k.path[:len(k.path)-1] }()
	switch t.kind {
	case flow.Func:
		for i, e := range t.elems {
			v.Elems = append(v.Elems, k.value(e, flow.Mix(sym, uint64(i)+7)))
		}
	case flow.Pointer, flow.Struct:
		k.fill(t, sym, sym)
		if t.cell != nil {
			k.w.Set(sym, sym, k.value(t.cell, flow.Mix(sym, 5)))
		}
	default:
		if !t.slice {
			break
		}
		for i, e := range t.elems {
			at := flow.ElementAddr(sym, i)
			k.w.Set(at, sym, k.value(e, flow.Mix(at, 3)))
		}
	}
	return v
}

// alone makes the value without what it leads to.
func (t *template) alone(sym uint64) *flow.Value {
	switch t.kind {
	case flow.Const:
		v := *flow.ConstValue(t.c)
		v.Dyn = t.dyn
		return &v
	case flow.Nil:
		return flow.NilValue()
	case flow.Func:
		return &flow.Value{Kind: flow.Func, Fn: t.fn, Sym: flow.Mix(sym, flow.HashString(t.fn.ID)), Dyn: t.dyn}
	case flow.Pointer, flow.Struct:
		v := &flow.Value{Kind: t.kind, Sym: sym, Root: sym, Fresh: !t.open, Type: t.typ, Dyn: t.dyn, Global: t.global}
		if t.open {
			v.Taint = flow.Config
		}
		return v
	}
	v := flow.UnknownValue(sym, flow.Config)
	v.Kind, v.Dyn, v.Type, v.Root = t.kind, t.dyn, t.typ, sym
	if t.slice {
		v.Obj = flow.SliceLen(len(t.elems))
	}
	if t.dyn != nil && t.kind == flow.Unknown {
		v.Kind = receiverKind(t.dyn)
		v.Type = t.dyn
	}
	return v
}

// fill writes the fields of a struct, which may be inside another.
func (k *maker) fill(t *template, addr, root uint64) {
	for i, f := range t.fields {
		at := flow.FieldAddr(addr, i)
		if f.kind == flow.Struct && f.dyn == nil {
			part := &flow.Value{Kind: flow.Struct, Sym: at, Root: root, Fresh: !f.open, Type: f.typ}
			if f.sender != nil {
				markSender(k.w, part, f.sender)
			}
			k.noteTimeout(f, part)
			k.path = append(k.path, part)
			k.fill(f, at, root)
			k.path = k.path[:len(k.path)-1]
			continue
		}
		k.w.Set(at, root, k.value(f, flow.Mix(at, 3)))
	}
}

// noteTimeout gives a client that is made again the bound that its Timeout is.
func (k *maker) noteTimeout(t *template, v *flow.Value) {
	if t.timeout != nil {
		k.w.MarkOn(v, flow.Mix(v.Sym, timeoutNote), &flow.Value{Kind: flow.NonNil, Sym: timeoutNote, Obj: t.timeout})
	}
}
