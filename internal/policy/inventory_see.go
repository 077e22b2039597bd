package policy

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// see takes note of what is known of a send on this path; nil if none of this
// package's code leads to it.
func (v *inventory) see(c *flow.Call, o operation, here sendEvent) *sighting {
	at := here
	here = v.outermost(here)
	levels := levelsOf(here)
	if len(levels) == 0 {
		return nil
	}
	way, tail := v.m.way(here)
	key := keyOf(levels, tail)
	s := v.found[key]
	seen := Call{Operation: v.operationName(here), Method: methodCell(o), URL: v.urlCell(c, o), Client: v.clientCell(c, here), Key: v.keyCell(c, o)}
	if o.sender != nil {
		seen.Client = knownCell(o.sender.name)
	}
	limits := v.spans(c, o, at)
	seen.Headers, seen.Body = limits.headers(), limits.body()
	seen.Whole = limits.whole(nil, o.sender.repeats())
	if s == nil {
		seen.Way = way
		if len(v.order) >= v.limit {
			return nil
		}
		s = &sighting{levels: levels, tail: tail, sends: here.instr, beneath: v.beneath(c, o, at), limits: limits, row: seen, asks: slices.ContainsFunc(slices.Concat(o.urls, o.bodies), asksForStream), sender: o.sender, nature: natureOf(o.urls, o.bodies)}
		v.found[key] = s
		v.order = append(v.order, s)
		return s
	}
	// Paths may differ in what they know.
	s.beneath = cmp.Or(s.beneath, v.beneath(c, o, at))
	for _, x := range []struct{ is, also *Cell }{{&s.row.Method, &seen.Method}, {&s.row.URL, &seen.URL}, {&s.row.Client, &seen.Client}, {&s.row.Key, &seen.Key},
		{&s.row.Headers, &seen.Headers}, {&s.row.Body, &seen.Body}, {&s.row.Whole, &seen.Whole}} {
		*x.is = either(*x.is, *x.also)
	}
	if natureOf(o.urls, o.bodies) == writes {
		s.nature = writes
	}
	return s
}

// either is what is known of something that is one of two.
func either(a, b Cell) Cell {
	switch {
	case a == b:
		return a
	case a.is(Unknown):
		return a
	case b.is(Unknown):
		return b
	case a.Value == b.Value && a.is(Known, Partly) && b.is(Known, Partly):
		if a.is(Partly) {
			return a
		}
		return b
	case a.is(Known, Partly) && b.is(Known, Partly):
		if slices.Contains(strings.Split(a.Value, " or "), b.Value) {
			return a
		}
		if strings.Count(a.Value, " or ") < 2 {
			return Cell{State: lessKnown(a, b), Value: a.Value + " or " + b.Value, Why: a.Why}
		}
	}
	return unknownCell("it depends on the way through the function")
}

func lessKnown(a, b Cell) State {
	if a.is(Partly) || b.is(Partly) {
		return Partly
	}
	return Known
}

// outermost leaves out of a send what a client does beneath: its transport is part of
// how the call is sent, and no call of its own.
func (v *inventory) outermost(at sendEvent) sendEvent {
	out := at
	for f := at.frame; f.Parent != nil; f = f.Parent {
		if _, ok := v.clients[f.Site]; ok {
			out = sendEvent{f.Parent, f.Site}
		}
	}
	return out
}

// levelsOf lists the calls of this package on the way to a send, one for each
// declared function, from the root function down. What lies between a function and
// one of its literals, such as a helper that the literal is given to, is left out.
func levelsOf(at sendEvent) []level {
	var out []level
	node := at.instr
	for f := at.frame; f != nil; node, f = f.Site, f.Parent {
		if !f.Fn.Local {
			continue
		}
		fn := f.Fn.Outermost()
		if i := slices.IndexFunc(out, func(l level) bool { return l.fn == fn }); i >= 0 {
			out = out[:i+1] // the innermost call in it counts
			continue
		}
		out = append(out, level{fn, node})
	}
	slices.Reverse(out)
	return out
}

