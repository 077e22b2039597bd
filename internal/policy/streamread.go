package policy

import (
	"go/types"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// reading is one place at which pieces of a source are read, with what shows
// that they are.
type reading struct {
	at  sendEvent
	src *source
	ev  evidence
}

// seenKey tells readings apart: the same place may read answers of requests that
// differ in what bounds them.
type seenKey struct {
	at     *ir.Node
	source uint64
	bounds string
}

// pieceReaders are functions of the standard library that read a piece of what
// their first argument reads from, and wait for it.
var pieceReaders = map[string]bool{
	"(*bufio.Scanner).Scan":             true,
	"(*bufio.Reader).ReadString":        true,
	"(*bufio.Reader).ReadBytes":         true,
	"(*bufio.Reader).ReadLine":          true,
	"(*bufio.Reader).ReadSlice":         true,
	"(*bufio.Reader).ReadRune":          true,
	"(*bufio.Reader).ReadByte":          true,
	"(*bufio.Reader).Read":              true,
	"(*bufio.Reader).Peek":              true,
	decodeName:                          true,
	"(*net/textproto.Reader).ReadLine":  true,
	"(*encoding/csv.Reader).Read":       true,
	"(*mime/multipart.Reader).NextPart": true,
	"(io.Reader).Read":                  true,
	"(io.ReadCloser).Read":              true,
	"io.ReadFull":                       true,
	"io.ReadAtLeast":                    true,
}

const decodeName = "(*encoding/json.Decoder).Decode"

// makesReader says whether a function makes a reader of another without reading
// all of it.
func makesReader(name string) bool {
	switch name {
	case "net/textproto.NewReader", "mime/multipart.NewReader", "golang.org/x/text/transform.NewReader", "compress/flate.NewReader", "compress/zlib.NewReader",
		"io/ioutil.NopCloser":
		return true
	}
	return wrapsReader(name)
}

// readsLibrary says whether a method of a library's stream reads the next piece.
func readsLibrary(name string) bool {
	return name == "Next" || name == "Recv" || name == "RecvRaw" || name == "Receive"
}

// pieceCall is a call that makes a reader of a body, reads from one, or closes it.
func (d *streamer) pieceCall(c *flow.Call) (flow.Action, bool) {
	if len(c.Args) == 0 {
		return flow.Action{}, false
	}
	name := calleeName(c)
	if makesReader(name) {
		p := d.piecesOf(c.World, c.Args[0])
		if p == nil {
			return flow.Action{}, false
		}
		res := c.Instr.Signature().Results()
		v := &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(c.Sym, 5), Type: res.At(0).Type(), Obj: p}
		v.Root = v.Sym
		d.ends.begin(c.World, v)
		if res.Len() == 2 {
			return handled(flow.TupleValue(v, flow.NilValue())), true
		}
		return handled(v), true
	}
	p, ok := c.Args[0].Obj.(*pieces)
	if !ok {
		return flow.Action{}, false
	}
	short := shortName(c)
	library := p.src.sdk != ""
	switch {
	case short == "Close" && (c.Callee == nil || !c.Callee.HasBody()):
		d.kill(c, p.src.id)
		return flow.Action{}, false
	case library && readsLibrary(short), pieceReaders[name]:
		if p.over != nil {
			return d.readOver(c, p)
		}
		return d.read(c, p), true
	case library && short == "Err" || name == "(*bufio.Scanner).Err":
		return d.ends.asked(d, c), true
	case name == "(*bufio.Scanner).Text" || name == "(*bufio.Scanner).Bytes" || library && (short == "Current" || short == "Message"):
		return handled(&flow.Value{Sym: flow.Mix(c.Sym, 7), Taint: fromPiece, Root: flow.Mix(c.Sym, 7), Type: c.Instr.Type}), true
	}
	return flow.Action{}, false
}

