package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// A span is a bound, and the call from which on it counts.
type span struct {
	bound
	from sendEvent
	// header says that it ends with the headers, each that it is for one attempt of a
	// library that may make several.
	header, each bool
}

// spans are what ends a request: all that is seen on the way to it.
type spans []span

// spans collects what ends a send: the timeouts of the clients that it goes through,
// the deadlines of its context, and what a library bounds it by.
func (v *inventory) spans(c *flow.Call, o operation, at sendEvent) spans {
	var out spans
	add := func(b bound, from sendEvent, header, each bool) {
		if b.what != "" {
			out = append(out, span{b, from, header, each})
		}
	}
	node := at.instr
	for f := at.frame; f != nil; node, f = f.Site, f.Parent {
		if x := v.clients[node]; x != nil {
			add(x.bounds.Total, sendEvent{f, node}, false, false)
			add(x.bounds.Header, sendEvent{f, node}, true, false)
		}
	}
	var ctx *contextObj
	if s, ok := v.sendOf(c); ok && s.request >= 0 && s.request < len(c.Args) {
		if ctx = requestContext(c.World, c.Args[s.request]); ctx == nil {
			add(requestDeadline(c.World, c.Args[s.request]), at, false, false)
		}
	} else if e, ok := v.m.role(c, callRoles...); ok && v.m.opaque(c.Callee) {
		if i := e.Symbol.Context; i >= 0 && i+1 < len(c.Args) {
			if ctx, ok = c.Args[i+1].Obj.(*contextObj); !ok {
				ctx = unsetContext(c.Args[i+1])
			}
		}
		if o.sender != nil {
			b := o.sender.boundsOfCall(nil)
			add(b.Total, at, false, true)
			if d := e.Symbol.Limit; d > 0 && b.Request.state == boundAbsent {
				b.Request = bound{state: boundPresent, d: d, what: e.Library.Name + "'s " + shortName(c)}
			}
			add(b.Request, at, false, true)
			add(b.Header, at, true, true)
		} else {
			add(unknown("request timeout", "how the client is made is not in view"), at, false, true)
		}
	} else if len(out) == 0 {
		add(unknown(totalName, "what sends is not an http.Client"), at, false, false)
	}
	if ctx == nil && len(v.clients) > 0 && len(out) > 0 && !slices.ContainsFunc(out, func(s span) bool { return s.what == deadlineName }) {
		ctx = noDeadline() // of http.Get and the like
	}
	if ctx != nil {
		for _, d := range ctx.own {
			add(d, d.at, false, false)
		}
		if ctx.outer.what != "" {
			add(ctx.outer, sendEvent{rootOf(at.frame), nil}, false, false)
		}
	}
	return out
}

func rootOf(f *flow.Frame) *flow.Frame {
	for f.Parent != nil {
		f = f.Parent
	}
	return f
}

func (s spans) headers() Cell { return s.cell(func(x span) bool { return true }) }

func (s spans) body() Cell { return s.cell(func(x span) bool { return !x.header }) }

// whole is what ends a call with all the attempts that some layers make, and a library
// that it goes through.
func (s spans) whole(layers []again, library bool) Cell {
	var counting spans
	for _, x := range s {
		if x.header || x.each && x.state == boundPresent && (library || len(layers) > 0) {
			continue
		}
		covers, known := true, true
		for _, l := range layers {
			c, k := x.covers(l)
			covers, known = covers && c, known && k
		}
		if !known && x.state == boundPresent {
			x.bound = unknown(x.what, "whether its "+x.what+" bounds all attempts is not told")
			covers = true
		}
		if covers {
			counting = append(counting, x)
		}
	}
	return counting.cell(func(span) bool { return true })
}

// shortest is the shortest of the bounds of known length that count; nil if none is known.
func (s spans) shortest(counts func(span) bool) *span {
	var best *span
	for i := range s {
		x := &s[i]
		if x.state == boundPresent && counts(*x) && (best == nil || best.d == 0 || x.d > 0 && x.d < best.d) {
			best = x
		}
	}
	return best
}

// attempts is what ends a call that nothing ends as a whole: the bound of one attempt,
// as often as layers make one. whole says that the number of these is known.
func (s spans) attempts(layers []again, own *sender, whole bool) Cell {
	b := s.shortest(func(x span) bool { return !x.header })
	if b == nil || b.d == 0 || !whole {
		return absentCell("")
	}
	n := 1
	for _, l := range layers {
		covers, known := b.covers(l)
		if !known {
			return absentCell("")
		}
		if !covers {
			n *= l.most + 1
		}
	}
	if b.each && own.repeats() {
		n *= own.attempts
	}
	if n < 2 {
		return absentCell("")
	}
	return Cell{State: Partly, Value: fmt.Sprintf("%d × %s", n, shortDuration(b.d)), Why: "and the pauses between attempts", By: b.what}
}

// cell is the shortest of the bounds that count.
func (s spans) cell(counts func(span) bool) Cell {
	best := s.shortest(counts)
	why := ""
	for _, x := range s {
		if x.state == boundUnknown && counts(x) && why == "" {
			why = x.why
		}
	}
	switch {
	case best != nil && best.d > 0:
		by := best.what
		if best.usual {
			by += ", by default"
		}
		return Cell{State: Known, Value: shortDuration(best.d), By: by}
	case best != nil:
		return Cell{State: Partly, Value: best.what, Why: "how long is not a constant"}
	case why != "":
		return unknownCell(why)
	}
	return absentCell("")
}

// covers says whether a bound counts on while a layer sends again. known is false of
// a function that calls itself: which of its calls the bound belongs to is not told.
func (s span) covers(l again) (covers, known bool) {
	if s.from.instr == nil {
		return true, true // it is the caller's
	}
	if l.depth == 0 {
		return false, false
	}
	f, at := s.from.frame, s.from.instr
	for f != nil && !encloses(f, l.frame) {
		f, at = f.Parent, f.Site
	}
	return f != nil && (f != l.frame || !repeated(at)), true
}

// repeated says whether an instruction is one that its function may come back to.
func repeated(n *ir.Node) bool {
	if n == nil || n.Block == nil {
		return true
	}
	seen := map[*ir.Block]bool{}
	pending := slices.Clone(n.Block.Succs)
	for len(pending) > 0 {
		b := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if b == n.Block {
			return true
		}
		if !seen[b] {
			seen[b] = true
			pending = append(pending, b.Succs...)
		}
	}
	return false
}

// shortDuration writes a duration without parts that are zero: "1m".
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
