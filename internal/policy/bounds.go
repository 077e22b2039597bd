package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// What ends a request, as far as the code in view says. It is read off the
// machine's values at the call that sends, whatever the run is looking for:
// [probe.boundsOf] for a call of net/http, [sender.limits] for one of a known
// library, [clientTimeout] and [contextDeadline] for single values.

// A boundState says whether there is a bound.
type boundState uint8

const (
	boundUnknown boundState = iota
	boundAbsent
	boundPresent
)

// A bound is one thing that may end a request.
type bound struct {
	state boundState
	d     time.Duration // how long; 0 where that is not known
	// usual says that it is the default, and that a setting which is not known
	// here may change it.
	usual bool
	what  string    // as messages say it: "http.Client.Timeout", "context.WithTimeout"
	why   string    // what is not known, of an unknown one
	at    sendEvent // where it is set; nothing for one that is not there
}

func absent(what string) bound       { return bound{state: boundAbsent, what: what} }
func unknown(what, why string) bound { return bound{what: what, why: why} }

func (b bound) String() string {
	switch b.state {
	case boundAbsent:
		return "no " + b.what
	case boundPresent:
		text := b.what
		if b.d > 0 {
			text = fmt.Sprintf("%s of %s", b.what, b.d)
		}
		if b.usual {
			text += " by default"
		}
		return text
	}
	return b.what + " unknown: " + b.why
}

// join is what holds of a bound that is one of two.
func (b bound) join(o bound) bound {
	switch {
	case b.state == o.state && b.d == o.d:
		b.usual = b.usual || o.usual
		return b
	case b.state == boundPresent && o.state == boundUnknown:
		b.usual = true
		return b
	case o.state == boundPresent && b.state == boundUnknown:
		o.usual = true
		return o
	case b.state == boundPresent && o.state == boundPresent:
		b.d = 0
		return b
	}
	return unknown(b.what, "a setting decides")
}

// Bounds is what ends one request. Total, Context and Request cover the body of
// the answer; Header ends with its headers, and bounds no stream.
type Bounds struct {
	Total   bound // http.Client.Timeout
	Context bound // the deadline of the request's context
	Header  bound // Transport.ResponseHeaderTimeout
	Request bound // what a library bounds its requests, or calls, by
	Idle    bound // a library's own limit on the time between two reads
}

// covering returns the bounds that cover the body, those that are there first.
func (b Bounds) covering() []bound {
	var out []bound
	for _, s := range [...]boundState{boundPresent, boundUnknown, boundAbsent} {
		for _, x := range [...]bound{b.Total, b.Context, b.Request} {
			if x.state == s && x.what != "" {
				out = append(out, x)
			}
		}
	}
	return out
}

// Names of bounds, as messages have them.
const (
	totalName    = "http.Client.Timeout"
	deadlineName = "deadline of the context"
	headerName   = "Transport.ResponseHeaderTimeout"
)

// boundsOf returns what ends a request that a call of net/http, or of the shape
// of Client.Do, sends.
func (p *probe) boundsOf(c *flow.Call, s httpSend) Bounds {
	b := Bounds{Total: unknown(totalName, "what sends is not an http.Client"), Header: unknown(headerName, "the transport is not known")}
	name := calleeName(c)
	switch {
	case s.request < 0 && (len(c.Args) == 0 || c.Instr.Signature().Recv() == nil):
		b.Total, b.Header = absent(totalName), absent(headerName) // http.Get and the like use http.DefaultClient
	case isClientMethod(name) && len(c.Args) > 0:
		b.Total = p.clientTimeout(c, c.Args[0])
		b.Header = p.headerTimeout(c, c.Args[0])
	}
	b.Context = absent(deadlineName)
	if s.request >= 0 && s.request < len(c.Args) {
		b.Context = requestDeadline(c.World, c.Args[s.request])
	}
	return b
}

// isClientMethod says whether a function is a method of http.Client.
func isClientMethod(name string) bool { return strings.HasPrefix(name, "(*net/http.Client).") }

