package policy

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// The rules about what a second attempt does wrong.
const (
	RetryFreshKey = "retryfreshkey"
	RetryBody     = "retrybody"
	AttemptLeak   = "attemptleak"
)

// rule is the rule that speaks about what a mode finds.
func (m mode) rule() string {
	switch m {
	case freshKey:
		return RetryFreshKey
	case usedBody:
		return RetryBody
	case leak:
		return AttemptLeak
	case stacked:
		return StackedRetry
	case hedged:
		return HedgedWrite
	}
	return RetryNoKey
}

// mistakeModes are what every function that may send again is asked about.
var mistakeModes = []mode{freshKey, usedBody, leak}

// findMistakes looks in every function that may send again for mistakes that
// do not depend on whether the operation may be repeated: callees before callers,
// and callers of what sends again only about what they decide.
func (m *modeler) findMistakes() {
	said := map[mistake]bool{}
	done := map[*shape][]mode{}
	for _, s := range m.shapes.order {
		m.mistakesIn(s, done, said)
	}
	m.sayBodies()
}

// mistakesIn looks for mistakes in a function and in what it calls. It returns
// the modes in which its callers may know what is not known here.
func (m *modeler) mistakesIn(s *shape, done map[*shape][]mode, said map[mistake]bool) (open []mode) {
	if open, ok := done[s]; ok {
		return open
	}
	done[s] = nil // recursion: settled by the first
	if !s.mayRetry || isTestFile(m.pass.Fset, s.decl.Pos()) {
		return nil
	}
	var asked []mode
	for _, c := range slices.Concat(s.calls, s.mayCall) {
		if callee := m.shapes.funcs[c]; callee != nil {
			asked = append(asked, m.mistakesIn(callee, done, said)...)
		}
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	if s.repeats || s.recursive || s.handsOn {
		asked = mistakeModes
	}
	if len(asked) == 0 {
		return nil
	}
	if asked[0] != freshKey && !slices.Contains(asked, leak) && !m.makesBody(s, done) {
		done[s] = asked[:1] // it hands on what it is given
		return done[s]
	}
	fn := m.prog.fn(s.fn)
	if fn == nil || !fn.HasBody() || !m.mayRepeat(fn) {
		return nil
	}
	for _, md := range mistakeModes {
		if slices.Contains(asked, md) && (md != freshKey || m.makesKey(s)) && m.findMistake(s, fn, md, said) {
			open = append(open, md)
		}
	}
	done[s] = open
	return open
}

// makesBody says whether a function, or one that it calls, has a request or
// something that can be read in its hands, such as the buffer that it makes a body of.
func (m *modeler) makesBody(s *shape, done map[*shape][]mode) bool {
	if m.holdsReader(s) {
		return true
	}
	for _, c := range s.calls {
		if x := m.shapes.funcs[c]; x != nil && x != s && !slices.Contains(done[x], usedBody) && m.holdsReader(x) {
			return true
		}
	}
	return false
}

func (m *modeler) holdsReader(s *shape) (found bool) {
	ast.Inspect(s.decl.Body, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || found {
			return !found
		}
		switch t := m.pass.TypesInfo.TypeOf(e).(type) {
		case nil:
		case *types.Tuple:
			for i := range t.Len() {
				found = found || isReader(t.At(i).Type()) || isPointerTo(t.At(i).Type(), "net/http", "Request")
			}
		default:
			found = isReader(t) || isPointerTo(t, "net/http", "Request")
		}
		return !found
	})
	return found
}

// makesKey says whether a key may be made in a function, or in what it calls.
func (m *modeler) makesKey(s *shape) bool {
	return s.keys || m.shapes.reaches(s, func(x *shape) bool { return x.keys }) || m.im.any()
}

// mistake is a place that was reported by a rule.
type mistake struct {
	rule string
	pos  token.Pos
}

