package policy

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// InheritedPolicy is the rule about clients of language models whose policy nobody
// has stated.
const InheritedPolicy = "inheritedpolicy"

// statesPolicy says whether a symbol is about how often a client sends, how long that
// may take, or through what.
func statesPolicy(e apis.Entry) bool {
	switch e.Symbol.Role {
	case apis.Attempts, apis.Disable, apis.Timeout, apis.Beneath, apis.WithPolicy, apis.Condition, apis.Methods:
		return e.Library.API
	}
	return false
}

// asksModels says whether a package is of a library that is the client of one service
// which has language models: the clients of AWS, where one of many services does, are
// another matter.
func (m *modeler) asksModels(l *apis.Library, path string) bool {
	return l.API && !strings.HasSuffix(l.Module, "*") && (m.libraries.Has(path, apis.ModelCall) || m.libraries.Has(path, apis.ModelStream))
}

// takesOptions says whether a function is given options of a library's client, several
// or in a slice: its callers decide what they say.
func (s *shapes) takesOptions(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		t, ok := types.Unalias(v.Type()).Underlying().(*types.Slice)
		if !ok {
			continue
		}
		if s.isClientOption(t.Elem()) {
			return true
		}
	}
	return false
}

// isClientOption says whether a type is a function or an interface of a library that is
// the client of a service; such types often stand in a package below, which has nothing
// else that the tables name.
func (s *shapes) isClientOption(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || s.libraries == nil || !isOption(n) || n.Obj().Pkg() == nil || standardPath(n.Obj().Pkg().Path()) {
		return false
	}
	for path := n.Obj().Pkg().Path(); strings.Contains(path, "/"); path = path[:strings.LastIndexByte(path, '/')] {
		if s.libraries.API(path) {
			return true
		}
	}
	return false
}

// inheritance is a place that makes a client, and what is said there of its policy on
// all paths of a run.
type inheritance struct {
	zeroAt
	frame  *flow.Frame
	sender *sender
	path   string // of the library's package
	stated bool
}

// inheritedSearch is a domain that looks at the clients that a function makes.
type inheritedSearch struct {
	probe
	found map[zeroAt]*inheritance
	order []*inheritance
	said  map[settledAt]bool
}

// Branch takes both sides: what is found must hold for all ways.
func (d *inheritedSearch) Branch(*flow.Frame, *flow.Value, *flow.World) flow.Branch {
	return flow.Either
}

// Join has nothing to join: what is found is collected on the way.
func (d *inheritedSearch) Join(_ flow.Branch, a, _ flow.Result) flow.Result { return a }

// Return is the end of a path.
func (d *inheritedSearch) Return(*flow.World) flow.Result { return flow.Result{} }

// noteClient notes a client that is made.
func (d *inheritedSearch) noteClient(c *flow.Call, s *sender) {
	e, ok := d.m.role(c, apis.NewClient)
	if !ok || !d.m.asksModels(e.Library, pathOf(c)) || e.Policy == nil || e.Policy.Attempts < 2 {
		return
	}
	at := zeroAt{c.Instr, c.Instr}
	inner := true
	var foreign *flow.Frame
	for f := c.Frame; f != nil; f = f.Parent {
		inner = inner && !f.Fn.Local
		if inner {
			at.key, foreign = f.Site, f
		} else if d.said[settledAt{f.Fn, at.key}] {
			return
		}
		if f.Site != nil {
			at.site = f.Site
		}
	}
	if foreign != nil && !d.m.shapes.takesOptions(foreign.Fn.Signature) {
		return // what another package decides alone is said there
	}
	x := d.found[at]
	if x == nil {
		x = &inheritance{zeroAt: at, frame: c.Frame, sender: s, path: pathOf(c)}
		d.found[at] = x
		d.order = append(d.order, x)
	}
	x.stated = x.stated || s.stated || s.attempts != e.Policy.Attempts || s.beneath != nil
}

// findInherited looks for clients of language models that are made without a word on
// how often they send, how long that may take, or through which client.
func (m *modeler) findInherited() {
	if m.shapes.statedCalls || m.changesOptions() {
		return // their calls may say it
	}
	said := map[settledAt]bool{}
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
		if fn == nil || !fn.HasBody() || isTestFile(m.pass.Fset, s.decl.Pos()) || !m.shapes.nearClient(s, 2) {
			return
		}
		for _, fn := range append(literalsOf(fn), fn) {
			m.findInheritedIn(fn, said)
		}
	}
	for _, s := range m.shapes.order {
		visit(s)
	}
}