// piecesOf returns what a reader reads from; nil if that is no answer.
func (d *streamer) piecesOf(w *flow.World, v *flow.Value) *pieces {
	if p, ok := v.Obj.(*pieces); ok {
		return p
	}
	if v.Dyn != nil {
		fn := d.m.prog.lookup(v.Dyn, readMethodCall())
		if fn == nil || !fn.HasBody() {
			return nil
		}
		if src := d.leadsTo(w, v, 0); src != nil {
			return &pieces{src: src, over: v}
		}
		return nil
	}
	if v.Kind == flow.Unknown && v.Taint&flow.Param != 0 && v.Type != nil && types.IsInterface(v.Type) {
		return &pieces{src: &source{id: v.Sym, given: true}}
	}
	return nil
}

// readMethodCall is a call of io.Reader's method, for lookups.
func readMethodCall() *ir.Node {
	return &ir.Node{Op: ir.Call, Name: "Read", Full: "(io.Reader).Read"}
}

// leadsTo returns the source that a struct reads from; nil if there is none.
func (d *streamer) leadsTo(w *flow.World, v *flow.Value, depth int) *source {
	if v == nil || depth > 4 {
		return nil
	}
	switch o := v.Obj.(type) {
	case *pieces:
		return o.src
	case *responseObj:
		if n := w.Marked(flow.Mix(v.Sym, sourceNote)); n != nil {
			src, _ := n.Obj.(*source)
			return src
		}
	}
	switch v.Kind {
	case flow.Pointer, flow.Struct:
		if src := d.leadsTo(w, w.Get(v.Sym), depth+1); src != nil {
			return src
		}
		if st := structOf(v.Type); st != nil {
			for i := range st.NumFields() {
				if src := d.leadsTo(w, w.Get(flow.FieldAddr(v.Sym, i)), depth+1); src != nil {
					return src
				}
			}
		}
	case flow.Func, flow.Tuple:
		for _, e := range v.Elems {
			if src := d.leadsTo(w, e, depth+1); src != nil {
				return src
			}
		}
	}
	return nil
}

// readOver reads through code that is in view: it runs.
func (d *streamer) readOver(c *flow.Call, p *pieces) (flow.Action, bool) {
	fn := d.m.prog.lookup(p.over.Dyn, readMethodCall())
	if fn == nil || !fn.HasBody() {
		return flow.Action{}, false
	}
	n := d.count(c.World, p.src)
	buf := flow.UnknownValue(flow.Mix(c.Sym, 9), 0)
	return flow.Action{Invoke: &flow.Value{Kind: flow.Func, Fn: fn}, Args: []*flow.Value{p.over, buf}, Then: func(*flow.Value) *flow.Value {
		return d.pieceResult(c, n, pieceMore)
	}}, true
}

// What a reading may give.
type pieceEnd uint8

const (
	pieceMore   pieceEnd = iota // perhaps there is another piece
	pieceGiven                  // there is
	pieceEnded                  // the answer has ended
	pieceBroken                 // it was cut off
)

// read reads a piece: there is one, the answer has ended, or it was cut off.
func (d *streamer) read(c *flow.Call, p *pieces) flow.Action {
	at := outermost(sendEvent{c.Frame, c.Instr})
	n := d.count(c.World, p.src)
	if n >= 1 {
		d.observe(at, p.src, d.flags(c.World, p.src))
	}
	d.setCount(c.World, p.src, min(n+1, 2))
	c.World.Mark(currentNote, &flow.Value{Kind: flow.NonNil, Sym: p.src.id, Obj: p.src})
	if at.instr != c.Instr {
		return handled(d.pieceResult(c, n, pieceMore)) // inside code that wraps the body
	}
	var out []flow.Alternative
	kinds := []pieceEnd{pieceGiven, pieceEnded}
	if !givesBool(c) {
		kinds = append(kinds, pieceBroken)
	}
	for _, k := range kinds {
		w := c.World.Clone()
		cc := *c
		cc.World = w
		v := d.pieceResult(&cc, n, k)
		if k != pieceGiven && n >= 1 { // of one piece nobody asks for more
			d.ends.ended(w, c.Args[0], at, p, k)
		}
		out = append(out, flow.Alternative{World: w, Value: v})
	}
	return flow.Action{Fork: out}
}

