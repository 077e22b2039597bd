package policy

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// see takes note of what is known of a send on this path; nil if none of this
// package's code leads to it.
func (v *inventory) see(c *flow.Call, o operation, here sendEvent) *sighting {
	levels := levelsOf(here)
	if len(levels) == 0 {
		return nil
	}
	key := keyOf(levels)
	s := v.found[key]
	seen := Call{Operation: v.operationName(c, here), Method: methodCell(o), URL: v.urlCell(c, o), Client: v.clientCell(c, levels), Key: keyCell(o)}
	if o.sender != nil {
		seen.Client = knownCell(o.sender.name)
	}
	if s == nil {
		if len(v.order) >= v.limit {
			return nil
		}
		s = &sighting{levels: levels, sends: c.Instr, beneath: v.beneath(c, o, levels), row: seen, sender: o.sender, nature: natureOf(o.urls, o.bodies)}
		v.found[key] = s
		v.order = append(v.order, s)
		return s
	}
	// Paths may differ in what they know.
	for _, x := range []struct{ is, also *Cell }{{&s.row.Method, &seen.Method}, {&s.row.URL, &seen.URL}, {&s.row.Client, &seen.Client}, {&s.row.Key, &seen.Key}} {
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

func keyOf(levels []level) string {
	var b strings.Builder
	for _, l := range levels {
		fmt.Fprintf(&b, "/%d", l.node.Pos)
	}
	return b.String()
}

// operationName names what sends: the function of net/http, of a library or of an
// interface that this package's code calls.
func (v *inventory) operationName(c *flow.Call, here sendEvent) string {
	node := c.Instr
	for f := here.frame; f != nil && !f.Fn.Local; f = f.Parent {
		node = f.Site
	}
	if node == nil {
		node = c.Instr
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
	case o.given:
		return unknownCell("the caller gives it")
	case o.method != "":
		return knownCell(o.method)
	}
	return unknownCell("it is not followed to where it is set")
}

func keyCell(o operation) Cell {
	switch o.key {
	case keyPresent:
		return knownCell("sent")
	case keyAbsent:
		return absentCell("")
	case keyGiven:
		return unknownCell("the caller gives the body, which may hold one")
	}
	return unknownCell("code that is not in view may set one")
}

// urlCell writes what is known of a URL, with "…" for what is not.
func (v *inventory) urlCell(c *flow.Call, o operation) Cell {
	var url *flow.Value
	s, ok := v.sendOf(c)
	switch {
	case o.sender != nil || !ok:
	case s.url >= 0 && s.url < len(c.Args):
		url = c.Args[s.url]
	case s.request >= 0 && s.request < len(c.Args):
		if r, ok := c.Args[s.request].Obj.(*requestObj); ok {
			url = r.url
		}
	}
	var parts []string
	if url != nil {
		parts = urlPieces(c.World, url, 0)
	} else if len(o.urls) > 0 {
		parts = append([]string{"…"}, o.urls...)
		parts = append(parts, "…")
	}
	text := joinPieces(parts)
	why := "a part of it is not a constant"
	if o.path {
		why = "the caller gives a part of it"
	}
	switch {
	case text == "" || text == "…":
		if o.path {
			return unknownCell("the caller gives it")
		}
		return unknownCell("it is not followed to where it is made")
	case strings.Contains(text, "…"):
		return partlyCell(text, why)
	}
	return knownCell(text)
}

// urlPieces takes a text apart into constants, and "…" for all else.
func urlPieces(w *flow.World, v *flow.Value, depth int) []string {
	if s, ok := v.Str(); ok {
		return []string{s}
	}
	if depth > 8 {
		return []string{"…"}
	}
	switch o := v.Obj.(type) {
	case flow.Concat:
		return append(urlPieces(w, o.Left, depth+1), urlPieces(w, o.Right, depth+1)...)
	case *madeOf:
		if len(o.parts) == 0 {
			break
		}
		if strings.Contains(o.parts[0], "%") { // of fmt.Sprintf: the rest are arguments
			return []string{withoutVerbs(o.parts[0])}
		}
		out := []string{"…"}
		for _, p := range o.parts {
			out = append(out, p, "…")
		}
		return out
	case flow.Text:
		return []string{string(o)}
	}
	return []string{"…"}
}

// withoutVerbs replaces the verbs of a format.
func withoutVerbs(format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		i++
		for i < len(format) && strings.IndexByte("+-# 0123456789.[]*", format[i]) >= 0 {
			i++
		}
		if i < len(format) && format[i] == '%' {
			b.WriteByte('%')
			continue
		}
		b.WriteString("…")
	}
	return b.String()
}

func joinPieces(parts []string) string {
	text := strings.Join(parts, "")
	for strings.Contains(text, "……") {
		text = strings.ReplaceAll(text, "……", "…")
	}
	return text
}

// clientCell says where the client of a send comes from, as it is written.
func (v *inventory) clientCell(c *flow.Call, levels []level) Cell {
	call := c.Instr
	for _, l := range slices.Backward(levels) {
		if _, ok := v.clients[l.node]; ok {
			call = l.node
			break
		}
	}
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
	return originCell(of, 0)
}

// beneath says why what a send goes through may send again, unseen; "" if it does not.
func (v *inventory) beneath(c *flow.Call, o operation, levels []level) string {
	if o.sender != nil {
		return ""
	}
	for _, l := range slices.Backward(levels) {
		if x, ok := v.clients[l.node]; ok {
			return x
		}
	}
	switch callee := c.Instr.StaticCallee(); {
	case c.Instr.IsInvoke():
		return "what stands behind the interface may send again"
	case callee == nil:
		return "the function that sends is not known, and may send again"
	}
	return ""
}

// through remembers of a call of a client why its transport may send again.
func (v *inventory) through(c *flow.Call, s httpSend) {
	if !strings.HasPrefix(calleeName(c), "(*net/http.Client).") || len(c.Args) == 0 {
		return
	}
	why := "the client's transport is not in view, and may send again"
	if t := v.m.prog.ir.Named("net/http", "Client"); t != nil && structOf(t) != nil {
		if transport := fieldNamed(c, c.Args[0], t, "Transport"); transport != nil {
			isNil, known := transport.IsNil()
			fn := v.m.prog.lookup(transport.Dyn, roundTrip())
			if known && isNil || transport.Dyn != nil && isPointerTo(transport.Dyn, "net/http", "Transport") || fn != nil && fn.HasBody() {
				why = ""
			}
		}
	}
	if globalPath(c.Args[0]) == "net/http" {
		why = "" // http.DefaultClient
	}
	if old, noted := v.clients[c.Instr]; !noted || old == "" {
		v.clients[c.Instr] = why
	}
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
var inventoryOutcomes = slices.Concat(ambiguous[:2], ambiguous[3:6], refused)
