package policy

import (
	"fmt"
	"go/constant"
	"go/types"
	"maps"
	"slices"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// sender is what a client of a known library sends with: the library's own
// policy, and what may send again beneath it. It does not change once it is made.
type sender struct {
	name   string // the library's
	policy *apis.Policy
	// attempts is how many there are at most; apis.Unlimited, or 0 if it is not known.
	attempts int
	beneath  *sender // nil if nothing is known to send again
	// hedges says that it sends a second attempt before the first has failed.
	hedges bool
	place  *ir.Node
	limits senderLimits
}

func (s *sender) String() string {
	if s.attempts > 0 {
		return fmt.Sprintf("%s (%d attempts)", s.name, s.attempts)
	}
	return s.name
}

// repeats says whether it surely sends again by itself.
func (s *sender) repeats() bool {
	return s != nil && s.policy != nil && (s.attempts > 1 || s.attempts == apis.Unlimited)
}

// setting is the Obj of an option of a known library.
type setting struct {
	attempts func(*sender) // nil if it has nothing to do with attempts
	beneath  *sender
	limit    func(*sender) // nil if it bounds nothing
	// from is what the option takes all settings over from: a client that was made before.
	from    *sender
	place   *ir.Node
	unknown bool
}

// joinSenders is what holds of a client that is one of two; nil if they differ in
// more than what bounds them.
func joinSenders(a, b *sender) *sender {
	if a == b || a == nil || b == nil || a.name != b.name || a.policy != b.policy || a.attempts != b.attempts || a.beneath != b.beneath || a.hedges != b.hedges {
		if a == b {
			return a
		}
		return nil
	}
	j := *a
	j.limits = joinLimits(a.limits, b.limits)
	return &j
}

// senderNote marks the variable that holds a client.
const senderNote = 0x5e4de4

// senderOf returns what a client, or a part of it such as a service, sends with;
// nil if that is not known.
func senderOf(w *flow.World, v *flow.Value) *sender {
	for range 6 {
		if v == nil {
			return nil
		}
		if s, ok := v.Obj.(*sender); ok {
			return s
		}
		if n := w.Marked(flow.Mix(v.Sym, senderNote)); n != nil {
			if s, ok := n.Obj.(*sender); ok {
				return s
			}
		}
		v = v.Base
	}
	return nil
}

// senderAt is senderOf for what a call is made on, which may be a part of what this
// package keeps in a field or a variable.
func (p *probe) senderAt(w *flow.World, v *flow.Value) *sender {
	if s := senderOf(w, v); s != nil {
		return s
	}
	for range 6 {
		if v == nil || w.Filled(v.Root) {
			return nil
		}
		var t *template
		switch {
		case v.Global != nil:
			t = p.m.keptGlobal(v.Global)
		case v.Base != nil && v.Base.Type != nil:
			t = p.m.keptIn(v.Base.Type, v.Field)
		}
		if t != nil && t.sender != nil {
			return t.sender
		}
		v = v.Base
	}
	return nil
}

// markSender notes that a variable holds a client.
func markSender(w *flow.World, at *flow.Value, s *sender) {
	w.MarkOn(at, flow.Mix(at.Sym, senderNote), &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(at.Sym, senderNote), Obj: s})
}