func givesBool(c *flow.Call) bool {
	res := c.Instr.Signature().Results()
	return res.Len() == 1 && isBool(res.At(0).Type())
}

// pieceResult makes the results of a reading.
func (d *streamer) pieceResult(c *flow.Call, n int, k pieceEnd) *flow.Value {
	res := c.Instr.Signature().Results()
	vals := make([]*flow.Value, res.Len())
	for i := range vals {
		t := res.At(i).Type()
		sym := flow.Mix(flow.Mix(c.Sym, uint64(i)+61), uint64(n))
		switch {
		case isBool(t) && k == pieceGiven && i == 0:
			vals[i] = flow.BoolValue(true)
		case isBool(t) && k == pieceEnded && i == 0:
			vals[i] = flow.BoolValue(false)
		case isError(t) && k == pieceGiven:
			vals[i] = flow.NilValue()
		case isError(t) && k != pieceMore:
			vals[i] = &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(sym, uint64(k)), Obj: &readEnd{clean: k == pieceEnded, at: c.Instr}}
		case isError(t), isBool(t):
			vals[i] = flow.UnknownValue(sym, fromRead)
		default:
			v := flow.UnknownValue(sym, fromPiece)
			v.Type, v.Root = t, sym
			if k == pieceGiven {
				if _, pointer := types.Unalias(t).Underlying().(*types.Pointer); pointer {
					v.Kind = flow.NonNil
				}
			}
			vals[i] = v
		}
	}
	if k == pieceGiven || k == pieceMore {
		for _, a := range c.Args[1:] {
			c.Fill(a.With(fromPiece)) // what it is decoded into
		}
	}
	if len(vals) == 1 {
		return vals[0]
	}
	return flow.TupleValue(vals...)
}

// outermost goes from a reading inside code that wraps a body to the reading of
// what wraps it.
func outermost(e sendEvent) sendEvent {
	for f := e.frame; f != nil && f.Site != nil; f = f.Parent {
		name := ""
		if fn := f.Site.StaticCallee(); fn != nil {
			name = fn.FullName()
		} else {
			name = f.Site.Full
		}
		if pieceReaders[name] {
			e = sendEvent{f.Parent, f.Site}
		}
	}
	return e
}

// observe notes that pieces are read at a place.
func (d *streamer) observe(at sendEvent, src *source, ev evidence) {
	b := src.bounds
	key := seenKey{at.instr, src.id, b.Total.String() + b.Context.String() + b.Request.String()}
	r := d.seen[key]
	if r == nil {
		r = &reading{at: at, src: src}
		d.seen[key] = r
		d.order = append(d.order, r)
	}
	r.ev |= ev | src.ev
}

// count returns how often a source was read on a path, 2 for more often.
func (d *streamer) count(w *flow.World, src *source) int {
	if n := w.Marked(flow.Mix(src.id, readNote)); n != nil {
		i, _ := n.Int()
		return int(i & readCount)
	}
	return 0
}

func (d *streamer) flags(w *flow.World, src *source) evidence {
	if n := w.Marked(flow.Mix(src.id, readNote)); n != nil {
		i, _ := n.Int()
		return evidence(i >> seenShift & 0xffff)
	}
	return 0
}

func (d *streamer) setCount(w *flow.World, src *source, n int) {
	w.Mark(flow.Mix(src.id, readNote), flow.IntValue(int64(n)|int64(d.flags(w, src))<<seenShift))
}

// current returns the source that was read last on a path; nil for none.
func (d *streamer) current(w *flow.World) *source {
	if n := w.Marked(currentNote); n != nil {
		src, _ := n.Obj.(*source)
		return src
	}
	return nil
}

