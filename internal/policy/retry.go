package policy

import (
	"slices"

	"github.com/resiliencevet/resiliencevet/internal/ir"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// limits bound the run of one question about one function.
var limits = flow.Limits{Steps: 5000, Depth: 24, Visits: 6}

// packageSteps bounds all runs over one package together, but for what later
// questions are left.
const packageSteps = 400_000

// searchLimits bound the run for all outcomes, which ends with the first find.
var searchLimits = flow.Limits{Steps: 1200, Depth: 24, Visits: 6}

// scoutLimits bound a run that does not go into what sends.
var scoutLimits = flow.Limits{Steps: 400, Depth: 4, Visits: 3}

// countLimits leave room for the rounds of a counted loop.
var countLimits = flow.Limits{Steps: 20000, Depth: 2 * maxCount, Visits: maxCount + 2}

// A finding is what the runs of one function have shown.
type finding struct {
	root  *shape
	fn    *ir.Function // root's, or a literal in it
	again []outcome    // after which the operation is surely sent again
	maybe []outcome    // after which it is, if something unknown has it so
	w     *witness
	// polls says that success may go round as well; for strict mode only.
	polls bool
}

// certain says whether nothing that is unknown decides about the finding.
func (f *finding) certain() bool { return len(f.again) > 0 && f.w.key != keyUnknown && !f.polls }

// findRetries runs the functions that may send again, callees before callers.
func (m *modeler) findRetries() {
	done := map[*shape]*status{}
	for _, s := range m.shapes.order {
		m.visit(s, done)
	}
	m.leave(packageSteps / 2)
	m.findMistakes()
	m.leave(packageSteps / 4)
	m.findStacked()
	m.findClients()
	m.findHedged()
	m.findBreakers()
	m.findUnbounded()
	m.findInherited()
	m.decide()
	m.leave(packageSteps / 8)
	m.findCancels()
	m.findStreams()
}

// leave sees to it that questions about a large package, such as a client with
// hundreds of operations, do not take the steps of all that are asked after them.
func (m *modeler) leave(steps int) { m.steps = min(m.steps, packageSteps-steps) }

// status is what is settled about a function.
type status struct {
	open   bool      // callers decide: the method or a flag comes from them
	places []*report // what was found in it, if callers decide only how bad that is
	// handed says that callers decide by the method alone.
	handed bool
}

// asks says whether a caller of the function can still add something.
func (m *modeler) asks(st *status) bool {
	if !st.open {
		return false
	}
	for _, r := range st.places {
		if r.best == nil || m.weight(r.best) < worst {
			return true
		}
	}
	return len(st.places) == 0
}

func (m *modeler) visit(s *shape, done map[*shape]*status) *status {
	if st := done[s]; st != nil {
		return st
	}
	st := &status{}
	done[s] = st // recursion: settled by the first
	if !s.mayRetry || isTestFile(m.pass.Fset, s.decl.Pos()) {
		return st
	}
	run := s.repeats || s.recursive || s.handsOn
	scout := map[*ir.Function]bool{}
	var places []*report
	for _, c := range slices.Concat(s.calls, s.mayCall) {
		callee := m.shapes.funcs[c]
		if callee == nil {
			continue
		}
		cs := m.visit(callee, done)
		if !m.asks(cs) {
			continue
		}
		if fn := m.prog.fn(callee.fn); fn != nil && cs.handed {
			scout[fn] = true
			places = append(places, cs.places...)
		} else {
			run = true
			for _, r := range cs.places {
				r.asked = true
			}
		}
	}
	if !run && len(scout) > 0 {
		switch unsafe, passes := m.scouts(s, scout); {
		case unsafe:
			run = true
		case passes: // it hands on what it is given
			st.open, st.places, st.handed = true, places, true
			for _, r := range places {
				r.exposed = r.exposed || m.exposes(s)
			}
		}
	}
	if run {
		m.examine(s, st)
	}
	return st
}

// scouts says of a function that only calls functions which send again what
// they are given, whether it gives one of them something unsafe, or passes on
// what it is given itself.
func (m *modeler) scouts(s *shape, targets map[*ir.Function]bool) (unsafe, passes bool) {
	fn := m.prog.fn(s.fn)
	if fn == nil || !fn.HasBody() {
		return false, false
	}
	p := &probe{m: m, outcome: anything, assume: "POST", optimist: true, scout: targets, unsafeOnly: true}
	if r, _ := m.ask(fn, p, scoutLimits); r.Reach == sentAgain {
		return true, true
	}
	q := *p
	q.unsafeOnly = false
	r, _ := m.ask(fn, &q, scoutLimits)
	return false, r.Reach == sentAgain
}

// examine asks all questions about one declared function and the transports
// written in it as literals, and notes whether its callers have to be asked too.
func (m *modeler) examine(s *shape, st *status) {
	fn := m.prog.fn(s.fn)
	if fn == nil || !fn.HasBody() {
		return
	}
	var literals func(fn *ir.Function)
	literals = func(fn *ir.Function) {
		for _, a := range fn.AnonFuncs {
			m.examineFunc(s, a, &status{})
			literals(a)
		}
	}
	m.examineFunc(s, fn, st)
	literals(fn)
}

// maxRepetitions bounds the places that are found in one function.
const maxRepetitions = 8

// mayRepeat says whether a function may send anything again, whatever that is:
// most do not, and no other question has to be asked about them. Beyond the
// limits nothing is known, and nothing is said.
func (m *modeler) mayRepeat(fn *ir.Function) bool {
	may, asked := m.repeating[fn]
	if !asked {
		r, _ := m.ask(fn, &probe{m: m, mode: repeats, outcome: anything, optimist: true}, searchLimits)
		may = r.Reach >= maybeSent
		m.repeating[fn] = may
	}
	return may
}

func (m *modeler) examineFunc(s *shape, fn *ir.Function, st *status) {
	if !m.mayRepeat(fn) {
		return
	}
	skip := map[repetition]bool{}
	for range maxRepetitions {
		// One run for all outcomes first.
		if r, _ := m.ask(fn, &probe{m: m, outcome: anything, assume: "POST", optimist: true, skip: skip}, searchLimits); r.Reach < maybeSent {
			return
		}
		f, open := m.search(s, fn, skip)
		if f == nil {
			if open && len(st.places) == 0 {
				st.open = true
			}
			return
		}
		at := m.repetitionOf(f.w.first, f.w.second)
		if skip[at] {
			return
		}
		if fn.Parent != nil && !isExchange(fn.Signature) && (f.w.given || f.w.key != keyAbsent) {
			return // what it captures decides, and that is known only where it is made
		}
		skip[at] = true
		// Where success goes round as well, the loop is no retry: it takes the
		// next item, polls, or turns pages.
		if r, all := m.ask(fn, &probe{m: m, outcome: success, assume: "POST", optimist: true, only: at}, limits); r.Reach >= maybeSent || !all {
			if !m.config.Strict {
				continue
			}
			if r, _ := m.ask(fn, &probe{m: m, outcome: success, assume: "POST", only: at}, limits); r.Reach == sentAgain {
				continue
			}
			f.polls = true
		}
		r := m.record(f)
		if r != nil && (f.w.given || f.w.key == keyGiven || f.w.path) {
			st.handed = f.w.given && (st.handed || len(st.places) == 0)
			st.places = append(st.places, r)
			st.open = true
		}
	}
}

// search looks for one place that sends again and was not found before.
func (m *modeler) search(s *shape, fn *ir.Function, skip map[repetition]bool) (f *finding, open bool) {
	f = &finding{root: s, fn: fn}
	var at repetition
	asked := false
	unclear := 0
	for _, o := range ambiguous {
		if f.covers(o) {
			continue
		}
		r, all := m.ask(fn, &probe{m: m, outcome: o, assume: "POST", skip: skip, only: at, asked: &asked}, limits)
		if !all {
			// What was not looked at may hold a key, or a gate.
			r.Reach = min(r.Reach, maybeSent)
			if unclear++; unclear == 2 && len(f.again) == 0 {
				return nil, false
			}
		}
		w, _ := r.Witness.(*witness)
		again := r.Reach == sentAgain && w != nil
		if again && m.gated(fn, o, r) {
			again = false
			r.Reach = maybeSent
		}
		switch {
		case again:
			f.again = append(f.again, o)
			if len(f.again) == 1 {
				f.w = w
				at = m.repetitionOf(w.first, w.second) // the other outcomes of this place
			}
		case r.Reach == maybeSent:
			w, _ := r.Witness.(*witness)
			open = open || asked || w != nil && w.key == keyGiven
			f.maybe = append(f.maybe, o)
			if f.w == nil && w != nil && m.config.Strict {
				f.w = w
			}
		}
	}
	if f.w == nil || len(f.again) == 0 && !m.config.Strict {
		return nil, open
	}
	return f, open
}

// covers says whether asking about an outcome adds nothing to what was found.
func (f *finding) covers(o outcome) bool {
	for _, x := range f.again {
		if x.name == o.name {
			return true // an EOF is said like a reset
		}
	}
	return o.unreadable && len(f.again) > 0
}

// gated says whether the second attempt of an unsafe request needs a setting
// that a safe one does not: then the setting is a gate on the method.
func (m *modeler) gated(fn *ir.Function, o outcome, r flow.Result) bool {
	w, _ := r.Witness.(*witness)
	if len(r.Needs) == 0 || w == nil || !w.given {
		return false
	}
	safe, _ := m.ask(fn, &probe{m: m, outcome: o, assume: readMethod}, limits)
	if safe.Reach != sentAgain {
		return false
	}
	for _, n := range r.Needs {
		if !slices.Contains(safe.Needs, n) {
			return true
		}
	}
	return false
}
