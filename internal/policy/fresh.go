package policy

import (
	"go/types"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// Marks of what is known of keys and of what they are made from.
const (
	keyValueNote = 0x6b76
	madeNote     = 0x6d616465
	lastMadeNote = 0x6c617374
	// of numbers that were written as text
	lastNumberNote = 0x6c6e756d
)

// madeAt is the Obj of a note: where something was made.
type madeAt struct{ sendEvent }

// Detail marks that places do not keep paths apart.
func (madeAt) Detail() {}

// generate answers calls that return something new each time.
func (p *probe) generate(c *flow.Call) (flow.Action, bool) {
	for i, a := range c.Args {
		n, _ := a.Obj.(flow.SliceLen)
		for j := range int(n) {
			if x := elementOf(c.World, a, j); x != nil {
				t := x.Taint & (generated | remade | fromNumber)
				c.Args[i] = c.Args[i].With(t)
				c.Taint |= t
			}
		}
	}
	for i, a := range c.Args {
		for _, sym := range [...]uint64{a.Root, a.Sym} {
			if sym == 0 {
				continue
			}
			if n := c.World.Marked(flow.Mix(sym, madeNote)); n != nil {
				c.Args[i] = c.Args[i].With(n.Taint)
				c.Taint |= n.Taint
			}
		}
	}
	if c.Taint&generated != 0 && len(c.Args) > 1 && fills(shortName(c)) { // a hash, a builder
		c.World.Mark(flow.Mix(c.Args[0].Sym, madeNote), &flow.Value{Kind: flow.NonNil, Sym: c.Sym, Taint: c.Taint & (generated | remade), Obj: madeAt{sendEvent{c.Frame, c.Instr}}})
	}
	if !readsRandom(c) && (c.Callee == nil || !generates(c.Callee.FullName(), c.Callee.Path, c.Callee.Name)) {
		return flow.Action{}, false
	}
	if p.mode == stacked && c.Callee != nil && (strings.HasPrefix(c.Callee.Path, "math/rand") || c.Callee.Path == "sync/atomic") {
		c.Sym = flow.Mix(c.Sym, c.World.StateHash) // it chooses among hosts
	}
	t := generated
	if stateOf(c.World) != nil {
		t |= remade
	}
	note := &flow.Value{Kind: flow.NonNil, Sym: c.Sym, Taint: t, Obj: madeAt{sendEvent{c.Frame, c.Instr}}}
	c.World.Mark(flow.Mix(c.Sym, madeNote), note)
	if t&remade != 0 {
		c.World.Mark(lastMadeNote, note)
	}
	for _, a := range c.Args { // rand.Read(b)
		if a.Root != 0 && a.Kind != flow.Struct {
			c.World.Mark(flow.Mix(a.Root, madeNote), note)
			c.Fill(&flow.Value{Kind: flow.Pointer, Sym: a.Root, Root: a.Root, Fresh: a.Fresh, Taint: t})
		}
	}
	results := c.Instr.Signature().Results()
	vals := make([]*flow.Value, results.Len())
	for i := range vals {
		if isError(results.At(i).Type()) {
			vals[i] = flow.NilValue()
			continue
		}
		vals[i] = flow.UnknownValue(flow.Mix(c.Sym, uint64(i)+61), t)
		c.World.Mark(flow.Mix(vals[i].Sym, madeNote), note)
	}
	if len(vals) == 1 {
		return flow.Action{Handled: true, Value: vals[0]}, true
	}
	return flow.Action{Handled: true, Value: flow.TupleValue(vals...)}, true
}

// fills says whether a function's name says that it puts what it is given into
// its first argument.
func fills(name string) bool {
	return strings.HasPrefix(name, "Write") || strings.HasPrefix(name, "Fprint")
}

// readsRandom says whether a call reads from crypto/rand's reader.
func readsRandom(c *flow.Call) bool {
	for _, a := range c.Args {
		if a.Global != nil && a.Global.Full() == "crypto/rand.Reader" {
			return true
		}
	}
	return false
}

// writtenNumber says whether a call writes a number as text: an attempt's, perhaps.
func writtenNumber(c *flow.Call) flow.Taint {
	if c.Callee == nil {
		return 0
	}
	switch c.Callee.Path {
	case "strconv":
		if strings.HasPrefix(c.Callee.Name, "Format") || c.Callee.Name == "Itoa" || strings.HasPrefix(c.Callee.Name, "Append") {
			return fromNumber
		}
	case "fmt":
		for _, a := range variadic(c) {
			if a.Dyn == nil {
				continue
			}
			if b, ok := types.Unalias(a.Dyn).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
				return fromNumber
			}
		}
	}
	return 0
}

func noteKeyValue(w *flow.World, in, v *flow.Value) {
	w.MarkOn(in, flow.Mix(in.Sym, keyValueNote), v)
}

func notedKeyValue(w *flow.World, in *flow.Value) *flow.Value {
	if v := w.Marked(flow.Mix(in.Sym, keyValueNote)); v != nil && v.Kind != flow.Nil {
		return v
	}
	return nil
}

// keyValueOf returns the value of the key in something that is sent: a
// request's body, a struct, a map; nil if none is seen.
func keyValueOf(w *flow.World, v *flow.Value) *flow.Value { return keyValueIn(w, v, v.Dyn, 0) }

