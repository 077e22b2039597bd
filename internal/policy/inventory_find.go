package policy

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strconv"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/guard"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// Calls returns the outbound calls of the package, by position. They are there only
// where Config.Inventory asks for them. An error is a bug of this program. Unlike the
// other methods, it must not run beside another call of itself or of Explain.
func (m *Model) Calls() ([]Call, error) {
	if m == nil || m.modeler == nil || !m.modeler.config.Inventory {
		return nil, nil
	}
	m.decide()
	var calls []Call
	failure := guard.Do(func() error {
		calls = m.modeler.inventory(m.verdicts)
		return nil
	})
	if failure != nil {
		return nil, failure
	}
	return calls, nil
}

// inventoryLimits bound one run of an inventory.
var inventoryLimits = flow.Limits{Steps: 6000, Depth: 24, Visits: 6}

// inventory takes stock of the package.
func (m *modeler) inventory(verdicts []Verdict) []Call {
	if m.prog == nil {
		return nil
	}
	t := &stock{m: m, seen: map[string]*sighting{}, covered: map[token.Pos]bool{}}
	for _, s := range m.shapes.order {
		if fn := m.prog.fn(s.fn); fn != nil && fn.HasBody() && s.sendful && !isTestFile(m.pass.Fset, s.decl.Pos()) {
			t.run(fn)
		}
	}
	for _, s := range m.shapes.order {
		fn := m.prog.fn(s.fn)
		if fn == nil || !fn.HasBody() || isTestFile(m.pass.Fset, s.decl.Pos()) {
			continue
		}
		for _, lit := range literalsOf(fn) {
			if len(t.uncovered(lit)) > 0 {
				t.run(lit) // nothing that was run calls it
			}
		}
		for _, f := range append([]*ir.Function{fn}, literalsOf(fn)...) {
			for _, n := range t.uncovered(f) {
				t.unreached(f, n)
			}
		}
	}
	return t.settle(verdicts)
}

const tooLarge = "the function, with what it calls, is larger than the bound on steps"

// stock is an inventory of a package in the making.
type stock struct {
	m       *modeler
	seen    map[string]*sighting
	order   []*sighting
	covered map[token.Pos]bool // places that send, and that a run has reached
}

// run takes stock of what one function sends.
func (t *stock) run(fn *ir.Function) {
	base, r := t.take(fn, success, "")
	polls := map[string][]again{}
	for _, s := range base.order {
		key := s.key()
		t.covered[s.sends.Pos] = true
		for _, l := range s.levels {
			t.covered[l.node.Pos] = true
		}
		if t.seen[key] != nil {
			continue
		}
		t.seen[key] = s
		t.order = append(t.order, s)
		if r.exhausted { // a way that was not gone may differ
			for _, c := range []*Cell{&s.row.Headers, &s.row.Body, &s.row.Whole, &s.row.Key} {
				*c = unknownCell(tooLarge)
			}
		}
		for _, tr := range s.trails {
			polls[key] = append(polls[key], tr.reps...)
		}
	}
	// Where the question is larger than its bound, it is asked of each send.
	first, all := t.m.ask(fn, &probe{m: t.m, mode: repeats, outcome: anything, optimist: true}, searchLimits)
	again := first.Reach >= maybeSent || !all
	for _, s := range base.order {
		if t.seen[s.key()] == s {
			t.layers(fn, s, polls[s.key()], again)
		}
	}
}

