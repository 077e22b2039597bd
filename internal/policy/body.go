package policy

import (
	"go/types"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// usedNote is the mark of a reader that was read to its end.
const usedNote = 0x75736564

// bodyOf returns the body that a request is made with; nil for none.
func bodyOf(v *flow.Value) *flow.Value {
	if isNil, known := v.IsNil(); known && isNil && v.Dyn == nil {
		return nil
	}
	if isNoBody(v) {
		return nil
	}
	return v
}

// isNoBody recognises http.NoBody.
func isNoBody(v *flow.Value) bool {
	return v.Global != nil && v.Global.Full() == "net/http.NoBody" || v.Dyn != nil && isNamed(v.Dyn, "net/http", "noBody")
}

// givenBody is the Obj of the body of a request that the caller gives: there is one.
type givenBody struct{}

// requestBody returns the body of a request as it is sent.
func (p *probe) requestBody(c *flow.Call, req *flow.Value, t types.Type) *flow.Value {
	st := structOf(t)
	if st == nil { // no code that was read shows what a request is
		if r, ok := req.Obj.(*requestObj); ok {
			return bodyOf(r.body)
		}
		return nil
	}
	for i := range st.NumFields() {
		if st.Field(i).Name() != "Body" {
			continue
		}
		if x := c.World.Get(flow.FieldAddr(req.Sym, i)); x != nil {
			return bodyOf(x)
		}
	}
	if r, ok := req.Obj.(*requestObj); ok {
		if b := bodyOf(r.body); b != nil {
			// Clones share it; requests made of it by several calls do as well.
			return b
		}
		return nil
	}
	if _, ok := req.Obj.(madeElsewhere); ok || req.Fresh || req.Type == nil {
		return nil // made by code that cannot be seen: each may have a body of its own
	}
	return bodyOf(loadField(c, req, t, "Body"))
}

// markUsed notes that a body is read to its end.
func markUsed(w *flow.World, v *flow.Value) {
	if v == nil {
		return
	}
	for _, r := range readersOf(w, v, 0) {
		w.Set(flow.Mix(r.Sym, usedNote), r.Root, flow.BoolValue(true))
	}
}

func clearUsed(w *flow.World, v *flow.Value) {
	if w.Get(flow.Mix(v.Sym, usedNote)) != nil {
		w.Set(flow.Mix(v.Sym, usedNote), v.Root, flow.BoolValue(false))
	}
}

func isUsed(w *flow.World, v *flow.Value) bool {
	if x := w.Get(flow.Mix(v.Sym, usedNote)); x != nil {
		used, _ := x.Bool()
		return used
	}
	return false
}

// usedReader returns what a body reads from that was read before; nil if there
// is nothing.
func usedReader(w *flow.World, v *flow.Value, depth int) *flow.Value {
	if v == nil {
		return nil
	}
	for _, r := range readersOf(w, v, depth) {
		if isUsed(w, r) {
			return r
		}
	}
	return nil
}

// readersOf lists a reader and those that it reads from.
func readersOf(w *flow.World, v *flow.Value, depth int) []*flow.Value {
	if depth > 3 || v.Kind == flow.Const || v.Kind == flow.Nil {
		return nil
	}
	out := []*flow.Value{v}
	if m, ok := v.Obj.(*madeOf); ok {
		if m.bare {
			out = nil
		}
		for _, u := range m.under {
			out = append(out, readersOf(w, u, depth+1)...)
		}
	}
	if st := structOf(v.Type); st != nil && v.Kind == flow.Pointer && !isBuffer(v.Type) {
		for i := range st.NumFields() {
			if x := w.Get(flow.FieldAddr(v.Sym, i)); x != nil && isReader(st.Field(i).Type()) {
				out = append(out, readersOf(w, x, depth+1)...)
			}
		}
	}
	return out
}

// isReader says whether a type has io.Reader's method.
func isReader(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Read")
	fn, ok := obj.(*types.Func)
	return ok && fn.Signature().Params().Len() == 1
}

func isBuffer(t types.Type) bool {
	return isPointerTo(t, "bytes", "Buffer") || isPointerTo(t, "bytes", "Reader") || isPointerTo(t, "strings", "Reader")
}

// renew forgets that readers were read which a call may wind back or fill.
func (p *probe) renew(c *flow.Call) {
	if p.mode != usedBody {
		return
	}
	switch name := shortName(c); {
	case name == "Len" || name == "Size" || name == "Close" || name == "String" || name == "Bytes" || name == "Name" || name == "Stat":
		return
	case strings.HasPrefix(name, "Read") || name == "Copy" || name == "WriteTo":
		return
	}
	for _, a := range c.Args {
		for _, r := range readersOf(c.World, a, 0) {
			clearUsed(c.World, r)
		}
	}
}
