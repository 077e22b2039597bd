package policy

import (
	"go/types"
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// The rules about answers that come piece by piece.
const (
	StreamNoIdle = "streamnoidle"
	StreamTotal  = "streamtotal"
	StreamErr    = "streamerr"
	StreamPing   = "streamping"
	StreamLeak   = "streamleak"
)

// A streamer is a domain that follows answers which are read piece by piece:
// from the call that sends, through what reads, to each reading. It collects,
// over all paths of a run, where pieces are read, what shows that the answer is
// a stream, and what may end a reading that waits: a timer, a goroutine, whoever
// has the cancel function of the request's context or can close the body. What
// follows from it is decided when the run is over (streamfind.go), since the
// watchdog of one path is the watchdog of all.
type streamer struct {
	probe
	seen   map[seenKey]*reading
	order  []*reading
	kills  []kill
	timers map[*ir.Node]*timer
	// done are the contexts that a goroutine, or a function that is handed over,
	// waits for the end of.
	done    map[*ir.Node][]scope
	entered map[*ir.Function]bool
	// doubt says that something which is not known may end a reading.
	doubt    bool
	enters   bool    // the function that is about to be called is worth running,
	small    bool    // and small, and given a piece
	inTimer  *timer  // whose function runs
	waiting  []scope // whose end the function waits for
	nested   uint64
	depth    int           // of methods of what was returned
	params   []*flow.Value // of the root
	followed map[followKey]bool
	cut      bool
	ends     ends
}

// Taints of a streamer.
const (
	fromRead  = flow.Domain10 // says whether there is another piece
	fromPiece = flow.Domain11 // made of a piece
)

// evidence is what shows that an answer is a stream.
type evidence uint16

const (
	asksEvents  evidence = 1 << iota // the request accepts an event stream, or asks for "stream": true
	readsEvents                      // the reader looks for the fields of server-sent events
	byLibrary                        // a model's answer, by the SDK's own stream
	toCallback                       // pieces go to a function of the caller's, or a method of an interface
	toChannel
	flushed
	printed
	returned // pieces are returned by a method that is called again and again
)

// strong is what no download of a document has.
const strong = asksEvents | readsEvents | byLibrary

// weak shows that pieces leave before the end.
const weak = toCallback | toChannel | flushed

// source is an answer that is read piece by piece.
type source struct {
	id     uint64
	sent   sendEvent
	bounds Bounds
	scopes []scope
	ev     evidence
	sdk    string // the library's name
	method string // that opens the stream, of a library
	// lasting says that its URL names a watch: silence says nothing there.
	lasting bool
	// renewed says that the connection itself renews a deadline with each reading.
	renewed bool
	doubt   bool
	// given says that it is a reader which the caller gives: whether it reads an
	// answer, and what ends it, is not known.
	given bool
}

// pieces is the Obj of a body, and of what reads from it. Where what reads is
// code that is in view, over is it.
type pieces struct {
	src  *source
	over *flow.Value
}

// Marks of a streamer.
const (
	sourceNote  = 0x736f7572
	readNote    = 0x72656164 // how often a source was read on this path, and what was seen since
	currentNote = 0x63757272 // the source that was read last
	outerNote   = 0x6f757465 // what bounds the client whose transport runs
)

// What a readNote counts: the low bits are the number of readings, up to 2.
const (
	readCount   = 3
	seenShift   = 4
	checkedFlag = 1 << 24 // a condition on the piece has been met since the last reading
)

func newStreamer(m *modeler) *streamer {
	return &streamer{
		probe: probe{m: m, outcome: success, assume: readMethod, optimist: true},
		seen:  map[seenKey]*reading{}, timers: map[*ir.Node]*timer{}, done: map[*ir.Node][]scope{},
		entered: map[*ir.Function]bool{}, followed: map[followKey]bool{}, ends: newEnds(),
	}
}

// Branch follows both sides. What is known of one piece says nothing of the next.
func (d *streamer) Branch(_ *flow.Frame, cond *flow.Value, w *flow.World) flow.Branch {
	if cond.Taint&fromPiece != 0 {
		d.mark(w, checkedFlag)
	}
	if cond.Taint&(fromRead|fromPiece) != 0 {
		return flow.Either
	}
	return flow.Apart
}

func (d *streamer) Join(_ flow.Branch, a, _ flow.Result) flow.Result { return a }

// Return is the end of a path that says nothing, as by a panic.
func (d *streamer) Return(*flow.World) flow.Result { return flow.Result{} }

// Call gives calls that open streams, read them, or end them a meaning.
func (d *streamer) Call(c *flow.Call) flow.Action {
	d.entered[c.Frame.Fn] = true
	if c.Callee != nil {
		d.entered[c.Callee] = true
	}
	d.ends.tell(c)
	if c.Func != nil {
		switch o := c.Func.Obj.(type) {
		case *ender:
			d.kill(c, uint64(o.of))
			return handled(flow.TupleValue())
		case *pieces:
			return d.iterate(c, o)
		}
	}
	if d.inTimer != nil && (shortName(c) == "Close" || c.Func != nil && c.Func.Kind != flow.Func && isNamed(c.Instr.X.Type, "context", "CancelFunc")) {
		d.inTimer.kills = true // what that ends is not known, but something
	}
	if a, ok := d.timerCall(c); ok {
		return a
	}
	if a, ok := d.pieceCall(c); ok {
		return a
	}
	if s, ok := d.sendOf(c); ok && s.request < len(c.Args) {
		return d.sent(c, s)
	}
	if a, ok := d.opens(c); ok {
		return a
	}
	d.looks(c)
	if c.Callee != nil && (c.Callee.Path == "sync/atomic" || c.Callee.Path == "sync" && len(c.Bindings()) == 0 && !takesFuncs(c)) {
		// It changes what it is given and nothing beside it.
		return handled(flow.UnknownValue(c.Sym, fromRead))
	}
	a := d.probe.Call(c)
	d.enters = d.worthwhile(c)
	return a
}

func takesFuncs(c *flow.Call) bool {
	return slices.ContainsFunc(c.Args, func(a *flow.Value) bool { return a.Kind == flow.Func })
}

// External is code that cannot be seen.
func (d *streamer) External(c *flow.Call) *flow.Value {
	v := d.probe.External(c)
	d.gives(c)
	res := c.Instr.Signature().Results()
	if res.Len() != 2 || !isNamed(res.At(0).Type(), "context", "Context") || !isCancel(res.At(1).Type()) || v.Kind != flow.Tuple {
		return v
	}
	ctx, ok := v.Elems[0].Obj.(*contextObj)
	own := newScope(c)
	if !ok { // by code that cannot be seen: it may have a deadline
		ctx = &contextObj{deadline: unknown(deadlineName, "where the context is made is not in view"), scopes: []scope{own}}
		for _, a := range c.Args {
			if o, ok := a.Obj.(*contextObj); ok {
				ctx.scopes = append(ctx.scopes, o.scopes...)
			}
		}
	}
	elem := *v.Elems[0]
	elem.Obj, elem.Kind = ctx, flow.NonNil
	return flow.TupleValue(&elem, &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(c.Sym, 2), Obj: &ender{own}})
}

