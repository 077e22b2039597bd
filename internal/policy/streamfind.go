package policy

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// wantStreams finds the functions whose runs show streams: those that open one,
// where something in the package reads piece by piece. In most packages there is
// none, and nothing is built for it.
func (m *modeler) wantStreams() {
	sh := m.shapes
	reads := slices.ContainsFunc(sh.order, func(s *shape) bool { return s.pieces })
	opens := slices.ContainsFunc(sh.order, func(s *shape) bool { return s.opens })
	if !reads && !opens {
		return
	}
	for _, s := range sh.order {
		if isTestFile(m.pass.Fset, s.decl.Pos()) {
			continue
		}
		starts := s.sends || s.opens || sh.reaches(s, func(x *shape) bool { return x.sends || x.opens })
		ends := s.pieces || s.opens || sh.reaches(s, func(x *shape) bool { return x.pieces || x.opens }) || m.givesReader(s)
		alone := m.readsPieces(s) && takesReader(s.fn.Signature()) && (s.asks || sh.reaches(s, func(x *shape) bool { return x.asks || x.asksOut && !x.pieces }))
		if !starts && !alone || !ends {
			continue
		}
		m.streams = append(m.streams, s)
	}
	for _, s := range m.streams {
		m.want[s.decl] = true
		for r := range sh.reached(s) {
			m.want[r.decl] = true
		}
	}
	if len(m.streams) == 0 {
		return
	}
	for _, s := range sh.order {
		if (s.fills || givesClient(s.fn.Signature()) || dials(s.fn.Signature()) || isReadMethod(s.fn) || s.pieces && s.decl.Recv != nil) && !isTestFile(m.pass.Fset, s.decl.Pos()) {
			m.want[s.decl] = true
			for r := range sh.reached(s) {
				m.want[r.decl] = true
			}
		}
	}
}

// isReadMethod says whether a function is the Read method of a reader.
func isReadMethod(fn *types.Func) bool {
	sig := fn.Signature()
	return sig.Recv() != nil && (fn.Name() == "Read" || fn.Name() == "Close") && sig.Results().Len() > 0
}

// mayRead looks at imports and signatures only, whether a package that knows nothing
// of HTTP may have functions that read a stream which they are given.
func mayRead(pass *analysis.Pass) bool {
	if !slices.ContainsFunc(pass.Pkg.Imports(), func(p *types.Package) bool { return p.Path() == "bufio" }) {
		return false
	}
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			if fn, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func); ok && takesReader(fn.Signature()) {
				return true
			}
		}
	}
	return false
}

// dials says whether a function makes a connection.
func dials(sig *types.Signature) bool {
	return sig.Results().Len() > 0 && isNamed(sig.Results().At(0).Type(), "net", "Conn")
}

// takesReader says whether a function is given something to read from.
func takesReader(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if t := sig.Params().At(i).Type(); types.IsInterface(t) && isReader(t) {
			return true
		}
	}
	return false
}

// givesReader says whether a function returns, or keeps in its receiver, what may
// read a body: a reader, a response, or a struct of this package with a method
// that reads.
func (m *modeler) givesReader(s *shape) bool {
	sig := s.fn.Signature()
	if r := sig.Recv(); r != nil && m.hasReadingMethod(r.Type()) {
		return true
	}
	for i := range sig.Results().Len() {
		if m.hasReadingMethod(sig.Results().At(i).Type()) {
			return true
		}
	}
	return false
}

func (m *modeler) hasReadingMethod(t types.Type) bool { return len(m.readingMethods(t)) > 0 }

// readingMethods returns the methods of a struct of this package, promoted ones
// too, that read pieces.
func (m *modeler) readingMethods(t types.Type) []*shape {
	n, ok := derefNamed(t)
	if !ok || n.Obj().Pkg() != m.pass.Pkg || types.IsInterface(n) {
		return nil
	}
	var out []*shape
	set := types.NewMethodSet(types.NewPointer(n))
	for i := range set.Len() {
		fn, ok := set.At(i).Obj().(*types.Func)
		if !ok {
			continue
		}
		if s := m.shapes.funcs[fn.Origin()]; s != nil && m.readsPieces(s) {
			out = append(out, s)
		}
	}
	return out
}

func (m *modeler) readsPieces(s *shape) bool {
	return s.pieces || m.shapes.reaches(s, func(x *shape) bool { return x.pieces })
}

// streamLimits bound a run of a streamer.
var streamLimits = flow.Limits{Steps: 3000, Depth: 20, Visits: 4}

// streamSteps bounds all such runs over one package together.
const streamSteps = 200_000

// findStreams runs the functions that open streams, and decides what is wrong with
// how these are read.
func (m *modeler) findStreams() {
	if len(m.streams) == 0 {
		return
	}
	found := &streamFinder{m: m, at: map[*ir.Node]*streamVerdict{}, entered: map[*ir.Function]bool{}}
	budget := m.steps + streamSteps
	// Those that nobody in the package calls first: what they call runs with them.
	for _, first := range []bool{true, false} {
		for _, s := range m.streams {
			fn := m.prog.fn(s.fn)
			called := !m.open(s.fn) && found.entered[fn]
			if fn == nil || !fn.HasBody() || m.isRoot(s) != first || called || m.steps > budget {
				continue
			}
			found.run(fn)
		}
	}
	// Functions written in them that none of these runs has come to.
	for _, s := range m.streams {
		if fn := m.prog.fn(s.fn); fn != nil {
			for _, lit := range literalsOf(fn) {
				if !found.entered[lit] && m.steps <= budget {
					found.run(lit)
				}
			}
		}
	}
	found.decide()
}