// way lists the calls on the way to a send, in all packages, from the root function
// down: "example.com/pay/client.go:41". tail is the part of it beneath the last call
// of this package.
func (m *modeler) way(at sendEvent) (way []string, tail string) {
	type stop struct {
		fn *ir.Function
		at string
	}
	var stops []stop
	node := at.instr
	for f := at.frame; f != nil; node, f = f.Site, f.Parent {
		fn := f.Fn.Outermost()
		if i := slices.IndexFunc(stops, func(s stop) bool { return s.fn == fn }); i >= 0 {
			stops = stops[:i+1]
			continue
		}
		where := fmt.Sprintf("%s/%s:%d", fn.Path, fn.File, node.Line)
		if fn.Local {
			pos, _ := m.prog.span(node)
			p := m.pass.Fset.PositionFor(pos, false)
			where = fmt.Sprintf("%s/%s:%d", m.pass.Pkg.Path(), filepath.Base(p.Filename), p.Line)
		}
		stops = append(stops, stop{fn, where})
	}
	last := slices.IndexFunc(stops, func(s stop) bool { return s.fn.Local })
	slices.Reverse(stops)
	for i, s := range stops {
		way = append(way, s.at)
		if i >= len(stops)-last {
			tail += "/" + s.at
		}
	}
	return way, tail
}

// keyOf names a site: the places in this package that lead to it, and what is beneath.
func keyOf(levels []level, tail string) string {
	var b strings.Builder
	for _, l := range levels {
		fmt.Fprintf(&b, "/%d", l.node.Pos)
	}
	return b.String() + tail
}

// operationName names what sends: the function of net/http, of a library or of an
// interface that this package's code calls.
func (v *inventory) operationName(here sendEvent) string {
	node := here.instr
	for f := here.frame; f != nil && !f.Fn.Local; f = f.Parent {
		node = f.Site
	}
	name := ""
	switch callee := node.StaticCallee(); {
	case node.IsInvoke():
		name = node.Full
	case callee != nil:
		name = callee.FullName()
	}
	if name == "" {
		return "a function value"
	}
	return shortFunc(name)
}

// shortFunc is the name of a function with the last element of its import path:
// "http.Client.Do".
func shortFunc(full string) string {
	path, symbol := splitName(full)
	if path == "" {
		return symbol
	}
	return pathBase(path) + "." + symbol
}

func methodCell(o operation) Cell {
	switch {
	case o.library != "":
		return unknownCell(o.library + " chooses it")
	case o.given:
		return unknownCell("the caller gives it")
	case o.method != "":
		return knownCell(o.method)
	}
	return unknownCell("it is not followed to where it is set")
}

func (v *inventory) keyCell(c *flow.Call, o operation) Cell {
	if o.sender != nil && o.sender.policy != nil && o.sender.policy.Keyed {
		return knownCell("sent by " + o.sender.name)
	}
	switch o.key {
	case keyPresent:
		return knownCell("sent")
	case keyAbsent:
		if s, ok := v.sendOf(c); ok && o.library == "" && s.request >= 0 && s.request < len(c.Args) && c.Args[s.request].Taint&fromRequest != 0 {
			return unknownCell("the caller gives the request, which may hold one")
		}
		return absentCell("")
	case keyGiven:
		return unknownCell("the caller gives the body, which may hold one")
	}
	return unknownCell("code that is not in view may set one")
}

// clientCell says where the client of a send comes from, as it is written.
func (v *inventory) clientCell(c *flow.Call, here sendEvent) Cell {
	call := here.instr
	if fn := call.StaticCallee(); fn != nil && fn.Path == "net/http" && fn.Signature.Recv() == nil {
		return knownCell("http.DefaultClient")
	}
	of := call.X
	if !call.IsInvoke() {
		if len(call.Args) == 0 || call.Signature().Recv() == nil {
			return unknownCell("a function value sends")
		}
		of = call.Args[0]
	}
	cell := originCell(of, 0)
	if call == c.Instr && cell.is(Unknown) && len(c.Args) > 0 && c.Args[0].Global != nil {
		return knownCell(pathBase(c.Args[0].Global.Path) + "." + c.Args[0].Global.Name)
	}
	return cell
}

