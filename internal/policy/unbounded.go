package policy

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// RetryUnbounded is the rule about a 0 that takes the limit away.
const RetryUnbounded = "retryunbounded"

// unlimits says whether 0 takes the limit away that a symbol sets.
func unlimits(e apis.Entry) bool {
	return e.Symbol.Role == apis.Attempts && e.Symbol.Arg >= 0 && e.Symbol.Count.Zero == apis.NoLimit
}

// unboundedLimits bound the run of one function for the numbers that it gives.
var unboundedLimits = flow.Limits{Steps: 1500, Depth: 12, Visits: 3}

// findUnbounded looks for limits of 0 that are none, callees before their callers: a
// function that hands a number on is judged where the number is known.
func (m *modeler) findUnbounded() {
	if !m.shapes.limits {
		return
	}
	said := map[settledAt]bool{}
	done := map[*shape]bool{}
	var visit func(s *shape)
	visit = func(s *shape) {
		if done[s] {
			return
		}
		done[s] = true
		for _, c := range slices.Concat(s.calls, s.mayCall) {
			if callee := m.shapes.funcs[c]; callee != nil {
				visit(callee)
			}
		}
		fn := m.prog.fn(s.fn)
		if fn == nil || !fn.HasBody() || isTestFile(m.pass.Fset, s.decl.Pos()) || !m.shapes.nearLimit(s, 2) {
			return
		}
		for _, fn := range append(literalsOf(fn), fn) {
			m.findUnboundedIn(fn, said)
		}
	}
	for _, s := range m.shapes.order {
		visit(s)
	}
}

// wantLimits adds the functions that set a number of attempts of which 0 has no limit,
// and those that may give them the number, to those that are built.
func (m *modeler) wantLimits() {
	if !m.shapes.limits {
		return
	}
	for _, s := range m.shapes.order {
		if !isTestFile(m.pass.Fset, s.decl.Pos()) && m.shapes.nearLimit(s, 2) {
			m.want[s.decl] = true
			for r := range m.shapes.reached(s) {
				m.want[r.decl] = true
			}
		}
	}
}

// nearLimit says whether a function sets such a number, or calls what does, so many
// calls away at most.
func (s *shapes) nearLimit(sh *shape, calls int) bool {
	return sh.setsLimit || calls > 0 && slices.ContainsFunc(sh.calls, func(c *types.Func) bool {
		callee := s.funcs[c]
		return callee != nil && s.nearLimit(callee, calls-1)
	})
}

// takesNumber says whether a function is given a number, by itself or in a struct or an
// option, which it may hand on as a number of attempts, or a function to retry.
func takesNumber(sig *types.Signature) bool {
	vars := slices.Collect(sig.Params().Variables())
	if sig.Recv() != nil {
		vars = append(vars, sig.Recv())
	}
	for _, v := range vars {
		switch t := types.Unalias(v.Type()).Underlying().(type) {
		case *types.Basic:
			if t.Info()&types.IsInteger != 0 {
				return true
			}
		case *types.Struct, *types.Pointer, *types.Slice, *types.Signature:
			return true
		}
	}
	return false
}

func (m *modeler) findUnboundedIn(fn *ir.Function, said map[settledAt]bool) {
	if m.steps > packageSteps {
		return
	}
	d := &limitSearch{probe: probe{m: m, mode: repeats, outcome: success}, found: map[zeroAt]*zero{}, said: said}
	mach := &flow.Machine{Domain: d, Limits: unboundedLimits, Lookup: m.prog.lookup, Index: m.index, Once: true, Inline: d.inline}
	params := make([]*flow.Value, len(fn.Params)+len(fn.FreeVars))
	for i := range params {
		params[i] = outsideValue(fn, i)
	}
	mach.Run(fn, params, flow.NewWorld())
	m.steps += mach.Steps
	for _, z := range d.order {
		if z.endless && !z.bounded && !mach.Exhausted {
			said[settledAt{fn, z.key}] = true
			d.say(fn, z)
		}
	}
}