func keyValueIn(w *flow.World, v *flow.Value, t types.Type, depth int) *flow.Value {
	if k := notedKeyValue(w, v); k != nil {
		return k
	}
	switch o := v.Obj.(type) {
	case *madeOf:
		if o.keyValue != nil {
			return o.keyValue
		}
	case flow.Concat:
		if k := keyValueIn(w, o.Left, nil, depth+1); k != nil {
			return k
		}
		return keyValueIn(w, o.Right, nil, depth+1)
	}
	if t == nil {
		t = v.Type
	}
	st := structOf(t)
	if st == nil || depth > 2 || v.Kind == flow.Nil || v.Kind == flow.Const {
		return nil
	}
	for i := range st.NumFields() {
		f := st.Field(i)
		x := w.Get(flow.FieldAddr(v.Sym, i))
		if jsonName(st.Tag(i)) == "-" {
			continue
		}
		if isKeyField(f.Name()) || isKeyField(jsonName(st.Tag(i))) {
			if x != nil && !isEmpty(x) && x.Kind != flow.Nil {
				return x
			}
			continue
		}
		inner := x
		if inner == nil {
			if _, ok := types.Unalias(f.Type()).Underlying().(*types.Struct); !ok {
				continue
			}
			inner = &flow.Value{Kind: flow.Struct, Sym: flow.FieldAddr(v.Sym, i), Root: v.Root}
		}
		if k := keyValueIn(w, inner, f.Type(), depth+1); k != nil {
			return k
		}
	}
	return nil
}

// requestKeyValue returns the value of the key that a request carries.
func (p *probe) requestKeyValue(c *flow.Call, req *flow.Value) *flow.Value {
	h := loadField(c, req, p.m.requestType(), "Header")
	if k := notedKeyValue(c.World, h); k != nil {
		return k
	}
	if k := notedKeyValue(c.World, req); k != nil {
		return k
	}
	if r, ok := req.Obj.(*requestObj); ok {
		return r.keyValue
	}
	return nil
}

// isFresh says whether the key of a second attempt is not the first one's:
// made anew since, or made of a number that changed.
func (p *probe) isFresh(c *flow.Call, o operation, first *attempt) (sendEvent, bool) {
	k := o.keyValue
	k = plainKey(c.World, k)
	at := sendEvent{}
	if k.Taint&remade != 0 {
		n := c.World.Marked(flow.Mix(k.Sym, madeNote))
		if n == nil || n.Taint&remade == 0 {
			n = c.World.Marked(lastMadeNote)
		}
		if n != nil {
			at = n.Obj.(madeAt).sendEvent
		}
		return at, true
	}
	if k.Sym == first.sym || first.sym == 0 || k.Taint&fromNumber == 0 || k.Taint&(flow.Element|fromOutcome) != 0 {
		return at, false
	}
	n := c.World.Marked(flow.Mix(k.Sym, madeNote))
	if n == nil {
		n = c.World.Marked(lastNumberNote)
	}
	if n != nil {
		at = n.Obj.(madeAt).sendEvent
	}
	return at, true
}

// plainKey goes from a pointer to a key, or a list with one, to the key.
func plainKey(w *flow.World, k *flow.Value) *flow.Value {
	if k == nil {
		return nil
	}
	if n, ok := k.Obj.(flow.SliceLen); ok && n > 0 {
		if x := elementOf(w, k, 0); x != nil {
			return x
		}
	}
	if k.Kind == flow.Pointer {
		if x := w.Get(k.Sym); x != nil {
			return x
		}
	}
	return k
}

// noteNumber notes where a number was written as text.
func noteNumber(c *flow.Call, v *flow.Value) {
	n := &flow.Value{Kind: flow.NonNil, Sym: c.Sym, Taint: fromNumber, Obj: madeAt{sendEvent{c.Frame, c.Instr}}}
	c.World.Mark(flow.Mix(v.Sym, madeNote), n)
	c.World.Mark(lastNumberNote, n)
}

// opaqueSend follows a call of code that cannot be seen which is given a key:
// an SDK's operation, a message to a queue. Only keys are asked about there.
func (p *probe) opaqueSend(c *flow.Call) (flow.Action, bool) {
	if p.mode != freshKey && p.mode != repeats || p.count {
		return flow.Action{}, false
	}
	results := c.Instr.Signature().Results()
	n := results.Len()
	if n == 0 || !isError(results.At(n-1).Type()) || c.Callee != nil && standardPath(c.Callee.Path) {
		return flow.Action{}, false
	}
	o := operation{ident: flow.HashString(calleeName(c)), key: keyPresent}
	for _, a := range c.Args {
		k := keyValueOf(c.World, a)
		switch {
		case k == nil:
			o.ident = flow.Mix(o.ident, c.Identity(a))
		case o.keyValue == nil:
			o.keyValue = plainKey(c.World, k)
			o.ident = flow.Mix(o.ident, a.Sym)
		}
	}
	if o.keyValue == nil || logs(shortName(c)) {
		return flow.Action{}, false
	}
	return p.attempt(c, o, func(out outcome, w *flow.World, followed bool) *flow.Value {
		vals := make([]*flow.Value, n)
		for i := range vals {
			vals[i] = flow.UnknownValue(flow.Mix(c.Sym, uint64(i)+61), 0)
		}
		vals[n-1] = flow.NilValue()
		if followed && out == anything {
			vals[n-1] = flow.UnknownValue(0xa12, fromOutcome)
		} else if followed && (out.fault != noFault || out.status >= 300) {
			vals[n-1] = &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(0xe4404, uint64(out.fault)), Taint: fromOutcome, Obj: &attemptError{fault: out.fault, opaque: out.fault == noFault}}
		}
		if n == 1 {
			return vals[0]
		}
		return flow.TupleValue(vals...)
	}), true
}

// logs says whether a function's name says that it writes something down,
// checks or encodes it, and sends nothing.
func logs(name string) bool {
	n := strings.ToLower(name)
	for _, w := range []string{"log", "print", "debug", "info", "warn", "trace", "validate", "verify", "marshal", "encode", "sign", "hash", "build", "parse", "check", "set"} {
		if strings.HasPrefix(n, w) {
			return true
		}
	}
	return false
}
