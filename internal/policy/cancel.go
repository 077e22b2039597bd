package policy

import (
	"go/types"
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// AttemptCancel is the rule about contexts that end before a body is read.
const AttemptCancel = "attemptcancel"

// canceller is a domain that follows contexts, the requests that carry them,
// and the answers to those: it looks for a body that outlives its context.
type canceller struct {
	probe
	// skip are the places that were found before.
	skipped map[*ir.Node]bool
}

// Marks of a canceller. Those of answers hold the scopes that end their bodies.
const (
	carriesNote   = 0x63747872 // a request's context
	answerNote    = 0x616e7377 // an answer that is not read
	cancelledNote = 0x63616e63 // a scope that has ended
	roundNote     = 0x726f756e // which of two scopes a call has made last
)

// scope is one call of context.WithCancel or its like.
type scope uint64

// scoped is the Obj of a context: the scopes that it ends with.
type scoped struct{ in []scope }

// ender is the Obj of a cancel function.
type ender struct{ of scope }

// bodyObj is the Obj of an answer's body, and of what reads from it.
type bodyObj struct{ of uint64 }

// endedAt is the Obj of the note that a scope has ended: where.
type endedAt struct{ sendEvent }

// cancelled is a witness: a body is read, or given away, after its context.
type cancelled struct {
	at   sendEvent // where the context ends
	sent sendEvent // where the answer came from
	read bool
}

// unread is the Obj of the note of an answer that is not read.
type unread struct {
	scoped
	sent sendEvent
}

// Branch follows both sides, and remembers which was taken.
func (d *canceller) Branch(*flow.Frame, *flow.Value, *flow.World) flow.Branch { return flow.Apart }

func (d *canceller) Join(_ flow.Branch, a, b flow.Result) flow.Result {
	if a.Reach > b.Reach {
		return a
	}
	return b
}

// Return is the end of a path that says nothing, as by a panic.
func (d *canceller) Return(*flow.World) flow.Result { return flow.Result{Reach: sentOnce} }

// Returned looks whether what leaves the function holds a body whose context
// has ended.
func (d *canceller) Returned(w *flow.World, v *flow.Value) flow.Result {
	if x := d.held(w, v, 0); x != nil {
		return flow.Result{Reach: sentAgain, Witness: x}
	}
	return flow.Result{Reach: sentOnce}
}

// held says whether a value leads to an unread body whose context has ended,
// and where that was; nil if not.
func (d *canceller) held(w *flow.World, v *flow.Value, depth int) *cancelled {
	if v == nil || depth > 4 {
		return nil
	}
	switch o := v.Obj.(type) {
	case *bodyObj:
		return d.ended(w, o.of)
	case *responseObj:
		if st := structOf(v.Type); st != nil {
			for i := range st.NumFields() {
				if st.Field(i).Name() == "Body" {
					if x := w.Get(flow.FieldAddr(v.Sym, i)); x != nil { // replaced
						return d.held(w, x, depth+1)
					}
				}
			}
		}
		return d.ended(w, v.Sym)
	case *madeOf:
		for _, u := range o.under {
			if x := d.held(w, u, depth+1); x != nil {
				return x
			}
		}
	case flow.SliceLen:
		for i := range int(o) {
			addr := flow.ElementAddr(v.Sym, i)
			t := elemType(v.Type)
			if x := d.held(w, &flow.Value{Kind: flow.Pointer, Sym: addr, Type: t}, depth+1); x != nil {
				return x
			}
		}
	}
	switch v.Kind {
	case flow.Tuple:
		if n := len(v.Elems); n > 1 {
			if e, ok := v.Elems[n-1].Obj.(*attemptError); ok && e != nil {
				return nil // an error: nobody reads the rest
			}
		}
		return d.heldAny(w, v.Elems, depth)
	case flow.Func:
		return d.heldAny(w, v.Elems, depth)
	case flow.Pointer, flow.Struct:
		if x := d.held(w, w.Get(v.Sym), depth+1); x != nil {
			return x
		}
		if st := structOf(v.Type); st != nil && !isHTTP(derefType(v.Type), "Request") {
			for i := range st.NumFields() {
				if x := d.held(w, w.Get(flow.FieldAddr(v.Sym, i)), depth+1); x != nil {
					return x
				}
			}
		}
	}
	return nil
}

func (d *canceller) heldAny(w *flow.World, vs []*flow.Value, depth int) *cancelled {
	for _, e := range vs {
		if x := d.held(w, e, depth+1); x != nil {
			return x
		}
	}
	return nil
}

// elemType returns the type of a pointer to an element of a slice; nil if that
// is not known.
func elemType(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	switch u := types.Unalias(derefType(t)).Underlying().(type) {
	case *types.Slice:
		return types.NewPointer(u.Elem())
	case *types.Array:
		return types.NewPointer(u.Elem())
	}
	return nil
}

// ended says whether an answer is unread and one of its scopes has ended; nil
// if not.
func (d *canceller) ended(w *flow.World, answer uint64) *cancelled {
	n := w.Marked(flow.Mix(answer, answerNote))
	if n == nil {
		return nil
	}
	u, ok := n.Obj.(*unread)
	if !ok {
		return nil
	}
	for _, s := range u.in {
		if e := w.Marked(flow.Mix(uint64(s), cancelledNote)); e != nil {
			if at, ok := e.Obj.(*endedAt); ok && !d.skipped[at.instr] && d.m.ours(at.sendEvent, u.sent) {
				return &cancelled{at: at.sendEvent, sent: u.sent}
			}
		}
	}
	return nil
}

// ours says whether this package has a part in it: the ways to the answer and
// to the end part in its code, or what leads to the answer is its code.
func (m *modeler) ours(end, sent sendEvent) bool {
	layer, _ := split(sent, end)
	if layer.Fn.Local {
		return true
	}
	for f := sent.frame; f != nil && f != layer; f = f.Parent {
		if f.Fn.Local {
			return true
		}
	}
	return false
}

// Field gives answers their bodies.
func (d *canceller) Field(addr *flow.Value, t types.Type, w *flow.World) *flow.Value {
	if addr.Kind == flow.Pointer && addr.Base != nil {
		if name, st := fieldOf(addr); name == "Body" && isHTTP(st, "Response") {
			if _, ok := addr.Base.Obj.(*responseObj); ok {
				return &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(addr.Sym, 19), Obj: &bodyObj{addr.Base.Sym}}
			}
		}
	}
	return d.probe.Field(addr, t, w)
}

