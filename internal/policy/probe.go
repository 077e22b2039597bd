package policy

import (
	"go/types"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/ir"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// How far a run came for the operation that it follows.
const (
	notSent   flow.Reach = iota // no attempt was made
	sentKeyed                   // one that carries a key, or is not followed for it
	sentOnce                    // one attempt, and no more
	maybeSent                   // another attempt, if something unknown has it so
	sentAgain                   // another attempt
)

// What values are made from, beside flow's own bits.
const (
	fromOutcome = flow.Domain1 // the attempt's response or error
	fromRequest = flow.Domain2 // the caller's context or request: marks and flags of an operation
	assumed     = flow.Domain3 // the method that the run assumes
	anySuccess  = flow.Domain4 // a status that stands for all of 2xx
	fromMethod  = flow.Domain5 // the method of a request
	generated   = flow.Domain6 // something that is new each time it is made
	remade      = flow.Domain7 // such a thing, made after the first attempt
	fromNumber  = flow.Domain8 // a number written as text
	chosenHere  = flow.Domain9 // a method that this package's code names
)

// A mode is what a probe looks for at the second attempt.
type mode uint8

const (
	noKey    mode = iota // the operation is unsafe, and carries no key
	freshKey             // it carries a key that is not the first attempt's
	usedBody             // its body is read from what the first attempt has read
	leak                 // the answer to the first attempt is still open
	repeats              // any of these, perhaps: the same operation goes out again
	hedged               // it is unsafe, and goes out through something that hedges
	stacked              // what sends it again is sent again by something around it
)

// A probe follows one operation through a function: it lets the first attempt
// end in one outcome and looks whether the same operation is sent again.
type probe struct {
	m       *modeler
	mode    mode
	outcome outcome
	assume  string // the method of requests whose method the function is given
	// optimist makes every undecided branch count, for the question whether
	// success leaves the loop.
	optimist bool
	// callers says that all who call the function are in view.
	callers bool
	// count goes on after the second attempt.
	count   bool
	counted repetition // whose attempts
	// skip holds the repetitions that were found before: the run looks for others.
	skip map[repetition]bool
	// only, if set, is the one repetition that counts.
	only repetition
	// unsafeOnly counts methods that are known to be unsafe only.
	unsafeOnly bool
	// scout, if set, does not go into these functions, which send again what
	// they are given: it looks whether one of them is given something unsafe.
	scout map[*ir.Function]bool
	// made, if set, is told of clients of known libraries when they are made.
	made func(*flow.Call, *sender)
	// taken, if set, takes stock of what is sent instead of following it.
	taken *inventory
	// asked is set when a parameter decided something.
	asked *bool
}

// repetition names a place that sends again: the function, and the call in it.
type repetition struct {
	fn   *ir.Function
	call *ir.Node
	// from is the call of this package that leads to a repetition in another.
	from *ir.Node
}

// repetitionOf names the place that sends first and second.
func (m *modeler) repetitionOf(first, second sendEvent) repetition {
	layer, chain := split(first, second)
	r := repetition{fn: layer.Fn, call: chain[0].call}
	if !layer.Fn.Local {
		r.from, _ = m.editPlace(layer, chain)
	}
	return r
}

// attempt is the state of a path: nil before the first attempt.
type attempt struct {
	ident  uint64 // of the operation
	first  sendEvent
	method string
	given  bool // the method or the request comes from outside of the root function
	ours   bool // this package's code names the method
	key    keyState
	n      int    // attempts made
	stack  *stack // of a run that looks for layers
	trail  *trail // of a run that takes stock
	sym    uint64 // of the key
}

// sendEvent is where an attempt was made.
type sendEvent struct {
	frame *flow.Frame
	instr *ir.Node
}

// witness is how a second attempt came about.
type witness struct {
	*attempt
	second sendEvent
	doubt  bool        // something unknown may have set a key
	path   bool        // the caller gives a part of the URL
	made   sendEvent   // where a fresh key was made
	built  sendEvent   // where the second attempt's request was made, if it was
	body   *flow.Value // that was read before
	stack  *stack
	urls   []string // constant parts of the URL
	bodies []string // constant parts of the body
}

func stateOf(w *flow.World) *attempt {
	a, _ := w.State.(*attempt)
	return a
}

// Join joins the sides of an undecided condition. A side that sends nothing
// does not count. Where the same operation goes out with a key on one side and
// again without on the other, the key is in doubt. Else, under Either the side
// that comes further counts; under Both a side that sends once beside one that
// sends again is a gate whose condition is not known.
func (p *probe) Join(how flow.Branch, a, b flow.Result) flow.Result {
	if a.Reach > b.Reach {
		a, b = b, a
	}
	switch {
	case how == flow.Both && a.Round && b.Reach > maybeSent:
		b.Reach = maybeSent // it goes on elsewhere on that side, in a later round
	case a.Reach == b.Reach || a.Reach == notSent:
		return b
	case a.Reach == sentKeyed || a.Reach == maybeSent && keyDoubt(a):
		if b.Reach == sentAgain && sameOperation(a, b) {
			b.Reach = maybeSent
		}
	case how == flow.Both:
		b.Reach = maybeSent
	}
	return b
}

// keyDoubt says whether a result is open for want of knowledge of the key.
func keyDoubt(r flow.Result) bool {
	w, ok := r.Witness.(*witness)
	return ok && w.doubt
}

// sameOperation says whether what went out with a key on one path is what goes
// out again without one on another: the same request, or what the same call
// sends. Whoever writes that knows of keys.
func sameOperation(keyed, again flow.Result) bool {
	w, ok := again.Witness.(*witness)
	if !ok {
		return false
	}
	switch k := keyed.Witness.(type) {
	case *flow.Value:
		at, _ := k.Obj.(keyedAt)
		return k.Sym == w.ident || at.call == w.second.instr
	case *witness:
		return k.ident == w.ident
	}
	return false
}

func (p *probe) Branch(_ *flow.Frame, cond *flow.Value, w *flow.World) flow.Branch {
	switch {
	case p.optimist:
		return flow.Either
	case p.callers && cond.Taint&flow.Param != 0:
		return flow.Both // they are asked themselves
	case p.mode != noKey && isPredicate(cond):
		return flow.Apart // which failures it means is not known, but some
	case cond.Taint&(fromOutcome|assumed|fromMethod) != 0:
		return flow.Both // a check of the method whose answer is not known may be a gate
	case flow.IsNumeric(cond):
		return flow.Either // counters, sizes, times
	case p.mode != noKey && cond.Taint&(flow.Param|flow.Config) == flow.Config:
		return flow.Apart // whether something was set before is asked again in the next round
	case p.mode == freshKey && cond.Taint&flow.Param != 0:
		return flow.Apart // it is wrong for the arguments for which it happens
	case cond.Taint&(fromRequest|flow.Param) != 0:
		if p.asked != nil && cond.Taint&flow.Param != 0 {
			*p.asked = true
		}
		return flow.Both
	}
	return flow.Either
}

func (p *probe) Return(w *flow.World) flow.Result {
	if stateOf(w) == nil {
		if id := w.Marked(keyedNote); id != nil {
			return flow.Result{Reach: sentKeyed, Witness: id}
		}
		return flow.Result{Reach: notSent}
	}
	return flow.Result{Reach: sentOnce}
}

// Call decides the calls that mean something here.
func (p *probe) Call(c *flow.Call) flow.Action {
	p.noteKey(c)
	if a, ok := p.generate(c); ok {
		return a
	}
	if c.Callee != nil {
		for i, prm := range c.Callee.Params {
			if p.m.methodParams[prm] && i < len(c.Args) {
				c.Args[i] = c.Args[i].With(fromMethod)
			}
		}
	}
	for i, a := range c.Args {
		if text, ok := a.Str(); ok && isMethod(text) {
			t := fromMethod
			if c.Frame.Fn.Local {
				t |= chosenHere
			}
			c.Args[i] = a.With(t)
		}
	}
	if c.Callee != nil && p.scout[c.Callee] {
		if p.givesUnsafe(c) {
			return flow.Action{End: true, Res: flow.Result{Reach: sentAgain}}
		}
		return flow.Action{Handled: true, Value: p.External(c)}
	}
	if a, ok := p.send(c); ok {
		return a
	}
	if a, ok := p.libraryCall(c); ok {
		return a
	}
	if a, ok := p.library(c); ok {
		return a
	}
	name := calleeName(c)
	if c.Instr.IsInvoke() && len(c.Args) == 1 && (shortName(c) == "Timeout" || shortName(c) == "Temporary") {
		if v := faultIs(c, faultTimeout); v != nil {
			return flow.Action{Handled: true, Value: v}
		}
	}
	if h := known[name]; h != nil {
		if v := h(p, c); v != nil {
			return flow.Action{Handled: true, Value: v}
		}
		return flow.Action{}
	}
	switch name {
	case "os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "runtime.Goexit", "(*log.Logger).Fatal", "(*log.Logger).Fatalf", "(*log.Logger).Fatalln":
		return flow.Action{End: true, Res: p.Return(c.World)}
	}
	if name == "(*sync.Once).Do" && len(c.Args) > 0 {
		key := flow.Mix(c.Args[0].Sym, onceNote)
		if c.World.Marked(key) != nil {
			return flow.Action{Handled: true, Value: flow.TupleValue()}
		}
		c.World.Mark(key, flow.BoolValue(true))
	}
	if c.Callee == nil || !c.Callee.HasBody() {
		if a, ok := p.opaqueSend(c); ok {
			return a
		}
		return p.handOver(c)
	}
	return flow.Action{}
}

// isMethod says whether a text is the name of a method of RFC 9110 or RFC 5789.
func isMethod(text string) bool {
	switch text {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT":
		return true
	}
	return false
}

// givesUnsafe says whether a call hands an unsafe method, or one that is not
// known, to a function that sends again what it is given.
func (p *probe) givesUnsafe(c *flow.Call) bool {
	known := false
	for i, prm := range c.Callee.Params {
		if i >= len(c.Args) {
			break
		}
		a := c.Args[i]
		switch {
		case p.m.methodParams[prm]:
		case isPointerTo(prm.Type, "net/http", "Request"):
			if _, ok := a.Obj.(madeElsewhere); ok {
				return false
			}
			a = loadField(c, a, prm.Type, "Method")
		default:
			if a = p.methodField(c, a, prm.Type); a == nil {
				continue
			}
		}
		text, ok := a.Str()
		if ok && a.Taint&assumed == 0 && p.m.unsafe(strings.ToUpper(text)) {
			return true
		}
		if !ok || a.Taint&assumed != 0 {
			return !p.unsafeOnly
		}
		known = true
	}
	return !known && !p.unsafeOnly
}

// methodField returns the field of a description of an operation that decides
// the method; nil if the type has none.
func (p *probe) methodField(c *flow.Call, v *flow.Value, t types.Type) *flow.Value {
	if ptr, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	st, ok := types.Unalias(t).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for i := range st.NumFields() {
		if !p.m.methodFields[fieldKey{typeKey(t), i}] {
			continue
		}
		if x := c.World.Get(flow.FieldAddr(v.Sym, i)); x != nil {
			return x
		}
		if v.Fresh {
			return flow.Zero(st.Field(i).Type())
		}
		return flow.UnknownValue(v.Sym, 0)
	}
	return nil
}

// onceNote is the mark of a sync.Once that has run.
const onceNote = 0x04ce

// calleeName returns the full name of the function that is called, without
// type arguments; the method of the interface if it is one.
func calleeName(c *flow.Call) string {
	fn := c.Callee
	if fn == nil {
		if c.Instr.IsInvoke() {
			return c.Instr.Full
		}
		return ""
	}
	return fn.FullName()
}

func shortName(c *flow.Call) string {
	if c.Instr.IsInvoke() {
		return c.Instr.Name
	}
	if c.Callee != nil {
		return c.Callee.Name
	}
	return ""
}

var _ flow.Domain = (*probe)(nil)