// timeoutNote marks an http.Client with the bound that its Timeout is.
const timeoutNote = 0x74696d65

// setAt is the Obj of a note: what was set, and where.
type setAt struct{ bound }

// Detail marks that it keeps no paths apart: the field itself does.
func (*setAt) Detail() {}

// noteTimeout notes where the Timeout of an http.Client is set.
func noteTimeout(at sendEvent, addr, v *flow.Value, w *flow.World) {
	if v.Kind == flow.Struct && v.Type != nil && isHTTP(v.Type, "Client") {
		if n := w.Marked(flow.Mix(v.Sym, timeoutNote)); n != nil && v.Sym != addr.Sym {
			w.MarkOn(addr, flow.Mix(addr.Sym, timeoutNote), n)
		}
		return
	}
	if addr.Base == nil || addr.Base.Type == nil || !isNamed(derefType(addr.Base.Type), "net/http", "Client") {
		return
	}
	if name, _ := fieldOf(addr); name != "Timeout" {
		return
	}
	b := durationBound(totalName, v)
	b.at = at
	w.MarkOn(addr.Base, flow.Mix(addr.Base.Sym, timeoutNote), &flow.Value{Kind: flow.NonNil, Sym: timeoutNote, Obj: &setAt{b}})
}

// durationBound is the bound that a duration makes; zero is none.
func durationBound(what string, v *flow.Value) bound {
	n, known := v.Int()
	switch {
	case known && n <= 0:
		return absent(what)
	case known:
		return bound{state: boundPresent, d: time.Duration(n), what: what}
	}
	return unknown(what, "it is set from "+settingOf(v))
}

// settingOf says where a value that is not known comes from.
func settingOf(v *flow.Value) string {
	switch {
	case v.Taint&flow.Param != 0:
		return "a parameter"
	case v.Taint&flow.Config != 0:
		return "a setting"
	}
	return "a value that is not known here"
}

// clientTimeout returns the Timeout of an http.Client.
func (p *probe) clientTimeout(c *flow.Call, client *flow.Value) bound {
	if n := c.World.Marked(flow.Mix(client.Sym, timeoutNote)); n != nil {
		if s, ok := n.Obj.(*setAt); ok {
			return s.bound
		}
	}
	if client.Global != nil && client.Global.Full() == "net/http.DefaultClient" {
		return absent(totalName)
	}
	if isNil, known := client.IsNil(); known && isNil {
		return unknown(totalName, "the client is nil")
	}
	if client.Kind != flow.Pointer && client.Kind != flow.Struct {
		if client.Taint&flow.Param != 0 {
			return unknown(totalName, "the client is a parameter")
		}
		return unknown(totalName, "where the client is made is not in view")
	}
	t := p.m.prog.ir.Named("net/http", "Client")
	if t == nil {
		return unknown(totalName, "the client is not known")
	}
	v := fieldNamed(c, client, t, "Timeout")
	if v == nil {
		return unknown(totalName, "the client is not known")
	}
	return durationBound(totalName, v)
}

// headerTimeout returns the ResponseHeaderTimeout of the transport of a client.
func (p *probe) headerTimeout(c *flow.Call, client *flow.Value) bound {
	t, transport := p.m.prog.ir.Named("net/http", "Client"), p.m.prog.ir.Named("net/http", "Transport")
	if client.Global != nil && client.Global.Full() == "net/http.DefaultClient" {
		return absent(headerName)
	}
	if t == nil || client.Kind != flow.Pointer && client.Kind != flow.Struct {
		return unknown(headerName, "the client is not known")
	}
	v := fieldNamed(c, client, t, "Transport")
	switch {
	case v == nil:
		return unknown(headerName, "the transport is not known")
	case v.Kind == flow.Nil, v.Global != nil && v.Global.Full() == "net/http.DefaultTransport":
		return absent(headerName)
	case transport == nil, v.Dyn == nil || !isPointerTo(v.Dyn, "net/http", "Transport"):
		return unknown(headerName, "the transport is not known")
	}
	if x := fieldNamed(c, v, transport, "ResponseHeaderTimeout"); x != nil {
		return durationBound(headerName, x)
	}
	return unknown(headerName, "the transport is not known")
}