// sent is a call that sends a request.
func (d *streamer) sent(c *flow.Call, s httpSend) flow.Action {
	b := d.boundsOf(c, s)
	if n := c.World.Marked(outerNote); n != nil && b.Total.state == boundUnknown {
		if o, ok := n.Obj.(*setAt); ok {
			b.Total = o.bound
		}
	}
	if isClientMethod(calleeName(c)) {
		c.World.Mark(outerNote, &flow.Value{Kind: flow.NonNil, Sym: outerNote, Obj: &setAt{b.Total}})
		if a, ok := d.throughTransport(c, s); ok && a.Choices == nil {
			return a
		}
	}
	results := c.Instr.Signature().Results()
	t := results.At(0).Type()
	resp := &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(0x4e5a, c.Sym), Type: t, Obj: &responseObj{200}}
	resp.Root = resp.Sym
	c.World.Forget(resp.Sym)
	setField(c, resp, t, "StatusCode", flow.IntValue(200).With(anySuccess))
	src := &source{id: resp.Sym, sent: sendEvent{c.Frame, c.Instr}, bounds: b}
	var said []string
	if s.request >= 0 {
		req := c.Args[s.request]
		if isHead(c, req, s) {
			src.doubt = true
		}
		if o := requestContext(c.World, req); o != nil {
			src.scopes = o.scopes
		} else if req.Taint&fromRequest != 0 {
			src.doubt = true // a transport, which leaves it to those above to end a request
		}
		said = texts(c.World, loadField(c, req, requestType(c, s.request), "Header"))
		if r, ok := req.Obj.(*requestObj); ok {
			said = slices.Concat(said, r.bodies, r.urls)
		}
		setField(c, resp, t, "Request", req)
	} else {
		for _, a := range c.Args {
			said = append(said, texts(c.World, a)...)
		}
	}
	if slices.ContainsFunc(said, asksForStream) {
		src.ev |= asksEvents
	}
	src.lasting = slices.ContainsFunc(said, namesWatch)
	if len(c.Args) > 0 && isClientMethod(calleeName(c)) {
		src.renewed, src.doubt = d.renewingTransport(c, c.Args[0], src.doubt)
	}
	note := &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(resp.Sym, sourceNote), Obj: src}
	c.World.MarkOn(resp, flow.Mix(resp.Sym, sourceNote), note)
	c.World.Unmark(flow.Mix(resp.Sym, readNote))
	if results.Len() == 1 {
		return handled(resp)
	}
	return handled(flow.TupleValue(resp, flow.NilValue()))
}

