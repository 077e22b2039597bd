package policy

import (
	"go/constant"
	"go/types"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// Equal knows that a status that stands for success equals each status of 2xx,
// and which package variables the errors of attempts are not.
func (p *probe) Equal(a, b *flow.Value) (eq, known bool) {
	if a.Kind == flow.Const && b.Kind == flow.Const {
		if (a.Taint|b.Taint)&anySuccess != 0 {
			x, ok1 := a.Int()
			y, ok2 := b.Int()
			if ok1 && ok2 {
				return x == y || x/100 == 2 && y/100 == 2, true
			}
		}
		return false, false
	}
	for _, x := range [][2]*flow.Value{{a, b}, {b, a}} {
		if isEmpty(x[0]) && x[1].Kind == flow.Unknown && x[1].Taint&generated != 0 {
			return false, true // what a generator makes is not empty
		}
	}
	for _, x := range [][2]*flow.Value{{a, b}, {b, a}} {
		if _, given := x[0].Obj.(givenBody); given && isNoBody(x[1]) {
			return false, p.mode == usedBody // asked is what happens to a body
		}
		switch x[0].Obj.(type) {
		case *answerBody, *bodyObj:
			if isNoBody(x[1]) {
				return false, true // it matters where there is something to read
			}
		}
	}
	if a.Global == nil {
		a, b = b, a
	}
	if a.Global == nil {
		return false, false
	}
	if e, ok := b.Obj.(*attemptError); ok && e.wraps == nil && b.Global == nil {
		if e.fault == faultEOF && a.Global.Full() == "io.EOF" {
			return false, false // client.Do wraps it in *url.Error, RoundTrip does not
		}
		return false, true
	}
	return false, false
}

// Assert decides type assertions on the errors of attempts.
func (p *probe) Assert(v *flow.Value, t types.Type, w *flow.World) (*flow.Value, int) {
	e, ok := v.Obj.(*attemptError)
	if !ok || e.opaque {
		return nil, -1
	}
	return p.asFault(v, e.fault, t)
}

// asFault says whether the error of a fault is of a type, and returns it so.
func (p *probe) asFault(v *flow.Value, f fault, t types.Type) (*flow.Value, int) {
	name := types.TypeString(types.Unalias(t), nil)
	if faults, ok := netErrors[name]; ok {
		if e, is := v.Obj.(*attemptError); is && e.inner && name == urlError {
			return nil, 0
		}
		if f.in(faults) {
			typed := *v
			typed.Type = t
			return &typed, 1
		}
		if name == "*net.OpError" && f == faultTimeout {
			return nil, -1
		}
		return nil, 0
	}
	if it, ok := types.Unalias(t).Underlying().(*types.Interface); ok {
		if it.NumMethods() > 0 && hasMethods(it, "Timeout", "Temporary") {
			return v, 1
		}
		return nil, -1
	}
	return nil, 0
}

// assumedMethod is the method of a request that comes from outside.
func (p *probe) assumedMethod(of uint64) *flow.Value {
	if p.assume == "" {
		return flow.UnknownValue(flow.Mix(of, 0x3e7), assumed)
	}
	return flow.StringValue(p.assume).With(assumed)
}

func hasMethods(it *types.Interface, only ...string) bool {
	if it.NumMethods() == 0 {
		return false
	}
	for i := range it.NumMethods() {
		ok := it.Method(i).Name() == "Error"
		for _, n := range only {
			ok = ok || it.Method(i).Name() == n
		}
		if !ok {
			return false
		}
	}
	return true
}

// Field gives the parts of requests that come from outside their meaning, and
// assumes that what is needed to send is there.
func (p *probe) Field(addr *flow.Value, t types.Type, w *flow.World) *flow.Value {
	if addr.Kind == flow.Pointer && addr.Base != nil {
		if name, st := fieldOf(addr); name != "" {
			switch {
			case isHTTP(st, "Request"):
				switch name {
				case "Method":
					return p.assumedMethod(addr.Sym)
				case "Header":
					return &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(addr.Sym, 19), Root: addr.Root, Obj: headerObj{}}
				case "Body":
					if p.mode == leak { // asked is what happens to a request that reads
						return flow.NilValue()
					}
					body := &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(addr.Sym, 19), Taint: fromRequest, Obj: givenBody{}}
					if p.mode == repeats {
						body.Kind = flow.Unknown
					}
					return body
				case "GetBody", "URL":
					return &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(addr.Sym, 19)}
				}
			case name == "Err" && isNamed(st, "net/url", "Error"):
				if e, ok := addr.Base.Obj.(*attemptError); ok && e.wraps == nil && !e.opaque {
					return &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(addr.Sym, 19), Taint: fromOutcome, Obj: &attemptError{fault: e.fault, inner: true}}
				}
			case isAnswer(addr, name, st):
				return p.answerBody(addr)
			case p.m.methodFields[fieldKey{typeKey(st), addr.Field}]:
				return p.assumedMethod(addr.Sym)
			}
			if t := p.m.keptIn(st, addr.Field); t != nil && (addr.Taint&flow.Param == 0 || leadsToClient(t)) {
				return t.value(flow.Mix(addr.Sym, 19), w)
			}
			if outer := addr.Base.Base; outer != nil && outer.Type != nil && addr.Taint&flow.Param == 0 {
				// a field of a struct that is a field
				if t := p.m.keptIn(outer.Type, addr.Base.Field); t != nil && t.fields[addr.Field].tells() {
					return t.fields[addr.Field].value(flow.Mix(addr.Sym, 19), w)
				}
			}
			if v := partOf(w, addr, t); v != nil {
				return v
			}
			if v := heldValue(p.m.heldTypes(st, addr.Field), addr); v != nil {
				return v
			}
		}
	}
	if addr.Kind == flow.Unknown && isPointerTo(t, "net/http", "Request") {
		return &flow.Value{Kind: flow.NonNil, Sym: addr.Sym}
	}
	if addr.Global != nil {
		if isError(t) {
			return &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(addr.Sym, 19), Global: addr.Global}
		}
		if c := p.m.constant(addr.Global); c != nil {
			if isPointerTo(t, "regexp", "Regexp") {
				return &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(addr.Sym, 19), Obj: flow.Text(constant.StringVal(c))}
			}
			return flow.ConstValue(c)
		}
		if t := p.m.keptGlobal(addr.Global); t != nil {
			return t.value(flow.Mix(addr.Sym, 19), w)
		}
	}
	return nil
}

