package flow

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// val returns what is known of an operand.
func (m *Machine) val(f *Frame, env *environment, v *ir.Node) *Value {
	switch v.Op {
	case ir.Const:
		c := m.consts[v]
		if c == nil {
			c = zeroOrConst(v)
			m.consts[v] = c
		}
		return c
	case ir.GlobalAddr:
		id := Mix(m.id(v.Global), 5)
		return &Value{Kind: Pointer, Sym: id, Root: id, Taint: Config, Type: v.Type, Global: v.Global}
	case ir.Func:
		return &Value{Kind: Func, Fn: v.Fn, Sym: m.id(v.Fn)}
	case ir.Builtin:
		return UnknownValue(HashString(v.Name), 0)
	}
	if v.Place >= 0 && env.vals[v.Place] != nil {
		return env.vals[v.Place]
	}
	return UnknownValue(Mix(m.id(v), f.place), 0)
}

func zeroOrConst(c *ir.Node) *Value {
	if c.Const == nil {
		return Zero(c.Type)
	}
	return ConstValue(c.Const)
}

// Zero returns the zero value of a type.
func Zero(t types.Type) *Value {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return BoolValue(false)
		case u.Info()&types.IsString != 0:
			return StringValue("")
		case u.Info()&types.IsNumeric != 0:
			return IntValue(0)
		}
		return NilValue()
	case *types.Struct:
		return &Value{Kind: Struct, Sym: HashString(types.TypeString(t, nil)), Type: t, Fresh: true}
	case *types.Array, *types.Tuple:
		return UnknownValue(4, 0)
	}
	return NilValue()
}

