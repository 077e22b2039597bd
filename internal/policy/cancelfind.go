package policy

import (
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// findCancels looks for contexts that end before the body is read.
func (m *modeler) findCancels() {
	said := map[*ir.Node]bool{}
	for _, s := range m.shapes.order {
		if !s.sendful || !s.derives && !m.shapes.reaches(s, func(x *shape) bool { return x.derives }) || isTestFile(m.pass.Fset, s.decl.Pos()) {
			continue
		}
		fn := m.prog.fn(s.fn)
		if fn == nil || !fn.HasBody() {
			continue
		}
		m.findCancel(s, fn, said)
		for _, lit := range literalsOf(fn) {
			m.findCancel(s, lit, said)
		}
	}
}

func literalsOf(fn *ir.Function) []*ir.Function {
	var out []*ir.Function
	for _, a := range fn.AnonFuncs {
		out = append(out, a)
		out = append(out, literalsOf(a)...)
	}
	return out
}

// cancelLimits bound a run of a canceller.
var cancelLimits = flow.Limits{Steps: 1500, Depth: 20, Visits: 6}

func (m *modeler) findCancel(s *shape, fn *ir.Function, said map[*ir.Node]bool) {
	for range maxRepetitions {
		w, _ := m.askCancel(fn, said)
		if w == nil {
			return
		}
		if said[w.at.instr] {
			return
		}
		said[w.at.instr] = true
		m.sayCancel(s, w)
	}
}

// sayCancel makes a verdict of a witness, at the cancel.
func (m *modeler) sayCancel(s *shape, w *cancelled) {
	// Where the ways to the answer and to the end part.
	layer, chain := split(w.sent, w.at)
	call := chain[0].call
	if !layer.Fn.Local {
		call, _ = m.callFrom(layer)
	}
	pos, end := m.prog.span(call)
	if !pos.IsValid() {
		return
	}
	if slices.ContainsFunc(m.verdicts, func(v Verdict) bool { return v.Rule == AttemptCancel && v.Pos == pos }) {
		return // an instance of the same code
	}
	v := Verdict{Rule: AttemptCancel, Severity: Error, Pos: pos, End: end}
	v.Message = "the context of the request ends before the body is read: the answer leaves the function with its body unread, and reading it fails with \"context canceled\" as soon as it is not in the buffers yet; cancel when the body is closed, or read it here"
	if w.read {
		v.Message = "the context of the request ends before the body is read: reading it afterwards fails with \"context canceled\" as soon as it is not in the buffers yet; cancel after the body is read"
	}
	if w.read {
		m.verdicts = append(m.verdicts, v)
		return
	}
	v.Related = append(v.Related, analysis.RelatedInformation{Pos: s.decl.Name.Pos(), End: s.decl.Name.End(), Message: "the answer of this function"})
	m.verdicts = append(m.verdicts, v)
}

// askCancel looks for a context that ends before the body of an answer is read,
// but not at the places that are said already; nil if there is none. all says
// that no limit was met.
func (m *modeler) askCancel(fn *ir.Function, said map[*ir.Node]bool) (w *cancelled, all bool) {
	d := &canceller{probe: probe{m: m, outcome: success, assume: readMethod, optimist: true}, skipped: said}
	mach := &flow.Machine{Domain: d, Limits: cancelLimits, Top: sentAgain, Enough: sentAgain, Lookup: m.prog.lookup, Inline: m.inline, Index: m.index, Defers: true, Once: true}
	params := make([]*flow.Value, len(fn.Params))
	for i, prm := range fn.Params {
		params[i] = m.parameter(fn, prm, i, &d.probe)
	}
	if m.steps > packageSteps {
		return nil, false
	}
	start := flow.NewWorld()
	r := mach.Run(fn, append(params, m.captured(fn, &d.probe, start)...), start)
	m.steps += mach.Steps
	if r.Reach != sentAgain {
		return nil, !mach.Exhausted
	}
	w, _ = r.Witness.(*cancelled)
	return w, !mach.Exhausted
}
