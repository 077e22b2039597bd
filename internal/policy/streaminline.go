package policy

import (
	"go/types"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// machine makes a machine for one run of a streamer. It goes only into functions
// that can matter for a stream; Call has decided that, since it takes the memory.
func (d *streamer) machine(dom flow.Domain, l flow.Limits) *flow.Machine {
	d.nested++
	return &flow.Machine{Domain: dom, Limits: l, Lookup: d.m.prog.lookup, Index: d.m.index, Defers: true, Salt: d.nested << 32,
		Inline: func(f *flow.Frame, callee *ir.Function, args []*flow.Value) bool {
			return d.enters && (d.small || d.m.inlines(f, callee, args, 1))
		}}
}

// worthwhile says whether running a function can show something about a stream:
// it opens, reads or bounds one, it is given one or what can end it, or it makes
// what sends.
func (d *streamer) worthwhile(c *flow.Call) bool {
	d.small = false
	fn := c.Callee
	if fn == nil || !fn.HasBody() || fn.Parent != nil || fn.Synthetic != "" || fn.Flags&(flagSends|flagDerives) != 0 {
		return true
	}
	if s := d.m.shapeOf(fn); s != nil && d.m.streaming(s) {
		return true
	}
	for _, a := range c.Args {
		switch {
		case a.Kind == flow.Func, isRequest(a), isHeaderValue(a):
			return true
		case d.powerful(c.World, a, 0):
			d.small = sizeOf(fn) <= smallHelper
			return true
		case a.Taint&fromPiece != 0 && sizeOf(fn) <= smallHelper:
			d.small = true // what it asks about the piece is what counts
			return true
		}
		if chanOf(a.Type) != nil && sizeOf(fn) <= smallHelper {
			return true
		}
	}
	results := fn.Signature.Results()
	if fn.Local && results.Len() > 0 && isText(results.At(0).Type()) && sizeOf(fn) <= smallText {
		return true // it may make the body that asks for a stream
	}
	for i := range results.Len() {
		t := results.At(i).Type()
		if isPointerTo(t, "bufio", "Scanner") || isPointerTo(t, "bufio", "Reader") || isPointerTo(t, "time", "Timer") {
			d.small = sizeOf(fn) <= smallHelper
			return true
		}
		if makesSending(t) || d.m.isClient(t) || isNamed(t, "context", "Context") {
			return true
		}
	}
	return false
}

// smallHelper is the size, in instructions, up to which a function is gone into
// that is only given a piece, or a channel.
const smallHelper = 150

// makesSending says whether values of a type decide how a request is sent.
func makesSending(t types.Type) bool {
	if isPointerTo(t, "net/http", "Request") || isPointerTo(t, "net/http", "Response") || isPointerTo(t, "net/http", "Client") || isNamed(t, "net/http", "Client") ||
		isPointerTo(t, "net/http", "Transport") || isNamed(t, "net/http", "RoundTripper") {
		return true
	}
	_, fn := types.Unalias(t).Underlying().(*types.Signature)
	return fn || types.IsInterface(t) && isReader(t)
}

// streaming says whether a function opens, reads or bounds streams, itself or by
// what it calls.
func (m *modeler) streaming(s *shape) bool {
	is := func(x *shape) bool { return x.sends || x.opens || x.pieces || x.derives }
	return is(s) || m.shapes.reaches(s, is)
}

// powerful says whether a value leads to a stream, or to what can end one.
func (d *streamer) powerful(w *flow.World, v *flow.Value, depth int) bool {
	if v == nil || depth > 3 {
		return false
	}
	switch v.Obj.(type) {
	case *pieces, *timerObj, *ender, *responseObj, *sender:
		return true
	}
	switch v.Kind {
	case flow.Pointer, flow.Struct:
		if d.powerful(w, w.Get(v.Sym), depth+1) {
			return true
		}
		if st := structOf(v.Type); st != nil {
			for i := range st.NumFields() {
				if d.powerful(w, w.Get(flow.FieldAddr(v.Sym, i)), depth+1) {
					return true
				}
			}
		}
	case flow.Func:
		for _, e := range v.Elems {
			if d.powerful(w, e, depth+1) {
				return true
			}
		}
	}
	return false
}