// nearClient says whether a function makes a client, or calls what makes one with the
// options that it is given, so many calls away at most.
func (s *shapes) nearClient(sh *shape, calls int) bool {
	return sh.makesClient || calls > 0 && slices.ContainsFunc(sh.calls, func(c *types.Func) bool {
		callee := s.funcs[c]
		return callee != nil && s.takesOptions(c.Signature()) && s.nearClient(callee, calls-1)
	})
}

// handsClient says whether a function makes a client with the options that it is given.
func (s *shapes) handsClient(sh *shape) bool {
	return s.takesOptions(sh.fn.Signature()) && s.nearClient(sh, 2)
}

func (m *modeler) findInheritedIn(fn *ir.Function, said map[settledAt]bool) {
	if m.steps > packageSteps {
		return
	}
	d := &inheritedSearch{found: map[zeroAt]*inheritance{}, said: said}
	d.probe = probe{m: m, mode: repeats, outcome: success, assume: "POST", made: d.noteClient}
	mach := &flow.Machine{Domain: d, Limits: clientLimits, Lookup: m.prog.lookup, Index: m.index, Once: true}
	mach.Inline = func(f *flow.Frame, callee *ir.Function, args []*flow.Value) bool {
		return m.inlines(f, callee, args, 1) || callee.Flags&flagClient != 0 || callee.Local && (m.shapes.takesOptions(callee.Signature) || m.shapes.givesOptions(callee.Signature))
	}
	params := make([]*flow.Value, len(fn.Params))
	for i, prm := range fn.Params {
		params[i] = m.parameter(fn, prm, i, &d.probe)
	}
	start := flow.NewWorld()
	mach.Run(fn, append(params, m.captured(fn, &d.probe, start)...), start)
	m.steps += mach.Steps
	for _, x := range d.order {
		if !x.stated && !mach.Exhausted {
			said[settledAt{fn, x.key}] = true
			m.sayInherited(x)
		}
	}
}

// givesOptions says whether a function returns an option of a library's client, or
// several.
func (s *shapes) givesOptions(sig *types.Signature) bool {
	for v := range sig.Results().Variables() {
		t := types.Unalias(v.Type())
		if slice, ok := t.Underlying().(*types.Slice); ok {
			t = types.Unalias(slice.Elem())
		}
		if s.isClientOption(t) {
			return true
		}
	}
	return false
}

// changesOptions says whether the package stores to the options of a client that is
// made.
func (m *modeler) changesOptions() (changes bool) {
	for _, f := range m.pass.Files {
		if !slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return m.libraries.API(strings.Trim(i.Path.Value, `"`)) }) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			a, ok := n.(*ast.AssignStmt)
			if !ok {
				return !changes
			}
			for _, l := range a.Lhs {
				if sel, ok := ast.Unparen(l).(*ast.SelectorExpr); ok && sel.Sel.Name == "Options" {
					v, ok := m.pass.TypesInfo.Uses[sel.Sel].(*types.Var)
					changes = changes || ok && v.IsField() && v.Pkg() != nil && m.libraries.API(v.Pkg().Path())
				}
			}
			return !changes
		})
	}
	return changes
}

func (m *modeler) sayInherited(x *inheritance) {
	pos, end := m.prog.span(x.site)
	if !pos.IsValid() {
		return
	}
	var options []string
	for _, role := range []apis.Role{apis.Attempts, apis.Timeout, apis.Beneath} {
		options = append(options, m.libraries.Functions(x.path, role)...)
	}
	v := Verdict{Rule: InheritedPolicy, Severity: Info, Pos: pos, End: end,
		Message: fmt.Sprintf("nobody has stated a policy for this client of %s: it makes up to %d attempts for each request", x.sender.name, x.sender.attempts)}
	if !m.libraries.Has(x.path, apis.Key) {
		v.Message += ", POST included, without an idempotency key"
	}
	v.Message += ", and nothing ends a stream that has gone silent; state what you want"
	if len(options) > 0 {
		v.Message += " (" + strings.Join(options, ", ") + ")"
	}
	if p, e := m.prog.span(x.key); x.key != x.site && p.IsValid() && p != pos {
		v.Related = append(v.Related, analysis.RelatedInformation{Pos: p, End: e, Message: "it is made here"})
	}
	m.verdicts = append(m.verdicts, v)
}

// givesOption says whether a call returns one thing, and that may be an option.
func givesOption(c *flow.Call) bool {
	r := c.Instr.Signature().Results()
	return r.Len() == 1 && isOption(r.At(0).Type())
}

// isDefaultClient says whether a value is net/http's client, or transport, for those
// who choose none.
func isDefaultClient(v *flow.Value) bool {
	return v.Global != nil && (v.Global.Full() == "net/http.DefaultClient" || v.Global.Full() == "net/http.DefaultTransport")
}
