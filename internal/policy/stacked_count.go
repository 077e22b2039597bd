package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// countLayers returns how many attempts each layer of a finding makes when all fail,
// the outermost first. shared says that their numbers depend on each other.
func (m *modeler) countLayers(f *finding) (counts []int, known, shared bool) {
	st := f.w.stack
	if st.beneath == nil {
		if counts, known = m.countTrail(f); known || st.level > 0 {
			return counts, known, false
		}
	}
	outer, inner, known := m.countStack(f)
	if !known {
		return nil, false, outer < 0
	}
	if b := st.beneath; b != nil && b.beneath.repeats() {
		return []int{outer, b.attempts, b.beneath.attempts}, true, false
	}
	return []int{outer, inner}, true, false
}

// countTrail counts the layers of a finding from its outer one down, as an inventory
// does.
func (m *modeler) countTrail(f *finding) (counts []int, known bool) {
	t := &stock{m: m}
	_, r := t.take(f.fn, f.again[0], "")
	if r.trail == nil || r.trail.cut || !r.whole || r.trail.site.sender != nil {
		return nil, false
	}
	all, from := 1, -1
	for i, l := range r.trail.reps {
		if l.most >= maxCount {
			return nil, false // only the bound on the depth may have ended it
		}
		all *= l.most + 1
		if l.fn == f.w.stack.outer.fn {
			from = i
		}
	}
	if from < 0 || all != r.trail.n {
		return nil, false
	}
	for _, l := range slices.Backward(r.trail.reps[:from+1]) {
		counts = append(counts, l.most+1)
	}
	return counts, true
}

func product(counts []int) int {
	n := 1
	for _, c := range counts {
		n *= c
	}
	return n
}

func productText(counts []int) string {
	var parts []string
	for _, c := range counts {
		parts = append(parts, strconv.Itoa(c))
	}
	return fmt.Sprintf("%s = %d", strings.Join(parts, " × "), product(counts))
}

// countStack returns how many attempts each of both layers makes when all fail.
// known is false if that cannot be told, and then a negative number says that
// they do not multiply.
func (m *modeler) countStack(f *finding) (outer, inner int, known bool) {
	c := &stackCounter{probe: probe{m: m, mode: stacked, outcome: f.again[0], assume: stacked.assumed(), count: true}, ident: f.w.ident}
	n, all := m.count(f.fn, c, &c.probe, stackCountLimits)
	if !all || n < 2 || n >= maxStacked || len(c.each) != 1 {
		return 0, 0, false
	}
	for each := range c.each {
		inner = each
	}
	if b := f.w.stack.beneath; b != nil {
		if b.attempts <= 1 {
			return 0, 0, false
		}
		if b.beneath.repeats() { // a third layer
			return n, b.attempts * b.beneath.attempts, b.beneath.attempts > 1
		}
		return n, b.attempts, true
	}
	if inner > maxCount || n/inner > maxCount {
		return 0, 0, false // recursion that only the bound on the depth has ended
	}
	if inner < 2 || n%inner != 0 || n == inner {
		return -1, 0, false
	}
	return n / inner, inner, true
}

// stackCounter is a probe whose result is the number of requests.
type stackCounter struct {
	probe
	ident uint64
	each  map[int]bool // attempts of the inner layer in one of the outer's
}

func (c *stackCounter) Return(w *flow.World) flow.Result {
	a := stateOf(w)
	if a == nil || a.ident != c.ident || a.stack.each == 0 {
		return flow.Result{}
	}
	if c.each == nil {
		c.each = map[int]bool{}
	}
	c.each[a.stack.each] = true
	return flow.Result{Reach: flow.Reach(a.n)}
}

func (c *stackCounter) Join(_ flow.Branch, a, b flow.Result) flow.Result {
	if cmp.Compare(a.Reach, b.Reach) > 0 {
		return a
	}
	return b
}

func (c *stackCounter) Branch(*flow.Frame, *flow.Value, *flow.World) flow.Branch { return flow.Either }