// contextObj is the Obj of a context of which something is known.
type contextObj struct {
	deadline bound
	scopes   []scope // that it ends with
	own      []bound // every deadline that was set on the way to it, the outermost first
	outer    bound   // the deadline of the context that the first was made of
}

// Detail marks that what is known of contexts keeps no paths apart.
func (*contextObj) Detail() {}

// contextDeadline returns the deadline of a context.
func contextDeadline(ctx *flow.Value) bound {
	if o, ok := ctx.Obj.(*contextObj); ok {
		return o.deadline
	}
	if ctx.Kind == flow.NonNil && ctx.Obj == nil || ctx.Taint&flow.Param != 0 {
		return unknown(deadlineName, "the caller gives the context")
	}
	return unknown(deadlineName, "where the context is made is not in view")
}

// contextNote marks a request with its context.
const contextNote = 0x63747865

// carryContext notes the context that a request carries.
func carryContext(w *flow.World, req, ctx *flow.Value) {
	b := contextDeadline(ctx)
	o, ok := ctx.Obj.(*contextObj)
	if !ok {
		o = &contextObj{deadline: b, outer: b}
	}
	w.MarkOn(req, flow.Mix(req.Sym, contextNote), &flow.Value{Kind: flow.NonNil, Sym: contextNote, Obj: o})
}

// requestContext returns the context that a request carries; nil if nothing is
// known of it.
func requestContext(w *flow.World, req *flow.Value) *contextObj {
	if n := w.Marked(flow.Mix(req.Sym, contextNote)); n != nil {
		o, _ := n.Obj.(*contextObj)
		return o
	}
	return nil
}

// carriedContext is the context of a request, as its method gives it.
func carriedContext(_ *probe, c *flow.Call) *flow.Value {
	v := flow.UnknownValue(c.Sym, 0)
	if o := requestContext(c.World, c.Args[0]); o != nil {
		return withContext(v, o)
	}
	return v
}

// background is context.Background().
func background() *flow.Value {
	return &flow.Value{Kind: flow.NonNil, Sym: 0xbac6, Obj: noDeadline()}
}

func noDeadline() *contextObj {
	return &contextObj{deadline: absent(deadlineName), outer: absent(deadlineName)}
}

// unsetContext is what is known of a context on which no deadline is seen to be set.
func unsetContext(ctx *flow.Value) *contextObj {
	b := contextDeadline(ctx)
	return &contextObj{deadline: b, outer: b}
}

func requestDeadline(w *flow.World, req *flow.Value) bound {
	if o := requestContext(w, req); o != nil {
		return o.deadline
	}
	return unknown(deadlineName, "the request comes from somewhere else")
}

// makesContext decides functions that make contexts: their results are what
// they are for every other question, and what is known of the context with it.
func (p *probe) makesContext(c *flow.Call) *contextObj {
	if c.Callee == nil || c.Callee.Path != "context" {
		return nil
	}
	parent := &contextObj{deadline: absent(deadlineName), outer: absent(deadlineName)}
	if len(c.Args) > 0 {
		if o, ok := c.Args[0].Obj.(*contextObj); ok {
			parent = o
		} else {
			parent = unsetContext(c.Args[0])
		}
	}
	switch c.Callee.Name {
	case "Background", "TODO":
		return noDeadline()
	case "WithoutCancel":
		return noDeadline()
	case "WithValue":
		return parent
	}
	res := c.Instr.Signature().Results()
	if res.Len() != 2 || !isNamed(res.At(0).Type(), "context", "Context") || len(c.Args) == 0 {
		return nil
	}
	ctx := &contextObj{deadline: parent.deadline, scopes: append([]scope{newScope(c)}, parent.scopes...), own: parent.own, outer: parent.outer}
	switch c.Callee.Name {
	case "WithTimeout", "WithTimeoutCause":
		own := bound{state: boundPresent, what: "context." + c.Callee.Name, at: sendEvent{c.Frame, c.Instr}}
		if n, known := c.Args[1].Int(); known {
			own.d = time.Duration(n)
		}
		ctx.deadline, ctx.own = sooner(own, parent.deadline), append(slices.Clip(parent.own), own)
	case "WithDeadline", "WithDeadlineCause":
		own := bound{state: boundPresent, what: "context." + c.Callee.Name, at: sendEvent{c.Frame, c.Instr}}
		ctx.deadline, ctx.own = sooner(own, parent.deadline), append(slices.Clip(parent.own), own)
	}
	return ctx
}

