package policy

import (
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// libraryCall decides calls that a known library sends with its own policy. They
// are followed where layers around layers are looked for.
func (p *probe) libraryCall(c *flow.Call) (flow.Action, bool) {
	if p.mode != stacked && p.mode != repeats || !p.m.opaque(c.Callee) {
		return flow.Action{}, false
	}
	e, ok := p.m.role(c, apis.Call, apis.ModelCall, apis.ModelStream)
	if !ok || !isMethodCall(c) {
		return flow.Action{}, false
	}
	client := p.senderAt(c.World, c.Args[0])
	if p.taken != nil {
		return p.taken.libraryCall(c, e, client), true
	}
	if client == nil {
		return flow.Action{Handled: true, Value: p.libraryResult(c, false, success)}, true
	}
	own := *client
	p.apply(c, &own, e)
	if !own.repeats() || p.mode == stacked && !own.triesAfter(p.outcome) {
		return flow.Action{Handled: true, Value: p.libraryResult(c, false, success)}, true
	}
	o := operation{ident: c.Sym, sender: &own}
	return p.attempt(c, o, func(out outcome, w *flow.World, followed bool) *flow.Value {
		return p.libraryResult(c, followed, out)
	}), true
}

// triesAfter says whether a library sends again after an outcome.
func (s *sender) triesAfter(o outcome) bool {
	after := s.policy.After
	switch {
	case o.fault == faultTimeout:
		return after&(apis.NoAnswer|apis.TimedOut|apis.Every) != 0
	case o.fault != noFault:
		return after&(apis.NoAnswer|apis.Every) != 0
	case o.status == 429:
		return after&(apis.TooManyRequests|apis.Every) != 0
	case o.status == 500:
		return after&(apis.ServerError|apis.Every) != 0
	case o.status > 500:
		return after&(apis.Unavailable|apis.Every) != 0
	}
	return false
}

// libraryResult makes the results of a library's call. Where it fails, the error
// is one that no check recognises: which ones it could be is the library's affair.
func (p *probe) libraryResult(c *flow.Call, followed bool, out outcome) *flow.Value {
	failed := followed && out != success && out != anything
	results := c.Instr.Signature().Results()
	vals := make([]*flow.Value, results.Len())
	for i := range vals {
		t := results.At(i).Type()
		sym := flow.Mix(c.Sym, uint64(i)+61)
		switch {
		case isError(t) && followed && out == anything:
			vals[i] = flow.UnknownValue(sym, fromOutcome)
		case isError(t) && failed:
			vals[i] = &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(0xe4404, sym), Taint: fromOutcome, Obj: &attemptError{}}
		case isError(t), failed:
			vals[i] = flow.Zero(t)
		default:
			vals[i] = &flow.Value{Kind: receiverKind(t), Sym: sym, Root: sym, Type: t}
			if followed {
				vals[i].Taint = fromOutcome
			}
		}
	}
	if len(vals) == 1 {
		return vals[0]
	}
	return flow.TupleValue(vals...)
}

// clientLimits bound the run of a function that makes clients.
var clientLimits = flow.Limits{Steps: 1500, Depth: 12, Visits: 3}

// findClients looks for clients of libraries that try again and are given an HTTP
// client that tries again, too.
func (m *modeler) findClients() {
	if n := m.shapes.libraryCalls; n > 0 && n == m.shapes.limitedCalls {
		return // each call says by itself how often it is sent
	}
	said := map[*ir.Node]bool{}
	for _, s := range m.shapes.order {
		if !s.makesClient || isTestFile(m.pass.Fset, s.decl.Pos()) {
			continue
		}
		fn := m.prog.fn(s.fn)
		if fn == nil || !fn.HasBody() {
			continue
		}
		for _, fn := range append([]*ir.Function{fn}, literalsOf(fn)...) {
			r := &recorder{probe: probe{m: m, mode: repeats, outcome: success, assume: "POST", made: func(c *flow.Call, s *sender) {
				if c.Frame.Fn.Local && s.repeats() && s.beneath.repeats() && !said[s.place] {
					said[s.place] = true
					m.sayClient(c, s)
				}
			}}, found: map[fieldKey]*template{}, seen: map[fieldKey]bool{}, glob: map[*ir.Global]*template{}}
			mach := &flow.Machine{Domain: r, Limits: clientLimits, Lookup: m.prog.lookup, Inline: m.inline, Index: m.index}
			params := make([]*flow.Value, len(fn.Params))
			for i, prm := range fn.Params {
				params[i] = m.parameter(fn, prm, i, &r.probe)
			}
			start := flow.NewWorld()
			mach.Run(fn, append(params, m.captured(fn, &r.probe, start)...), start)
			m.steps += mach.Steps
		}
	}
}

// sayClient makes a verdict of a client that stands on another.
func (m *modeler) sayClient(c *flow.Call, s *sender) {
	pos, end := m.prog.span(s.place)
	makes, makesEnd := m.prog.span(c.Instr)
	if !pos.IsValid() {
		pos, end = makes, makesEnd
	}
	if !pos.IsValid() || m.claims.covers(pos, m.declOf(c.Frame.Fn)) {
		return
	}
	v := Verdict{Rule: StackedRetry, Severity: Error, Pos: pos, End: end}
	often := fmt.Sprintf("up to %d × %d = %d requests for one call", s.attempts, s.beneath.attempts, s.attempts*s.beneath.attempts)
	if s.attempts == apis.Unlimited || s.beneath.attempts == apis.Unlimited {
		often = "retries multiply without a bound"
	}
	v.Message = fmt.Sprintf("%s: %s tries again by itself, and so does the client that it is given (%s); switch one of them off", often, s.name, s.beneath.name)
	if makes != pos {
		v.Related = append(v.Related, analysis.RelatedInformation{Pos: makes, End: makesEnd, Message: s.name + "'s client is made here"})
	}
	m.verdicts = append(m.verdicts, v)
}