// askedStream is what the body of a request says that asks for pieces.
const (
	streamField = "stream"
	askedStream = `"stream":true`
)

func isTrue(v *flow.Value) bool {
	b, known := v.Bool()
	return known && b
}

// asksForStream says whether a text, of a header, a body or a URL, asks for an
// answer in pieces.
func asksForStream(text string) bool {
	if len(text) > 4096 {
		return false
	}
	t := strings.ToLower(strings.ReplaceAll(text, " ", ""))
	for _, s := range [...]string{"text/event-stream", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/stream+json", askedStream, "alt=sse"} {
		if strings.Contains(t, s) {
			return true
		}
	}
	return false
}

// namesWatch says whether a part of a URL names what is watched, or followed, and
// may be silent for as long as nothing happens.
func namesWatch(text string) bool {
	t := strings.ToLower(text)
	for _, s := range [...]string{"monitor", "watch", "follow", "/logs", "/log", "tail", "subscribe", "/events"} {
		if strings.Contains(t, s) {
			return true
		}
	}
	return false
}

// Field gives answers their bodies, and parts of a library's stream the stream.
func (d *streamer) Field(addr *flow.Value, t types.Type, w *flow.World) *flow.Value {
	if addr.Kind == flow.Pointer && addr.Base != nil {
		if name, st := fieldOf(addr); name == "Body" && isHTTP(st, "Response") {
			if n := w.Marked(flow.Mix(addr.Base.Sym, sourceNote)); n != nil {
				if src, ok := n.Obj.(*source); ok {
					return &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(addr.Sym, 19), Root: addr.Base.Sym, Obj: &pieces{src: src}}
				}
			}
		}
		if p, ok := addr.Base.Obj.(*pieces); ok && p.src.sdk != "" {
			return &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(addr.Sym, 19), Root: addr.Root, Type: t, Obj: p}
		}
	}
	return d.probe.Field(addr, t, w)
}

// opens is a call of a known library that opens a stream, or reads one and hands
// the pieces to a function.
func (d *streamer) opens(c *flow.Call) (flow.Action, bool) {
	if !d.m.opaque(c.Callee) || !isMethodCall(c) {
		return flow.Action{}, false
	}
	e, ok := d.m.role(c, apis.ModelStream)
	if !ok {
		return flow.Action{}, false
	}
	client := d.senderAt(c.World, c.Args[0])
	own := sender{limits: senderLimits{
		client: unknown(totalName, "where the client is made is not in view"), request: unknown("request timeout", "where the client is made is not in view"),
		idle: absent("read timeout"),
	}}
	if client != nil {
		own = *client
		d.apply(c, &own, e)
	}
	src := &source{id: flow.Mix(0x5d1c, c.Sym), sent: sendEvent{c.Frame, c.Instr}, ev: byLibrary, sdk: e.Library.Name, method: shortName(c)}
	var ctx *flow.Value
	params := c.Instr.Signature().Params()
	for i := range params.Len() {
		if isNamed(params.At(i).Type(), "context", "Context") && i+1 < len(c.Args) {
			ctx = c.Args[i+1]
			if o, ok := ctx.Obj.(*contextObj); ok {
				src.scopes = o.scopes
			}
			break
		}
	}
	src.bounds = own.boundsOfCall(ctx)
	c.World.Unmark(flow.Mix(src.id, readNote))
	if i := e.Symbol.Arg + 1; e.Symbol.Arg >= 0 && i < len(c.Args) {
		d.observe(sendEvent{c.Frame, c.Instr}, src, toCallback)
		if f := c.Args[i]; f.Kind == flow.Func && f.Fn.HasBody() {
			c.World.Mark(currentNote, &flow.Value{Kind: flow.NonNil, Sym: src.id, Obj: src})
			res := d.probe.External(c)
			return flow.Action{Invoke: f, Args: []*flow.Value{}, Then: func(*flow.Value) *flow.Value { return res }}, true
		}
		return handled(d.probe.External(c)), true
	}
	return handled(d.holding(c, &pieces{src: src})), true
}

// iterate runs the body of a loop over a library's stream.
func (d *streamer) iterate(c *flow.Call, p *pieces) flow.Action {
	d.observe(sendEvent{c.Frame, c.Instr}, p.src, 0)
	c.World.Mark(currentNote, &flow.Value{Kind: flow.NonNil, Sym: p.src.id, Obj: p.src})
	for _, a := range c.Args {
		if a.Kind == flow.Func && a.Fn.HasBody() {
			return flow.Action{Invoke: a, Args: []*flow.Value{}, Again: true, Then: func(*flow.Value) *flow.Value { return flow.TupleValue() }}
		}
	}
	return handled(flow.TupleValue())
}
