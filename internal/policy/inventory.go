package policy

import (
	"slices"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// An inventory is a domain that takes stock of what a function sends. Each send is
// followed on a path of its own: it ends in the outcome of the run, every time, and
// what sends it again is noted.
type inventory struct {
	probe
	found   map[string]*sighting
	order   []*sighting
	clients map[*ir.Node]*clientCall // calls of http.Client that a run has come to
	only    string                   // the one site that is followed, "" for all
	limit   int                      // sites beyond which a run notes no more
}

// A sighting is one place that sends, as seen from one root function.
type sighting struct {
	levels  []level
	tail    string // the way beneath them, in other packages
	sends   *ir.Node
	row     Call
	sender  *sender
	beneath string // why what it goes through may send again
	limits  spans  // what ends it
	nature  nature
	asks    bool // for an answer that comes in pieces
	client  bool // the table knows it as a call of a client, which was not seen
	entry   apis.Entry
	trails  []*trail // one for each path that has ended
}

// A level is a call in one declared function of this package, on the way to a send.
type level struct {
	fn   *ir.Function
	node *ir.Node
}

// A trail is what a path has seen send again. It does not change once it is made.
type trail struct {
	site *sighting
	last sendEvent
	n    int
	reps []again // the innermost first
	cut  bool    // the path was ended, and might go on
}

// again is one layer on a trail.
type again struct {
	fn    *ir.Function
	depth int // of its frame, 0 for a function that calls itself
	frame *flow.Frame
	call  *ir.Node
	// cur is how often it has sent again since what is around it did, most the
	// largest such number; done says that it has given up at least once.
	cur, most int
	done      bool
}

// maxSites bounds the sends that one run takes note of.
const maxSites = 60

// attempt takes note of a send, and follows it.
func (v *inventory) attempt(c *flow.Call, o operation, result func(o outcome, w *flow.World, followed bool) *flow.Value) flow.Action {
	here := sendEvent{c.Frame, c.Instr}
	site := v.see(c, o, here)
	state := stateOf(c.World)
	goes := flow.Action{Handled: true, Value: result(success, c.World, false)}
	switch {
	case state == nil && (site == nil || v.only != "" && v.only != site.key()):
		return goes
	case state == nil:
		first := c.World.Clone()
		a := &attempt{ident: o.ident, first: here, method: o.method, given: o.given, n: 1, trail: &trail{site: site, last: here, n: 1}}
		first.State, first.StateHash = a, a.trailHash()
		return flow.Action{Fork: []flow.Alternative{
			{World: first, Value: result(v.outcome, first, true)},
			{World: c.World, Value: result(success, c.World, false)},
		}}
	case state.ident != o.ident:
		return goes
	}
	next := *state
	next.trail = state.trail.add(here)
	if next.trail.n >= maxStacked {
		next.trail.cut = true
		return flow.Action{End: true, Res: v.end(&next)}
	}
	c.World.State, c.World.StateHash = &next, next.trailHash()
	return flow.Action{Handled: true, Value: result(v.outcome, c.World, true)}
}

func (a *attempt) trailHash() uint64 {
	h := flow.Mix(flow.Mix(a.ident, uint64(a.trail.n)), flow.HashString(a.trail.site.key()))
	for _, r := range a.trail.reps {
		h = flow.Mix(h, flow.Mix(flow.Mix(uint64(r.cur), uint64(r.most)), uint64(r.depth)))
	}
	return h
}

// add notes another attempt.
func (t *trail) add(here sendEvent) *trail {
	layer, chain := split(t.last, here)
	depth := layer.Depth + 1
	for _, s := range chain[1:] {
		if s.frame.Fn == layer.Fn {
			depth = 0
		}
	}
	next := *t
	next.last = here
	next.n++
	next.reps = slices.Clone(t.reps)
	i := slices.IndexFunc(next.reps, func(r again) bool { return r.fn == layer.Fn && r.depth == depth })
	if i < 0 {
		i = len(next.reps)
		next.reps = append(next.reps, again{fn: layer.Fn, depth: depth, frame: layer, call: chain[0].call})
	}
	r := &next.reps[i]
	r.cur++
	r.most = max(r.most, r.cur)
	for j := range i {
		next.reps[j].cur, next.reps[j].done = 0, true
	}
	return &next
}

// libraryCall takes note of what a known library sends.
func (v *inventory) libraryCall(c *flow.Call, e apis.Entry, client *sender) flow.Action {
	o := operation{ident: c.Sym, key: keyUnknown, library: e.Library.Name}
	if client != nil {
		own := *client
		v.apply(c, &own, e)
		o.sender = &own
	}
	if s := v.see(c, o, sendEvent{c.Frame, c.Instr}); s != nil {
		s.client, s.entry = true, e
	}
	return v.attempt(c, o, func(out outcome, w *flow.World, followed bool) *flow.Value {
		return v.libraryResult(c, followed, out)
	})
}

// Return notes the trail of a path.
func (v *inventory) Return(w *flow.World) flow.Result {
	if a := stateOf(w); a != nil {
		return v.end(a)
	}
	return flow.Result{}
}

// ended is the witness of a path that follows a send: what sent it again, and
// whether something that is not known decides about that.
type ended struct {
	trail *trail
	open  bool
}

func (v *inventory) end(a *attempt) flow.Result {
	t := a.trail
	t.site.trails = append(t.site.trails, t)
	return flow.Result{Reach: flow.Reach(t.n), Witness: ended{trail: t}}
}

// Join takes the side that sends more often. Where only one does, and the condition
// is one that decides about that, the answer is open.
func (v *inventory) Join(how flow.Branch, a, b flow.Result) flow.Result {
	if a.Reach > b.Reach {
		a, b = b, a
	}
	if e, ok := b.Witness.(ended); ok && how == flow.Both && a.Reach != b.Reach && a.Reach > 0 {
		e.open = true
		b.Witness = e
	}
	return b
}

// key names a site: the places that lead to it.
func (s *sighting) key() string { return keyOf(s.levels, s.tail) }
