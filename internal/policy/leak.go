package policy

import (
	"go/types"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// openNote is the mark of the followed attempt's answer while it is open.
const openNote = 0x6f70656e

// isOpen says whether the answer to the followed attempt is still open.
func isOpen(w *flow.World) bool {
	v := w.Marked(openNote)
	if v == nil {
		return false
	}
	open, _ := v.Bool()
	return open
}

// noteClose notes that a call closes the answer, or may.
func (p *probe) noteClose(c *flow.Call) {
	if p.mode != leak || !isOpen(c.World) || readsOnly(c) {
		return
	}
	for _, a := range c.Args {
		if p.leadsToAnswer(c.World, a, 0) {
			c.World.Mark(openNote, flow.BoolValue(false))
			return
		}
	}
}

// Stored notes that a request is copied, and that the answer is kept somewhere:
// who keeps it may close it.
func (p *probe) Stored(f *flow.Frame, at *ir.Node, addr, v *flow.Value, w *flow.World) {
	noteTimeout(sendEvent{f, at}, addr, v, w)
	if s := senderOf(w, v); s != nil && v.Kind == flow.Struct {
		markSender(w, addr, s) // the copy is a client, too
	}
	if v.Kind == flow.Struct && v.Type != nil && isNamed(v.Type, "net/http", "Request") && v.Sym != addr.Sym {
		noteCopy(w, v, addr)
	}
	if p.mode != leak || !isOpen(w) {
		return
	}
	if at.Op == ir.Send || at.X.Op == ir.IndexAddr || at.X.Op == ir.FieldAddr && !addr.Fresh || at.X.Op == ir.GlobalAddr {
		if p.leadsToAnswer(w, v, 0) {
			w.Mark(openNote, flow.BoolValue(false))
		}
	}
}

// Deferred counts what is closed when the function returns as closed: it is
// late, but not forgotten.
func (p *probe) Deferred(c *flow.Call) {
	if p.mode != leak || !isOpen(c.World) {
		return
	}
	args := c.Args
	if c.Func != nil {
		args = append(append([]*flow.Value(nil), args...), c.Func)
	}
	args = append(args, c.Bindings()...)
	for _, a := range args {
		if p.leadsToAnswer(c.World, a, 0) {
			c.World.Mark(openNote, flow.BoolValue(false))
			return
		}
	}
}

// leadsToAnswer says whether the answer, or its body, can be reached from a value.
func (p *probe) leadsToAnswer(w *flow.World, v *flow.Value, depth int) bool {
	if depth > 3 {
		return false
	}
	switch o := v.Obj.(type) {
	case *responseObj:
		return v.Taint&fromOutcome != 0
	case *answerBody:
		return true
	case *madeOf:
		for _, u := range o.under {
			if p.leadsToAnswer(w, u, depth+1) {
				return true
			}
		}
	}
	switch v.Kind {
	case flow.Pointer, flow.Struct:
		if x := w.Get(v.Sym); x != nil && p.leadsToAnswer(w, x, depth+1) {
			return true
		}
		if st := structOf(v.Type); st != nil {
			for i := range st.NumFields() {
				if x := w.Get(flow.FieldAddr(v.Sym, i)); x != nil && p.leadsToAnswer(w, x, depth+1) {
					return true
				}
			}
		}
	case flow.Func, flow.Tuple:
		for _, e := range v.Elems {
			if p.leadsToAnswer(w, e, depth+1) {
				return true
			}
		}
	}
	return false
}

// answerBody is the Obj of the body of the followed attempt's answer, and of
// what reads from it.
type answerBody struct{}

// readsOnly says whether a call is known not to close what it is given.
func readsOnly(c *flow.Call) bool {
	name := calleeName(c)
	switch {
	case strings.HasPrefix(name, "fmt."), strings.HasPrefix(name, "log."), strings.HasPrefix(name, "errors."), strings.HasPrefix(name, "(net/http.Header)."),
		strings.HasPrefix(name, "(*encoding/json.Decoder)."), strings.HasPrefix(name, "(*encoding/xml.Decoder)."), strings.HasPrefix(name, "(*bufio.Scanner)."):
		return true
	}
	switch name {
	case "io.ReadAll", "io/ioutil.ReadAll", "io.Copy", "io.CopyN", "io.ReadFull", "encoding/json.NewDecoder", "encoding/xml.NewDecoder", "bufio.NewScanner", "bufio.NewReader",
		"io.LimitReader", "io.TeeReader", "(*net/http.Response).Cookies", "(*net/http.Response).Location", "(io.Reader).Read", "(io.ReadCloser).Read":
		return true
	}
	return false
}

// body returns the body of an answer that is followed.
func (p *probe) answerBody(addr *flow.Value) *flow.Value {
	return &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(addr.Sym, 19), Taint: addr.Taint, Obj: &answerBody{}}
}

// isAnswer says whether an address is that of the body of an answer that is
// followed.
func isAnswer(addr *flow.Value, name string, st types.Type) bool {
	if name != "Body" || !isHTTP(st, "Response") || addr.Base == nil {
		return false
	}
	_, ok := addr.Base.Obj.(*responseObj)
	return ok && addr.Base.Taint&fromOutcome != 0
}
