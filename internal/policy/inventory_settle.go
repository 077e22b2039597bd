package policy

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// A settled row is a call at the place that decides what is sent: a helper that is
// given the method and the path is told once for each of its callers.
type settled struct {
	s    *sighting
	from []*sighting // the same, seen from callers that add nothing
}

// settle makes rows of what was seen.
func (t *stock) settle(verdicts []Verdict) []Call {
	slices.SortStableFunc(t.order, func(a, b *sighting) int { return cmp.Compare(len(a.levels), len(b.levels)) })
	rows := map[string]*settled{} // the row that a site belongs to
	callers := map[string][]*sighting{}
	var order []*settled
	for _, s := range t.order {
		var row *settled
		if len(s.levels) > 1 {
			beneath := keyOf(s.levels[1:], s.tail)
			if row = rows[beneath]; row != nil {
				callers[beneath] = append(callers[beneath], s)
				if s.row.AddsTo(&t.seen[beneath].row) {
					row = nil
				} else {
					row.from = append(row.from, s)
				}
			}
		}
		if row == nil {
			row = &settled{s: s}
			order = append(order, row)
		}
		rows[s.key()] = row
	}
	// A function of which every way down from those that nobody calls tells more
	// needs no row of its own.
	var needed func(s *sighting) bool
	needed = func(s *sighting) bool {
		above := callers[s.key()]
		return len(above) == 0 || slices.ContainsFunc(above, func(x *sighting) bool { return !x.row.AddsTo(&s.row) && needed(x) })
	}
	var kept []*settled
	for _, r := range order {
		at := r.s.levels[0].fn
		handed := at.Obj != nil && !t.m.open(at.Obj) && isExchange(at.Signature)
		if (handed || isTransport(at.Name, at.Signature)) && !r.s.row.Method.is(Known) {
			continue // it is a part of the calls that go through it
		}
		if needed(r.s) {
			kept = append(kept, r)
		}
	}
	said := t.said(kept, verdicts)
	var out []Call
	for _, r := range kept {
		out = append(out, t.row(r, said[r]))
	}
	slices.SortStableFunc(out, func(a, b Call) int { return cmp.Compare(a.Pos, b.Pos) })
	return out
}

// row makes the row of a call.
func (t *stock) row(r *settled, said []Said) Call {
	r.s.row.Verdicts = said
	c := r.s.row
	at := r.s.levels[0]
	c.Pos, c.End = t.m.prog.span(at.node)
	c.Model = r.s.nature == generation || r.s.client && (r.s.entry.Symbol.Role == apis.ModelCall || r.s.entry.Symbol.Role == apis.ModelStream)
	_, c.Function = splitName(at.fn.FullName())
	if c.Function == "" {
		c.Function = at.fn.Name
	}
	c.Stream = t.streamOf(r)
	if r.s.client && r.s.sender == nil {
		c.Requests = unknownCell("how the client of " + r.s.entry.Library.Name + " is made is not in view" + byDefault(r.s.entry))
	}
	// Callers put layers around it. The worst counts.
	for _, s := range r.from {
		if s.row.repeatsMore(&c) {
			c.Layers, c.Requests, c.Whole = s.row.Layers, s.row.Requests, s.row.Whole
		}
		if c.Key.is(Unknown) && s.row.Key.is(Known, Absent) && len(r.from) == 1 {
			c.Key = s.row.Key
		}
	}
	if c.Verdicts == nil {
		c.Verdicts = []Said{}
	}
	if c.Layers == nil {
		c.Layers = []Layer{}
	}
	c.Risk, c.Reasons = risk(&c, r.s.nature)
	return c
}

// streamOf says how an answer that comes in pieces is read.
func (t *stock) streamOf(r *settled) Cell {
	cell := unknownCell(NoPieces)
	none := cell
	for _, h := range t.m.heard {
		if h.src.given || h.ev&(strong|weak) == 0 || h.src.sent.instr == nil || h.src.sent.instr.Pos != r.s.sends.Pos {
			continue
		}
		var x Cell
		switch {
		case h.cut, h.guard == maybeGuard:
			x = unknownCell("what may end a reading that waits is not known")
		case h.guard == honestGuard:
			x = knownCell("idle deadline")
		case h.guard == onceGuard:
			x = knownCell("one timer for all")
		default:
			x = knownCell("no idle deadline")
		}
		if cell == none {
			cell = x
		} else {
			cell = either(cell, x)
		}
	}
	if cell == none && (r.s.asks || r.s.client && r.s.entry.Symbol.Role == apis.ModelStream) {
		return unknownCell("it asks for an answer in pieces, and how that is read is not seen")
	}
	return cell
}