// zeroAt is where a number is given: the call in the root of a run, and the innermost
// call of this package that leads there.
type zeroAt struct{ site, key *ir.Node }

// zero is a place that gives a number, and what that did on all paths of a run.
type zero struct {
	zeroAt
	entry   apis.Entry
	frame   *flow.Frame
	call    *ir.Node
	endless bool // a retry was bounded by nothing else
	bounded bool // something bounds it, or the number is another one
}

// limitSearch is a domain that follows numbers of attempts to the retries that they
// are for.
type limitSearch struct {
	probe
	found map[zeroAt]*zero
	order []*zero
	said  map[settledAt]bool
}

// retryOption is the Obj of an option of a retry library, by what it bounds.
type retryOption struct {
	zero    *zero // that takes the limit of attempts away
	noTime  bool  // that takes the limit of time away
	neutral bool  // that says how to wait, or whom to tell
}

// builtPolicy is the Obj of a builder of a policy; what it was told stands in a note.
type builtPolicy struct{ id uint64 }

// policyState is what a builder was told.
type policyState struct {
	zero    *zero
	bounded bool
}

// endlessContext is the Obj of a context that nothing ends.
type endlessContext struct{}

const builderNote = 0xb11de4

// Branch takes both sides: what is found must hold for all ways.
func (d *limitSearch) Branch(*flow.Frame, *flow.Value, *flow.World) flow.Branch { return flow.Either }

// Join has nothing to join: what is found is collected on the way.
func (d *limitSearch) Join(_ flow.Branch, a, _ flow.Result) flow.Result { return a }

// Return is the end of a path.
func (d *limitSearch) Return(*flow.World) flow.Result { return flow.Result{} }

// External is code that cannot be seen.
func (d *limitSearch) External(c *flow.Call) *flow.Value { return unknownResults(c, nil) }

// inline goes into what sets a number, or may be given an option or a function.
func (d *limitSearch) inline(f *flow.Frame, callee *ir.Function, args []*flow.Value) bool {
	for x := f; x != nil; x = x.Parent {
		if x.Fn == callee {
			return false
		}
	}
	if s := d.m.shapeOf(callee); s != nil && d.m.shapes.nearLimit(s, 3) {
		return true
	}
	return callee.Flags&flagLimits != 0 || callee.Synthetic != "" || callee.Parent != nil || d.m.inlines(f, callee, args, 1) ||
		slices.ContainsFunc(args, func(a *flow.Value) bool { return a.Obj != nil })
}

// Call gives the functions of retry libraries a meaning.
func (d *limitSearch) Call(c *flow.Call) flow.Action {
	switch calleeName(c) {
	case "context.Background", "context.TODO":
		return handled(&flow.Value{Kind: flow.NonNil, Sym: c.Sym, Obj: endlessContext{}})
	case "context.WithValue":
		return handled(&flow.Value{Kind: flow.NonNil, Sym: c.Sym, Obj: c.Args[0].Obj})
	}
	path := pathOf(c)
	if d.m.libraries == nil || standardPath(path) || path == d.m.pass.Pkg.Path() || !d.m.libraries.Knows(path) {
		return flow.Action{}
	}
	if b := d.builder(c); b != nil {
		return d.build(c, b)
	}
	if e, ok := d.m.role(c, apis.Attempts); ok && e.Symbol.Arg != apis.None {
		return d.number(c, e)
	}
	if e, ok := d.m.role(c, apis.RetryFunc, apis.NewPolicy); ok {
		return d.retry(c, e)
	}
	return handled(unknownResults(c, d.option(c, path)))
}

// argument returns the argument of a call that a symbol speaks of; nil if there is none.
func argument(c *flow.Call, at int) *flow.Value {
	if c.Instr.IsInvoke() || isMethodCall(c) {
		at++
	}
	if at < 0 || at >= len(c.Args) {
		return nil
	}
	return c.Args[at]
}