// library decides calls of functions that the tables know and whose code is not
// in view: those that make clients and options.
func (p *probe) library(c *flow.Call) (flow.Action, bool) {
	if a, ok := p.hedge(c); ok {
		return a, true
	}
	if !p.m.opaque(c.Callee) {
		return flow.Action{}, false
	}
	give := func(obj any) (flow.Action, bool) {
		return flow.Action{Handled: true, Value: p.holding(c, obj)}, true
	}
	if e, ok := p.m.role(c, apis.NewClient); ok {
		s := p.newSender(c, e)
		if p.made != nil {
			p.made(c, s)
		}
		return give(s)
	}
	if e, ok := p.m.role(c, apis.Attempts, apis.Disable); ok && !isMethodCall(c) {
		return give(p.countSetting(c, e))
	}
	if e, ok := p.m.role(c, apis.Beneath); ok && !isMethodCall(c) && e.Symbol.Arg >= 0 && e.Symbol.Arg < len(c.Args) {
		client := p.beneathTimeout(c, c.Args[e.Symbol.Arg])
		return give(&setting{beneath: p.sendsWith(c, c.Args[e.Symbol.Arg]), place: c.Instr, limit: func(s *sender) { s.limits.client = client }})
	}
	if e, ok := p.m.role(c, apis.Timeout); ok && !isMethodCall(c) && len(p.m.roles(c)) == 1 {
		if r := c.Instr.Signature().Results(); r.Len() == 1 && isOption(r.At(0).Type()) {
			return give(p.timeoutSetting(c, e))
		}
	}
	if _, ok := p.m.role(c, apis.WithPolicy, apis.Condition, apis.Methods); ok && !isMethodCall(c) {
		return give(&setting{unknown: true, place: c.Instr})
	}
	if isMethodCall(c) {
		if s := senderOf(c.World, c.Args[0]); s != nil {
			if _, ok := p.m.role(c, apis.Attempts, apis.Disable, apis.Beneath, apis.WithPolicy, apis.Condition, apis.Methods); ok {
				unknown := *s
				unknown.attempts = 0
				markSender(c.World, c.Args[0], &unknown)
			}
		}
		return flow.Action{}, false
	}
	if r := c.Instr.Signature().Results(); r.Len() == 1 && isOption(r.At(0).Type()) && len(p.m.roles(c)) == 0 {
		return give(&setting{from: p.given(c)})
	}
	return flow.Action{}, false
}

// given returns what one of the arguments of an option sends with, or a field of a
// struct among them; nil if none does.
func (p *probe) given(c *flow.Call) *sender {
	for _, a := range c.Args {
		if s := senderOf(c.World, a); s != nil {
			return s
		}
		st := structOf(a.Type)
		if st == nil {
			continue
		}
		for i := range st.NumFields() {
			if x := c.World.Get(flow.FieldAddr(a.Sym, i)); x != nil {
				if s := senderOf(c.World, x); s != nil {
					return s
				}
			}
		}
	}
	return nil
}

func isMethodCall(c *flow.Call) bool {
	return !c.Instr.IsInvoke() && c.Instr.Signature().Recv() != nil && len(c.Args) > 0
}

// isOption says whether a type is what options are: a function, or an interface.
func isOption(t types.Type) bool {
	switch types.Unalias(t).Underlying().(type) {
	case *types.Signature, *types.Interface:
		return !isError(t)
	}
	return false
}

// holding makes the results of a call whose first one is known.
func (p *probe) holding(c *flow.Call, obj any) *flow.Value {
	results := c.Instr.Signature().Results()
	vals := make([]*flow.Value, results.Len())
	for i := range vals {
		t := results.At(i).Type()
		sym := flow.Mix(c.Sym, uint64(i)+61)
		switch {
		case i == 0:
			vals[i] = &flow.Value{Kind: receiverKind(t), Sym: sym, Root: sym, Type: t, Obj: obj}
		case isError(t):
			vals[i] = flow.NilValue()
		default:
			vals[i] = flow.UnknownValue(sym, c.Taint)
		}
	}
	if len(vals) == 1 {
		return vals[0]
	}
	return flow.TupleValue(vals...)
}

// newSender is what a call makes that makes a client.
func (p *probe) newSender(c *flow.Call, e apis.Entry) *sender {
	s := &sender{name: e.Library.Name, policy: e.Policy, place: c.Instr, limits: unlimited()}
	if e.Policy != nil {
		s.attempts = e.Policy.Attempts
		if d := e.Policy.Timeout; d > 0 {
			s.limits.client = bound{state: boundPresent, d: d, what: e.Library.Name + "'s " + totalName}
		}
	}
	for _, a := range c.Args {
		if from := senderOf(c.World, a); from != nil && from.policy != nil {
			s.attempts, s.beneath, s.place, s.limits = from.attempts, from.beneath, from.place, from.limits // a configuration
		}
		p.fieldSettings(c, s, a)
	}
	p.apply(c, s, e)
	return s
}

