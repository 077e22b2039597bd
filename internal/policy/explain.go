package policy

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/guard"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// An Explanation is one line of what the model knows of a place, or does not
// know and why.
type Explanation struct {
	Depth int       // of indentation: what belongs to the line before has one more
	Text  string    // one line
	Pos   token.Pos // what it is about, NoPos for nothing in the package
}

// Explain says what the model knows of the calls and loops on a line of a file
// of the package: layers, attempts, key, body, verdicts, and for what is not
// known why it is not. file is a path or the end of one. found is false when
// no function of the package has that line.
func (m *Model) Explain(file string, line int) (lines []Explanation, found bool) {
	if m == nil || m.pass == nil {
		return nil, false
	}
	m.decide()
	x := &explainer{pass: m.pass, m: m.modeler, verdicts: m.verdicts, file: filepath.ToSlash(file), line: line}
	failure := guard.Do(func() error {
		found = x.explain()
		return nil
	})
	if failure != nil {
		x.say(0, token.NoPos, "internal error: %s", failure.Error())
		found = true
	}
	return x.lines, found
}

type explainer struct {
	pass     *analysis.Pass
	m        *modeler
	verdicts []Verdict
	file     string
	line     int
	lines    []Explanation
}

func (x *explainer) say(depth int, pos token.Pos, format string, args ...any) {
	x.lines = append(x.lines, Explanation{Depth: depth, Text: fmt.Sprintf(format, args...), Pos: pos})
}

// on says whether a position is on the line that is asked about.
func (x *explainer) on(pos token.Pos) bool {
	if !pos.IsValid() {
		return false
	}
	p := x.pass.Fset.Position(pos)
	return p.Line == x.line && x.isFile(p.Filename)
}

func (x *explainer) isFile(name string) bool {
	name = filepath.ToSlash(name)
	return name == x.file || strings.HasSuffix(name, "/"+x.file)
}

// explain finds the function and says what is known of it.
func (x *explainer) explain() bool {
	decl := x.function()
	if decl == nil {
		return false
	}
	x.say(0, decl.Name.Pos(), "function %s", decl.Name.Name)
	x.spoken()
	m := x.m
	var s *shape
	if m != nil {
		for _, sh := range m.shapes.order {
			if sh.decl == decl {
				s = sh
			}
		}
	}
	switch {
	case s == nil || !m.want[decl]:
		x.say(1, token.NoPos, "nothing in it, or in what it calls, sends a request twice or makes a context for one: it was not run")
		return true
	case m.prog == nil:
		x.say(1, token.NoPos, "the package was not run")
		return true
	}
	fn := m.prog.fn(s.fn)
	if fn == nil || !fn.HasBody() {
		x.say(1, token.NoPos, "it has no body here")
		return true
	}
	x.streams(decl)
	if !s.sendful {
		x.say(1, token.NoPos, "no send is seen in it or in what it calls: code that cannot be seen may send, and is not followed")
	}
	x.runs(s, fn)
	return true
}

// function finds the declaration that has the line; nil if none has.
func (x *explainer) function() *ast.FuncDecl {
	for _, f := range x.pass.Files {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			from, to := x.pass.Fset.Position(decl.Pos()), x.pass.Fset.Position(decl.End())
			if x.isFile(from.Filename) && from.Line <= x.line && x.line <= to.Line {
				return decl
			}
		}
	}
	return nil
}

// spoken lists the verdicts on the line.
func (x *explainer) spoken() {
	none := true
	for _, v := range x.verdicts {
		if x.on(v.Pos) {
			none = false
			x.say(1, v.Pos, "%s (%s): %s", v.Rule, v.Severity, v.Message)
			for _, r := range v.Related {
				x.say(2, r.Pos, "%s", r.Message)
			}
		}
	}
	if none {
		x.say(1, token.NoPos, "no rule reports on this line")
	}
}

