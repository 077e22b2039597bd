package policy

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/ir"
	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// reportKey is the place of a layer's second attempt.
type reportKey struct{ pos token.Pos }

// report collects what was found about one place.
type report struct {
	pos, end token.Pos
	layer    *ir.Function  // holds the loop, or calls itself
	decl     *ast.FuncDecl // where pos is written
	best     *finding      // with a method that is known to be unsafe
	any      *finding      // with whatever method is given
	own      *finding      // where the caller gives body or URL: what counts if no caller is seen
	asked    bool          // callers were looked at
	exposed  bool          // other packages can reach it through a function that hands on
}

// record files a finding under the place where a person would edit.
func (m *modeler) record(f *finding) *report {
	layer, chain := split(f.w.first, f.w.second)
	call, decl := m.editPlace(layer, chain)
	pos, end := m.prog.span(call)
	if !pos.IsValid() {
		return nil
	}
	key := reportKey{pos}
	r := m.reports[key]
	if r == nil {
		r = &report{pos: pos, end: end, layer: layer.Fn, decl: decl}
		m.reports[key] = r
		m.order = append(m.order, r)
	}
	switch {
	case f.w.given:
		if r.any == nil || !m.speaksForItself(r.any, r) && m.speaksForItself(f, r) {
			r.any = f
		}
	case m.askCallers(f):
		if r.own == nil {
			r.own = f
		}
	case r.best == nil || m.worse(f, r.best):
		r.best = f
	}
	return r
}

// worse says whether a finding weighs more than another about the same place.
func (m *modeler) worse(a, b *finding) bool {
	return cmp.Compare(m.weight(a), m.weight(b)) > 0
}

// askCallers says whether callers in this package know better what the
// operation is: they give the body or a part of the URL, and nobody else can.
func (m *modeler) askCallers(f *finding) bool {
	return (f.w.key == keyGiven || f.w.path) && !m.open(f.root.fn) && f.fn.Parent == nil
}

// worst is the weight beyond which nothing more is looked for.
const worst = 2

func (m *modeler) weight(f *finding) int {
	if m.harmless(f) {
		return 0
	}
	if natureOf(f.w.urls, f.w.bodies) == generation {
		return 1
	}
	return worst
}

// step is one call of a chain: the frame that makes it, and the call.
type step struct {
	frame *flow.Frame
	call  *ir.Node
}

// split finds the function that holds the repetition: the innermost one that
// both attempts went through, and the calls from there to the second attempt.
func split(first, second sendEvent) (*flow.Frame, []step) {
	seen := map[*flow.Frame]bool{}
	for _, f := range first.chain() {
		seen[f] = true
	}
	chain := []step{{second.frame, second.instr}}
	f := second.frame
	for !seen[f] {
		chain = append(chain, step{f.Parent, f.Site})
		f = f.Parent
	}
	slices.Reverse(chain)
	return f, chain
}

// editPlace walks down the chain to the call that a person would edit: the
// last one that is written in the function that holds the repetition, or in one
// that leads to it, as a function value that was handed in is. Where the
// repetition is in another package, it is the first call of this package below
// it, or the call of this package that leads there.
func (m *modeler) editPlace(layer *flow.Frame, chain []step) (*ir.Node, *ast.FuncDecl) {
	i := 0
	for i < len(chain) && !chain[i].frame.Fn.Local {
		i++
	}
	if i == len(chain) {
		return m.callFrom(layer)
	}
	if first := chain[i].frame.Fn; i > 0 && first.Parent == nil {
		// a function or method handed over by its name
		if site, in := handedOver(layer); site != nil {
			return site, m.declOf(in)
		}
	}
	leads := map[*ir.Function]bool{chain[i].frame.Fn.Outermost(): true}
	for f := layer; f != nil; f = f.Parent {
		if f.Fn.Local {
			leads[f.Fn.Outermost()] = true
		}
	}
	at := i
	for i++; i < len(chain); i++ {
		fn := chain[i].frame.Fn
		switch {
		case fn.Outermost() == chain[at].frame.Fn.Outermost() && at == i-1,
			fn.Parent != nil && (leads[fn.Outermost()] || dynamic(chain[i-1].call) && handedOn(chain[at+1:i])):
			at = i
		case fn.Local && fn.Parent == nil && i > 0 && dynamic(chain[i-1].call):
			if site, in := handedOver(layer); site != nil {
				return site, m.declOf(in)
			}
		}
	}
	return chain[at].call, m.declOf(chain[at].frame.Fn)
}

// handedOn says whether all of some calls run functions that are given functions.
func handedOn(between []step) bool {
	for _, s := range between {
		params := s.frame.Fn.Signature.Params()
		given := false
		for i := range params.Len() {
			given = given || takesFunc(params.At(i).Type())
		}
		if !given {
			return false
		}
	}
	return true
}