// mark notes something about the source that was read last.
func (d *streamer) mark(w *flow.World, bits int64) {
	src := d.current(w)
	if src == nil {
		return
	}
	key := flow.Mix(src.id, readNote)
	var old int64
	if n := w.Marked(key); n != nil {
		old, _ = n.Int()
	}
	if old|bits != old {
		w.Mark(key, flow.IntValue(old|bits))
	}
}

// show notes what is seen of the source that was read last.
func (d *streamer) show(w *flow.World, ev evidence) { d.mark(w, int64(ev)<<seenShift) }

// looks notes what a call shows about the pieces that were read before.
func (d *streamer) looks(c *flow.Call) {
	if d.current(c.World) == nil {
		return
	}
	name := calleeName(c)
	switch {
	case c.Callee != nil && (c.Callee.Path == "strings" || c.Callee.Path == "bytes"):
		for _, a := range c.Args[min(1, len(c.Args)):] {
			if text, ok := plainText(a); ok && isEventField(text) {
				d.show(c.World, readsEvents)
			}
		}
	case strings.HasPrefix(name, "fmt.Print") || strings.HasPrefix(name, "fmt.Fprint"):
		d.show(c.World, printed)
	case shortName(c) == "Flush":
		d.show(c.World, flushed)
	case c.Callee == nil && !c.Instr.IsInvoke():
		if givesSomething(c) {
			d.show(c.World, toCallback)
		}
	case c.Instr.IsInvoke() && c.Callee == nil && !logs(shortName(c)):
		path, _ := splitName(name)
		if standardPath(path) || path == "" {
			return
		}
		for _, a := range c.Args[1:] {
			if a.Taint&fromPiece != 0 {
				d.show(c.World, toCallback)
			}
		}
	}
}

// givesSomething says whether a call hands over anything but errors and contexts.
func givesSomething(c *flow.Call) bool {
	params := c.Instr.Signature().Params()
	for i := range params.Len() {
		if t := params.At(i).Type(); !isError(t) && !isNamed(t, "context", "Context") {
			return true
		}
	}
	return false
}

// plainText returns the text of a constant, or of bytes that hold one.
func plainText(v *flow.Value) (string, bool) {
	if t, ok := v.Obj.(flow.Text); ok {
		return string(t), true
	}
	return v.Str()
}

// isEventField says whether a text is a field of server-sent events, as a reader
// of them looks for.
func isEventField(text string) bool {
	switch strings.TrimRight(text, " ") {
	case "data:", "event:", "[DONE]", "data: [DONE]", "data:[DONE]":
		return true
	}
	return false
}

// Stored notes that a piece goes into a channel.
func (d *streamer) Stored(f *flow.Frame, at *ir.Node, addr, v *flow.Value, w *flow.World) {
	d.probe.Stored(f, at, addr, v, w)
	d.ends.stored(at, addr, v)
	if at.Op == ir.Send {
		d.intoChannel(w, at.Y.Type)
		return
	}
	d.keeps(addr, v)
}

// Selected notes that a piece goes into a channel in one of the cases of a select.
func (d *streamer) Selected(_ *flow.Frame, at *ir.Node, args []*flow.Value, w *flow.World) {
	for i, a := range at.Args {
		if i == 0 {
			continue
		}
		if chanOf(at.Args[i-1].Type) != nil && chanOf(a.Type) == nil {
			d.intoChannel(w, a.Type)
			d.ends.told(args[i])
		}
	}
}

// intoChannel notes that something is sent: an error, or a mere signal, is no piece.
func (d *streamer) intoChannel(w *flow.World, t types.Type) {
	if t == nil {
		return
	}
	if st, ok := types.Unalias(t).Underlying().(*types.Struct); ok && st.NumFields() == 0 || isError(t) || isBool(t) {
		return
	}
	d.show(w, toChannel)
}

// chanOf returns a type as that of a channel; nil if it is none, or not known, as
// types of other packages' code may be.
func chanOf(t types.Type) *types.Chan {
	if t == nil {
		return nil
	}
	c, _ := types.Unalias(t).Underlying().(*types.Chan)
	return c
}