// take runs a function in which every send ends in an outcome.
func (t *stock) take(fn *ir.Function, o outcome, only string) (v *inventory, r inventoryResult) {
	v = &inventory{probe: probe{m: t.m, mode: stacked, outcome: o, assume: "POST"}, found: map[string]*sighting{}, clients: map[*ir.Node]*clientCall{}, only: only, limit: maxSites}
	v.taken = v
	visits := inventoryLimits
	if o != success {
		visits = stackCountLimits
	}
	mach := &flow.Machine{Domain: v, Limits: visits, Lookup: t.m.prog.lookup, Index: t.m.index}
	mach.Inline = func(f *flow.Frame, callee *ir.Function, args []*flow.Value) bool {
		return !t.m.pauses(callee) && t.m.inlines(f, callee, args, maxCount+2)
	}
	params := make([]*flow.Value, len(fn.Params))
	for i, prm := range fn.Params {
		params[i] = t.m.parameter(fn, prm, i, &v.probe)
	}
	w := flow.NewWorld()
	res := mach.Run(fn, append(params, t.m.captured(fn, &v.probe, w)...), w)
	r.whole, r.exhausted = !mach.Cut && !mach.Exhausted, mach.Exhausted
	if e, ok := res.Witness.(ended); ok {
		r.trail, r.open = e.trail, e.open
	}
	return v, r
}

// inventoryResult is what one run says about the site that it follows.
type inventoryResult struct {
	trail *trail
	open  bool
	whole bool // no path was cut short
	// exhausted says that the run has met its bound on steps.
	exhausted bool
}

// layers finds what sends a site again, seen from one root function.
func (t *stock) layers(fn *ir.Function, s *sighting, polls []again, repeats bool) {
	most, worst := 1, 0
	counted, exhausted, polled := true, false, false
	var all []Layer
	after := map[string][]outcome{}
	for _, o := range inventoryOutcomes {
		var found []Layer
		product, exact := 1, true
		if repeats {
			_, r := t.take(fn, o, s.key())
			exhausted = exhausted || r.exhausted
			if r.trail != nil {
				reps := slices.DeleteFunc(slices.Clone(r.trail.reps), func(l again) bool {
					return slices.ContainsFunc(polls, func(p again) bool { return p.fn == l.fn && p.depth == l.depth })
				}) // what a success repeats as well takes the next item, or polls
				polled = polled || len(reps) < len(r.trail.reps)
				found, product, exact = t.layersOf(r, reps)
				if r.trail.n > worst && len(found) > 0 {
					worst = r.trail.n
					s.row.Whole = r.trail.site.limits.whole(reps, s.sender.repeats())
					if s.row.Whole.is(Absent, Unknown) {
						known := exact && (!s.sender.repeats() || s.sender.attempts > 1)
						s.row.Whole = r.trail.site.limits.attempts(reps, s.sender, known).or(s.row.Whole)
					}
				}
			}
		}
		for b := s.sender; b != nil; b = b.beneath {
			if !b.repeats() || b.policy != nil && b.policy.After != 0 && !b.triesAfter(o) {
				continue
			}
			l := libraryLayer(b)
			found = append(found, l)
			if l.Attempts > 0 {
				product *= l.Attempts
			} else {
				exact = false
			}
		}
		for i, l := range found {
			k := layerKey(l)
			after[k] = append(after[k], o)
			if j := slices.IndexFunc(all, func(x Layer) bool { return layerKey(x) == k }); j < 0 {
				all = slices.Insert(all, min(i, len(all)), l)
			} else {
				all[j].Open = cmp.Or(all[j].Open, l.Open)
				if l.Attempts != all[j].Attempts {
					all[j].Attempts = mostOf(all[j].Attempts, l.Attempts)
				}
			}
		}
		if len(found) > 0 && !exact {
			counted = false
		}
		most = max(most, product)
	}
	if s.row.Whole.is(Absent, Unknown) && worst == 0 && s.sender.repeats() {
		s.row.Whole = s.limits.attempts(nil, s.sender, s.sender.attempts > 1).or(s.row.Whole)
	}
	for i := range all {
		all[i].After = describe(after[layerKey(all[i])])
	}
	s.row.Layers = all
	switch {
	case exhausted && len(all) == 0:
		s.row.Requests = unknownCell(tooLarge)
	case !counted:
		s.row.Requests = unknownCell("a layer has no bound that is known")
	case polled:
		s.row.Requests = partlyCell(strconv.Itoa(most), "a loop that goes on after a success as well, as one that polls does, sends it again")
	case s.beneath != "":
		s.row.Requests = partlyCell(strconv.Itoa(most), s.beneath)
	default:
		s.row.Requests = knownCell(strconv.Itoa(most))
	}
}