// leadsToClient says whether a template is of what sends: which it is does not
// depend on how a function comes by what holds it, as a receiver or as a parameter.
func leadsToClient(t *template) bool {
	if t.sender != nil {
		return true
	}
	switch {
	case t.dyn != nil && hasRoundTrip(t.dyn), t.typ != nil && isPointerTo(t.typ, "net/http", "Client"):
		return true
	}
	return len(t.alts) > 0
}

func hasRoundTrip(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "RoundTrip")
	fn, ok := obj.(*types.Func)
	return ok && isExchange(fn.Signature())
}

// heldValue makes what a field holds of which the types are known.
func heldValue(of []types.Type, addr *flow.Value) *flow.Value {
	var vals []*flow.Value
	for i, t := range of {
		sym := flow.Mix(addr.Sym, 19+uint64(i))
		vals = append(vals, &flow.Value{Kind: receiverKind(t), Sym: sym, Root: sym, Taint: addr.Taint, Type: t, Dyn: t})
	}
	switch len(vals) {
	case 0:
		return nil
	case 1:
		return vals[0]
	}
	return flow.OneOfValues(flow.Mix(addr.Sym, 18), addr.Taint, vals)
}

// fieldOf returns the name of the field that an address is of, and its struct.
func fieldOf(addr *flow.Value) (string, types.Type) {
	t := addr.Base.Type
	if t == nil {
		return "", nil
	}
	if ptr, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	st, ok := types.Unalias(t).Underlying().(*types.Struct)
	if !ok || addr.Field >= st.NumFields() {
		return "", nil
	}
	return st.Field(addr.Field).Name(), t
}

type fieldKey struct {
	typ   string
	field int
}

func typeKey(t types.Type) string { return types.TypeString(types.Unalias(t), nil) }

func isHTTP(t types.Type, name string) bool { return isNamed(t, "net/http", name) }

func isError(t types.Type) bool {
	return types.Identical(types.Unalias(t), types.Universe.Lookup("error").Type())
}

// MapLookup reads package variables that hold constants by key.
func (p *probe) MapLookup(mp, key *flow.Value, w *flow.World) (*flow.Value, bool) {
	if text, ok := key.Str(); ok && isHeaderValue(mp) && isKeyHeader(text) && markedKey(w, mp) == keyAbsent {
		return flow.NilValue(), false
	}
	if mp.Global == nil || key.Kind != flow.Const {
		return nil, false
	}
	table, ok := p.m.table(mp.Global)
	if !ok {
		return nil, false
	}
	if v, ok := table.values[key.C.ExactString()]; ok && v != nil {
		return flow.ConstValue(v).With(key.Taint), true
	}
	return flow.Zero(table.elem).With(key.Taint), false
}

// MapUpdate notes headers and fields that are set by index.
func (p *probe) MapUpdate(mp, key, v *flow.Value, w *flow.World) {
	if p.mode == leak && p.leadsToAnswer(w, v, 0) {
		w.Mark(openNote, flow.BoolValue(false))
	}
	if v.Kind != flow.Nil { // a nil entry of a header sends nothing
		p.noteName(mp, key, v, w)
	}
	addParts(w, mp, append(texts(w, key), texts(w, v)...))
	if name, _ := key.Str(); name == streamField && isTrue(v) {
		addParts(w, mp, []string{askedStream})
	}
}

// constTable is a package variable that maps constants to constants, or lists
// them, and is never changed.
type constTable struct {
	values map[string]constant.Value
	keys   map[string]constant.Value // the same keys, as constants
	elem   types.Type
}