// callFrom finds the call of this package on the way to a frame of another.
func (m *modeler) callFrom(f *flow.Frame) (*ir.Node, *ast.FuncDecl) {
	for ; f.Parent != nil; f = f.Parent {
		if f.Parent.Fn.Local {
			return f.Site, m.declOf(f.Parent.Fn)
		}
	}
	return f.Site, nil
}

// handedOver finds the call on the way to a frame that names the function
// which the frame runs.
func handedOver(f *flow.Frame) (*ir.Node, *ir.Function) {
	for ; f.Parent != nil; f = f.Parent {
		for _, a := range f.Site.Args {
			for a.Op == ir.ChangeType {
				a = a.X
			}
			if (a.Op == ir.MakeClosure || a.Op == ir.Func) && f.Parent.Fn.Local {
				return f.Site, f.Parent.Fn
			}
		}
	}
	return nil, nil
}

func (m *modeler) declOf(fn *ir.Function) *ast.FuncDecl {
	if s := m.shapeOf(fn); s != nil {
		return s.decl
	}
	return nil
}

// dynamic says whether a call is of a function value.
func dynamic(c *ir.Node) bool {
	return !c.IsInvoke() && c.StaticCallee() == nil
}

// decide turns what was found into verdicts.
func (m *modeler) decide() {
	for _, r := range m.order {
		if v, ok := m.verdict(r); ok {
			m.verdicts = append(m.verdicts, v)
		}
	}
}

func (m *modeler) sorted() []Verdict {
	slices.SortStableFunc(m.verdicts, func(a, b Verdict) int { return cmp.Compare(a.Pos, b.Pos) })
	return m.verdicts
}

// RetryNoKey is the rule about unsafe requests that are sent again without a key.
const RetryNoKey = "retrynokey"

func (m *modeler) verdict(r *report) (Verdict, bool) {
	if m.claims.covers(r.pos, r.decl) || m.freshLayers[r.layer] {
		return Verdict{}, false // retryfreshkey speaks about it
	}
	v := Verdict{Rule: RetryNoKey, Severity: Error, Pos: r.pos, End: r.end}
	if r.best == nil && !r.asked {
		r.best = r.own
	}
	f := r.any
	switch {
	case r.best != nil && m.weight(r.best) > 0:
		f = r.best
		if natureOf(f.w.urls, f.w.bodies) == generation {
			v.Severity = Warning
			if _, chain := split(f.w.first, f.w.second); !slices.ContainsFunc(chain, func(s step) bool { return s.frame.Fn.Local }) {
				return Verdict{}, false // what an SDK does by itself
			}
		}
	case r.any != nil && (r.exposed || m.speaksForItself(r.any, r)):
		v.Severity = Warning
	default:
		return Verdict{}, false
	}
	if m.saidElsewhere(f) || m.withoutBody(f) {
		return Verdict{}, false
	}
	if !f.certain() {
		if !m.config.Strict {
			return Verdict{}, false
		}
		v.Severity = Warning
	}
	v.Message = m.message(f, r)
	v.Related = m.related(f, r)
	return v, true
}

// saidElsewhere says whether the mistake is wholly in another package of the
// same repository, down to the method: then it is reported there.
func (m *modeler) saidElsewhere(f *finding) bool {
	layer, chain := split(f.w.first, f.w.second)
	if f.w.ours || slices.ContainsFunc(chain, func(s step) bool { return s.frame.Fn.Local }) {
		return false
	}
	call, _ := m.callFrom(layer)
	for _, a := range call.Args {
		if a.Op == ir.MakeClosure || a.Op == ir.Func || a.Op == ir.ChangeType {
			return false // what repeats and what is repeated meet here
		}
	}
	callee := call.StaticCallee()
	if callee == nil || !sameRepository(callee.Path, m.pass.Pkg.Path()) {
		return false
	}
	// A library that this package names itself, as where it makes the client
	// that the other package is given, is not what the other one chose.
	return sameRepository(layer.Fn.Path, m.pass.Pkg.Path()) || !slices.ContainsFunc(m.pass.Pkg.Imports(), func(p *types.Package) bool { return p.Path() == layer.Fn.Path })
}

// sameRepository says whether two import paths look like one repository's: a
// driver does not always tell the module.
func sameRepository(a, b string) bool {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 1
	if strings.Contains(x[0], ".") {
		n = 3
	}
	return len(x) >= n && len(y) >= n && slices.Equal(x[:n], y[:n])
}