// Call gives calls that make contexts, end them, send, or read a meaning.
func (d *canceller) Call(c *flow.Call) flow.Action {
	if c.Func != nil {
		if e, ok := c.Func.Obj.(*ender); ok {
			d.end(c, e.of)
			return flow.Action{Handled: true, Value: flow.TupleValue()}
		}
	}
	name := calleeName(c)
	switch name {
	case "context.WithValue":
		return handled(&flow.Value{Kind: flow.NonNil, Sym: c.Sym, Obj: c.Args[0].Obj})
	case "(context.Context).Err", "context.Cause":
		// Nobody asks before the end; what is returned with it is not read.
		return handled(&flow.Value{Kind: flow.Nil, Sym: c.Sym, Obj: &attemptError{}})
	case "context.WithoutCancel":
		return handled(&flow.Value{Kind: flow.NonNil, Sym: c.Sym})
	case "(*net/http.Request).Context":
		if x := c.World.Marked(flow.Mix(c.Args[0].Sym, carriesNote)); x != nil {
			return handled(&flow.Value{Kind: flow.NonNil, Sym: c.Sym, Obj: x.Obj})
		}
		return handled(&flow.Value{Kind: flow.NonNil, Sym: c.Sym})
	case "(*net/http.Request).Clone", "(*net/http.Request).WithContext":
		req := cloneRequest(&d.probe, c)
		carry(c.World, req, c.Args[1])
		return handled(req)
	case "net/http.NewRequestWithContext":
		t := d.newRequest(c, 1)
		carry(c.World, t.Elems[0], c.Args[0])
		return handled(t)
	}
	if a, ok := d.derive(c); ok {
		return a
	}
	if s, ok := d.sendOf(c); ok && (s.request < len(c.Args)) {
		if a, ok := d.throughTransport(c, s); ok {
			return a
		}
		return handled(d.answer(c, s))
	}
	if len(c.Args) > 0 && (wrapsReader(name) || wrapsByName(c)) {
		for _, a := range c.Args {
			if b, ok := a.Obj.(*bodyObj); ok {
				v := &flow.Value{Kind: flow.NonNil, Sym: c.Sym, Obj: b}
				if c.Instr.Signature().Results().Len() == 2 {
					return handled(flow.TupleValue(v, flow.NilValue()))
				}
				return handled(v)
			}
		}
	}
	if c.Callee == nil || !c.Callee.HasBody() {
		if a, ok := d.read(c); ok {
			return a
		}
	}
	return d.probe.Call(c)
}

