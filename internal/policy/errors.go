package policy

import (
	"go/types"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

func newError(_ *probe, c *flow.Call) *flow.Value {
	e := &attemptError{}
	for _, a := range variadic(c) {
		if _, ok := a.Obj.(*attemptError); ok {
			e.wraps = a
		} else if a.Dyn != nil && implementsError(a.Dyn) {
			e.wraps = a
		} else if a.Global != nil && a.Kind == flow.NonNil {
			e.wraps = a
		}
	}
	return &flow.Value{Kind: flow.NonNil, Sym: c.Sym, Taint: c.Taint & (fromOutcome | fromRequest), Obj: e}
}

func implementsError(t types.Type) bool {
	return types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// elementOf returns an element of a slice that was made of an array; nil if it
// is not known.
func elementOf(w *flow.World, s *flow.Value, i int) *flow.Value {
	return w.Get(flow.ElementAddr(s.Sym, i))
}

// variadic returns the arguments with the elements of slices among them, such
// as those of the variadic one.
func variadic(c *flow.Call) []*flow.Value {
	out := append([]*flow.Value(nil), c.Args...)
	if len(c.Args) == 0 {
		return out
	}
	for _, a := range c.Args {
		n, _ := a.Obj.(flow.SliceLen)
		for i := range int(n) {
			if v := elementOf(c.World, a, i); v != nil {
				out = append(out, v)
			}
		}
	}
	return out
}

func errorsIs(p *probe, c *flow.Call) *flow.Value {
	errs, complete := chain(c.Args[0])
	if isNil, ok := c.Args[0].IsNil(); ok && isNil {
		return flow.BoolValue(false)
	}
	target := c.Args[1]
	name := ""
	if target.Global != nil {
		name = target.Global.Full()
	} else if target.Dyn != nil && target.Kind == flow.Const {
		name = types.TypeString(target.Dyn, nil) + "=" + target.C.ExactString()
	}
	for _, e := range errs {
		if e.Sym == target.Sym && target.Kind != flow.Unknown {
			return flow.BoolValue(true)
		}
		if a, ok := e.Obj.(*attemptError); ok && a.fault != noFault {
			if strings.HasPrefix(name, "syscall.Errno=") || strings.HasPrefix(name, "golang.org/x/sys/unix.Errno=") {
				// 104 is ECONNRESET on Linux; code compares by name, and the
				// value is the one of the system that is analysed
				return flow.BoolValue(a.fault == faultReset && strings.HasSuffix(name, "=104"))
			}
			if name == "" && (target.Dyn == nil || standardType(target.Dyn)) {
				return flow.UnknownValue(c.Sym, fromOutcome)
			}
			if faults, ok := sentinels[name]; ok && a.fault.in(faults) {
				return flow.BoolValue(true)
			}
		}
	}
	if complete && (name != "" || target.Dyn != nil && !standardType(target.Dyn)) {
		return flow.BoolValue(false)
	}
	return flow.UnknownValue(c.Sym, c.Args[0].Taint|fromOutcome)
}

// standardType says whether a type is one of the standard library's, as the
// errors of a transport are.
func standardType(t types.Type) bool {
	n, ok := derefNamed(t)
	return !ok || n.Obj().Pkg() == nil || standardPath(n.Obj().Pkg().Path())
}

func errorsAs(p *probe, c *flow.Call) *flow.Value {
	target := c.Args[1]
	ptr, ok := types.Unalias(target.Dyn).(*types.Pointer)
	if target.Dyn == nil || !ok {
		return nil
	}
	v, found := p.asType(c.Args[0], ptr.Elem())
	switch found {
	case 1:
		addr := *target
		addr.Dyn = nil
		c.Store(&addr, v)
		return flow.BoolValue(true)
	case 0:
		return flow.BoolValue(false)
	}
	// Perhaps it is: then the variable holds something.
	addr := *target
	addr.Dyn = nil
	c.Store(&addr, &flow.Value{Kind: receiverKind(ptr.Elem()), Sym: flow.Mix(c.Sym, 1), Root: flow.Mix(c.Sym, 1), Taint: c.Args[0].Taint | fromOutcome, Type: ptr.Elem()})
	return flow.UnknownValue(c.Sym, c.Args[0].Taint|fromOutcome)
}

func errorsAsType(p *probe, c *flow.Call) *flow.Value {
	t := c.Instr.Signature().Results().At(0).Type()
	v, found := p.asType(c.Args[0], t)
	switch found {
	case 1:
		return flow.TupleValue(v, flow.BoolValue(true))
	case 0:
		return flow.TupleValue(flow.Zero(t), flow.BoolValue(false))
	}
	return flow.TupleValue(flow.UnknownValue(c.Sym, fromOutcome), flow.UnknownValue(flow.Mix(c.Sym, 1), fromOutcome))
}

// asType looks for an error of a type in a chain: 1 found, 0 not there, -1 unknown.
func (p *probe) asType(err *flow.Value, t types.Type) (*flow.Value, int) {
	if isNil, ok := err.IsNil(); ok && isNil {
		return nil, 0
	}
	errs, complete := chain(err)
	for _, e := range errs {
		if a, ok := e.Obj.(*attemptError); ok {
			if a.fault == noFault {
				continue
			}
			if v, found := p.asFault(e, a.fault, t); found != 0 {
				return v, found
			}
			continue
		}
		if e.Dyn == nil {
			continue
		}
		if it, ok := types.Unalias(t).Underlying().(*types.Interface); ok {
			if types.Implements(e.Dyn, it) {
				return e, 1
			}
		} else if types.Identical(e.Dyn, t) {
			return e, 1
		}
	}
	if complete {
		return nil, 0
	}
	return nil, -1
}

func errorString(_ *probe, c *flow.Call) *flow.Value {
	if e, ok := c.Args[0].Obj.(*attemptError); ok && !e.opaque {
		if f := faultOf(c.Args[0]); f != noFault {
			return &flow.Value{Sym: c.Sym, Taint: fromOutcome, Obj: errorText{f}}
		}
	}
	return nil
}

func faultIs(c *flow.Call, f fault) *flow.Value {
	if _, ok := c.Args[0].Obj.(*attemptError); !ok {
		return nil
	}
	if got := faultOf(c.Args[0]); got != noFault {
		return flow.BoolValue(got == f)
	}
	return nil
}