func byDefault(e apis.Entry) string {
	switch {
	case e.Policy == nil || e.Policy.Attempts == 0:
		return ""
	case e.Policy.Attempts == apis.Unlimited:
		return "; by default it sends without a bound on attempts"
	}
	return fmt.Sprintf("; by default it sends at most %d times", e.Policy.Attempts)
}

// said finds the call that each verdict is about: the one at its place, else those
// that go through its place, else those that it points to.
func (t *stock) said(rows []*settled, verdicts []Verdict) map[*settled][]Said {
	own, through := map[token.Pos][]*settled{}, map[token.Pos][]*settled{}
	for _, r := range rows {
		for _, h := range t.m.heard {
			if h.src.sent.instr != nil && h.src.sent.instr.Pos == r.s.sends.Pos {
				through[h.pos] = append(through[h.pos], r)
			}
		}
		for _, s := range append([]*sighting{r.s}, r.from...) {
			for b := s.sender; b != nil; b = b.beneath {
				if pos, _ := t.m.prog.span(b.place); pos.IsValid() {
					through[pos] = append(through[pos], r)
				}
			}
			for i, l := range s.levels {
				pos, _ := t.m.prog.span(l.node)
				if i < len(s.levels)-len(r.s.levels)+1 {
					own[pos] = append(own[pos], r)
				} else {
					through[pos] = append(through[pos], r)
				}
			}
		}
	}
	out := map[*settled][]Said{}
	for _, v := range verdicts {
		about := own[v.Pos]
		if len(about) == 0 {
			about = through[v.Pos]
		}
		for i := 0; i < len(v.Related) && len(about) == 0; i++ {
			about = append(own[v.Related[i].Pos], through[v.Related[i].Pos]...)
		}
		said := Said{v.Rule, v.Severity, v.Message}
		for _, r := range about {
			if t.concerns(v, &r.s.row) && !slices.Contains(out[r], said) {
				out[r] = append(out[r], said)
			}
		}
	}
	return out
}

// concerns says whether a verdict may be about a call, of several that share a place:
// what is said of unsafe methods without a key is not about the others.
func (t *stock) concerns(v Verdict, c *Call) bool {
	switch v.Rule {
	case RetryNoKey, HedgedWrite, RetryFreshKey:
		if c.Method.is(Known) && !strings.Contains(c.Method.Value, " or ") && !t.m.unsafe(c.Method.Value) {
			return false
		}
		return v.Rule == RetryFreshKey || !c.Key.is(Known)
	}
	return true
}

// risk says how urgent a call is, and why.
func risk(c *Call, n nature) (Risk, []string) {
	level := LowRisk
	reasons := []string{}
	raise := func(to Risk, why string) {
		if to == HighRisk || level == LowRisk {
			level = to
		}
		reasons = append(reasons, why)
	}
	for _, v := range c.Verdicts {
		if v.Severity == Error {
			raise(HighRisk, v.Rule)
		} else {
			raise(MediumRisk, v.Rule)
		}
	}
	repeated := len(c.Layers) > 0
	unsafe := c.Method.Value == "POST" || c.Method.Value == "PATCH"
	switch {
	case repeated && unsafe && n == writes && !c.Key.is(Known):
		raise(MediumRisk, "an unsafe method is sent again, and no key is seen")
	case repeated && c.Method.is(Unknown) && !c.Key.is(Known):
		raise(MediumRisk, "a method that is not known is sent again")
	}
	if len(c.Layers) > 1 {
		raise(MediumRisk, "retries around retries")
	}
	if repeated && c.Requests.is(Unknown) {
		raise(MediumRisk, "how often it is sent is not known")
	}
	if c.Whole.is(Absent) && c.Body.is(Absent) {
		raise(MediumRisk, "nothing ends it")
	}
	return level, reasons
}