// beneath says why what a send goes through may send again, unseen; "" if it does not.
func (v *inventory) beneath(c *flow.Call, o operation, at sendEvent) string {
	if o.sender != nil {
		return ""
	}
	seen := false
	node := at.instr
	for f := at.frame; f != nil; node, f = f.Site, f.Parent {
		if x, ok := v.clients[node]; ok {
			if seen = true; x.why != "" {
				return x.why
			}
		}
	}
	if seen {
		return ""
	}
	switch callee := c.Instr.StaticCallee(); {
	case c.Instr.IsInvoke():
		return "what stands behind the interface may send again"
	case callee == nil:
		return "the function that sends is not known, and may send again"
	}
	return ""
}

// A clientCall is a call of a method of http.Client.
type clientCall struct {
	why    string // its transport may send again, unseen; "" if it does not
	bounds Bounds
}

// through remembers of a call of a client why its transport may send again.
func (v *inventory) through(c *flow.Call, s httpSend) {
	if s.url >= 0 && c.Instr.Signature().Recv() == nil && !c.Instr.IsInvoke() {
		v.clients[c.Instr] = &clientCall{bounds: v.boundsOf(c, s)} // http.Get and the like
		return
	}
	if !isClientMethod(calleeName(c)) || len(c.Args) == 0 {
		return
	}
	why := "the client's transport is not in view, and may send again"
	known := c.Args[0].Kind == flow.Pointer || c.Args[0].Kind == flow.Struct
	if t := v.m.prog.ir.Named("net/http", "Client"); known && t != nil && structOf(t) != nil {
		if transport := fieldNamed(c, c.Args[0], t, "Transport"); transport != nil {
			isNil, sure := transport.IsNil()
			fn := v.m.prog.lookup(transport.Dyn, roundTrip())
			if sure && isNil || transport.Dyn != nil && isPointerTo(transport.Dyn, "net/http", "Transport") || fn != nil && fn.HasBody() {
				why = ""
			}
		}
	}
	if globalPath(c.Args[0]) == "net/http" {
		why = "" // http.DefaultClient
	}
	v.clients[c.Instr] = &clientCall{why: why, bounds: v.boundsOf(c, s)}
}

// originCell says where a value comes from, as the code is written.
func originCell(n *ir.Node, depth int) Cell {
	if n == nil || depth > 6 {
		return unknownCell("it is not followed to where it is made")
	}
	switch n.Op {
	case ir.GlobalAddr:
		return knownCell(pathBase(n.Global.Path) + "." + n.Global.Name)
	case ir.FieldAddr, ir.Field:
		return knownCell("field " + typeName(n.X.Type) + "." + fieldName(n.X.Type, n.N))
	case ir.Param:
		return unknownCell("the caller gives it")
	case ir.FreeVar:
		return unknownCell("a variable that the function literal captures")
	case ir.Alloc:
		return knownCell("made in the function")
	case ir.UnOp:
		if token.Token(n.N) == token.MUL {
			return originCell(n.X, depth+1)
		}
	case ir.ChangeType, ir.ChangeInterface, ir.MakeInterface, ir.Convert, ir.TypeAssert:
		return originCell(n.X, depth+1)
	case ir.Extract:
		return originCell(n.X, depth+1)
	case ir.Call:
		if fn := n.StaticCallee(); fn != nil && fn.FullName() != "" {
			return knownCell("made by " + shortFunc(fn.FullName()))
		}
	case ir.Phi:
		var c Cell
		for i, a := range n.Args {
			x := originCell(a, depth+1)
			if i == 0 {
				c = x
				continue
			}
			c = either(c, x)
		}
		return c
	}
	return unknownCell("it is not followed to where it is made")
}

func typeName(t types.Type) string {
	if n, ok := derefNamed(t); ok {
		return n.Obj().Name()
	}
	return "a struct"
}

// libraryLayer is the layer that a client of a library is.
func libraryLayer(s *sender) Layer {
	n := s.attempts
	if n == apis.Unlimited {
		n = -1
	}
	var after []outcome
	for _, o := range inventoryOutcomes {
		if s.triesAfter(o) {
			after = append(after, o)
		}
	}
	return Layer{Name: s.name, Attempts: n, After: describe(after)}
}

// inventoryOutcomes are those of which an inventory asks what is sent again.
var inventoryOutcomes = slices.Concat(ambiguous[:6], refused)
