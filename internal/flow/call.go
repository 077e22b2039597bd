package flow

import (
	"go/types"
	"slices"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// call makes a call. Simple calls give their value at once; others go on with
// k, and done says that res is the result of the whole rest of the path.
func (m *Machine) call(f *Frame, in *ir.Node, b *ir.Block, env *environment, w *World, k cont) (v *Value, res Result, done bool) {
	if in.X.Op == ir.Builtin {
		return m.builtin(f, in, in.X.Name, env, w), Result{}, false
	}
	c := m.prepare(f, in, env, w)
	c.at = in
	return m.dispatch(c, b, env, w, k)
}

// prepare evaluates what a call calls, and with what.
func (m *Machine) prepare(f *Frame, in *ir.Node, env *environment, w *World) *Call {
	c := &Call{Frame: f, Instr: in, World: w, machine: m}
	if in.IsInvoke() {
		recv := m.val(f, env, in.X)
		c.Args = append(c.Args, recv)
		if recv.Dyn != nil && m.Lookup != nil {
			c.Callee = m.Lookup(recv.Dyn, in)
		}
		c.Sym = HashString(in.Full)
	} else if fn := in.StaticCallee(); fn != nil {
		c.Callee = fn
		if in.X.Op == ir.MakeClosure {
			c.bindings = m.val(f, env, in.X).Elems
		}
	} else {
		c.Func = m.val(f, env, in.X)
		if c.Func.Kind == Func {
			c.Callee, c.bindings = c.Func.Fn, c.Func.Elems
		} else {
			c.Sym = c.Func.Sym
			c.Taint |= c.Func.Taint
		}
	}
	for _, a := range in.Args {
		c.Args = append(c.Args, m.val(f, env, a))
	}
	if c.Callee != nil {
		c.Sym = m.id(c.Callee)
	}
	for _, a := range c.Args {
		c.Sym = Mix(c.Sym, m.identity(a, w, 0))
		c.Taint |= a.Taint
	}
	return c
}

// dispatch makes a prepared call.
func (m *Machine) dispatch(c *Call, b *ir.Block, env *environment, w *World, k cont) (v *Value, res Result, done bool) {
	if of := oneOf(c); of != nil {
		return m.act(c, Action{Choices: m.eachReceiver(c, of)}, b, env, w, k)
	}
	return m.act(c, m.Domain.Call(c), b, env, w, k)
}

// act makes a call as the domain wants it.
func (m *Machine) act(c *Call, a Action, b *ir.Block, env *environment, w *World, k cont) (v *Value, res Result, done bool) {
	f := c.Frame
	switch {
	case a.Choices != nil:
		return nil, m.choose(c, a.Choices, b, env, k), true
	case a.End:
		return nil, a.Res, true
	case a.Fork != nil:
		best := Result{}
		for i, alt := range a.Fork {
			r := k(alt.World, alt.Value)
			if i == 0 || r.Reach > best.Reach {
				best = r
			}
			if m.enough(best) || m.Top > 0 && best.Reach >= m.Top {
				break
			}
		}
		return nil, best, true
	case a.Invoke != nil:
		return nil, m.invoke(c, b, env, a, k, 0), true
	case a.Handled:
		return a.Value, Result{}, false
	}
	if c.Callee != nil && c.Callee.HasBody() && f.Depth >= m.Limits.Depth {
		m.Cut = true
	} else if c.Callee != nil && c.Callee.HasBody() && m.Inline(f, c.Callee, c.Args) {
		callee := m.frame(c, c.Callee, b, env)
		return nil, m.enter(callee, m.newEnv(c.Callee, c.Args, c.bindings), w, k), true
	}
	v = m.Domain.External(c)
	for _, a := range c.Args {
		m.handOut(a, w, c, 0)
		m.escape(a, w, c)
	}
	return v, Result{}, false
}

// deferCall notes a call that is made when the function returns.
func (m *Machine) deferCall(f *Frame, in *ir.Node, env *environment, w *World) {
	if in.X.Op == ir.Builtin {
		return
	}
	c := m.prepare(f, in, env, w)
	if d, ok := m.Domain.(Deferrer); ok {
		d.Deferred(c)
	}
	if m.Defers {
		env.defers = append(slices.Clip(env.defers), c)
	}
}

// runDefers makes the calls that were deferred, the last one first.
func (m *Machine) runDefers(f *Frame, at *ir.Node, b *ir.Block, env *environment, w *World, k func(env *environment, w *World) Result) Result {
	n := len(env.defers)
	if n == 0 {
		return k(env, w)
	}
	c := *env.defers[n-1]
	env = env.clone()
	env.defers = env.defers[:n-1]
	c.World, c.at = w, at
	_, res, done := m.dispatch(&c, b, env, w, func(w *World, _ *Value) Result {
		return m.runDefers(f, at, b, env.clone(), w, k)
	})
	if done {
		return res
	}
	return m.runDefers(f, at, b, env, w, k)
}

// handOut marks what function values that go to code that cannot be seen may
// write: who runs them, and when, is not known.
func (m *Machine) handOut(v *Value, w *World, c *Call, depth int) {
	if depth > 3 {
		return
	}
	if v.Kind == Func {
		for _, b := range v.Elems {
			if b.Kind == Pointer && b.Fresh && writes(v.Fn, b, v.Elems) {
				w.Forget(b.Root)
				w.Set(Mix(b.Root, havocSalt), b.Root, UnknownValue(Mix(m.id(c.Instr), b.Sym), Param))
			}
		}
		return
	}
	if v.Kind == Pointer && v.Fresh {
		var held []*Value
		for _, x := range w.cells.entries {
			if x.root == v.Root && (x.v.Kind == Func || x.v.Kind == Pointer && x.v.Root != v.Root) {
				held = append(held, x.v)
			}
		}
		for _, x := range held {
			m.handOut(x, w, c, depth+1)
		}
	}
}

// WritesTo says whether a function literal stores to a variable that it
// captures, or hands it on to a literal of its own.
func WritesTo(fn *ir.Function, v *ir.Node) bool {
	found := false
	fn.Nodes(func(n *ir.Node) {
		found = found || n.Op == ir.Store && n.X == v || n.Op == ir.MakeClosure && slices.Contains(n.Args, v)
	})
	return found
}

// writes says whether a closure stores to what it captures as b.
func writes(fn *ir.Function, b *Value, bindings []*Value) bool {
	for i, x := range bindings {
		if x != b || i >= len(fn.FreeVars) {
			continue
		}
		if WritesTo(fn, fn.FreeVars[i]) {
			return true
		}
	}
	return false
}

// frame makes the frame of a call, so that its paths are told from those of
// other calls and of the same call with other variables around it.
func (m *Machine) frame(c *Call, fn *ir.Function, b *ir.Block, env *environment) *Frame {
	f := c.Frame
	after := f.nums.afterCall(c.at, b)
	return &Frame{
		roots: env.roots(f.roots, after),
		Fn:    fn, Parent: f, Site: c.Instr, Depth: f.Depth + 1, nums: m.Index.of(fn),
		place: Mix(Mix(f.place, m.id(c.Instr)), m.id(fn)),
		ctx:   Mix(Mix(Mix(f.ctx, m.id(c.Instr)), m.id(fn)), env.hash(after, c.World)),
	}
}

// invoke runs a function value that a call of unknown body was given.
func (m *Machine) invoke(c *Call, b *ir.Block, env *environment, a Action, k cont, round int) Result {
	fn := a.Invoke.Fn
	if a.Then == nil {
		a.Then = func(ret *Value) *Value { return ret }
	}
	if !fn.HasBody() || c.Frame.Depth >= m.Limits.Depth {
		return k(c.World, a.Then(UnknownValue(c.Sym, c.Taint)))
	}
	f := m.frame(c, fn, b, env)
	f.ctx = Mix(f.ctx, uint64(round))
	f.Handed = a.Args == nil
	args := make([]*Value, len(fn.Params))
	for i, p := range fn.Params {
		if i < len(a.Args) {
			args[i] = a.Args[i]
			continue
		}
		args[i] = m.Domain.Field(UnknownValue(Mix(m.id(p), f.place), Element), p.Type, c.World)
		if args[i] == nil {
			args[i] = UnknownValue(Mix(m.id(p), f.place), Element)
		}
	}
	return m.enter(f, m.newEnv(fn, args, a.Invoke.Elems), c.World, func(w *World, ret *Value) Result {
		if more, known := ret.Bool(); a.Again && known && more && round < m.Limits.Visits {
			again := *c
			again.World = w.Clone()
			r := m.invoke(&again, b, env, a, k, round+1)
			if end := k(w, a.Then(ret)); end.Reach > r.Reach {
				return end
			}
			return r
		}
		return k(w, a.Then(ret))
	})
}

func (m *Machine) builtin(f *Frame, in *ir.Node, name string, env *environment, w *World) *Value {
	sym := HashString(name)
	var t Taint
	args := in.Args
	for _, a := range args {
		v := m.val(f, env, a)
		sym = Mix(sym, m.identity(v, w, 0))
		t |= v.Taint
		if name == "append" || name == "copy" {
			m.keep(v, w)
		}
	}
	switch name {
	case "len":
		v := m.val(f, env, args[0])
		if s, ok := v.Str(); ok {
			return IntValue(int64(len(s)))
		}
		if v.Kind == Nil {
			return IntValue(0)
		}
		if n, ok := v.Obj.(SliceLen); ok {
			return IntValue(int64(n))
		}
	case "append":
		if len(args) == 2 {
			if v := m.appended(m.val(f, env, args[0]), m.val(f, env, args[1]), in, f, w); v != nil {
				return v
			}
		}
		return &Value{Kind: NonNil, Sym: sym, Taint: t}
	case "recover":
		return NilValue()
	}
	return UnknownValue(sym, t)
}

// keep tells the domain of a value that is followed only in part from here on.
func (m *Machine) keep(v *Value, w *World) {
	if d, ok := m.Domain.(Keeper); ok {
		d.Keep(v, w)
	}
}

// SliceLen is the Obj of a slice of known length.
type SliceLen int

// maxAppended bounds the slices whose elements are kept when they grow.
const maxAppended = 16

// lengthOf returns the length of a slice, if it is known.
func lengthOf(v *Value) (int, bool) {
	if v.Kind == Nil {
		return 0, true
	}
	n, ok := v.Obj.(SliceLen)
	return int(n), ok
}

// appended puts two slices of known lengths together; nil if they are not known.
func (m *Machine) appended(x, y *Value, in *ir.Node, f *Frame, w *World) *Value {
	nx, okx := lengthOf(x)
	ny, oky := lengthOf(y)
	switch {
	case !okx || !oky || nx+ny > maxAppended:
		return nil
	case ny == 0:
		return x
	}
	sym := Mix(Mix(m.id(in), f.place), uint64(nx+ny))
	v := &Value{Kind: NonNil, Sym: sym, Root: sym, Taint: x.Taint | y.Taint, Type: in.Type, Obj: SliceLen(nx + ny)}
	elems := make([]*Value, 0, nx+ny)
	for i := range nx {
		elems = append(elems, w.Get(ElementAddr(x.Sym, i)))
	}
	for i := range ny {
		elems = append(elems, w.Get(ElementAddr(y.Sym, i)))
	}
	w.Forget(sym)
	for i, e := range elems {
		if e != nil {
			w.Set(ElementAddr(sym, i), sym, e)
		}
	}
	return v
}

// ElementAddr returns the address of element i of the slice or array at base.
func ElementAddr(base uint64, i int) uint64 { return Mix(Mix(base, 7), IntValue(int64(i)).Sym) }

// escape drops what is known of a variable whose address went to code that
// cannot be seen, and notes which call filled it.
func (m *Machine) escape(v *Value, w *World, c *Call) {
	if v.Kind != Pointer || !v.Fresh {
		return
	}
	w.Forget(v.Root)
	// What fills it is named by the call and what else it is given, so that a
	// call that is made again fills it with the same.
	sym := m.id(c.Instr)
	for _, a := range c.Args {
		if a.Root != v.Root {
			sym = Mix(sym, a.Sym)
		}
	}
	w.Set(Mix(v.Root, havocSalt), v.Root, UnknownValue(sym, c.Taint|v.Taint))
}

// identity returns a hash that is equal for values that are the same, or were
// made the same way from the same: the contents of variables count, not where
// they are.
func (m *Machine) identity(v *Value, w *World, depth int) uint64 {
	if depth > 3 {
		return v.Sym
	}
	switch v.Kind {
	case Pointer:
		if !v.Fresh {
			return v.Sym
		}
		h := m.place(v)
		if by := w.Get(Mix(v.Root, havocSalt)); by != nil {
			h = Mix(h, by.Sym)
		}
		if x := w.Get(v.Sym); x != nil {
			h = Mix(h, m.identity(x, w, depth+1))
		}
		return m.fieldsIdentity(h, v.Sym, pointee(v.Type), w, depth)
	case Struct:
		return m.fieldsIdentity(m.place(v), v.Sym, v.Type, w, depth)
	case NonNil:
		n, ok := v.Obj.(SliceLen)
		if !ok {
			return v.Sym
		}
		h := v.Sym
		for i := range int(n) {
			if x := w.Get(ElementAddr(v.Sym, i)); x != nil {
				h = Mix(h, Mix(uint64(i), m.identity(x, w, depth+1)))
			}
		}
		return h
	case Tuple, Func:
		h := v.Sym
		for _, e := range v.Elems {
			h = Mix(h, m.identity(e, w, depth+1))
		}
		return h
	}
	return v.Sym
}

func (m *Machine) fieldsIdentity(h, addr uint64, t types.Type, w *World, depth int) uint64 {
	if t == nil {
		return h
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return h
	}
	for i := range st.NumFields() {
		if x := w.Get(FieldAddr(addr, i)); x != nil {
			h = Mix(h, Mix(uint64(i), m.identity(x, w, depth+1)))
		}
	}
	return h
}

func pointee(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return nil
}