func handled(v *flow.Value) flow.Action { return flow.Action{Handled: true, Value: v} }

// External is code that cannot be seen; what it is given it may read.
func (d *canceller) External(c *flow.Call) *flow.Value {
	d.touch(c)
	return d.probe.External(c)
}

// derive makes a context with a cancel function, as context.WithCancel and
// code that cannot be seen do.
func (d *canceller) derive(c *flow.Call) (flow.Action, bool) {
	if c.Callee != nil && c.Callee.HasBody() {
		return flow.Action{}, false
	}
	res := c.Instr.Signature().Results()
	if res.Len() != 2 || !isNamed(res.At(0).Type(), "context", "Context") || !isCancel(res.At(1).Type()) {
		return flow.Action{}, false
	}
	s := scope(flow.Mix(flow.Mix(c.Sym, uint64(c.Instr.Pos)), uint64(c.Instr.Line)))
	sym := c.Sym
	// In a loop, the context of the last round may still be alive, and is another.
	if round := flow.Mix(uint64(s), roundNote); c.World.Marked(round) == nil {
		c.World.Mark(round, flow.BoolValue(true))
	} else {
		c.World.Unmark(round)
		s, sym = scope(flow.Mix(uint64(s), 1)), flow.Mix(sym, 3)
	}
	in := []scope{s}
	for _, a := range c.Args {
		if p, ok := a.Obj.(*scoped); ok {
			in = append(in, p.in...)
		}
	}
	c.World.Mark(flow.Mix(uint64(s), cancelledNote), flow.NilValue())
	return handled(flow.TupleValue(
		&flow.Value{Kind: flow.NonNil, Sym: flow.Mix(sym, 1), Obj: &scoped{in}},
		&flow.Value{Kind: flow.NonNil, Sym: flow.Mix(sym, 2), Obj: &ender{s}},
	)), true
}

// isCancel says whether a type is that of a cancel function.
func isCancel(t types.Type) bool {
	if isNamed(t, "context", "CancelFunc") || isNamed(t, "context", "CancelCauseFunc") {
		return true
	}
	sig, ok := types.Unalias(t).Underlying().(*types.Signature)
	return ok && sig.Params().Len() == 0 && sig.Results().Len() == 0
}

// carry notes the context that a request carries.
func carry(w *flow.World, req, ctx *flow.Value) {
	w.Mark(flow.Mix(req.Sym, carriesNote), &flow.Value{Kind: flow.NonNil, Sym: ctx.Sym, Obj: ctx.Obj})
}

// end notes that a scope ends. In a goroutine, or in a function that is handed
// to a timer, that may be at any time, so that nothing follows from it.
func (d *canceller) end(c *flow.Call, s scope) {
	for f := c.Frame; f != nil; f = f.Parent {
		if f.Handed || f.Site != nil && f.Site.Op == ir.Go {
			return
		}
	}
	if c.Instr.Op == ir.Go {
		return
	}
	key := flow.Mix(uint64(s), cancelledNote)
	if old := c.World.Marked(key); old != nil && old.Kind != flow.Nil {
		return // it has ended before
	}
	c.World.Mark(key, &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(uint64(s), 7), Obj: &endedAt{sendEvent{c.Frame, c.Instr}}})
}

// answer makes the answer to a request.
func (d *canceller) answer(c *flow.Call, s httpSend) *flow.Value {
	results := c.Instr.Signature().Results()
	t := results.At(0).Type()
	resp := &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(0x4e5a, c.Sym), Type: t, Obj: &responseObj{200}}
	resp.Root = resp.Sym
	c.World.Forget(resp.Sym)
	setField(c, resp, t, "StatusCode", flow.IntValue(200).With(anySuccess))
	note := flow.NilValue()
	if s.request >= 0 {
		req := c.Args[s.request]
		x := c.World.Marked(flow.Mix(req.Sym, carriesNote))
		if x != nil && !isHead(c, req, s) {
			if sc, ok := x.Obj.(*scoped); ok {
				note = &flow.Value{Kind: flow.NonNil, Sym: x.Sym, Obj: &unread{*sc, sendEvent{c.Frame, c.Instr}}}
			}
		}
	}
	c.World.Mark(flow.Mix(resp.Sym, answerNote), note)
	if results.Len() == 1 {
		return resp
	}
	return flow.TupleValue(resp, flow.NilValue())
}

