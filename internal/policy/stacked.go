package policy

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// StackedRetry is the rule about retries around retries.
const StackedRetry = "stackedretry"

// stack is what a path knows of the layers that have sent its operation again.
// Every attempt fails in the same way: what an inner layer gives up with is what
// the outer one sees.
type stack struct {
	last  sendEvent // the attempt before
	n     int       // attempts
	inner repetition
	// frame is the running function that holds the inner repetition.
	frame *flow.Frame
	outer repetition
	// each is how many attempts one of the outer layer's comes to; 0 as long as
	// that has made one only.
	each          int
	first, second sendEvent // on both sides of the outer repetition
	again         [2]sendEvent
	beneath       *sender // of a call that a library sends with its own policy
	level         int     // how many pairs of layers lie beneath the one that is looked for
}

// maxLevels bounds the layers around layers around layers.
const maxLevels = 3

// rise goes on to what may stand around a pair of layers that is known: its outer one
// is the inner one then.
func (s *stack) rise() {
	layer, _ := split(s.first, s.second)
	s.inner, s.frame, s.again = s.outer, layer, [2]sendEvent{s.first, s.second}
	s.outer, s.each, s.level = repetition{}, 0, s.level+1
}

// stackedAttempt makes an attempt of an operation in a run that looks for
// layers around layers.
func (p *probe) stackedAttempt(c *flow.Call, o operation, result func(o outcome, w *flow.World, followed bool) *flow.Value) flow.Action {
	here := sendEvent{c.Frame, c.Instr}
	state := stateOf(c.World)
	if state == nil {
		first := c.World.Clone()
		a := &attempt{ident: o.ident, first: here, method: o.method, given: o.given, n: 1, stack: &stack{last: here, n: 1, beneath: o.sender}}
		first.State, first.StateHash = a, a.stackHash()
		return flow.Action{Fork: []flow.Alternative{
			{World: first, Value: result(p.outcome, first, true)},
			{World: c.World, Value: result(success, c.World, false)},
		}}
	}
	if state.ident != o.ident {
		return flow.Action{Handled: true, Value: result(success, c.World, false)}
	}
	s := *state.stack
	found := s.add(here, p.m)
	if p.count {
		found = false
		if s.n >= maxStacked {
			return flow.Action{End: true, Res: flow.Result{Reach: maxStacked}}
		}
	}
	if found {
		w := &witness{attempt: &attempt{ident: state.ident, first: s.first, method: state.method, given: state.given}, second: s.second, stack: &s}
		at := p.m.repetitionOf(s.first, s.second)
		switch {
		case !p.skip[at] && (p.only.fn == nil || p.only == at):
			return flow.Action{End: true, Res: flow.Result{Reach: sentAgain, Witness: w}}
		case s.beneath != nil || p.skip[at] && s.level >= maxLevels:
			return flow.Action{End: true, Res: flow.Result{Reach: sentOnce}}
		}
		s.rise()
	}
	next := *state
	next.stack, next.n = &s, s.n
	c.World.State, c.World.StateHash = &next, next.stackHash()
	return flow.Action{Handled: true, Value: result(p.outcome, c.World, true)}
}

// picks says whether a call of code that is not in view may give something else
// each time, as the next host of a pool: it is given nothing to work it out from,
// or draws lots.
func (p *probe) picks(c *flow.Call) bool {
	if c.Callee != nil && (c.Callee.Path == "math/rand" || c.Callee.Path == "math/rand/v2") {
		return true
	}
	given := len(c.Args)
	if given > 0 && (c.Instr.IsInvoke() || c.Instr.Signature().Recv() != nil) {
		given--
	}
	path := ""
	if c.Callee != nil {
		path = c.Callee.Path
	} else {
		path, _ = splitName(calleeName(c))
	}
	r := c.Instr.Signature().Results()
	return given == 0 && r.Len() > 0 && !isError(r.At(0).Type()) && (path == "" || path == "sync/atomic" || !standardPath(path))
}

func (a *attempt) stackHash() uint64 {
	return flow.Mix(flow.Mix(a.ident, uint64(a.stack.n)), uint64(a.stack.each)<<8|uint64(a.stack.level))
}

// add notes an attempt and says whether an outer layer has by now run an inner
// one anew.
func (s *stack) add(here sendEvent, m *modeler) bool {
	layer, chain := split(s.last, here)
	before := s.last
	s.last = here
	s.n++
	at := repetition{fn: layer.Fn, call: chain[0].call}
	switch {
	case s.beneath != nil:
		if s.each == 0 {
			s.first, s.second, s.outer, s.each = before, here, at, 1
		}
		return true
	case s.inner.fn == nil:
		s.inner, s.frame, s.again = at, layer, [2]sendEvent{before, here}
	case at == s.inner && (layer == s.frame || !encloses(layer, s.frame)):
		return s.each > 0
	case s.each == 0 && encloses(layer, s.frame):
		s.outer, s.each, s.first, s.second = at, s.n-1, before, here
	}
	return false
}