// sooner is the deadline of a context that has one of its own.
func sooner(own, parent bound) bound {
	if parent.state == boundPresent && parent.d > 0 && (own.d == 0 || parent.d < own.d) {
		return parent
	}
	return own
}

// newScope names what one call that makes a context begins.
func newScope(c *flow.Call) scope {
	return scope(flow.Mix(flow.Mix(c.Sym, uint64(c.Instr.Pos)), uint64(c.Instr.Line)))
}

// withContext adds what is known of a context to it.
func withContext(v *flow.Value, ctx *contextObj) *flow.Value {
	x := *v
	x.Obj = ctx
	return &x
}

// senderLimits is what bounds the requests of a client of a known library.
type senderLimits struct{ client, request, idle bound }

// joinLimits is what holds of a client that is one of two.
func joinLimits(a, b senderLimits) senderLimits {
	return senderLimits{a.client.join(b.client), a.request.join(b.request), a.idle.join(b.idle)}
}

// unlimited is what a library's client is bounded by unless it is told: the SDKs
// in the tables end nothing but the wait for the headers.
func unlimited() senderLimits {
	return senderLimits{absent(totalName), absent("request timeout"), absent("read timeout")}
}

// anyLimits is what bounds a client whose options are not known.
func anyLimits() senderLimits {
	const why = "an option is not known here"
	return senderLimits{unknown(totalName, why), unknown("request timeout", why), unknown("read timeout", why)}
}

// beneathTimeout returns the Timeout of the HTTP client that a library's client
// is given; what only looks like one has none of its own. The place is that of
// the call, where the client's own is in another package.
func (p *probe) beneathTimeout(c *flow.Call, client *flow.Value) bound {
	t := client.Dyn
	if t == nil {
		t = client.Type
	}
	var b bound
	switch {
	case t != nil && isPointerTo(t, "net/http", "Client"), client.Global != nil:
		b = p.clientTimeout(c, client)
	default:
		b = unknown(totalName, "where the client is made is not in view")
	}
	if b.state == boundPresent && (b.at.frame == nil || !b.at.frame.Fn.Local) {
		b.at = sendEvent{c.Frame, c.Instr}
	}
	return b
}

// boundsOfCall returns what ends a call of a known library's client.
func (s *sender) boundsOfCall(ctx *flow.Value) Bounds {
	b := Bounds{Total: s.limits.client, Request: s.limits.request, Idle: s.limits.idle, Context: absent(deadlineName), Header: unknown(headerName, "the library decides")}
	if ctx != nil {
		b.Context = contextDeadline(ctx)
	}
	return b
}

// timeoutSetting is an option of a known library that bounds something.
func (p *probe) timeoutSetting(c *flow.Call, e apis.Entry) *setting {
	x := &setting{place: c.Instr}
	if e.Symbol.Arg < 0 || e.Symbol.Arg >= len(c.Args) {
		return x
	}
	what := e.Library.Name + "'s " + shortName(c)
	b := durationBound(what, c.Args[e.Symbol.Arg])
	b.at = sendEvent{c.Frame, c.Instr}
	switch e.Symbol.Covers {
	case apis.EachAttempt, apis.WholeCall:
		x.limit = func(s *sender) { s.limits.request = b }
	case apis.BetweenReads:
		x.limit = func(s *sender) { s.limits.idle = b }
	}
	return x
}