// isRoot says whether no other function of those that open streams calls one.
func (m *modeler) isRoot(s *shape) bool {
	for _, o := range m.streams {
		if o != s && slices.Contains(o.calls, s.fn) {
			return false
		}
	}
	return true
}

// streamFinder collects what the runs have shown of each reading.
type streamFinder struct {
	m       *modeler
	at      map[*ir.Node]*streamVerdict
	order   []*streamVerdict
	entered map[*ir.Function]bool
}

// streamVerdict is what is known of one reading, over all runs.
type streamVerdict struct {
	at    sendEvent
	guard guardKind
	// open are the readings that nothing ends, one for each goroutine that makes them.
	open []*reading
	// totals are the readings that a total timeout ends, one for each place where
	// one is set.
	totals        []totalled
	drop          *dropped
	heard, inside bool
}

// totalled is a reading that a total timeout ends.
type totalled struct {
	*reading
	by bound
}

func (x *streamFinder) verdict(at sendEvent) *streamVerdict {
	v := x.at[at.instr]
	if v == nil {
		v = &streamVerdict{at: at}
		x.at[at.instr] = v
		x.order = append(x.order, v)
	}
	return v
}

// run runs one function, and what it returns.
func (x *streamFinder) run(fn *ir.Function) {
	m := x.m
	d := newStreamer(m)
	mach := d.machine(d, streamLimits)
	params := make([]*flow.Value, len(fn.Params))
	for i, prm := range fn.Params {
		params[i] = m.parameter(fn, prm, i, &d.probe)
	}
	start := flow.NewWorld()
	d.params = params
	mach.Run(fn, append(params, m.captured(fn, &d.probe, start)...), start)
	m.steps += mach.Steps
	if mach.Exhausted || d.cut {
		for _, r := range d.order {
			x.verdict(r.at).guard = max(x.verdict(r.at).guard, maybeGuard)
			x.hear(r, maybeGuard, true)
		}
		return
	}
	for f := range d.entered {
		x.entered[f] = true
	}
	for _, r := range d.order {
		x.judge(d, r)
	}
	for n, drop := range d.ends.dropped {
		v := x.verdict(drop.at)
		if n == drop.at.instr && v.drop == nil {
			v.drop = drop
		}
		v.inside = v.inside || d.ends.inside[drop.src.id]
	}
	x.pings(d)
	for n := range d.ends.hears {
		x.verdict(sendEvent{instr: n}).heard = true
	}
}

// watches says whether the URL of a stream, or a function on the way to it, names
// a watch: what is watched may be silent for as long as nothing happens.
func (r *reading) watches() bool {
	if r.src.lasting {
		return true
	}
	for _, e := range []sendEvent{r.at, r.src.sent} {
		for f := e.frame; f != nil; f = f.Parent {
			if namesWatch(f.Fn.Outermost().Name) {
				return true
			}
		}
	}
	return false
}

// judge adds one reading to what is known of its place.
func (x *streamFinder) judge(d *streamer, r *reading) {
	shown := strong | weak
	if x.m.config.Strict {
		shown |= printed | returned
	}
	g, t := d.guardOf(r)
	if r.src.bounds.Idle.state == boundPresent {
		g = honestGuard
	}
	x.hear(r, g, false)
	if r.src.given || r.ev&shown == 0 || r.ev&strong == 0 && r.watches() {
		return
	}
	v := x.verdict(r.at)
	v.at = r.at
	v.guard = max(v.guard, g)
	covering := r.src.bounds.covering()
	switch {
	case len(covering) > 0 && covering[0].state == boundPresent:
		if r.ev&strong != 0 {
			v.totals = append(v.totals, totalled{r, covering[0]})
		} else {
			v.guard = max(v.guard, maybeGuard)
		}
	case g == onceGuard && r.ev&strong != 0:
		v.totals = append(v.totals, totalled{r, bound{state: boundPresent, what: "a timer that nothing renews", at: sendEvent{t.frame, t.at}}})
	case g == onceGuard:
	default:
		for i, o := range v.open {
			if detachedAt(o.at.frame) == detachedAt(r.at.frame) {
				if o.ev&strong == 0 && r.ev&strong != 0 {
					v.open[i] = r
				}
				return
			}
		}
		v.open = append(v.open, r)
	}
}

// decide makes verdicts of what the runs have shown.
func (x *streamFinder) decide() {
	slices.SortFunc(x.order, func(a, b *streamVerdict) int { return cmp.Compare(x.pos(a.at), x.pos(b.at)) })
	totals := map[token.Pos]bool{}
	for _, v := range x.order {
		if v.drop != nil && !v.heard && (!v.drop.src.given || v.inside) {
			x.sayErr(v)
		}
		if v.guard >= maybeGuard || v.at.frame == nil {
			continue
		}
		for _, r := range v.open {
			if !x.sayLeak(r) {
				x.sayNoIdle(r)
			}
		}
		if len(v.open) == 0 {
			for _, t := range v.totals {
				x.sayTotal(t, totals)
			}
		}
	}
}