// encloses says whether a running function is another, or has called it.
func encloses(outer, inner *flow.Frame) bool {
	for ; inner != nil; inner = inner.Parent {
		if inner == outer {
			return true
		}
	}
	return false
}

// maxStacked is where counting ends.
const maxStacked = 250

// stackLimits bound the search; the rounds of both layers go through it.
var stackLimits = flow.Limits{Steps: 4000, Depth: 24, Visits: 8}

// stackCountLimits leave room for all attempts of both layers.
var stackCountLimits = flow.Limits{Steps: 20000, Depth: 48, Visits: maxCount + 2}

// findStacked looks for functions whose retry goes around another one.
func (m *modeler) findStacked() {
	st := &stacks{at: map[token.Pos]int{}, pairs: map[[2]repetition]bool{}}
	// A transport is asked last: what sends through it shows better where the two
	// layers come together.
	for _, transports := range []bool{false, true} {
		for _, s := range m.shapes.order {
			if !s.mayRetry || isTestFile(m.pass.Fset, s.decl.Pos()) || transports != isTransport(s.fn.Name(), s.fn.Signature()) {
				continue
			}
			fn := m.prog.fn(s.fn)
			if fn == nil || !fn.HasBody() || !m.mayRepeat(fn) {
				continue
			}
			m.findStack(s, fn, st)
		}
	}
	m.verdicts = append(m.verdicts, st.verdicts...)
}

func isTransport(name string, sig *types.Signature) bool {
	return name == "RoundTrip" && isExchange(sig)
}

// stacks are the verdicts of one package.
type stacks struct {
	verdicts []Verdict
	at       map[token.Pos]int // one for each place: the index of its verdict
	counted  []bool            // whether its message has numbers
	pairs    map[[2]repetition]bool
}

// add keeps the verdict that says most about a place.
func (st *stacks) add(v Verdict, counted bool) {
	i, ok := st.at[v.Pos]
	switch {
	case !ok:
		st.at[v.Pos] = len(st.verdicts)
		st.verdicts = append(st.verdicts, v)
		st.counted = append(st.counted, counted)
	case counted && !st.counted[i]:
		st.verdicts[i], st.counted[i] = v, true
	}
}

func (m *modeler) findStack(s *shape, fn *ir.Function, st *stacks) {
	skip := map[repetition]bool{}
	for range maxRepetitions {
		f := m.searchStack(s, fn, skip)
		if f == nil {
			return
		}
		at := m.repetitionOf(f.w.first, f.w.second)
		if skip[at] {
			return
		}
		skip[at] = true
		if f.w.given && fn.Parent == nil && !m.open(s.fn) && m.hasCaller(s) {
			continue // which method it is, and so who repeats it, its callers know
		}
		// An outer loop that a success goes round in as well polls, or takes the next item.
		if r, all := m.ask(fn, &probe{m: m, mode: repeats, outcome: success, assume: stacked.assumed(), optimist: true, only: at}, limits); r.Reach >= maybeSent || !all {
			continue
		}
		pair := [2]repetition{f.w.stack.outer, f.w.stack.inner}
		if isTransport(s.fn.Name(), s.fn.Signature()) && st.pairs[pair] {
			continue
		}
		if v, counted, ok := m.stackVerdict(f); ok {
			st.pairs[pair] = true
			st.add(v, counted)
		}
	}
}

// searchStack looks for one outer layer that was not found before.
func (m *modeler) searchStack(s *shape, fn *ir.Function, skip map[repetition]bool) *finding {
	f := &finding{root: s, fn: fn}
	var at repetition
	for _, o := range slices.Concat(ambiguous[:6], refused) {
		if f.covers(o) {
			continue
		}
		r, all := m.ask(fn, &probe{m: m, mode: stacked, outcome: o, assume: stacked.assumed(), skip: skip, only: at}, stackLimits)
		w, ok := r.Witness.(*witness)
		if !ok || r.Reach != sentAgain {
			if !all && len(f.again) == 0 {
				return nil // it is too much to look through
			}
			continue
		}
		f.again = append(f.again, o)
		if f.w == nil {
			f.w = w
			at = m.repetitionOf(w.first, w.second)
		}
	}
	if f.w == nil {
		return nil
	}
	return f
}