// runs asks what happens after each outcome, with the function as the root,
// and tells the answers with what they rest on.
func (x *explainer) runs(s *shape, fn *ir.Function) {
	m := x.m
	x.calls(fn)
	if s.repeats || s.recursive {
		x.say(1, token.NoPos, "a loop or a call of itself repeats something in it")
	}
	before := x.lines
	var answers []answered
	for _, o := range slices.Concat([]outcome{success}, ambiguous, refused) {
		if o.fault == faultEOF {
			continue // told like a reset
		}
		x.lines = nil
		w := &witnessed{probe: probe{m: m, outcome: o, assume: "POST"}, unsure: map[token.Pos]string{}}
		r, all := m.askDomain(fn, w, &w.probe, limits)
		what := "is not sent again"
		switch r.Reach {
		case notSent:
			what = "nothing unsafe is sent without a key"
		case sentKeyed:
			what = "carries an idempotency key"
		case maybeSent:
			what = "may be sent again: something that is not known decides"
		case sentAgain:
			what = "is sent again"
			if wit, ok := r.Witness.(*witness); ok && wit.given {
				what += ", if the caller gives an unsafe method"
			}
		}
		if !all {
			what = "unknown: the function is larger than the bound on steps"
		}
		if wit, ok := r.Witness.(*witness); ok && r.Reach >= maybeSent {
			x.witness(wit)
			if n := m.countAttempts(&finding{root: s, fn: fn, again: []outcome{o}, w: wit}); n > 0 {
				x.say(2, token.NoPos, "at most %d attempts", n)
			}
		}
		if r.Reach == maybeSent {
			for _, pos := range sortedPositions(w.unsure) {
				x.say(2, pos, "%s", w.unsure[pos])
			}
		}
		a := answered{[]outcome{o}, what, x.lines}
		if n := len(answers); n > 0 && o != success && answers[n-1].of[0] != success && answers[n-1].what == what && slices.Equal(answers[n-1].lines, x.lines) {
			answers[n-1].of = append(answers[n-1].of, o)
			continue
		}
		answers = append(answers, a)
	}
	x.lines = before
	for _, a := range answers {
		x.say(1, token.NoPos, "after %s: %s", describe(a.of), a.what)
		x.lines = append(x.lines, a.lines...)
	}
	x.secondAttempt(fn)
	x.layers(s, fn)
	x.contexts(s, fn)
}

// secondAttempt says what the second attempt of anything does wrong, or that
// nothing of the kind is seen.
func (x *explainer) secondAttempt(fn *ir.Function) {
	if !x.m.mayRepeat(fn) {
		return
	}
	for _, q := range []struct {
		mode             mode
		what, yes, maybe string
		no               string
	}{
		{freshKey, "the key of the second attempt", "is made anew", "may be made anew: something that is not known decides", "is the first one's, or there is none"},
		{usedBody, "the body of the second attempt", "was read by the first", "may have been read by the first: something that is not known decides", "was not read before, or there is none"},
		{leak, "the answer to the first attempt", "is still open at the second", "may still be open at the second: something that is not known decides", "is closed before the second, or there is none"},
	} {
		var again, maybe, unknown []outcome
		for _, o := range q.mode.outcomes() {
			r, all := x.m.ask(fn, &probe{m: x.m, mode: q.mode, outcome: o, assume: q.mode.assumed()}, limits)
			switch {
			case !all:
				unknown = append(unknown, o)
			case r.Reach == sentAgain:
				again = append(again, o)
			case r.Reach == maybeSent:
				maybe = append(maybe, o)
			}
		}
		if len(unknown) > 0 {
			x.say(1, token.NoPos, "%s, after %s: unknown: the function is larger than the bound on steps", q.what, describe(unknown))
		}
		if len(again) > 0 {
			x.say(1, token.NoPos, "%s, after %s: %s", q.what, describe(again), q.yes)
		}
		if len(maybe) > 0 {
			x.say(1, token.NoPos, "%s, after %s: %s", q.what, describe(maybe), q.maybe)
		}
		if len(again)+len(maybe)+len(unknown) == 0 {
			x.say(1, token.NoPos, "%s %s", q.what, q.no)
		}
	}
}

// contexts says whether a context that is made in a function, or in what it
// calls, ends before an answer is read.
func (x *explainer) contexts(s *shape, fn *ir.Function) {
	if !s.derives && !x.m.shapes.reaches(s, func(y *shape) bool { return y.derives }) {
		return
	}
	w, all := x.m.askCancel(fn, map[*ir.Node]bool{})
	switch {
	case w != nil:
		pos, _ := x.m.prog.span(w.at.instr)
		x.say(1, pos, "a context that it makes ends here, and the body of an answer is not read yet")
	case !all:
		x.say(1, token.NoPos, "whether a context that it makes ends before an answer is read is unknown: the function is larger than the bound on steps")
	default:
		x.say(1, token.NoPos, "no context that it makes is seen to end before an answer is read")
	}
}

// answered is what is known of some outcomes.
type answered struct {
	of    []outcome
	what  string
	lines []Explanation
}

// calls tells what is known of the calls on the line.
func (x *explainer) calls(fn *ir.Function) {
	fn.Nodes(func(n *ir.Node) {
		if (n.Op != ir.Call && n.Op != ir.Go && n.Op != ir.Defer) || n.X.Op == ir.Builtin || !x.on(n.Pos) {
			return
		}
		pos, _ := x.m.prog.span(n)
		x.say(1, pos, "%s", x.m.callText(n))
	})
	for _, a := range fn.AnonFuncs {
		x.calls(a)
	}
}