// number is a call that says how many attempts there are.
func (d *limitSearch) number(c *flow.Call, e apis.Entry) flow.Action {
	o := &retryOption{}
	v := argument(c, e.Symbol.Arg)
	if z := d.place(c, e); z != nil {
		n, known := int64(0), false
		if v != nil {
			n, known = v.Int()
		}
		switch _, wraps := d.m.role(c, apis.WithPolicy); {
		case !unlimits(e) || !known || n != 0:
			z.bounded = true
		case wraps:
			z.endless = true
		default:
			o.zero = z
		}
	}
	return handled(unknownResults(c, o))
}

// place notes where a number is given; nil if that was found in a function which the
// root calls.
func (d *limitSearch) place(c *flow.Call, e apis.Entry) *zero {
	at := zeroAt{c.Instr, c.Instr}
	inner := true
	for f := c.Frame; f != nil; f = f.Parent {
		inner = inner && !f.Fn.Local
		if inner {
			at.key = f.Site
		} else if d.said[settledAt{f.Fn, at.key}] {
			return nil
		}
		if f.Site != nil {
			at.site = f.Site
		}
	}
	if d.found[at] == nil {
		d.found[at] = &zero{zeroAt: at, entry: e, frame: c.Frame, call: c.Instr}
		d.order = append(d.order, d.found[at])
	}
	return d.found[at]
}

// option is what any other function of a retry library makes.
func (d *limitSearch) option(c *flow.Call, path string) any {
	results := c.Instr.Signature().Results()
	if isMethodCall(c) || c.Instr.IsInvoke() || results.Len() != 1 || !isOption(results.At(0).Type()) {
		return nil
	}
	if e, ok := d.m.role(c, apis.Elapsed); ok {
		v := argument(c, e.Symbol.Arg)
		if v == nil || e.Symbol.Count.Zero != apis.NoLimit {
			return nil
		}
		n, known := v.Int()
		return &retryOption{noTime: known && n == 0}
	}
	if _, ok := d.m.role(c, apis.WithContext, apis.Condition, apis.Attempts); ok {
		return nil
	}
	for v := range c.Instr.Signature().Params().Variables() {
		if isError(v.Type()) || isNamed(v.Type(), "context", "Context") {
			return nil
		}
	}
	return &retryOption{neutral: true}
}

// retry looks at a call that retries, or that makes what does: whether one of its
// options takes the limit away, and nothing else is one.
func (d *limitSearch) retry(c *flow.Call, e apis.Entry) flow.Action {
	if e.Symbol.Role == apis.NewPolicy && !c.Instr.Signature().Variadic() {
		b := &builtPolicy{flow.Mix(c.Sym, builderNote)}
		c.World.Mark(b.id, &flow.Value{Kind: flow.NonNil, Sym: b.id, Obj: &policyState{}})
		return handled(unknownResults(c, b))
	}
	var zeros []*zero
	endless := e.Policy != nil
	timed := e.Policy == nil || e.Policy.Elapsed != 0
	options := d.options(c)
	for _, v := range options {
		o, ok := v.Obj.(*retryOption)
		switch {
		case !ok:
			endless = false // one of which nothing is known
		case o.zero != nil:
			zeros = append(zeros, o.zero)
		case o.noTime:
			timed = false
		case !o.neutral:
			endless = false
		}
	}
	if options == nil {
		endless = false
	}
	if runs := e.Symbol.Role == apis.RetryFunc; runs {
		if v := argument(c, e.Symbol.Context); e.Symbol.Context != apis.None && v != nil {
			_, never := v.Obj.(endlessContext)
			endless = endless && never
		}
		endless = endless && !d.mayEnd(argument(c, e.Symbol.Arg), pathOf(c))
	} else {
		endless = endless && !d.m.shapes.finals // what it will run is not in view
	}
	for _, z := range zeros {
		if endless && !timed {
			z.endless = true
		} else {
			z.bounded = true
		}
	}
	return handled(unknownResults(c, nil))
}