func (m *Machine) eval(f *Frame, in *ir.Node, env *environment, w *World) *Value {
	switch in.Op {
	case ir.Alloc:
		sym := m.newVariable(f, in, env, w)
		w.Forget(sym)
		return &Value{Kind: Pointer, Sym: sym, Root: sym, Fresh: true, Type: in.Type}
	case ir.FieldAddr:
		base := m.val(f, env, in.X)
		return &Value{Kind: Pointer, Sym: FieldAddr(base.Sym, in.N), Root: root(base), Fresh: base.Fresh,
			Taint: base.Taint, Base: base, Field: in.N, Type: in.Type}
	case ir.IndexAddr:
		base, idx := m.val(f, env, in.X), m.val(f, env, in.Y)
		return &Value{Kind: Pointer, Sym: Mix(Mix(base.Sym, 7), idx.Sym), Root: root(base), Fresh: base.Fresh,
			Taint: base.Taint | idx.Taint, Type: in.Type}
	case ir.UnOp:
		return m.unop(f, in, env, w)
	case ir.BinOp:
		return m.binop(in, m.val(f, env, in.X), m.val(f, env, in.Y))
	case ir.Extract:
		t := m.val(f, env, in.X)
		if t.Kind == Tuple && in.N < len(t.Elems) {
			return t.Elems[in.N]
		}
		return UnknownValue(Mix(t.Sym, uint64(in.N)+11), t.Taint)
	case ir.ChangeType:
		return m.val(f, env, in.X)
	case ir.ChangeInterface:
		return m.val(f, env, in.X)
	case ir.Convert:
		return convert(m.val(f, env, in.X), in.Type)
	case ir.MakeInterface:
		c := *m.val(f, env, in.X)
		c.Dyn = in.X.Type
		if c.Kind == Nil { // an interface that holds a nil pointer is not nil
			c.Kind = NonNil
		}
		return &c
	case ir.TypeAssert:
		return m.assert(m.val(f, env, in.X), in, w)
	case ir.MakeClosure:
		fv := &Value{Kind: Func, Fn: in.Fn, Sym: m.id(in.Fn)}
		for _, b := range in.Args {
			x := m.val(f, env, b)
			fv.Elems = append(fv.Elems, x)
			fv.Sym = Mix(fv.Sym, x.Sym)
			fv.Taint |= x.Taint
		}
		return fv
	case ir.Field:
		x := m.val(f, env, in.X)
		if v := w.Get(FieldAddr(x.Sym, in.N)); v != nil {
			return v
		}
		if x.Kind == Struct && x.Fresh {
			return Zero(in.Type)
		}
		return m.initial(&Value{Kind: Pointer, Sym: FieldAddr(x.Sym, in.N), Root: x.Sym, Taint: x.Taint, Base: x, Field: in.N}, in.Type, w)
	case ir.MakeMap, ir.MakeSlice, ir.MakeChan:
		sym := Mix(m.id(in), f.place)
		return &Value{Kind: NonNil, Sym: sym, Root: sym, Type: in.Type}
	case ir.Slice:
		x := m.val(f, env, in.X)
		v := &Value{Kind: NonNil, Sym: Mix(x.Sym, 13), Root: root(x), Taint: x.Taint, Fresh: x.Fresh, Base: x}
		if in.Y != nil || in.Z != nil {
			v.Sym = Mix(v.Sym, m.id(in))
			if in.Y != nil {
				v.Sym = Mix(v.Sym, m.val(f, env, in.Y).Sym)
			}
			if in.Z != nil {
				v.Sym = Mix(v.Sym, m.val(f, env, in.Z).Sym)
			}
			return v
		}
		if n, ok := arrayLen(in.X.Type); ok {
			v.Obj = SliceLen(n)
			v.Type = in.Type
			v.Sym = x.Sym // its elements are the array's
		}
		return v
	case ir.Range:
		x := m.val(f, env, in.X)
		return &Value{Kind: NonNil, Sym: Mix(x.Sym, 53), Taint: x.Taint, Obj: ranged{x}}
	case ir.Next:
		it := m.val(f, env, in.X)
		if r, ok := it.Obj.(ranged); ok && r.over.Kind == Nil {
			return TupleValue(BoolValue(false), UnknownValue(1, 0), UnknownValue(1, 0))
		}
		v := m.fresh(f, in, env, Element|Each|it.Taint)
		return TupleValue(UnknownValue(Mix(v.Sym, 11), Element|Each), UnknownValue(Mix(v.Sym, 12), v.Taint), UnknownValue(Mix(v.Sym, 13), v.Taint))
	case ir.Select:
		for _, a := range in.Args {
			m.keep(m.val(f, env, a), w)
		}
		if s, ok := m.Domain.(Selector); ok {
			args := make([]*Value, len(in.Args))
			for i, a := range in.Args {
				args[i] = m.val(f, env, a)
			}
			s.Selected(f, in, args, w)
		}
		return m.fresh(f, in, env, Element) // what is received
	case ir.Lookup:
		return m.lookup(f, in, env, w)
	}
	return m.opaque(f, in, env, w)
}

// newVariable names the variable that an instruction makes: the same each time,
// so that rounds of a loop are alike, but not while the one before is held.
func (m *Machine) newVariable(f *Frame, in *ir.Node, env *environment, w *World) uint64 {
	sym := Mix(m.id(in), f.place)
	for n := range uint64(2) {
		if !m.held(sym, f, in, env, w) {
			break
		}
		sym = Mix(Mix(m.id(in), f.place), n+1)
		m.places[sym] = Mix(m.id(in), f.place)
	}
	return sym
}

// place names where a variable is made, whichever of those made there it is.
func (m *Machine) place(v *Value) uint64 {
	if at, ok := m.places[v.Sym]; ok {
		return at
	}
	if v.Kind == Pointer && v.Base != nil {
		return FieldAddr(m.place(v.Base), v.Field)
	}
	return v.Sym
}

// held says whether something else leads to a variable.
func (m *Machine) held(sym uint64, f *Frame, in *ir.Node, env *environment, w *World) bool {
	used, held := false, false
	for _, c := range w.cells.entries {
		if c.root == sym {
			used = true
		} else if c.v.Root == sym && c.v.Kind == Pointer {
			held = true
		}
	}
	if !used || held {
		return used
	}
	live := f.nums.live[in.Block.Index]
	for i, v := range env.vals {
		if v != nil && i != in.Place && v.Kind == Pointer && v.Root == sym && live.has(i) {
			return true
		}
	}
	return false
}

