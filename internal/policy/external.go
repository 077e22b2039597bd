package policy

import (
	"go/types"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// handOver lets code that cannot be seen run the closures it is given, once:
// most such code is a span, a lock, a breaker or a group. An iterator function
// runs the body of its loop again and again.
func (p *probe) handOver(c *flow.Call) flow.Action {
	for _, a := range c.Args {
		if a.Kind != flow.Func || a.Fn == nil || !a.Fn.HasBody() || !p.m.relevant(a.Fn) {
			continue
		}
		res := p.External(c)
		again := a.Fn.Synthetic == "range-over-func yield"
		return flow.Action{Invoke: a, Again: again, Then: func(ret *flow.Value) *flow.Value {
			return passOn(c, ret, res)
		}}
	}
	return flow.Action{}
}

// passOn gives a call the error that the closure in it returned.
func passOn(c *flow.Call, ret, res *flow.Value) *flow.Value {
	last := ret
	if ret.Kind == flow.Tuple && len(ret.Elems) > 0 {
		last = ret.Elems[len(ret.Elems)-1]
	}
	results := c.Instr.Signature().Results()
	if _, is := ret.Bool(); is || ret.Taint != 0 && results.Len() == 1 && !isError(results.At(0).Type()) {
		return res.With(ret.Taint) // slices.ContainsFunc and the like
	}
	if n := results.Len(); n > 0 && isError(results.At(n-1).Type()) {
		if n == 1 {
			return last
		}
		if res.Kind == flow.Tuple {
			elems := append([]*flow.Value(nil), res.Elems...)
			elems[n-1] = last
			return flow.TupleValue(elems...)
		}
	}
	return res
}

// External assumes that what cannot be seen works: errors are nil, but those
// made from an error or a failed response.
func (p *probe) External(c *flow.Call) *flow.Value {
	sig := c.Instr.Signature()
	taint := c.Taint &^ (flow.Element | anySuccess)
	if !c.Instr.IsInvoke() && sig.Recv() != nil && len(c.Args) > 0 {
		taint |= c.Args[0].Taint & flow.Config
	}
	name := shortName(c)
	taint |= writtenNumber(c)
	p.renew(c)
	p.noteClose(c)
	if c.Callee != nil && c.Callee.Path == "sync/atomic" {
		// a flag that an attempt may have set: it is not the same afterwards
		taint |= fromRequest
		c.Sym = flow.Mix(c.Sym, c.World.StateHash)
	}
	if p.mode == stacked && p.picks(c) {
		c.Sym = flow.Mix(c.Sym, c.World.StateHash)
	}
	if waits(name) {
		taint &^= fromOutcome | fromRequest | flow.Param | assumed | fromMethod
	}
	var cause *flow.Value
	response := false
	for _, a := range c.Args {
		if _, ok := a.Obj.(*attemptError); ok {
			cause = a
		}
		if r, ok := a.Obj.(*responseObj); ok && r.status >= 300 {
			response = true
		}
	}
	results := sig.Results()
	vals := make([]*flow.Value, results.Len())
	for i := range vals {
		t := results.At(i).Type()
		sym := flow.Mix(c.Sym, uint64(i)+61)
		switch {
		case isError(t) && cause != nil && !waits(name):
			vals[i] = &flow.Value{Kind: flow.NonNil, Sym: sym, Taint: fromOutcome, Obj: &attemptError{wraps: cause, opaque: true}}
		case isError(t) && response && !waits(name):
			vals[i] = flow.UnknownValue(sym, 0) // a check of the response, or a wait that reads its headers
		case isError(t) && p.outcome.unreadable && c.Taint&fromOutcome != 0 && !waits(name) && name != "Close":
			vals[i] = &flow.Value{Kind: flow.NonNil, Sym: sym, Taint: fromOutcome, Obj: &attemptError{opaque: true}}
		case isError(t) && p.outcome == anything && c.Taint&fromOutcome != 0:
			vals[i] = flow.UnknownValue(sym, fromOutcome)
		case isError(t) && p.optimist && readsOn(name):
			vals[i] = flow.UnknownValue(sym, 0) // a stream ends some day
		case isError(t):
			vals[i] = flow.NilValue()
		case isPointerTo(t, "net/http", "Request"):
			vals[i] = &flow.Value{Kind: flow.NonNil, Sym: sym}
			if c.Callee != nil || c.Instr.IsInvoke() {
				vals[i].Obj = madeElsewhere{} // else a function that the caller gave makes it
			}
		case p.outcome == success && isBool(t) && c.Taint&fromOutcome != 0 && wantsRetry(name):
			vals[i] = flow.BoolValue(false)
		default:
			vals[i] = flow.UnknownValue(sym, taint)
			if isBool(t) && c.Callee == nil {
				vals[i].Obj = predicate{}
			}
			if results.Len() > 1 && isError(results.At(results.Len()-1).Type()) && (types.IsInterface(t) && isReader(t) || isBytes(t)) {
				vals[i].Kind = flow.NonNil // it worked
			}
			if isText(t) && vals[i].Obj == nil {
				if m := encodedElsewhere(c); m.key != keyAbsent || len(m.parts) > 0 {
					vals[i].Obj = m
				}
			}
			clearUsed(c.World, vals[i])
			if taint&fromNumber != 0 {
				noteNumber(c, vals[i])
			}
			if isBool(t) && takesContext(sig) && !waits(name) {
				vals[i] = vals[i].With(fromRequest)
			}
		}
	}
	if ctx := p.makesContext(c); ctx != nil {
		vals[0] = withContext(vals[0], ctx)
	}
	if len(vals) == 1 {
		return vals[0]
	}
	return flow.TupleValue(vals...)
}

// predicate is the Obj of the answer of a function that somebody else chose.
type predicate struct{}

// Detail marks that such answers do not keep paths apart.
func (predicate) Detail() {}

func isPredicate(cond *flow.Value) bool {
	_, ok := flow.Unnegated(cond).Obj.(predicate)
	return ok
}

func isBytes(t types.Type) bool {
	s, ok := types.Unalias(t).Underlying().(*types.Slice)
	return ok && isByte(s.Elem())
}

// madeElsewhere is the Obj of a request that code that cannot be seen made:
// neither its method nor its headers are known.
type madeElsewhere struct{}

func isBool(t types.Type) bool {
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// wantsRetry says whether a function's name says that it picks the failures
// that are worth another attempt: a success is none.
func wantsRetry(name string) bool {
	n := strings.ToLower(name)
	for _, w := range []string{"retr", "transient", "temporary", "recoverable"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	return false
}

// readsOn says whether a function's name says that it reads the next piece of
// something that ends.
func readsOn(name string) bool {
	return name != "ReadAll" && name != "ReadFull" && (strings.HasPrefix(name, "Read") || name == "Recv" || name == "Next")
}

func takesContext(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if isNamed(sig.Params().At(i).Type(), "context", "Context") {
			return true
		}
	}
	return false
}

// waits says whether a function's name says that it pauses: what it returns
// tells whether the pause was cut short, not how the attempt ended.
func waits(name string) bool {
	n := strings.ToLower(name)
	for _, w := range []string{"sleep", "wait", "delay", "backoff", "pause"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	return false
}
