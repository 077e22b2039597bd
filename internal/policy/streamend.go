package policy

import (
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// ends follows how answers end: whether a function that has read to the end of
// one asks if that was the end, or only where it was cut off.
type ends struct {
	readers []*flow.Value
	// dropped are the readings at which an end was taken for the end, told those
	// of which somebody hears that it was not.
	dropped map[*ir.Node]*dropped
	hears   map[*ir.Node]bool
	inside  map[uint64]bool // sources whose Err was asked after a piece, where it is always nil
}

// dropped is an end that nobody asks about.
type dropped struct {
	at     sendEvent
	src    *source
	scans  bool // by a loop that ends with false, after which Err tells
	reader *flow.Value
}

// readEnd is the Obj of the error of a reading.
type readEnd struct {
	clean bool
	at    *ir.Node
}

// endAt is the Obj of the note that a reader has come to an end.
type endAt struct{ *dropped }

const endNote = 0x656e64

func newEnds() ends {
	return ends{dropped: map[*ir.Node]*dropped{}, hears: map[*ir.Node]bool{}, inside: map[uint64]bool{}}
}

// begin notes that there is a new reader.
func (e *ends) begin(w *flow.World, reader *flow.Value) { w.Unmark(flow.Mix(reader.Sym, endNote)) }

// ended notes that a reader has come to an end.
func (e *ends) ended(w *flow.World, reader *flow.Value, at sendEvent, p *pieces, k pieceEnd) {
	if k == pieceEnded && !isBoolCall(at.instr) {
		return // io.EOF tells
	}
	x := &dropped{at: at, src: p.src, scans: k == pieceEnded, reader: reader}
	w.Mark(flow.Mix(reader.Sym, endNote), &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(reader.Sym, uint64(k)), Obj: &endAt{x}})
	for _, r := range e.readers {
		if r.Sym == reader.Sym {
			return
		}
	}
	e.readers = append(e.readers, reader)
}

func isBoolCall(n *ir.Node) bool {
	res := n.Signature().Results()
	return res.Len() == 1 && isBool(res.At(0).Type())
}

// asked is a call of Err.
func (e *ends) asked(d *streamer, c *flow.Call) flow.Action {
	key := flow.Mix(c.Args[0].Sym, endNote)
	if n := c.World.Marked(key); n != nil {
		if x, ok := n.Obj.(*endAt); ok {
			e.hears[x.at.instr] = true
		}
		c.World.Unmark(key)
		return handled(flow.UnknownValue(flow.Mix(c.Sym, 3), 0))
	}
	if p, ok := c.Args[0].Obj.(*pieces); ok && d.count(c.World, p.src) > 0 {
		e.inside[p.src.id] = true
	}
	return handled(flow.NilValue())
}

// tell notes that the error of a reading is handed to something.
func (e *ends) tell(c *flow.Call) {
	switch calleeName(c) {
	case "errors.Is", "errors.As":
		return
	}
	fails := false
	for _, a := range variadic(c) {
		e.told(a)
		text, ok := a.Str()
		fails = fails || ok && saysFailure(text)
	}
	if fails || saysFailure(shortName(c)) && shortName(c) != "Err" {
		e.open(c.World) // somebody hears that it was not the end, if not why
	}
	for _, a := range c.Bindings() {
		e.told(a)
	}
}

// saysFailure says whether a word, of a function's name or a text that is handed
// over, stands for a failure.
func saysFailure(text string) bool {
	if len(text) > 200 {
		return false
	}
	t := strings.ToLower(text)
	for _, w := range [...]string{"error", "fail", "abort", "incomplete", "truncat", "interrupt", "unexpected", "cut off", "without"} {
		if strings.Contains(t, w) {
			return true
		}
	}
	return false
}

// open notes that the ends which nobody has asked about on a path are spoken of.
func (e *ends) open(w *flow.World) {
	for _, r := range e.readers {
		if n := w.Marked(flow.Mix(r.Sym, endNote)); n != nil {
			if x, ok := n.Obj.(*endAt); ok {
				e.hears[x.at.instr] = true
			}
		}
	}
}

func (e *ends) told(v *flow.Value) {
	if r, ok := v.Obj.(*readEnd); ok && !r.clean {
		e.hears[r.at] = true
	}
	for _, x := range v.Elems {
		e.told(x)
	}
}

// stored notes that the error of a reading is kept, or sent, somewhere.
func (e *ends) stored(at *ir.Node, addr, v *flow.Value) {
	if at.Op == ir.Send || addr.Base != nil || !addr.Fresh {
		e.told(v)
	}
}

// returned looks at the end of a run what was not asked about.
func (e *ends) returned(d *streamer, w *flow.World, v *flow.Value) {
	e.told(v)
	if d.depth > 0 {
		return // whoever calls the methods can ask
	}
	failed := isFailure(v)
	for _, r := range e.readers {
		n := w.Marked(flow.Mix(r.Sym, endNote))
		if n == nil {
			continue
		}
		x, ok := n.Obj.(*endAt)
		if !ok {
			continue
		}
		if failed || d.leadsToReader(w, v, r, 0) {
			e.hears[x.at.instr] = true
			continue
		}
		if e.dropped[x.at.instr] == nil {
			e.dropped[x.at.instr] = x.dropped
		}
	}
}

// isFailure says whether what a function returns is, or may be, an error.
func isFailure(v *flow.Value) bool {
	last := v
	if v.Kind == flow.Tuple {
		if len(v.Elems) == 0 {
			return false
		}
		last = v.Elems[len(v.Elems)-1]
	}
	if last.Dyn != nil && implementsError(last.Dyn) {
		return true
	}
	switch last.Obj.(type) {
	case *attemptError, *readEnd:
		return true
	}
	return last.Kind == flow.NonNil && last.Global != nil
}

// leadsToReader says whether a value holds a reader: whoever gets it can ask.
func (d *streamer) leadsToReader(w *flow.World, v, reader *flow.Value, depth int) bool {
	if v == nil || depth > 4 {
		return false
	}
	if v.Sym == reader.Sym && v.Obj != nil {
		return true
	}
	switch v.Kind {
	case flow.Pointer, flow.Struct:
		if d.leadsToReader(w, w.Get(v.Sym), reader, depth+1) {
			return true
		}
		if st := structOf(v.Type); st != nil {
			for i := range st.NumFields() {
				if d.leadsToReader(w, w.Get(flow.FieldAddr(v.Sym, i)), reader, depth+1) {
					return true
				}
			}
		}
	case flow.Func, flow.Tuple:
		for _, x := range v.Elems {
			if d.leadsToReader(w, x, reader, depth+1) {
				return true
			}
		}
	}
	return false
}

// Equal tells the ends of answers apart.
func (d *streamer) Equal(a, b *flow.Value) (eq, known bool) {
	for _, x := range [][2]*flow.Value{{a, b}, {b, a}} {
		if r, ok := x[0].Obj.(*readEnd); ok && x[1].Global != nil {
			return r.is(x[1].Global.Full()), true
		}
	}
	return d.probe.Equal(a, b)
}

// is says whether the error of a reading is one that the standard library names.
// A connection that ends too early gives io.ErrUnexpectedEOF.
func (r *readEnd) is(name string) bool {
	if r.clean {
		return name == "io.EOF"
	}
	return name == "io.ErrUnexpectedEOF"
}