// opaque names a value by its operation and operands.
func (m *Machine) opaque(f *Frame, in *ir.Node, env *environment, w *World) *Value {
	sym := m.id(in)
	var t Taint
	for _, op := range in.Operands(nil) {
		v := m.val(f, env, op)
		m.keep(v, w)
		sym = Mix(sym, m.identity(v, w, 0))
		t |= v.Taint
	}
	return UnknownValue(sym, t)
}

// fresh names a value that differs each time it is made.
func (m *Machine) fresh(f *Frame, in *ir.Node, env *environment, t Taint) *Value {
	return UnknownValue(Mix(Mix(m.id(in), f.place), uint64(env.visits[in.Block.Index])), t)
}

func root(v *Value) uint64 {
	if v.Kind == Pointer || v.Root != 0 {
		return v.Root
	}
	return v.Sym
}

func arrayLen(t types.Type) (int64, bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		if a, ok := p.Elem().Underlying().(*types.Array); ok {
			return a.Len(), true
		}
	}
	return 0, false
}

func (m *Machine) unop(f *Frame, in *ir.Node, env *environment, w *World) *Value {
	x := m.val(f, env, in.X)
	switch token.Token(in.N) {
	case token.MUL:
		return m.load(x, in.Type, w)
	case token.ARROW:
		v := m.fresh(f, in, env, Element|x.Taint)
		if in.CommaOk {
			return TupleValue(v, UnknownValue(Mix(v.Sym, 17), 0))
		}
		return v
	case token.NOT:
		return not(x)
	}
	if x.Kind == Const {
		if c := constant.UnaryOp(token.Token(in.N), x.C, 0); c.Kind() != constant.Unknown {
			return ConstValue(c).With(x.Taint)
		}
	}
	return UnknownValue(Mix(x.Sym, uint64(in.N)+100), x.Taint)
}

func (m *Machine) load(addr *Value, t types.Type, w *World) *Value {
	if v := w.Get(addr.Sym); v != nil {
		return v
	}
	if by := w.Get(Mix(addr.Root, havocSalt)); by != nil && addr.Root != 0 {
		return UnknownValue(Mix(addr.Sym, by.Sym), addr.Taint|by.Taint)
	}
	if _, ok := types.Unalias(t).Underlying().(*types.Struct); ok {
		return &Value{Kind: Struct, Sym: addr.Sym, Root: addr.Root, Type: t, Taint: addr.Taint, Fresh: addr.Fresh}
	}
	if addr.Fresh {
		return Zero(t)
	}
	return m.initial(addr, t, w)
}

// initial returns the value of a variable that nothing on the path has set.
func (m *Machine) initial(addr *Value, t types.Type, w *World) *Value {
	if v := m.Domain.Field(addr, t, w); v != nil {
		return v
	}
	v := UnknownValue(Mix(addr.Sym, 19), addr.Taint)
	v.Global = addr.Global
	return v
}

func (m *Machine) store(addr, v *Value, w *World) {
	if t := pointee(addr.Type); t != nil && v.Kind == Unknown && v.Obj == nil {
		if _, ok := types.Unalias(t).Underlying().(*types.Struct); ok {
			// One of which nothing is known, such as what a channel gives, has fields all the same.
			v = &Value{Kind: Struct, Sym: v.Sym, Root: v.Sym, Taint: v.Taint, Type: t, Global: v.Global}
		}
	}
	if v.Kind == Struct && v.Type != nil && !keepsWhole(addr, v) {
		if st, ok := v.Type.Underlying().(*types.Struct); ok {
			m.copyFields(addr, v, st, w, 0)
			return
		}
	}
	w.cells.set(addr.Sym, cell{v, addr.Root, w.roundOf(addr.Taint)})
}