// stackVerdict says what multiplies, where the outer layer can be edited.
func (m *modeler) stackVerdict(f *finding) (v Verdict, counted, ok bool) {
	layer, chain := split(f.w.first, f.w.second)
	if !slices.ContainsFunc(chain, func(s step) bool { return s.frame.Fn.Local }) && !layer.Fn.Local && !m.meetHere(f, layer) {
		return Verdict{}, false, false
	}
	call, decl := m.composed(layer, chain)
	pos, end := m.prog.span(call)
	if !pos.IsValid() {
		return Verdict{}, false, false
	}
	counts, known, shared := m.countLayers(f)
	if shared {
		return Verdict{}, false, false // their numbers depend on each other: they share a budget
	}
	v = Verdict{Rule: StackedRetry, Severity: Warning, Pos: pos, End: end}
	if known && product(counts) >= 6 || m.unsafe(f.w.method) && !f.w.given {
		v.Severity = Error
	}
	within := m.innerName(f)
	after := describe(f.again)
	if known {
		v.Message = fmt.Sprintf("up to %s requests for one call: %s tries again what %s has already tried again, after %s; leave the retry to one of them",
			productText(counts), layerName(layer), within, after)
	} else {
		v.Message = fmt.Sprintf("retries multiply: %s tries again what %s has already tried again, after %s, so that every attempt of the one is several of the other; leave the retry to one of them",
			layerName(layer), within, after)
	}
	r := &report{pos: pos, end: end, layer: layer.Fn, decl: decl}
	if p, e, what := m.repetition(f, r); p.IsValid() {
		v.Related = append(v.Related, analysis.RelatedInformation{Pos: p, End: e, Message: what})
	}
	if p, e := m.innerPlace(f); p.IsValid() && p != pos {
		v.Related = append(v.Related, analysis.RelatedInformation{Pos: p, End: e, Message: "what it calls tries again here"})
	}
	return v, known, true
}

// composed finds the place where a person would part two layers: the call that
// the outer one repeats, or, where that is a transport, what sends through it.
func (m *modeler) composed(layer *flow.Frame, chain []step) (*ir.Node, *ast.FuncDecl) {
	f := layer
	for f.Parent != nil && (isTransport(f.Fn.Name, f.Fn.Signature) || !f.Fn.Local) {
		f = f.Parent
	}
	if f == layer {
		return m.editPlace(layer, chain)
	}
	for x := layer; x != f; x = x.Parent {
		if isTransport(x.Fn.Name, x.Fn.Signature) {
			x = layer
			for x.Parent != f {
				x = x.Parent
			}
			return x.Site, m.declOf(f.Fn)
		}
	}
	return m.editPlace(layer, chain)
}

// meetHere says of two layers that other packages hold whether it is this one
// that puts one around the other: then they are not of one library.
func (m *modeler) meetHere(f *finding, layer *flow.Frame) bool {
	s := f.w.stack
	if s.beneath != nil {
		return false
	}
	inner, _ := split(s.again[0], s.again[1])
	if layer.Fn != inner.Fn && sameRepository(layer.Fn.Path, inner.Fn.Path) {
		return false // one library's own affair; the same function twice is two of its clients
	}
	call, _ := m.callFrom(layer)
	callee := call.StaticCallee()
	return callee == nil || !sameRepository(callee.Path, m.pass.Pkg.Path())
}

// layerName names the function that holds a repetition; of a library's, the one
// that was called from outside.
func layerName(f *flow.Frame) string {
	fn := f.Fn.Outermost()
	if !fn.Local {
		for x := f.Parent; x != nil && x.Fn.Path == fn.Path; x = x.Parent {
			fn = x.Fn.Outermost()
		}
	}
	_, name := splitName(fn.FullName())
	if fn.Local || fn.Path == "" {
		return name
	}
	return pathBase(fn.Path) + "." + name
}

// pathBase is the last element of an import path that is no major version.
func pathBase(path string) string {
	parts := strings.Split(path, "/")
	last := parts[len(parts)-1]
	if len(parts) > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = parts[len(parts)-2]
	}
	return last
}

// innerName names what repeats beneath.
func (m *modeler) innerName(f *finding) string {
	if b := f.w.stack.beneath; b != nil {
		return b.String()
	}
	layer, chain := split(f.w.stack.again[0], f.w.stack.again[1])
	at := ""
	if fn := layer.Fn.Outermost(); !fn.Local && fn.File != "" && chain[0].call.Line > 0 {
		at = fmt.Sprintf(" (%s/%s:%d)", fn.Path, fn.File, chain[0].call.Line)
	}
	return layerName(layer) + at
}

// innerPlace is where the inner layer is written, if that is in view.
func (m *modeler) innerPlace(f *finding) (pos, end token.Pos) {
	if f.w.stack.beneath != nil {
		return
	}
	layer, chain := split(f.w.stack.again[0], f.w.stack.again[1])
	if !layer.Fn.Local {
		return
	}
	return m.prog.span(chain[0].call)
}