// callText says what is known of a call before anything is run.
func (m *modeler) callText(n *ir.Node) string {
	callee := n.StaticCallee()
	switch {
	case n.IsInvoke():
		if isDoerName(n.Name) && isExchange(n.Sig) {
			return "a call of " + n.Full + ", which sends what it is given"
		}
		return "a call of " + n.Full + ": what stands behind the interface decides"
	case callee == nil:
		return "a call of a function value: what it holds decides"
	}
	if _, ok := httpSends[callee.FullName()]; ok {
		return "a call of " + callee.FullName() + ", which sends"
	}
	name := callee.FullName()
	if name == "" {
		name = callee.Name
	}
	var known []string
	if s := m.shapeOf(callee); callee.Local && s != nil {
		for _, k := range []struct {
			is   bool
			text string
		}{{s.sendful, "sends"}, {s.mayRetry, "may repeat something"}, {s.derives, "makes a context"}} {
			if k.is {
				known = append(known, k.text)
			}
		}
	}
	for _, k := range []struct {
		flag ir.Flags
		text string
	}{{flagSends, "sends"}, {flagRepeats, "may repeat something"}, {flagMakes, "makes a new value each time"}, {flagDerives, "makes a context"}} {
		if !callee.Local && callee.Flags&k.flag != 0 {
			known = append(known, k.text)
		}
	}
	table := m.tableText(callee)
	switch {
	case table != "":
		return "a call of " + name + ": " + table
	case len(known) > 0:
		return "a call of " + name + ": it " + strings.Join(known, ", ")
	case callee.HasBody():
		return "a call of " + name + ": its code is known, and decides nothing by itself"
	}
	return "a call of " + name + ": its code is not known"
}

// witness tells how a second attempt comes about.
func (x *explainer) witness(w *witness) {
	layer, chain := split(w.first, w.second)
	pos, _ := x.m.prog.span(chain[0].call)
	where := layer.Fn.Name
	if !layer.Fn.Local {
		where = strings.Trim(strings.TrimPrefix(elsewhere(layer, chain), " "), "()")
	}
	x.say(2, pos, "the layer that repeats: %s", where)
	send, _ := x.m.prog.span(w.second.instr)
	method := w.method
	if method == "" {
		method = "a method that is not known"
	}
	x.say(2, send, "the send: %s, %s", method, keyText(w.key))
	switch natureOf(w.urls, w.bodies) {
	case reads:
		x.say(2, token.NoPos, "its URL or body say that it reads, or may be repeated: no finding")
	case generation:
		x.say(2, token.NoPos, "it asks a language model: a repeat costs money, not state")
	}
}

func keyText(k keyState) string {
	switch k {
	case keyAbsent:
		return "no key"
	case keyGiven:
		return "the caller gives the body, and may put a key into it"
	case keyUnknown:
		return "code that cannot be seen may set a key"
	}
	return "a key"
}

// witnessed is a probe that notes what is not known.
type witnessed struct {
	probe
	unsure map[token.Pos]string
}

// Branch notes conditions whose both sides count.
func (w *witnessed) Branch(f *flow.Frame, cond *flow.Value, world *flow.World) flow.Branch {
	how := w.probe.Branch(f, cond, world)
	if how == flow.Both && stateOf(world) != nil && f.Fn.Local {
		why := "decided by what is not known here"
		switch {
		case isPredicate(cond):
			why = "decided by a function that somebody else chose"
		case cond.Taint&fromOutcome != 0:
			why = "decided by how the attempt ended, in a way that is not followed"
		case cond.Taint&(assumed|fromMethod) != 0:
			why = "decided by the method, in a way that is not followed"
		case cond.Taint&flow.Param != 0:
			why = "decided by an argument of the function"
		case cond.Taint&fromRequest != 0:
			why = "decided by the caller's context or request"
		}
		if pos := w.m.conditionPos(f); pos.IsValid() {
			w.unsure[pos] = why
		}
	}
	return how
}

// conditionPos is where the condition stands that a run has come to, or the
// name of the function that has it.
func (m *modeler) conditionPos(f *flow.Frame) token.Pos {
	for _, n := range []*ir.Node{f.At, f.At.X} {
		if n.Pos.IsValid() {
			return n.Pos
		}
	}
	for _, n := range f.At.X.Operands(nil) {
		if n.Pos.IsValid() {
			return n.Pos
		}
	}
	if d := m.declOf(f.Fn); d != nil {
		return d.Name.Pos()
	}
	return token.NoPos
}

func sortedPositions(m map[token.Pos]string) []token.Pos {
	var ps []token.Pos
	for p := range m {
		ps = append(ps, p)
	}
	slices.Sort(ps)
	return ps
}
