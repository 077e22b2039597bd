package policy

import (
	"cmp"
	"fmt"
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
		alone := s.pieces && takesReader(s.fn.Signature())
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
		if (s.fills || givesClient(s.fn.Signature()) || isReadMethod(s.fn) || s.pieces && s.decl.Recv != nil) && !isTestFile(m.pass.Fset, s.decl.Pos()) {
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

// followKey tells what is read by the methods of what a function returns.
type followKey struct {
	fn     *ir.Function
	source uint64
	bounds string
	ev     evidence
}

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
	// open is a reading that nothing ends, total one that a total timeout does,
	// once one that a timer does which nothing renews.
	open, total, once *reading
	bound             bound
	timer             *timer
	drop              *dropped
	heard, inside     bool
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
	debugStream(m, d, fn.ID, mach.Exhausted, mach.Steps)
	if mach.Exhausted || d.cut {
		for _, r := range d.order {
			x.verdict(r.at).guard = max(x.verdict(r.at).guard, maybeGuard)
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
		v.inside = v.inside || len(d.ends.inside) > 0
	}
	for n := range d.ends.hears {
		x.verdict(sendEvent{instr: n}).heard = true
	}
}

// judge adds one reading to what is known of its place.
func (x *streamFinder) judge(d *streamer, r *reading) {
	if r.src.given || r.ev&(strong|weak) == 0 {
		return
	}
	v := x.verdict(r.at)
	v.at = r.at
	g, t := d.guardOf(r)
	if r.src.bounds.Idle.state == boundPresent {
		g = honestGuard
	}
	v.guard = max(v.guard, g)
	covering := r.src.bounds.covering()
	switch {
	case len(covering) > 0 && covering[0].state == boundPresent:
		if r.ev&strong != 0 && v.total == nil {
			v.total, v.bound = r, covering[0]
		}
		if r.ev&strong == 0 {
			v.guard = max(v.guard, maybeGuard)
		}
	case g == onceGuard:
		v.once, v.timer = r, t
	case v.open == nil || v.open.ev&strong == 0 && r.ev&strong != 0:
		v.open = r
	}
}

// decide makes verdicts of what the runs have shown.
func (x *streamFinder) decide() {
	slices.SortFunc(x.order, func(a, b *streamVerdict) int { return cmp.Compare(x.pos(a.at), x.pos(b.at)) })
	totals := map[token.Pos]bool{}
	for _, v := range x.order {
		if v.guard < maybeGuard && v.at.frame != nil {
			switch {
			case v.total != nil && v.open == nil:
				x.sayTotal(v, totals)
			case v.open != nil:
				x.sayNoIdle(v)
			}
		}
	}
}

// pos is where a reading is written; NoPos if that is not here.
func (x *streamFinder) pos(e sendEvent) token.Pos {
	if e.instr == nil {
		return token.NoPos
	}
	pos, _ := x.m.prog.span(e.instr)
	return pos
}

// here returns the call of this package that reads, or leads to the reading.
func (x *streamFinder) here(e sendEvent) (pos, end token.Pos) {
	if e.frame == nil {
		return token.NoPos, token.NoPos
	}
	call := e.instr
	if !e.frame.Fn.Local {
		call, _ = x.m.callFrom(e.frame)
	}
	return x.m.prog.span(call)
}

func (x *streamFinder) add(v Verdict) {
	if !v.Pos.IsValid() || slices.ContainsFunc(x.m.verdicts, func(o Verdict) bool { return o.Rule == v.Rule && o.Pos == v.Pos }) {
		return
	}
	x.m.verdicts = append(x.m.verdicts, v)
}

func (x *streamFinder) sayNoIdle(v *streamVerdict) {
	r := v.open
	pos, end := x.here(r.at)
	b := r.src.bounds
	x.add(Verdict{Rule: StreamNoIdle, Severity: Error, Pos: pos, End: end, Related: x.opened(r, pos),
		Message: fmt.Sprintf("this stream is read with no deadline that arriving data renews: %s, so when the server stops sending without closing the connection, the reading waits for ever; "+
			"cancel the request, or close the body, when nothing has come for some time", unbounded(b))})
}

// unbounded says what does not end a request.
func unbounded(b Bounds) string {
	client := "the client has no Timeout"
	if b.Total.state == boundUnknown {
		client = "the client's Timeout is not known here, and would cut the stream"
	}
	if b.Context.state == boundUnknown {
		return client + ", and nothing but the caller's context ends the request"
	}
	return client + ", and the request's context has no deadline"
}

// opened points at what opens the stream.
func (x *streamFinder) opened(r *reading, pos token.Pos) []analysis.RelatedInformation {
	p, e := x.here(r.src.sent)
	if !p.IsValid() || p == pos {
		return nil
	}
	return []analysis.RelatedInformation{{Pos: p, End: e, Message: "the stream is opened here"}}
}

func (x *streamFinder) sayTotal(v *streamVerdict, said map[token.Pos]bool) {
	r := v.total
	read, readEnd := x.here(r.at)
	pos, end := x.here(v.bound.at)
	if !pos.IsValid() {
		pos, end = read, readEnd
	}
	if said[pos] {
		return
	}
	said[pos] = true
	long := "a healthy answer that takes longer is cut off, and a stall is noticed only then"
	if v.bound.d > 0 {
		long = fmt.Sprintf("a healthy answer that takes longer than %s is cut off, and a stall is noticed only then", v.bound.d)
	}
	verdict := Verdict{Rule: StreamTotal, Severity: Warning, Pos: pos, End: end,
		Message: fmt.Sprintf("one total timeout (%s) covers a whole stream: %s; bound the time between two pieces instead, and the whole only as far as an answer may ever take", v.bound.what, long)}
	if read != pos {
		verdict.Related = append(verdict.Related, analysis.RelatedInformation{Pos: read, End: readEnd, Message: "the stream is read here"})
	}
	verdict.Related = append(verdict.Related, x.opened(r, read)...)
	x.add(verdict)
}

// Returned goes on with what a function returns, or keeps in its receiver: the
// methods that read from it are called again and again.
func (d *streamer) Returned(w *flow.World, v *flow.Value) flow.Result {
	if d.inTimer != nil {
		return flow.Result{}
	}
	d.ends.returned(d, w, v)
	if d.depth > 0 {
		return flow.Result{}
	}
	var holders []*flow.Value
	if v.Kind == flow.Tuple {
		holders = append(holders, v.Elems...)
	} else {
		holders = append(holders, v)
	}
	for _, h := range append(holders, d.params...) {
		d.follow(w, h)
	}
	return flow.Result{}
}

// follow calls the methods of a struct, or the function, that read from a source
// which the run has opened.
func (d *streamer) follow(w *flow.World, v *flow.Value) {
	src := d.leadsTo(w, v, 0)
	if src == nil || src.given {
		return
	}
	for _, fn := range d.readersOf(v) {
		key := followKey{fn, src.id, src.bounds.Total.String() + src.bounds.Context.String(), src.ev}
		if d.followed[key] {
			continue
		}
		d.followed[key] = true
		world := w.Clone()
		d.depth++
		d.twice(fn, v, world)
		d.depth--
	}
}

// twice calls a function, and again with what the first call has left.
func (d *streamer) twice(fn *ir.Function, v *flow.Value, w *flow.World) {
	args := d.blanks(fn)
	if v.Kind == flow.Func {
		args = append(args, v.Elems...)
	} else if len(args) > 0 {
		args[0] = v
	}
	again := &followAgain{streamer: d, fn: fn, args: args}
	mach := d.machine(again, nestedLimits)
	mach.Run(fn, args, w)
	d.m.steps += mach.Steps
	d.cut = d.cut || mach.Exhausted
}

// followAgain is the domain of the first of two calls.
type followAgain struct {
	*streamer
	fn   *ir.Function
	args []*flow.Value
	done int
}

func (a *followAgain) Returned(w *flow.World, v *flow.Value) flow.Result {
	a.streamer.ends.returned(a.streamer, w, v)
	if a.done++; a.done > 4 {
		return flow.Result{}
	}
	if v.Kind != flow.Tuple || len(v.Elems) > 1 {
		a.streamer.show(w, returned)
	}
	a.streamer.nestedRun(a.fn, a.args, w)
	return flow.Result{}
}

// readersOf returns the methods of a struct that read pieces, or the function itself.
func (d *streamer) readersOf(v *flow.Value) []*ir.Function {
	if v.Kind == flow.Func {
		return []*ir.Function{v.Fn}
	}
	t := v.Dyn
	if t == nil {
		t = v.Type
	}
	if t == nil {
		return nil
	}
	var out []*ir.Function
	for _, s := range d.m.readingMethods(t) {
		if fn := d.m.prog.lookup(t, &ir.Node{Op: ir.Call, Name: s.fn.Name()}); fn != nil && fn.HasBody() {
			out = append(out, fn)
		}
	}
	return out
}