// partOf is what a field of a client holds as long as nobody has set it.
func partOf(w *flow.World, addr *flow.Value, t types.Type) *flow.Value {
	s := senderOf(w, addr.Base)
	if s == nil || w.Filled(addr.Root) {
		return nil
	}
	sym := flow.Mix(addr.Sym, 19)
	kind := flow.Unknown
	switch types.Unalias(t).Underlying().(type) {
	case *types.Pointer, *types.Interface:
		kind = flow.NonNil
	}
	v := &flow.Value{Kind: kind, Sym: sym, Root: sym, Type: t, Obj: s}
	markSender(w, v, s) // what it leads to is a part as well
	return v
}

// sendsWith returns what an HTTP client or transport sends again with; nil if
// nothing is known to.
func (p *probe) sendsWith(c *flow.Call, client *flow.Value) *sender {
	if s := senderOf(c.World, client); s != nil {
		return s
	}
	transport := client
	if client.Type != nil && isPointerTo(client.Type, "net/http", "Client") {
		t := p.m.prog.ir.Named("net/http", "Client")
		if t == nil || structOf(t) == nil {
			return nil
		}
		if transport = fieldNamed(c, client, t, "Transport"); transport == nil {
			return nil
		}
	}
	if transport.Dyn == nil {
		return nil
	}
	fn := p.m.prog.lookup(transport.Dyn, roundTrip())
	if fn == nil || !fn.HasBody() {
		return nil
	}
	return p.m.countTransport(fn, transport, c.World)
}

// countTransport runs a RoundTripper, with what a path knows of it, on a request
// that fails every time.
func (m *modeler) countTransport(fn *ir.Function, transport *flow.Value, w *flow.World) *sender {
	most := 0
	for _, o := range []outcome{{name: "500", status: 500}, {name: "connection reset", fault: faultReset}} {
		d := &counter{probe{m: m, mode: repeats, outcome: o, assume: "POST", count: true}}
		world := w.Clone()
		world.State, world.StateHash = nil, 0
		req := m.parameter(fn, fn.Params[len(fn.Params)-1], 1, &d.probe)
		n, all := m.countFrom(fn, d, countLimits, []*flow.Value{transport, req}, world)
		reach := n
		if !all || n >= maxCount {
			n = 0 // more than one, and nobody knows how many
		}
		if n == 1 || reach < 1 {
			continue
		}
		if n == 0 {
			return nil
		}
		most = max(most, n)
	}
	if most < 2 {
		return nil
	}
	return &sender{name: m.libraryName(fn), policy: &apis.Policy{}, attempts: most}
}

// libraryName names who wrote a function.
func (m *modeler) libraryName(fn *ir.Function) string {
	if name := m.libraries.Name(fn.Path); name != "" {
		return name
	}
	return pathBase(fn.Path)
}

// fieldSettings applies what the fields of a configuration say.
func (p *probe) fieldSettings(c *flow.Call, s *sender, v *flow.Value) {
	if v.Type == nil || v.Kind != flow.Pointer && v.Kind != flow.Struct && v.Kind != flow.NonNil {
		return
	}
	roles := p.m.fieldRoles(v.Type)
	unknown := false
	for _, i := range slices.Sorted(maps.Keys(roles)) {
		e := roles[i]
		made := senderOf(c.World, v)
		x := c.World.Get(flow.FieldAddr(v.Sym, i))
		switch {
		case x == nil && !v.Fresh && (made == nil || c.World.Filled(v.Root)):
			unknown = true
			continue
		case x == nil, made != nil && x.Obj == any(made):
			continue // as it was made
		}
		if isNil, known := x.IsNil(); known && isNil {
			continue
		}
		switch e.Symbol.Role {
		case apis.Attempts:
			set(s, e, pointedTo(c, x))
		case apis.Disable:
			s.attempts = 1
		case apis.Beneath:
			s.beneath = p.sendsWith(c, x)
			s.limits.client = p.beneathTimeout(c, x)
		case apis.WithPolicy, apis.Condition, apis.Methods:
			unknown = true
		}
	}
	if unknown {
		s.attempts = 0 // whatever a number beside it says
	}
}