// findMistake looks for what a mode is about in one function, and says whether
// callers may know more.
func (m *modeler) findMistake(s *shape, fn *ir.Function, md mode, said map[mistake]bool) (open bool) {
	skip := map[repetition]bool{}
	if md == leak {
		skip = maps.Clone(m.leaky) // whoever calls it, that is where it is mended
	}
	for range maxRepetitions {
		if r, _ := m.ask(fn, &probe{m: m, mode: md, outcome: anything, assume: md.assumed(), optimist: true, skip: skip}, searchLimits); r.Reach < maybeSent {
			return open
		}
		f, at, unclear := m.searchMistake(s, fn, md, skip)
		if f == nil {
			return open || unclear
		}
		skip[at] = true
		// Where success goes round as well, it is no retry.
		if r, all := m.ask(fn, &probe{m: m, mode: md, outcome: success, assume: md.assumed(), optimist: true, only: at}, limits); r.Reach >= maybeSent || !all {
			open = true
			continue
		}
		v, ok := m.mistakeVerdict(f, md)
		open = open || !ok
		if ok && md == usedBody {
			m.bodies = append(m.bodies, resend{at, f, v})
			continue
		}
		if ok && md == leak && m.inLayer(at, v.Pos) {
			m.leaky[at] = true
		}
		if key := (mistake{v.Rule, v.Pos}); ok && !said[key] {
			said[key] = true
			m.verdicts = append(m.verdicts, v)
		}
	}
	return open
}

// assumed is the method that a mode assumes where a function is given one: one
// with a body that may be repeated, so that gates on the method let it through.
func (m mode) assumed() string {
	switch m {
	case usedBody:
		return "PUT"
	case leak, stacked, hedged:
		return readMethod
	}
	return "POST"
}

// searchMistake looks for one repetition that is wrong and was not found before.
// unclear says that something unknown decides about one.
func (m *modeler) searchMistake(s *shape, fn *ir.Function, md mode, skip map[repetition]bool) (f *finding, at repetition, unclear bool) {
	f = &finding{root: s, fn: fn}
	callers := md == freshKey && !m.open(s.fn) && m.hasCaller(s)
	bounded, most := 0, 2
	if md == usedBody {
		most = 4 // after an answer it may be known, where it is not after an error
	}
	for _, o := range md.outcomes() {
		if f.covers(o) {
			continue
		}
		r, all := m.ask(fn, &probe{m: m, mode: md, outcome: o, assume: md.assumed(), skip: skip, only: at, callers: callers}, limits)
		unclear = unclear || r.Reach == maybeSent || !all && md == usedBody
		if !all {
			if bounded++; bounded == most && len(f.again) == 0 {
				return nil, at, unclear
			}
			continue
		}
		if w, ok := r.Witness.(*witness); ok && r.Reach == sentAgain {
			f.again = append(f.again, o)
			if len(f.again) == 1 {
				f.w = w
				at = m.repetitionOf(w.first, w.second)
			}
		}
	}
	if f.w == nil {
		return nil, at, unclear
	}
	return f, at, unclear
}

