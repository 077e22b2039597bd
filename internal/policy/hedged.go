package policy

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// HedgedWrite is the rule about unsafe requests of which two are under way at once.
const HedgedWrite = "hedgedwrite"

// hedge decides calls that make what sends a second attempt early, and those that
// hand such a thing on: a builder's methods, a transport that is given the policy.
// Their code is not followed: goroutines that race each other say little.
func (p *probe) hedge(c *flow.Call) (flow.Action, bool) {
	if p.m.libraries == nil || c.Callee == nil && !c.Instr.IsInvoke() || c.Callee != nil && c.Callee.Local {
		return flow.Action{}, false
	}
	if path, _ := splitName(calleeName(c)); standardPath(path) || !p.m.libraries.Knows(path) {
		return flow.Action{}, false
	}
	s := p.hedgeOf(c)
	if s == nil {
		return flow.Action{}, false
	}
	if p.made != nil {
		p.made(c, s)
	}
	return flow.Action{Handled: true, Value: p.holding(c, s)}, true
}

func (p *probe) hedgeOf(c *flow.Call) *sender {
	results := c.Instr.Signature().Results()
	if results.Len() == 0 {
		return nil
	}
	e, ok := p.m.role(c, apis.Hedge)
	if !ok {
		// What is given one, or is a method of one.
		for _, a := range variadic(c) {
			if s, ok := a.Obj.(*sender); ok && s.hedges && !isError(results.At(0).Type()) {
				return s
			}
		}
		return nil
	}
	s := &sender{name: e.Library.Name, policy: e.Policy, place: c.Instr, hedges: true}
	if e.Policy != nil {
		s.attempts = e.Policy.Attempts
	}
	if count, ok := p.m.role(c, apis.Attempts); ok && count.Symbol.Arg >= 0 && count.Symbol.Arg < len(c.Args) {
		set(s, count, c.Args[count.Symbol.Arg])
		s.hedges = s.attempts != 1 // else it is switched off
	}
	return s
}

// hedgedBy returns what sends a second attempt of a request early that a call
// sends; nil if nothing is known to.
func (p *probe) hedgedBy(c *flow.Call) *sender {
	if len(c.Args) == 0 {
		return nil
	}
	hedges := func(v *flow.Value) *sender {
		if v == nil {
			return nil
		}
		if s, ok := v.Obj.(*sender); ok && s.hedges {
			return s
		}
		return nil
	}
	if s := hedges(c.Args[0]); s != nil {
		return s
	}
	t := p.m.prog.ir.Named("net/http", "Client")
	if t == nil || structOf(t) == nil || c.Args[0].Type == nil || !isPointerTo(c.Args[0].Type, "net/http", "Client") {
		return nil
	}
	return hedges(fieldNamed(c, c.Args[0], t, "Transport"))
}

// hedgedSend is what a run that looks for hedged writes does at a send.
func (p *probe) hedgedSend(c *flow.Call, o operation) (flow.Action, bool) {
	s := p.hedgedBy(c)
	if s == nil || o.given || !p.m.unsafe(o.method) || o.key != keyAbsent {
		return flow.Action{}, false
	}
	here := sendEvent{c.Frame, c.Instr}
	at := p.m.repetitionOf(here, here)
	if p.skip[at] {
		return flow.Action{}, false
	}
	w := &witness{attempt: &attempt{ident: o.ident, first: here, method: o.method}, second: here, urls: o.urls, bodies: o.bodies, stack: &stack{beneath: s}}
	return flow.Action{End: true, Res: flow.Result{Reach: sentAgain, Witness: w}}, true
}

// findHedged looks for unsafe requests that are hedged.
func (m *modeler) findHedged() {
	if !m.shapes.hedges {
		return
	}
	done := map[*shape]bool{}
	said := map[*ir.Function]bool{}
	var visit func(s *shape)
	visit = func(s *shape) {
		if done[s] || !s.sendful || isTestFile(m.pass.Fset, s.decl.Pos()) {
			return
		}
		done[s] = true
		for _, c := range slices.Concat(s.calls, s.mayCall) {
			if callee := m.shapes.funcs[c]; callee != nil {
				visit(callee)
			}
		}
		fn := m.prog.fn(s.fn)
		if fn == nil || !fn.HasBody() {
			return
		}
		for _, lit := range literalsOf(fn) {
			m.findHedgedIn(s, lit, said)
		}
		m.findHedgedIn(s, fn, said)
	}
	for _, s := range m.shapes.order {
		visit(s)
	}
}

// findHedgedIn looks in one function: it is the innermost one that knows both the
// method and the client, since those that it calls were asked before.
func (m *modeler) findHedgedIn(s *shape, fn *ir.Function, said map[*ir.Function]bool) {
	skip := map[repetition]bool{}
	for range maxRepetitions {
		r, _ := m.ask(fn, &probe{m: m, mode: hedged, outcome: success, assume: readMethod, skip: skip}, searchLimits)
		w, ok := r.Witness.(*witness)
		if !ok || r.Reach != sentAgain {
			break
		}
		skip[m.repetitionOf(w.first, w.second)] = true
		below := false
		for f := w.second.frame; f.Parent != nil; f = f.Parent {
			below = below || said[f.Fn]
		}
		if !below {
			m.sayHedged(&finding{root: s, fn: fn, w: w})
		}
	}
	said[fn] = said[fn] || len(skip) > 0
}

func (m *modeler) sayHedged(f *finding) {
	if m.harmless(f) {
		return
	}
	frame, call := f.w.second.frame, f.w.second.instr
	for frame.Parent != nil {
		frame, call = frame.Parent, frame.Site
	}
	pos, end := m.prog.span(call)
	if !pos.IsValid() {
		return
	}
	s := f.w.stack.beneath
	often := "more than one of them is under way at once, and each is carried out"
	if s.attempts > 1 {
		often = fmt.Sprintf("up to %d of them are under way at once, and each is carried out", s.attempts)
	}
	v := Verdict{Rule: HedgedWrite, Severity: Error, Pos: pos, End: end,
		Message: fmt.Sprintf("%s goes through a client that hedges (%s): as soon as it is slow, %s; hedge only what reads, and send this through a plain client", f.w.method, s.name, often)}
	if p, e := m.prog.span(s.place); p.IsValid() && p != pos {
		v.Related = append(v.Related, analysis.RelatedInformation{Pos: p, End: e, Message: "what hedges is made here"})
	}
	m.verdicts = append(m.verdicts, v)
}

// hedgesSomething says whether any function of the package makes what hedges, or
// imports a package that knows of it.
func (s *shapes) hedgesSomething() bool {
	return slices.ContainsFunc(s.order, func(sh *shape) bool { return sh.makesHedge })
}