// pointedTo returns what a pointer to a number leads to, as optional numbers are
// often given.
func pointedTo(c *flow.Call, v *flow.Value) *flow.Value {
	if v.Kind != flow.Pointer {
		return v
	}
	if x := c.World.Get(v.Sym); x != nil {
		return x
	}
	return flow.UnknownValue(v.Sym, 0)
}

// apply applies the options among the arguments of a call.
func (p *probe) apply(c *flow.Call, s *sender, e apis.Entry) {
	sig := c.Instr.Signature()
	if !sig.Variadic() || len(c.Args) == 0 {
		return
	}
	last := c.Args[len(c.Args)-1]
	if isNil, known := last.IsNil(); known && isNil {
		return
	}
	n, ok := last.Obj.(flow.SliceLen)
	if !ok {
		s.attempts = 0
		s.limits = anyLimits()
		return
	}
	for i := range int(n) {
		o := elementOf(c.World, last, i)
		if o == nil {
			s.attempts = 0
			s.limits = anyLimits()
			continue
		}
		switch x := o.Obj.(type) {
		case *setting:
			if f := x.from; f != nil {
				s.attempts, s.beneath, s.place, s.limits = f.attempts, f.beneath, f.place, f.limits
			}
			if x.unknown {
				s.attempts = 0
			}
			if x.attempts != nil {
				x.attempts(s)
			}
			if x.beneath != nil {
				s.beneath, s.place = x.beneath, x.place
			}
			if x.limit != nil {
				x.limit(s)
			}
		default:
			if o.Kind != flow.Func || p.m.setsPolicy(o.Fn) {
				s.attempts = 0
				s.limits = anyLimits()
			}
		}
	}
}

// setsPolicy says whether a function may change how often a library sends: it
// stores to a field that a table speaks of, or its code is not in view.
func (m *modeler) setsPolicy(fn *ir.Function) bool {
	if fn == nil || !fn.HasBody() {
		return true
	}
	sets := false
	fn.Nodes(func(n *ir.Node) {
		switch n.Op {
		case ir.Store:
			if n.X.Op == ir.FieldAddr {
				_, found := m.fieldRoles(n.X.X.Type)[n.X.N]
				sets = sets || found
			}
		case ir.Call:
			sets = true // whatever that does
		}
	})
	return sets
}

// countSetting is an option that says how often.
func (p *probe) countSetting(c *flow.Call, e apis.Entry) *setting {
	x := &setting{place: c.Instr}
	if e.Symbol.Role == apis.Disable {
		x.attempts = func(s *sender) { s.attempts = 1 }
		return x
	}
	n := flow.ConstValue(constant.MakeInt64(0))
	if e.Symbol.Arg >= 0 && e.Symbol.Arg < len(c.Args) {
		n = c.Args[e.Symbol.Arg]
	}
	x.attempts = func(s *sender) { set(s, e, n) }
	return x
}

// set sets the number of attempts to what a number means.
func set(s *sender, e apis.Entry, v *flow.Value) {
	n, ok := v.Int()
	if !ok {
		s.attempts = 0
		return
	}
	count := e.Symbol.Count
	meaning := apis.AsCounted
	switch {
	case n == 0:
		meaning = count.Zero
	case n < 0:
		meaning = count.Negative
	}
	switch meaning {
	case apis.Default:
		if e.Policy != nil {
			s.attempts = e.Policy.Attempts
		}
	case apis.Off:
		s.attempts = 1
	case apis.NoLimit:
		s.attempts = apis.Unlimited
	case apis.AsCounted:
		s.attempts = max(int(n)+count.Plus, 1)
	default:
		s.attempts = 0
	}
}