// mistakeVerdict says what a mode found.
func (m *modeler) mistakeVerdict(f *finding, md mode) (Verdict, bool) {
	layer, chain := split(f.w.first, f.w.second)
	if !slices.ContainsFunc(chain, func(s step) bool { return s.frame.Fn.Local }) {
		return Verdict{}, false // it is all in another package, where it is reported
	}
	call, decl := m.editPlace(layer, chain)
	switch md {
	case freshKey:
		if f.w.made.frame != nil {
			if c, d, ok := m.placeBelow(layer, f.w.made); ok {
				call, decl = c, d
			}
		}
	case usedBody:
		if m.callerDecides(f) {
			return Verdict{}, false
		}
		if c, d, ok := m.buildPlace(layer, chain, f); ok {
			call, decl = c, d
		}
	}
	pos, end := m.prog.span(call)
	if !pos.IsValid() {
		return Verdict{}, false
	}
	r := &report{pos: pos, end: end, layer: layer.Fn, decl: decl}
	v := Verdict{Rule: md.rule(), Severity: Error, Pos: pos, End: end, Related: m.related(f, r)}
	after := describe(f.again) + elsewhere(layer, chain)
	switch md {
	case freshKey:
		m.freshLayers[layer.Fn] = true
		v.Message = fmt.Sprintf("the idempotency key is made anew for every attempt: after %s the same operation goes out under another key, and the server takes it for a new one; make the key once, before the first attempt", after)
		if p, e := m.prog.span(f.w.made.instr); p.IsValid() && p != pos {
			v.Related = append(v.Related, analysis.RelatedInformation{Pos: p, End: e, Message: "the key is made here"})
		}
	case usedBody:
		v.Message = fmt.Sprintf("after %s the request is sent again with a body that the first attempt has read: %s; make a new reader for every attempt", after, bodyEffect(f.w.body))
	case leak:
		v.Severity = Warning
		v.Message = fmt.Sprintf("the answer to a failed attempt is not closed before the next one: after %s its connection is not used again, and every attempt opens another; drain and close the body first", after)
	}
	return v, true
}

// elsewhere says where a repetition in another package is written.
func elsewhere(layer *flow.Frame, chain []step) string {
	fn := layer.Fn.Outermost()
	if fn.Local {
		return ""
	}
	at := fn.Path
	if call := chain[0].call; call.Line > 0 && fn.File != "" {
		at = fmt.Sprintf("%s/%s:%d", fn.Path, fn.File, call.Line)
	}
	return fmt.Sprintf(" (by %s, %s)", fn.Name, at)
}

// callerDecides says whether the body is what an unexported function is given:
// then the callers in view know better.
func (m *modeler) callerDecides(f *finding) bool {
	return f.w.body != nil && f.w.body.Taint&(flow.Param|fromRequest) != 0 && !m.open(f.root.fn) && f.fn.Parent == nil && f.root.fn.Name() != "RoundTrip" && m.hasCaller(f.root)
}

func (m *modeler) hasCaller(s *shape) bool {
	for _, x := range m.shapes.order {
		for _, c := range x.calls {
			if c == s.fn && x != s {
				return true
			}
		}
	}
	return false
}

// bodyEffect says what net/http does with a body that was read: client.go and
// transfer.go, go1.26.
func bodyEffect(b *flow.Value) string {
	t := b.Dyn
	if t == nil {
		t = b.Type
	}
	switch {
	case t != nil && isPointerTo(t, "os", "File"):
		return "net/http has closed the file, and the attempt fails"
	case t != nil && isBuffer(t):
		return "nothing is left in it, so the attempt sends an empty body, or fails because the length is not the promised one"
	}
	return "the attempt sends nothing, without an error, or fails because the length is not the promised one"
}

// placeBelow finds the place to edit on the way from a layer to an event below
// it.
func (m *modeler) placeBelow(layer *flow.Frame, e sendEvent) (*ir.Node, *ast.FuncDecl, bool) {
	chain := []step{{e.frame, e.instr}}
	f := e.frame
	for f != layer {
		if f.Parent == nil {
			return nil, nil, false // not below
		}
		chain = append(chain, step{f.Parent, f.Site})
		f = f.Parent
	}
	for i, j := 0, len(chain)-1; i < j; i, j = i+1, j-1 {
		chain[i], chain[j] = chain[j], chain[i]
	}
	call, decl := m.editPlace(layer, chain)
	return call, decl, call != nil
}

// buildPlace finds the call in the retried region that makes the request of a
// reader that was made outside; ok is false where the request itself is shared.
func (m *modeler) buildPlace(layer *flow.Frame, chain []step, f *finding) (*ir.Node, *ast.FuncDecl, bool) {
	if f.w.built.frame == nil {
		return nil, nil, false
	}
	return m.placeBelow(layer, f.w.built)
}
