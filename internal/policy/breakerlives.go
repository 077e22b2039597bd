package policy

import (
	"go/types"
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// breakerLives is a domain that follows circuit breakers, and what is made of them,
// from where they are made to where nothing leads to them any more.
type breakerLives struct {
	probe
	fates   map[*ir.Node]*fates // by key
	order   []*fates
	settled map[settledAt]bool
}

// breakerOf is the Obj of a breaker, its builder, or what a library makes of one:
// an executor, a transport.
type breakerOf struct{ ids []uint64 }

// living is the state of a path: the breakers that it has made, and the variables
// that others can get at.
type living struct {
	made    []life
	outside []uint64
}

type life struct {
	id   uint64
	key  *ir.Node
	uses int
	kept bool
	// given says that it was put where a caller can get at it.
	given bool
	own   bool // all its uses are in the call of another package that has made it
}

func livingOf(w *flow.World) *living {
	if l, ok := w.State.(*living); ok {
		return l
	}
	return &living{}
}

func (l *living) put(w *flow.World) {
	h := uint64(0x11fe)
	for _, x := range l.made {
		h = flow.Mix(flow.Mix(h, x.id), uint64(x.uses))
		if x.kept {
			h = flow.Mix(h, 3)
		}
		if x.own {
			h = flow.Mix(h, 5)
		}
		if x.given {
			h = flow.Mix(h, 7)
		}
	}
	for _, r := range l.outside {
		h = flow.Mix(h, r)
	}
	w.State, w.StateHash = l, h
}

// change replaces what a path knows of some breakers.
func change(w *flow.World, ids []uint64, with func(*life)) {
	old := livingOf(w)
	l := &living{made: slices.Clone(old.made), outside: old.outside}
	for i := range l.made {
		if slices.Contains(ids, l.made[i].id) {
			with(&l.made[i])
		}
	}
	l.put(w)
}

// holds returns the breakers that a value leads to.
func holds(w *flow.World, v *flow.Value) []uint64 {
	var ids []uint64
	w.Lead(v, func(x *flow.Value) {
		if o, ok := x.Obj.(*breakerOf); ok {
			ids = append(ids, o.ids...)
		}
	})
	return ids
}

// leave notes that a value goes where others can get at it: the callers alone, or
// anybody.
func (d *breakerLives) leave(w *flow.World, v *flow.Value, callers bool) {
	old := livingOf(w)
	if len(old.made) == 0 && !leadsOn(v) {
		return
	}
	if ids := holds(w, v); len(ids) > 0 {
		change(w, ids, func(x *life) {
			if callers {
				x.given = true
			} else {
				x.kept = true
			}
		})
		old = livingOf(w)
	}
	if v.Root != 0 && leadsOn(v) && !slices.Contains(old.outside, v.Root) {
		l := &living{made: old.made, outside: append(slices.Clone(old.outside), v.Root)}
		slices.Sort(l.outside)
		l.put(w)
	}
}

// leadsOn says whether something may be stored later in what a value leads to.
func leadsOn(v *flow.Value) bool {
	return v.Kind == flow.Pointer && v.Fresh && v.Root != 0
}

// Keep is told of what goes into slices that grow and channels.
func (d *breakerLives) Keep(v *flow.Value, w *flow.World) { d.leave(w, v, false) }

// MapUpdate keeps what is put into a map.
func (d *breakerLives) MapUpdate(_, _, v *flow.Value, w *flow.World) { d.leave(w, v, false) }

// MapLookup knows nothing of maps.
func (d *breakerLives) MapLookup(*flow.Value, *flow.Value, *flow.World) (*flow.Value, bool) {
	return nil, false
}

// Stored keeps what is stored where others can get at it, or is sent.
func (d *breakerLives) Stored(_ *flow.Frame, at *ir.Node, addr, v *flow.Value, w *flow.World) {
	if at.Op == ir.Send || !addr.Fresh || w.Filled(addr.Root) || slices.Contains(livingOf(w).outside, addr.Root) {
		d.leave(w, v, at.Op == ir.Store && addr.Taint&(flow.Param|flow.Config) == flow.Param)
	}
}

// Deferred knows nothing of deferred calls before they are made.
func (d *breakerLives) Deferred(*flow.Call) {}

// Field knows nothing of what outlives the call.
func (d *breakerLives) Field(*flow.Value, types.Type, *flow.World) *flow.Value { return nil }

// Branch takes both sides: what is found must hold for all ways.
func (d *breakerLives) Branch(*flow.Frame, *flow.Value, *flow.World) flow.Branch { return flow.Either }

// Join has nothing to join: fates are collected on the way.
func (d *breakerLives) Join(_ flow.Branch, a, _ flow.Result) flow.Result { return a }

// Return is the end of a path that was cut short, or that panics.
func (d *breakerLives) Return(*flow.World) flow.Result { return flow.Result{} }

// Returned settles what has become of the breakers of a path.
func (d *breakerLives) Returned(w *flow.World, v *flow.Value) flow.Result {
	out := holds(w, v)
	for _, x := range livingOf(w).made {
		d.settle(x, slices.Contains(out, x.id))
	}
	return flow.Result{}
}

func (d *breakerLives) settle(x life, returned bool) {
	f := d.fates[x.key]
	switch {
	case x.kept, x.own && x.uses > 0, x.uses > 1:
		f.other = true
	case returned, x.given:
		f.returned = true
	case x.uses == 1:
		f.once = true
	}
}

// make notes that a call makes a breaker, and returns its identity.
func (d *breakerLives) make(c *flow.Call) (id uint64, ok bool) {
	at := birth{frame: c.Frame, call: c.Instr, site: c.Instr, key: c.Instr}
	id = flow.Mix(0xb4ea, flow.HashString(c.Frame.Fn.ID)) // with the calls on the way
	inner := true
	for f := c.Frame; f != nil; f = f.Parent {
		if inner && f.Fn.Local {
			inner = false
		}
		if inner {
			at.foreign, at.key = f, f.Site
		}
		if f.Site != nil {
			at.site = f.Site
			id = flow.Mix(id, uint64(f.Site.Pos)+uint64(f.Site.Line))
		}
		if !inner && d.settled[settledAt{f.Fn, at.key}] {
			return 0, false
		}
	}
	id = flow.Mix(flow.Mix(id, uint64(c.Instr.Pos)), uint64(c.Instr.Line))
	if d.fates[at.key] == nil {
		d.fates[at.key] = &fates{birth: at}
		d.order = append(d.order, d.fates[at.key])
	} else if was := d.fates[at.key]; was.call != at.call || was.site != at.site {
		was.other = true // two in one: which is meant cannot be told
	}
	old := livingOf(c.World)
	l := &living{outside: old.outside}
	for _, x := range old.made {
		if x.id == id {
			d.fates[at.key].again = true
			d.settle(x, false)
			continue
		}
		l.made = append(l.made, x)
	}
	l.made = append(l.made, life{id: id, key: at.key, own: at.foreign != nil})
	l.put(c.World)
	return id, true
}

// maxNested is how often a function may run inside itself: a helper that runs what it
// is given does so inside of what another call of it was given.
const maxNested = 8

// inline goes into what may make a breaker or is given one, and into what other
// questions go into.
func (d *breakerLives) inline(f *flow.Frame, callee *ir.Function, args []*flow.Value) bool {
	n := 0
	for x := f; x != nil; x = x.Parent {
		if x.Fn == callee && !givenAnother(x.Site, args) {
			n++
		}
	}
	if n > maxNested {
		return false
	}
	if s := d.m.shapeOf(callee); s != nil && (s.breaker.makes || s.breaker.uses || s.breaker.hands || d.m.shapes.worksWithBreaker(s)) {
		return true
	}
	return callee.Flags&flagBreaks != 0 || callee.Synthetic != "" || callee.Parent != nil || d.m.inlines(f, callee, args, 1) ||
		slices.ContainsFunc(args, func(a *flow.Value) bool { return leadsOn(a) })
}

// Call follows breakers through the calls of their libraries and of net/http; what
// other code that cannot be seen is given may be kept.
func (d *breakerLives) Call(c *flow.Call) flow.Action {
	if e, ok := d.m.role(c, apis.Breaker); ok && !d.ours(c) {
		of := &breakerOf{} // one of which nothing is asked
		if ownsState(e) {
			if id, ok := d.make(c); ok {
				of.ids = []uint64{id}
			}
		}
		return handled(d.results(c, of))
	}
	name := shortName(c)
	if of := d.receiver(c); of != nil {
		_, runs := d.m.role(c, apis.RetryFunc)
		switch {
		case runs || runsUnderBreaker(name):
			return d.use(c, of)
		case strings.HasPrefix(name, "Record") || slices.Contains([]string{"Name", "State", "Counts", "Metrics", "IsOpen", "IsClosed", "IsHalfOpen", "RemainingDelay"}, name):
			return handled(d.results(c, nil)) // it tells, or is told, and outlives nothing
		case c.Instr.Signature().Results().Len() > 0 && d.m.ofLibrary(c.Instr.Signature().Results().At(0).Type()):
			return handled(d.results(c, of)) // a builder's method
		}
	}
	if d.strays(c, name) {
		d.lost() // one that was made here, perhaps, and lost sight of
	}
	if of := d.policies(c); of != nil {
		return handled(d.results(c, of))
	}
	if a, ok := d.client(c); ok {
		return a
	}
	switch calleeName(c) {
	case "os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "runtime.Goexit", "(*log.Logger).Fatal", "(*log.Logger).Fatalf", "(*log.Logger).Fatalln":
		return flow.Action{End: true}
	}
	if p := pathOf(c); (p == "sync" || p == "sync/atomic" || onlyPrints(p)) && !slices.ContainsFunc(c.Args, func(a *flow.Value) bool { return a.Kind == flow.Func }) {
		return handled(d.External(c)) // it changes nothing beside what it is called on
	}
	return flow.Action{}
}

// pathOf returns the import path of what is called, "" if that is not known.
func pathOf(c *flow.Call) string {
	if c.Callee != nil {
		return c.Callee.Path
	}
	path, _ := splitName(calleeName(c))
	return path
}

// onlyPrints says whether a package keeps nothing of what it is given.
func onlyPrints(path string) bool {
	return path == "fmt" || path == "log" || path == "log/slog" || path == "errors"
}

// strays says whether a call runs something under a breaker of which nothing is known,
// and which does not come from outside.
func (d *breakerLives) strays(c *flow.Call, name string) bool {
	if !runsUnderBreaker(name) || len(c.Args) == 0 || d.ours(c) || c.Args[0].Taint&(flow.Param|flow.Config) != 0 {
		return false
	}
	path := pathOf(c)
	return !standardPath(path) && d.m.libraries.Has(path, apis.Breaker) && d.receiver(c) == nil
}

// ours says whether a call is of this package's code: of its instances of a library's
// generic functions it is not.
func (d *breakerLives) ours(c *flow.Call) bool {
	return c.Callee != nil && c.Callee.Path == d.m.pass.Pkg.Path()
}

// receiver returns the breakers that a method is called on, of a type of a library
// that is not followed.
func (d *breakerLives) receiver(c *flow.Call) *breakerOf {
	if !c.Instr.IsInvoke() && !isMethodCall(c) || len(c.Args) == 0 || d.ours(c) {
		return nil
	}
	of, _ := c.Args[0].Obj.(*breakerOf)
	return of
}

// policies returns the breakers among the policies that a library's function makes
// something of.
func (d *breakerLives) policies(c *flow.Call) (of *breakerOf) {
	if _, ok := d.m.role(c, apis.WithPolicy); !ok {
		return nil
	}
	for _, a := range variadic(c) {
		if o, ok := a.Obj.(*breakerOf); ok {
			if of == nil {
				of = &breakerOf{}
			}
			of.ids = append(of.ids, o.ids...)
		}
	}
	return of
}

// client decides what is sent through an http.Client: its transport may be made of a
// breaker, or hold one.
func (d *breakerLives) client(c *flow.Call) (flow.Action, bool) {
	s, ok := d.sendOf(c)
	if !ok || !strings.HasPrefix(calleeName(c), "(*net/http.Client).") || s.request >= len(c.Args) {
		return flow.Action{}, false
	}
	if t := d.m.prog.ir.Named("net/http", "Client"); t != nil && structOf(t) != nil {
		if transport := fieldNamed(c, c.Args[0], t, "Transport"); transport != nil {
			if o, ok := transport.Obj.(*breakerOf); ok {
				return d.use(c, o), true
			}
		}
	}
	if a, ok := d.throughTransport(c, s); ok {
		return a, true
	}
	return flow.Action{Handled: true, Value: d.results(c, nil)}, true
}

// use counts a call under some breakers, and runs what it is given.
func (d *breakerLives) use(c *flow.Call, of *breakerOf) flow.Action {
	known := livingOf(c.World)
	change(c.World, of.ids, func(x *life) {
		x.uses = min(x.uses+1, 2)
		if f := d.fates[x.key]; x.own && !within(c.Frame, f.foreign) {
			x.own = false
		}
	})
	for _, id := range of.ids {
		if !slices.ContainsFunc(known.made, func(x life) bool { return x.id == id }) {
			d.lost()
		}
	}
	for _, a := range c.Args {
		if a.Kind == flow.Func && a.Fn != nil && a.Fn.HasBody() {
			return flow.Action{Invoke: a, Then: func(*flow.Value) *flow.Value { return d.results(c, nil) }}
		}
	}
	return flow.Action{Handled: true, Value: d.results(c, nil)}
}

// lost is a use of a breaker that the path has forgotten: nothing is said of any.
func (d *breakerLives) lost() {
	for _, f := range d.order {
		f.other = true
	}
}

// within says whether a running function is another, or was called by it.
func within(f, outer *flow.Frame) bool {
	for ; f != nil; f = f.Parent {
		if f == outer {
			return true
		}
	}
	return false
}

// results are what a call returns, the first one made of some breakers.
func (d *breakerLives) results(c *flow.Call, of *breakerOf) *flow.Value {
	if of == nil {
		return unknownResults(c, nil)
	}
	return unknownResults(c, of)
}

// unknownResults are what a call returns of which nothing is known but the Obj of the
// first result: errors may be, and may not be. They are different each time something
// has happened in between.
func unknownResults(c *flow.Call, obj any) *flow.Value {
	results := c.Instr.Signature().Results()
	vals := make([]*flow.Value, results.Len())
	for i := range vals {
		t := results.At(i).Type()
		sym := flow.Mix(flow.Mix(c.Sym, uint64(i)+61), c.World.StateHash)
		vals[i] = flow.UnknownValue(sym, 0)
		vals[i].Type = t
		if i == 0 && obj != nil {
			vals[i] = &flow.Value{Kind: receiverKind(t), Sym: sym, Root: sym, Type: t, Obj: obj}
		}
	}
	if len(vals) == 1 {
		return vals[0]
	}
	return flow.TupleValue(vals...)
}

// External is code that cannot be seen: it may keep what it is given, but for what
// only prints. A lock or a counter in a field has nothing to do with what stands
// beside it.
func (d *breakerLives) External(c *flow.Call) *flow.Value {
	path := pathOf(c)
	if onlyPrints(path) {
		return d.results(c, nil)
	}
	if endsReceiver(c) {
		return d.results(c, nil)
	}
	for i, a := range slices.Concat(c.Args, c.Bindings()) {
		if i == 0 && a.Base != nil && (path == "sync" || path == "sync/atomic") {
			continue
		}
		d.leave(c.World, a, false)
	}
	if c.Func != nil {
		d.leave(c.World, c.Func, false)
	}
	return d.results(c, nil)
}

// endsReceiver says whether a call only ends what it is called on.
func endsReceiver(c *flow.Call) bool {
	return len(c.Args) == 1 && slices.Contains([]string{"Close", "Stop", "Shutdown", "CloseIdleConnections"}, shortName(c))
}

// ofLibrary says whether a type is one of a library that the tables know.
func (m *modeler) ofLibrary(t types.Type) bool {
	n, ok := derefNamed(t)
	return ok && n.Obj().Pkg() != nil && !standardPath(n.Obj().Pkg().Path()) && m.libraries.Knows(n.Obj().Pkg().Path())
}

// runsUnderBreaker says whether a method asks a breaker for leave, or runs something
// that it counts.
func runsUnderBreaker(name string) bool {
	return slices.Contains([]string{"Execute", "Allow", "Run", "Go", "TryAcquirePermit", "RoundTrip"}, name)
}