func mostOf(a, b int) int {
	if a <= 0 || b <= 0 {
		return min(a, b)
	}
	return max(a, b)
}

func layerKey(l Layer) string { return fmt.Sprint(l.Name, " ", l.Pos) }

// layersOf makes layers of a trail, the outermost first.
func (t *stock) layersOf(r inventoryResult, reps []again) (ls []Layer, product int, exact bool) {
	product, exact = 1, true
	for _, rep := range slices.Backward(reps) {
		l := Layer{Name: layerName(rep.frame)}
		if r.whole && !r.trail.cut || rep.done {
			l.Attempts = rep.most + 1
			product *= l.Attempts
		} else {
			exact = false
		}
		if rep.fn.Local {
			l.Pos, _ = t.m.prog.span(rep.call)
		} else {
			at, _ := t.m.callFrom(rep.frame)
			l.Pos, _ = t.m.prog.span(at)
		}
		if r.open {
			l.Open = "something that is not known here decides"
		}
		ls = append(ls, l)
	}
	if exact && len(reps) == len(r.trail.reps) && product != r.trail.n {
		for i := range ls { // they share what they count
			ls[i].Attempts = 0
		}
		if len(ls) == 1 {
			ls[0].Attempts = r.trail.n
		}
		product = r.trail.n
	}
	return ls, product, exact
}

// sends says whether a call is one that an inventory has to have.
func (t *stock) sends(n *ir.Node) bool {
	if n.Op != ir.Call && n.Op != ir.Go && n.Op != ir.Defer || n.X.Op == ir.Builtin {
		return false
	}
	if n.IsInvoke() {
		return isDoerName(n.Name) && isExchange(n.Sig)
	}
	callee := n.StaticCallee()
	if callee == nil {
		return isExchange(n.Sig)
	}
	if t.m.opaque(callee) && n.Sig.Recv() != nil {
		path, symbol := splitName(callee.FullName())
		return slices.ContainsFunc(t.m.libraries.Funcs(path, symbol, ""), func(e apis.Entry) bool {
			return (e.Symbol.Role == apis.Call || e.Symbol.Role == apis.ModelCall || e.Symbol.Role == apis.ModelStream) && takes(n.Sig, e)
		})
	}
	_, ok := httpSends[callee.FullName()]
	return ok && !callee.HasBody()
}

// callRoles are the roles of functions that send.
var callRoles = []apis.Role{apis.Call, apis.ModelCall, apis.ModelStream}

// uncovered returns the sends in a function that no run has reached.
func (t *stock) uncovered(fn *ir.Function) []*ir.Node {
	var out []*ir.Node
	fn.Nodes(func(n *ir.Node) {
		if t.sends(n) && !t.covered[n.Pos] {
			out = append(out, n)
		}
	})
	return out
}

// unreached takes note of a send that no run has come to.
func (t *stock) unreached(fn *ir.Function, n *ir.Node) {
	t.covered[n.Pos] = true
	why := "no run reaches it: it is behind a condition that never holds here, or the function is larger than the bound on steps"
	name := "a function value"
	if callee := n.StaticCallee(); callee != nil {
		name = shortFunc(callee.FullName())
	} else if n.IsInvoke() {
		name = shortFunc(n.Full)
	}
	s := &sighting{levels: []level{{fn.Outermost(), n}}, sends: n}
	s.row = Call{Operation: name, Method: unknownCell(why), URL: unknownCell(why), Client: unknownCell(why), Key: unknownCell(why), Requests: unknownCell(why)}
	if key := s.key(); t.seen[key] == nil {
		t.seen[key] = s
		t.order = append(t.order, s)
	}
}
