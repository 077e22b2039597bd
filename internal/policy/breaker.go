package policy

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// BreakerScope is the rule about circuit breakers that live no longer than one call.
const BreakerScope = "breakerscope"

// breakerLimits bound the run of one function for the lives of its breakers.
var breakerLimits = flow.Limits{Steps: 3000, Depth: 48, Visits: 4}

// birth is where a breaker was made, as the root of a run sees it.
type birth struct {
	frame *flow.Frame
	call  *ir.Node // that makes it
	site  *ir.Node // the call in the root that leads there
	key   *ir.Node // the innermost call of this package that leads there
	// foreign is the call of another package in which it was made, nil if there is
	// none: what that uses and forgets itself is its own affair.
	foreign *flow.Frame
}

// fates is what became of the breakers that one place made, on all paths of a run.
type fates struct {
	birth
	once     bool // it was used once, and then nothing led to it any more
	returned bool // the caller gets it
	other    bool // it was used more than once, went where it may be kept, or it is not known
	again    bool // the place made another one before the run ended
}

// findBreakers looks for circuit breakers that are made, used once and forgotten,
// callees before their callers: what a function hands out, its callers decide.
func (m *modeler) findBreakers() {
	if !m.shapes.breaks {
		return
	}
	b := &breakers{m: m, often: &frequency{m: m, once: map[*shape]bool{}}, settled: map[settledAt]bool{}}
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
		if fn == nil || !fn.HasBody() || isTestFile(m.pass.Fset, s.decl.Pos()) || !m.shapes.getsBreaker(s) {
			return
		}
		once := b.often.runsOnce(s)
		for _, lit := range literalsOf(fn) {
			b.run(lit, givenToSync(lit) || runsCommand(lit.Signature) || once && !isHandler(lit.Signature))
		}
		b.run(fn, once)
	}
	for _, s := range m.shapes.order {
		visit(s)
	}
}

// breakers looks through one package.
type breakers struct {
	m     *modeler
	often *frequency
	// settled are the places whose breakers do not leave a function that was run: what
	// becomes of them is no question of its callers.
	settled map[settledAt]bool
}

type settledAt struct {
	fn  *ir.Function
	key *ir.Node
}

// run looks at what one function makes. Of a function that runs once, only what it
// makes again and again counts.
func (b *breakers) run(fn *ir.Function, once bool) {
	m := b.m
	if m.steps > packageSteps {
		return
	}
	d := &breakerLives{probe: probe{m: m, mode: repeats, outcome: success}, fates: map[*ir.Node]*fates{}, settled: b.settled}
	mach := &flow.Machine{Domain: d, Limits: breakerLimits, Lookup: m.prog.lookup, Index: m.index, Defers: true, Once: true}
	mach.Inline = d.inline
	params := make([]*flow.Value, len(fn.Params)+len(fn.FreeVars))
	for i := range params {
		params[i] = outsideValue(fn, i)
	}
	mach.Run(fn, params, flow.NewWorld())
	m.steps += mach.Steps
	for _, f := range d.order {
		if f.returned && !f.other {
			continue
		}
		b.settled[settledAt{fn, f.key}] = true
		if f.once && !f.other && !mach.Exhausted && (!once || f.again) {
			b.say(f)
		}
	}
}

// outsideValue is a parameter, or a variable that a literal captures: nothing is known
// of it but that it outlives the call.
func outsideValue(fn *ir.Function, i int) *flow.Value {
	sym := flow.Mix(0xb4ea, uint64(i))
	n, isParam := len(fn.Params), i < len(fn.Params)
	var typ types.Type
	if isParam {
		typ = fn.Params[i].Type
	} else {
		typ = fn.FreeVars[i-n].Type
	}
	v := &flow.Value{Sym: sym, Root: sym, Type: typ, Taint: flow.Param}
	switch types.Unalias(typ).Underlying().(type) {
	case *types.Struct:
		v.Kind = flow.Struct
	case *types.Pointer:
		if !isParam || i == 0 && fn.Signature.Recv() != nil {
			v.Kind = flow.Pointer
		}
	}
	return v
}

func (b *breakers) say(f *fates) {
	m := b.m
	pos, end := m.prog.span(f.site)
	if !pos.IsValid() {
		return
	}
	v := Verdict{Rule: BreakerScope, Severity: Warning, Pos: pos, End: end,
		Message: "this circuit breaker is made anew for every call, and what it has counted is thrown away with it: no call ever finds it open, however long the outage; keep one for each dependency, in a field or a package variable"}
	switch made, madeEnd := m.prog.span(f.call); {
	case f.call != f.site && f.frame.Fn.Local && made.IsValid() && made != pos:
		v.Related = append(v.Related, analysis.RelatedInformation{Pos: made, End: madeEnd, Message: "it is made here"})
	case f.foreign != nil:
		_, name := splitName(f.foreign.Fn.Outermost().FullName())
		v.Message = strings.Replace(v.Message, "this circuit breaker is made anew for every call,", "the circuit breaker that "+pathBase(f.foreign.Fn.Outermost().Path)+"."+name+" makes is made anew for every call,", 1)
	}
	m.verdicts = append(m.verdicts, v)
}