// options returns the variadic arguments of a call; nil if they are not known, or none.
func (d *limitSearch) options(c *flow.Call) []*flow.Value {
	if !c.Instr.Signature().Variadic() || len(c.Args) == 0 {
		return nil
	}
	last := c.Args[len(c.Args)-1]
	n, ok := last.Obj.(flow.SliceLen)
	if !ok {
		return nil
	}
	var out []*flow.Value
	for i := range int(n) {
		v := elementOf(c.World, last, i)
		if v == nil {
			return nil
		}
		out = append(out, v)
	}
	return out
}

// builder returns the builder that a method is called on.
func (d *limitSearch) builder(c *flow.Call) *builtPolicy {
	if !c.Instr.IsInvoke() && !isMethodCall(c) || len(c.Args) == 0 {
		return nil
	}
	b, _ := c.Args[0].Obj.(*builtPolicy)
	return b
}

// build is a method of a builder.
func (d *limitSearch) build(c *flow.Call, b *builtPolicy) flow.Action {
	st := policyState{bounded: true}
	if n := c.World.Marked(b.id); n != nil {
		if old, ok := n.Obj.(*policyState); ok {
			st = *old
		}
	}
	name := shortName(c)
	if name == "Build" {
		if st.zero != nil {
			if st.bounded || d.m.shapes.withContexts || d.m.shapes.finals {
				st.zero.bounded = true
			} else {
				st.zero.endless = true
			}
		}
		return handled(unknownResults(c, nil))
	}
	if e, ok := d.m.role(c, apis.Attempts); ok {
		v := argument(c, e.Symbol.Arg)
		n, known := int64(0), false
		if v != nil {
			n, known = v.Int()
		}
		z := d.place(c, e)
		if unlimits(e) && known && n == 0 {
			st.zero = z
		} else {
			st.zero = nil
			if z != nil {
				z.bounded = true
			}
		}
	} else if _, ok := d.m.role(c, apis.Elapsed, apis.Condition, apis.WithContext); ok || strings.HasPrefix(name, "Abort") {
		st.bounded = true
	}
	c.World.Mark(b.id, &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(b.id, flow.HashString(fmt.Sprint(st.zero != nil, st.bounded))), Obj: &st})
	return handled(unknownResults(c, b))
}

// mayEnd says whether a function that is retried may say that a failure is final: it,
// or what it calls, names what the library has for that, or it is not in view, so that
// those who give it have to be asked.
func (d *limitSearch) mayEnd(v *flow.Value, library string) bool {
	if v == nil || v.Kind != flow.Func || v.Fn == nil || !v.Fn.HasBody() {
		return true
	}
	seen := map[*ir.Function]bool{}
	var ends func(fn *ir.Function) bool
	ends = func(fn *ir.Function) bool {
		if seen[fn] {
			return false
		}
		seen[fn] = true
		found := false
		fn.Nodes(func(n *ir.Node) {
			if found || n.Op != ir.Call {
				return
			}
			callee := n.StaticCallee()
			switch {
			case callee == nil && n.X != nil && n.X.Op != ir.Builtin:
				found = d.m.shapes.finals // whatever runs there
			case callee != nil && callee.HasBody():
				found = ends(callee)
			case callee != nil && !standardPath(callee.Path):
				_, found = d.m.role(&flow.Call{Instr: n, Callee: callee}, apis.Final)
				found = found || d.m.importsBoth(callee.Path, library)
			}
		})
		for _, a := range fn.AnonFuncs {
			found = found || ends(a)
		}
		return found
	}
	return ends(v.Fn)
}

// importsBoth says whether a package that this one imports imports another in turn: it
// may use what that has.
func (m *modeler) importsBoth(path, library string) bool {
	for _, p := range m.pass.Pkg.Imports() {
		if p.Path() == path {
			return slices.ContainsFunc(p.Imports(), func(q *types.Package) bool { return q.Path() == library })
		}
	}
	return false
}