// harmless says whether the operation may be repeated: it reads, by its
// protocol or by the name of a function that makes it, or a person says so.
func (m *modeler) harmless(f *finding) bool {
	n := natureOf(f.w.urls, f.w.bodies)
	if n == reads {
		return true
	}
	for _, e := range []sendEvent{f.w.first, f.w.second} {
		for fr := e.frame; fr != nil; fr = fr.Parent {
			d := m.declOf(fr.Fn)
			if d != nil && n == writes && readsByName(d.Name.Name) {
				return true
			}
			if fr.Site != nil && fr.Parent != nil && m.claims.covers(fr.Site.Pos, m.declOf(fr.Parent.Fn)) {
				return true
			}
			if d != nil && m.claims.decls[d] {
				return true
			}
		}
	}
	return m.claims.covers(f.w.second.instr.Pos, nil)
}

// speaksForItself says whether a layer that re-sends whatever it is given is
// reported without a caller in view that gives it an unsafe request: a
// RoundTripper, or a function that other packages can call.
func (m *modeler) speaksForItself(f *finding, r *report) bool {
	if m.claims.covers(f.w.second.instr.Pos, nil) {
		return false
	}
	return f.fn.Parent != nil || m.exposes(f.root)
}

// exposes says whether a function lets other packages send through it: a
// RoundTripper, or what they can call.
func (m *modeler) exposes(s *shape) bool {
	if s.fn.Name() == "RoundTrip" && isExchange(s.fn.Signature()) {
		return true
	}
	return !readsByName(s.fn.Name()) && m.open(s.fn)
}

// open says whether code that is not in view can call a function.
func (m *modeler) open(fn *types.Func) bool {
	if !fn.Exported() || m.pass.Pkg.Name() == "main" {
		return false
	}
	if recv := fn.Signature().Recv(); recv != nil {
		t := recv.Type()
		if p, ok := types.Unalias(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		n, ok := types.Unalias(t).(*types.Named)
		return ok && n.Obj().Exported()
	}
	return true
}

func (m *modeler) message(f *finding, r *report) string {
	what := f.w.method
	if f.w.given {
		what = "any method, POST too,"
	}
	after := describe(f.again) + elsewhere(split(f.w.first, f.w.second))
	often := ""
	if n := m.countAttempts(f); n > 0 {
		often = fmt.Sprintf(" (up to %d attempts)", n)
	}
	if !f.certain() {
		unknown := "what decides about another attempt is not known here"
		switch {
		case f.w.doubt || f.w.key == keyUnknown:
			unknown = "something that is not known here may set one"
		case f.polls:
			unknown = "whether a success is repeated as well, as in polling, is not known here"
		}
		return fmt.Sprintf("%s may be sent again after %s without an idempotency key: %s", what, describe(append(f.again, f.maybe...)), unknown)
	}
	if f.w.given {
		return fmt.Sprintf("%s is sent again after %s%s, with no check of the method or of an Idempotency-Key: a request that the server has already carried out is carried out again; let only idempotent methods and requests with a key through", what, after, often)
	}
	return fmt.Sprintf("%s is sent again after %s%s without an idempotency key: an operation that the server has already carried out happens twice; make one key before the first attempt and send it with every attempt", what, after, often)
}

// related points at the repetition, and at the caller whose request it is.
func (m *modeler) related(f *finding, r *report) []analysis.RelatedInformation {
	var out []analysis.RelatedInformation
	if pos, end, what := m.repetition(f, r); pos.IsValid() {
		out = append(out, analysis.RelatedInformation{Pos: pos, End: end, Message: what})
	}
	last := f.w.second
	if pos, end := m.prog.span(last.instr); pos.IsValid() && pos != r.pos {
		out = append(out, analysis.RelatedInformation{Pos: pos, End: end, Message: "the request is sent here"})
	}
	if f.root.decl != r.decl && !f.w.given {
		out = append(out, analysis.RelatedInformation{Pos: f.root.decl.Name.Pos(), End: f.root.decl.Name.End(),
			Message: fmt.Sprintf("%s sends a %s through it", f.root.fn.Name(), f.w.method)})
	}
	return out
}

// repetition finds the statement that repeats: the innermost loop around the
// call in the function that holds the repetition, or the function itself if it
// calls itself.
func (m *modeler) repetition(f *finding, r *report) (pos, end token.Pos, what string) {
	layer, chain := split(f.w.first, f.w.second)
	decl := m.declOf(layer.Fn)
	if decl == nil {
		return
	}
	at := chain[0].call.Pos
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			if n.Body.Pos() <= at && at < n.End() || n.Pos() <= at && at < n.End() {
				pos, end, what = n.Pos(), n.Body.Lbrace, "the retry loop is here"
			}
		case *ast.RangeStmt:
			if n.Pos() <= at && at < n.End() {
				pos, end, what = n.Pos(), n.Body.Lbrace, "the retry loop is here"
			}
		}
		return true
	})
	if !pos.IsValid() && len(chain) > 1 {
		p, e := m.prog.span(chain[0].call)
		if p.IsValid() && p != r.pos {
			return p, e, fmt.Sprintf("%s runs it again here", layer.Fn.Name)
		}
	}
	return pos, end, what
}