// keepsWhole says whether a struct that is stored stays one value, as it does
// in a variable of an interface type.
func keepsWhole(addr, v *Value) bool {
	if t := pointee(addr.Type); t != nil {
		return types.IsInterface(t)
	}
	return v.Dyn != nil
}

func (m *Machine) copyFields(addr, v *Value, st *types.Struct, w *World, depth int) {
	if addr.Sym == v.Sym || depth > 3 {
		return
	}
	if by := w.Get(Mix(v.Root, havocSalt)); by != nil && v.Root != 0 {
		w.Set(Mix(addr.Root, havocSalt), addr.Root, by)
	}
	for i := range st.NumFields() {
		t := st.Field(i).Type()
		from, to := FieldAddr(v.Sym, i), FieldAddr(addr.Sym, i)
		if inner, ok := types.Unalias(t).Underlying().(*types.Struct); ok {
			m.copyFields(&Value{Sym: to, Root: addr.Root, Taint: addr.Taint}, &Value{Sym: from, Root: v.Root, Fresh: v.Fresh, Taint: v.Taint}, inner, w, depth+1)
			continue
		}
		x := w.Get(from)
		if x == nil {
			if v.Fresh {
				x = Zero(t)
			} else {
				x = m.initial(&Value{Kind: Pointer, Sym: from, Root: v.Root, Taint: v.Taint, Base: v, Field: i}, t, w)
			}
		}
		w.cells.set(to, cell{x, addr.Root, w.roundOf(addr.Taint)})
	}
}

func (m *Machine) mapUpdate(f *Frame, in *ir.Node, env *environment, w *World) {
	mp, key, v := m.val(f, env, in.X), m.val(f, env, in.Y), m.val(f, env, in.Z)
	w.cells.set(Mix(Mix(mp.Sym, 23), key.Sym), cell{v, root(mp), w.roundOf(key.Taint)})
	if d, ok := m.Domain.(interface {
		MapUpdate(mp, key, v *Value, w *World)
	}); ok {
		d.MapUpdate(mp, key, v, w)
	}
}

func (m *Machine) lookup(f *Frame, in *ir.Node, env *environment, w *World) *Value {
	x, key := m.val(f, env, in.X), m.val(f, env, in.Y)
	v := w.Get(Mix(Mix(x.Sym, 23), key.Sym))
	ok := UnknownValue(Mix(Mix(x.Sym, 29), key.Sym), x.Taint|key.Taint)
	if v != nil {
		ok = BoolValue(true)
	} else if d, is := m.Domain.(interface {
		MapLookup(mp, key *Value, w *World) (*Value, bool)
	}); is {
		if found, present := d.MapLookup(x, key, w); found != nil {
			v, ok = found, BoolValue(present).With(key.Taint)
		}
	}
	if v == nil {
		v = UnknownValue(Mix(Mix(x.Sym, 31), key.Sym), x.Taint|key.Taint)
	}
	if in.CommaOk {
		return TupleValue(v, ok)
	}
	return v
}

func (m *Machine) assert(x *Value, in *ir.Node, w *World) *Value {
	ok := -1
	res := x
	if x.Kind == Nil {
		ok = 0
	} else if x.Dyn != nil {
		ok = 0
		if it, is := types.Unalias(in.Type).Underlying().(*types.Interface); is {
			if types.Implements(x.Dyn, it) {
				ok = 1
			}
		} else if types.Identical(x.Dyn, in.Type) {
			ok = 1
		}
	} else if v, known := m.Domain.Assert(x, in.Type, w); known >= 0 {
		ok = known
		if v != nil {
			res = v
		}
	}
	if ok < 0 {
		res = &Value{Sym: Mix(x.Sym, m.id(in)), Taint: x.Taint, Obj: x.Obj}
	}
	if !in.CommaOk {
		return res
	}
	switch ok {
	case 1:
		return TupleValue(res, BoolValue(true))
	case 0:
		return TupleValue(Zero(in.Type), BoolValue(false))
	}
	return TupleValue(res, UnknownValue(Mix(res.Sym, 37), x.Taint))
}
