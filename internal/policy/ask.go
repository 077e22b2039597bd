package policy

import (
	"go/types"
	"slices"

	"github.com/resiliencevet/resiliencevet/internal/ir"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// ask runs a function with parameters of which only what the question assumes
// is known. all says that no limit was met.
func (m *modeler) ask(fn *ir.Function, p *probe, l flow.Limits) (r flow.Result, all bool) {
	return m.askDomain(fn, p, p, l)
}

// askDomain is ask for a domain that is made of a probe.
func (m *modeler) askDomain(fn *ir.Function, d flow.Domain, p *probe, l flow.Limits) (r flow.Result, all bool) {
	mach := &flow.Machine{Domain: d, Limits: l, Top: sentAgain, Lookup: m.prog.lookup, Index: m.index}
	mach.Inline = func(f *flow.Frame, callee *ir.Function, args []*flow.Value) bool {
		return (p.mode == leak || !m.pauses(callee)) && m.inlines(f, callee, args, 1)
	}
	params := make([]*flow.Value, len(fn.Params))
	for i, prm := range fn.Params {
		params[i] = m.parameter(fn, prm, i, p)
	}
	switch {
	case p.optimist:
		mach.Enough, mach.Once = maybeSent, true
	case p.mode != noKey:
		mach.Enough = sentAgain
	}
	if m.steps > packageSteps {
		return flow.Result{}, false
	}
	w := flow.NewWorld()
	r = mach.Run(fn, append(params, m.captured(fn, p, w)...), w)
	m.steps += mach.Steps
	return r, !mach.Exhausted
}

// captured is what a run assumes of the variables that a literal captures:
// what is around it decides, but for what the function around it was given.
func (m *modeler) captured(fn *ir.Function, p *probe, w *flow.World) []*flow.Value {
	var vs []*flow.Value
	for i, v := range fn.FreeVars {
		if x := m.capturedParameter(fn, i, p, w); x != nil {
			vs = append(vs, x)
			continue
		}
		sym := flow.Mix(0xcab, uint64(i))
		x := &flow.Value{Kind: flow.Pointer, Sym: sym, Root: sym, Taint: fromRequest, Type: v.Type}
		if _, ok := types.Unalias(v.Type).Underlying().(*types.Pointer); !ok {
			x = flow.UnknownValue(sym, fromRequest)
		}
		vs = append(vs, x)
	}
	return vs
}

// capturedParameter is what a run assumes of a variable that a literal captures
// if it is a parameter of the function around it; nil if it is not.
func (m *modeler) capturedParameter(fn *ir.Function, i int, p *probe, w *flow.World) *flow.Value {
	outer := fn.Parent
	if outer == nil || outer.Parent != nil {
		return nil
	}
	var made *ir.Node
	outer.Nodes(func(n *ir.Node) {
		if n.Op == ir.MakeClosure && n.Fn == fn {
			made = n
		}
	})
	if made == nil || i >= len(made.Args) {
		return nil
	}
	at := slices.Index(outer.Params, made.Args[i])
	if at >= 0 {
		return m.parameter(outer, outer.Params[at], at, p)
	}
	if made.Args[i].Op != ir.Alloc {
		return nil
	}
	// A variable of its own that the parameter is copied to, and nothing else.
	stores := 0
	outer.Nodes(func(n *ir.Node) {
		if n.Op == ir.Store && n.X == made.Args[i] {
			stores++
			at = slices.Index(outer.Params, n.Y)
		}
	})
	if stores != 1 || at < 0 || flow.WritesTo(fn, fn.FreeVars[i]) {
		return nil
	}
	cell := flow.Mix(0xcab, uint64(i))
	w.Set(cell, cell, m.parameter(outer, outer.Params[at], at, p))
	return &flow.Value{Kind: flow.Pointer, Sym: cell, Root: cell, Type: fn.FreeVars[i].Type}
}

// parameter is what a run assumes of a parameter of its root.
func (m *modeler) parameter(fn *ir.Function, prm *ir.Node, i int, p *probe) *flow.Value {
	sym := flow.Mix(0xa46, uint64(i))
	if m.methodParams[prm] {
		return p.assumedMethod(sym)
	}
	t := prm.Type
	switch {
	case isPointerTo(t, "net/http", "Request"):
		return &flow.Value{Kind: flow.NonNil, Sym: sym, Root: sym, Type: t, Taint: fromRequest}
	case isNamed(t, "context", "Context"):
		return &flow.Value{Kind: flow.NonNil, Sym: sym}
	case i == 0 && fn.Signature.Recv() != nil && !m.carriesMethod(t):
		return &flow.Value{Kind: receiverKind(t), Sym: sym, Root: sym, Taint: flow.Config, Type: t}
	case isNamed(t, "net/http", "Header"):
		// headers that the caller fills: a key may be among them
		return &flow.Value{Sym: sym, Taint: flow.Param, Type: t}
	}
	v := flow.UnknownValue(sym, flow.Param)
	v.Type = t
	if _, ok := types.Unalias(t).Underlying().(*types.Struct); ok {
		v.Kind, v.Root = flow.Struct, sym
	}
	return v
}

func receiverKind(t types.Type) flow.Kind {
	if _, ok := types.Unalias(t).Underlying().(*types.Struct); ok {
		return flow.Struct
	}
	return flow.NonNil
}

// carriesMethod says whether a type is a description of one operation: it has
// a field that decides the method.
func (m *modeler) carriesMethod(t types.Type) bool {
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := types.Unalias(t).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range st.NumFields() {
		if m.methodFields[fieldKey{typeKey(t), i}] {
			return true
		}
	}
	return false
}

// countAttempts returns how many attempts there are at most, 0 if that is not
// known. Attempts may end as they like, and undecided conditions go both ways,
// so that the number holds whatever happens.
func (m *modeler) countAttempts(f *finding) int {
	if len(f.again) == 0 {
		return 0
	}
	c := &counter{probe{m: m, outcome: anything, assume: "POST", count: true, counted: m.repetitionOf(f.w.first, f.w.second)}}
	n, all := m.count(f.fn, c, &c.probe, countLimits)
	if !all || n < 2 || n >= maxCount {
		return 0
	}
	return n
}

// count runs a function for a domain whose result is a number. all says that no
// path was cut short.
func (m *modeler) count(fn *ir.Function, d flow.Domain, p *probe, l flow.Limits) (n int, all bool) {
	params := make([]*flow.Value, len(fn.Params))
	for i, prm := range fn.Params {
		params[i] = m.parameter(fn, prm, i, p)
	}
	w := flow.NewWorld()
	return m.countFrom(fn, d, l, append(params, m.captured(fn, p, w)...), w)
}

// countFrom is count for a function whose arguments are known.
func (m *modeler) countFrom(fn *ir.Function, d flow.Domain, l flow.Limits, args []*flow.Value, w *flow.World) (n int, all bool) {
	mach := &flow.Machine{Domain: d, Limits: l, Lookup: m.prog.lookup, Index: m.index}
	mach.Inline = func(f *flow.Frame, callee *ir.Function, args []*flow.Value) bool {
		return !m.pauses(callee) && m.inlines(f, callee, args, maxCount+2)
	}
	r := mach.Run(fn, args, w)
	m.steps += mach.Steps
	return int(r.Reach), !mach.Cut && !mach.Exhausted
}

// counter is a probe whose result is the number of attempts.
type counter struct{ probe }

func (c *counter) Return(w *flow.World) flow.Result {
	if a := stateOf(w); a != nil {
		return flow.Result{Reach: flow.Reach(a.n)}
	}
	return flow.Result{}
}

func (c *counter) Join(_ flow.Branch, a, b flow.Result) flow.Result {
	if a.Reach > b.Reach {
		return a
	}
	return b
}

func (c *counter) Branch(*flow.Frame, *flow.Value, *flow.World) flow.Branch { return flow.Either }