func isHead(c *flow.Call, req *flow.Value, s httpSend) bool {
	text, ok := loadField(c, req, requestType(c, s.request), "Method").Str()
	return ok && strings.EqualFold(text, "HEAD")
}

// wrapsReader says whether a function makes a reader of another without
// reading all of it.
func wrapsReader(name string) bool {
	switch name {
	case "bufio.NewScanner", "bufio.NewReader", "bufio.NewReaderSize", "encoding/json.NewDecoder", "encoding/xml.NewDecoder", "encoding/csv.NewReader",
		"io.LimitReader", "io.TeeReader", "io.NopCloser", "io/ioutil.NopCloser", "compress/gzip.NewReader", "net/http.MaxBytesReader":
		return true
	}
	return false
}

// wrapsByName says of code that cannot be seen whether its name and results say
// that it makes something of a reader: NewReader, NewPartReader.
func wrapsByName(c *flow.Call) bool {
	return (c.Callee == nil || !c.Callee.HasBody()) && strings.HasPrefix(shortName(c), "New") && c.Instr.Signature().Results().Len() == 1
}

// setsUp says whether a method of a reader only changes how it will read.
func setsUp(name string) bool {
	switch name {
	case "Buffer", "Split", "DisallowUnknownFields", "UseNumber", "Multistream":
		return true
	}
	return false
}

// read looks at calls that are known to read from a body, or close it.
func (d *canceller) read(c *flow.Call) (flow.Action, bool) {
	name := calleeName(c)
	short := shortName(c)
	reads := readsOnly(c) && !strings.HasPrefix(name, "fmt.") && !strings.HasPrefix(name, "log.") && !strings.HasPrefix(name, "errors.") && !strings.HasPrefix(name, "(net/http.Header).") ||
		short == "Read" || short == "ReadString" || short == "ReadBytes" || short == "Scan" || short == "Decode"
	if !reads || short == "Cookies" || short == "Location" {
		return flow.Action{}, false
	}
	for _, a := range c.Args {
		b, ok := a.Obj.(*bodyObj)
		if !ok {
			continue
		}
		if x := d.ended(c.World, b.of); x != nil && c.Instr.Op != ir.Go {
			x.read = true
			return flow.Action{End: true, Res: flow.Result{Reach: sentAgain, Witness: x}}, true
		}
		if name == "io.ReadAll" || name == "io/ioutil.ReadAll" || name == "io.Copy" || short == "Decode" {
			d.done(c.World, b.of)
		}
	}
	return flow.Action{}, false
}

// touch notes what is done with an answer that code that cannot be seen is
// given: it may read it, or close it.
func (d *canceller) touch(c *flow.Call) {
	name := calleeName(c)
	if strings.HasPrefix(name, "fmt.") || strings.HasPrefix(name, "log.") || strings.HasPrefix(name, "errors.") || strings.HasPrefix(name, "(net/http.Header).") {
		return
	}
	if name == "net/http/httputil.DumpResponse" && len(c.Args) == 2 {
		if body, known := c.Args[1].Bool(); known && !body {
			return
		}
	}
	if setsUp(shortName(c)) {
		return
	}
	for _, a := range slices.Concat(variadic(c), c.Bindings()) {
		d.touched(c.World, a, 0)
	}
}

func (d *canceller) touched(w *flow.World, v *flow.Value, depth int) {
	if depth > 3 || v == nil {
		return
	}
	switch o := v.Obj.(type) {
	case *bodyObj:
		d.done(w, o.of)
	case *responseObj:
		d.done(w, v.Sym)
	}
	for _, e := range v.Elems {
		d.touched(w, e, depth+1)
	}
	if v.Kind == flow.Pointer || v.Kind == flow.Struct {
		if x := w.Get(v.Sym); x != nil {
			d.touched(w, x, depth+1)
		}
		if st := structOf(v.Type); st != nil {
			for i := range st.NumFields() {
				if x := w.Get(flow.FieldAddr(v.Sym, i)); x != nil {
					d.touched(w, x, depth+1)
				}
			}
		}
	}
}

// done notes that an answer is read, closed, or somebody else's.
func (d *canceller) done(w *flow.World, answer uint64) {
	w.Mark(flow.Mix(answer, answerNote), flow.NilValue())
}
