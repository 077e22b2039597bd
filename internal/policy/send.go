package policy

import (
	"go/types"
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// httpSend says how a function of net/http makes its request: the method if
// the function decides it, and where URL, body and request stand among the
// arguments, the receiver included; -1 for none.
type httpSend struct {
	method             string
	url, body, request int
}

// httpSends are the functions of net/http that send (net/http/client.go, go1.26).
var httpSends = map[string]httpSend{
	"net/http.Get":                      {"GET", 0, -1, -1},
	"net/http.Head":                     {"HEAD", 0, -1, -1},
	"net/http.Post":                     {"POST", 0, 2, -1},
	"net/http.PostForm":                 {"POST", 0, 1, -1},
	"(*net/http.Client).Get":            {"GET", 1, -1, -1},
	"(*net/http.Client).Head":           {"HEAD", 1, -1, -1},
	"(*net/http.Client).Post":           {"POST", 1, 3, -1},
	"(*net/http.Client).PostForm":       {"POST", 1, 2, -1},
	"(*net/http.Client).Do":             {"", -1, -1, 1},
	"(*net/http.Transport).RoundTrip":   {"", -1, -1, 1},
	"(net/http.RoundTripper).RoundTrip": {"", -1, -1, 1},
	"(*net/http.Client).do":             {"", -1, -1, 1},
}

// responseObj is the Obj of a response.
type responseObj struct{ status int }

// sendOf recognises a call that sends.
func (p *probe) sendOf(c *flow.Call) (httpSend, bool) {
	if c.Callee != nil && c.Callee.HasBody() {
		return httpSend{}, false // its code is known: go into it
	}
	if s, ok := httpSends[calleeName(c)]; ok {
		return s, true
	}
	sig := c.Instr.Signature()
	if c.Callee == nil && !c.Instr.IsInvoke() {
		// a function value of the shape of Client.Do
		return httpSend{"", -1, -1, 0}, isExchange(sig)
	}
	method := c.Instr.IsInvoke() || sig.Recv() != nil
	return httpSend{"", -1, -1, 1}, method && isDoerName(shortName(c)) && isExchange(sig)
}

// send decides what a call that sends does on this path.
func (p *probe) send(c *flow.Call) (flow.Action, bool) {
	if a, ok := p.exchange(c); ok {
		return a, true
	}
	s, ok := p.sendOf(c)
	if !ok || (s.request >= 0 && s.request >= len(c.Args)) {
		return flow.Action{}, false
	}
	if p.taken != nil {
		p.taken.through(c, s)
	}
	if a, ok := p.throughTransport(c, s); ok {
		return a, true
	}
	o := p.operation(c, s)
	if p.mode == hedged {
		a, ok := p.hedgedSend(c, o)
		if !ok {
			a = flow.Action{Handled: true, Value: p.result(c, success, c.World, false)}
		}
		return a, true
	}
	state := stateOf(c.World)
	works := func() flow.Action {
		if p.mode == usedBody {
			markUsed(c.World, o.body)
		}
		return flow.Action{Handled: true, Value: p.result(c, success, c.World, false)}
	}
	if !p.follows(o) {
		if o.key == keyPresent && state == nil {
			c.World.Mark(keyedNote, &flow.Value{Sym: o.ident, Obj: keyedAt{c.Instr}})
		}
		return works(), true
	}
	return p.attempt(c, o, func(out outcome, w *flow.World, followed bool) *flow.Value { return p.result(c, out, w, followed) }), true
}

// attempt makes an attempt of an operation that is followed.
func (p *probe) attempt(c *flow.Call, o operation, result func(o outcome, w *flow.World, followed bool) *flow.Value) flow.Action {
	if p.taken != nil {
		return p.taken.attempt(c, o, result)
	}
	if p.mode == stacked {
		return p.stackedAttempt(c, o, result)
	}
	state := stateOf(c.World)
	if state == nil {
		first := c.World.Clone()
		a := &attempt{ident: o.ident, first: sendEvent{c.Frame, c.Instr}, method: o.method, given: o.given, ours: o.ours, key: o.key, n: 1}
		if o.keyValue != nil {
			a.sym = o.keyValue.Sym
		}
		first.State, first.StateHash = a, flow.Mix(flow.Mix(o.ident, 1), a.sym)
		if p.mode == usedBody {
			markUsed(first, o.body)
		}
		return flow.Action{Fork: []flow.Alternative{
			{World: first, Value: result(p.outcome, first, true)},
			{World: c.World, Value: result(success, c.World, false)},
		}}
	}
	if state.ident != o.ident {
		return flow.Action{Handled: true, Value: result(success, c.World, false)}
	}
	if p.count && state.n >= maxCount {
		return flow.Action{End: true, Res: flow.Result{Reach: maxCount}}
	}
	if p.count {
		next := *state
		next.n++
		c.World.State, c.World.StateHash = &next, flow.Mix(o.ident, uint64(next.n))
		return flow.Action{Handled: true, Value: result(p.outcome, c.World, true)}
	}
	w := &witness{attempt: state, second: sendEvent{c.Frame, c.Instr}, urls: o.urls, bodies: o.bodies, path: o.path}
	res := flow.Result{Reach: sentAgain, Witness: w}
	at := p.m.repetitionOf(state.first, w.second)
	switch {
	case p.skip[at] || p.only.fn != nil && p.only != at || !p.wrong(c, o, w):
		res = flow.Result{Reach: sentOnce}
	case p.mode == noKey && (o.key == keyUnknown || state.key == keyUnknown):
		res.Reach = maybeSent
		w.doubt = true
	}
	return flow.Action{End: true, Res: res}
}

// wrong says whether a second attempt is what the probe looks for.
func (p *probe) wrong(c *flow.Call, o operation, w *witness) bool {
	switch p.mode {
	case freshKey:
		if p.optimist {
			return true
		}
		made, ok := p.isFresh(c, o, w.attempt)
		w.made = made
		return ok
	case usedBody:
		w.body, w.built = usedReader(c.World, o.body, 0), o.built
		return w.body != nil
	case leak:
		return p.optimist || isOpen(c.World)
	}
	return true
}

// keyedAt is the Obj of the note that an operation went out with a key: where.
type keyedAt struct{ call *ir.Node }

// keyedNote is the mark of a path on which an operation went out with a key.
const keyedNote = 0x6b3d

// maxCount is where counting attempts ends.
const maxCount = 24

// operation is what is known of the request that a call sends.
type operation struct {
	method       string // upper case, empty if unknown
	given        bool
	ours         bool
	ident        uint64
	key          keyState
	urls, bodies []string
	path         bool // the caller gives a part of the URL
	keyValue     *flow.Value
	body         *flow.Value // nil for none
	sender       *sender     // of a library's call, which it sends again by itself
	library      string      // whose call it is, in an inventory
	built        sendEvent   // of a request that was made after the first attempt
}

func (p *probe) operation(c *flow.Call, s httpSend) operation {
	if s.request < 0 {
		o := operation{method: s.method, ours: c.Frame.Fn.Local, key: keyAbsent, ident: flow.HashString(s.method)}
		if s.url >= 0 {
			o.ident = flow.Mix(o.ident, p.urlIdentity(c, c.Args[s.url]))
			o.urls = texts(c.World, c.Args[s.url])
			o.path = c.Args[s.url].Taint&flow.Param != 0
			o.keyValue = keyValueOf(c.World, c.Args[s.url])
		}
		if s.body >= 0 {
			o.ident = flow.Mix(o.ident, c.Identity(c.Args[s.body]))
			o.bodies = texts(c.World, c.Args[s.body])
			if s.body == s.url+2 { // between them stands the content type
				o.bodies = slices.Concat(o.bodies, texts(c.World, c.Args[s.url+1]))
			}
			p.readBody(c, c.Args[s.body])
			o.key = p.bodyKey(c, c.Args[s.body], o.key)
			if !isNamed(c.Instr.Signature().Params().At(c.Instr.Signature().Params().Len()-1).Type(), "net/url", "Values") {
				o.body = bodyOf(c.Args[s.body]) // of a form, net/http makes a reader each time
			}
			if k := keyValueOf(c.World, c.Args[s.body]); k != nil {
				o.keyValue = k
			}
		}
		if elsewhereKey(c.World) {
			o.key = keyPresent
		}
		if p.m.keyedTransport || len(c.Args) > 0 && p.m.im.keyed[globalPath(c.Args[0])] {
			o.key = max(o.key, keyUnknown)
		}
		return o
	}
	req := c.Args[s.request]
	o := operation{ident: originOf(c.World, req), key: p.requestKey(c, req), keyValue: p.requestKeyValue(c, req)}
	o.body = p.requestBody(c, req, requestType(c, s.request))
	made := req.Fresh && !isCopy(c.World, req) // as a literal
	if !made {
		o.ident = flow.Mix(o.ident, urlParts(c, req, requestType(c, s.request)))
	}
	if r, ok := req.Obj.(*requestObj); ok {
		p.readBody(c, r.body)
		h := loadField(c, req, requestType(c, s.request), "Header")
		o.urls, o.path = r.urls, r.path
		if r.again {
			o.built = r.built
		}
		o.bodies = slices.Concat(r.bodies, texts(c.World, h))
	}
	if _, ok := req.Obj.(madeElsewhere); ok {
		return o
	}
	m := loadField(c, req, requestType(c, s.request), "Method")
	if text, ok := m.Str(); ok {
		o.method = strings.ToUpper(text)
		if o.method == "" {
			o.method = "GET"
		}
		o.given = m.Taint&assumed != 0
		o.ours = m.Taint&chosenHere != 0
	}
	if made { // what it is made of tells whether it is the same
		o.ident = flow.Mix(flow.Mix(originOf(c.World, req), m.Sym), c.Identity(loadField(c, req, requestType(c, s.request), "URL")))
	}
	return o
}

// readBody notes that sending reads the body: what a reader that somebody wrote
// keeps count of is not known afterwards.
func (p *probe) readBody(c *flow.Call, body *flow.Value) {
	if body.Dyn == nil {
		return
	}
	if n, ok := derefNamed(body.Dyn); ok && n.Obj().Pkg() != nil && !standardPath(n.Obj().Pkg().Path()) {
		c.Fill(body.With(fromOutcome))
	}
}

func requestType(c *flow.Call, arg int) types.Type {
	sig := c.Instr.Signature()
	i := arg
	if sig.Recv() != nil || c.Instr.IsInvoke() {
		i--
	}
	if i >= 0 && i < sig.Params().Len() {
		return sig.Params().At(i).Type()
	}
	return nil
}

// loadField reads a field of the struct that v points to.
func loadField(c *flow.Call, v *flow.Value, t types.Type, name string) *flow.Value {
	if t == nil {
		return flow.UnknownValue(v.Sym, 0)
	}
	if ptr, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		if x := fieldNamed(c, v, ptr.Elem(), name); x != nil {
			return x
		}
	}
	return flow.UnknownValue(v.Sym, 0)
}

// fieldNamed reads a field of the struct of type t that v points to; nil if it
// has none of that name.
func fieldNamed(c *flow.Call, v *flow.Value, t types.Type, name string) *flow.Value {
	st, ok := types.Unalias(t).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for i := range st.NumFields() {
		if f := st.Field(i); f.Name() == name {
			base := *v
			base.Type = types.NewPointer(t)
			return c.Load(&flow.Value{Kind: flow.Pointer, Sym: flow.FieldAddr(v.Sym, i), Root: v.Root, Fresh: v.Fresh,
				Taint: v.Taint, Base: &base, Field: i, Type: types.NewPointer(f.Type())}, f.Type())
		}
	}
	return nil
}

// setField sets a field of the struct that v points to.
func setField(c *flow.Call, v *flow.Value, t types.Type, name string, x *flow.Value) {
	st := structOf(t)
	if st == nil {
		return
	}
	for i := range st.NumFields() {
		if st.Field(i).Name() == name {
			c.World.Set(flow.FieldAddr(v.Sym, i), v.Root, x)
		}
	}
}

// urlIdentity is the identity of a URL without its host, where the two can be
// told apart: the same request to another host is another attempt.
func (p *probe) urlIdentity(c *flow.Call, url *flow.Value) uint64 {
	if p.mode == stacked {
		return c.Identity(url) // which host bears the attempts is what counts
	}
	var parts []*flow.Value
	var flatten func(v *flow.Value)
	flatten = func(v *flow.Value) {
		if cc, ok := v.Obj.(flow.Concat); ok {
			flatten(cc.Left)
			flatten(cc.Right)
			return
		}
		parts = append(parts, v)
	}
	flatten(url)
	for i, v := range parts {
		if text, ok := v.Str(); ok && i > 0 && strings.HasPrefix(text, "/") {
			parts = parts[i:]
			break
		}
	}
	h := uint64(0)
	for _, v := range parts {
		h = flow.Mix(h, c.Identity(v))
	}
	return h
}

// urlParts tells requests apart whose URL was changed after they were made.
func urlParts(c *flow.Call, req *flow.Value, t types.Type) uint64 {
	u := loadField(c, req, t, "URL")
	h := u.Sym
	for i := range maxURLFields {
		if x := c.World.Get(flow.FieldAddr(u.Sym, i)); x != nil {
			h = flow.Mix(h, flow.Mix(uint64(i), c.Identity(x)))
		}
	}
	return h
}

// maxURLFields is more than net/url.URL has.
const maxURLFields = 16

// follows says whether the operation is one that the run asks about.
func (p *probe) follows(o operation) bool {
	switch p.mode {
	case freshKey:
		return o.keyValue != nil
	case usedBody:
		return o.body != nil
	case leak:
		return o.method != "HEAD"
	case repeats, stacked:
		return true
	}
	if o.key == keyPresent || o.method == "" {
		return false
	}
	if o.given {
		return true // assumed: what the run asks about
	}
	return p.assume != readMethod && p.m.unsafe(o.method)
}

// readMethod is the safe method with which runs are repeated, to see whether
// a condition holds for unsafe ones only.
const readMethod = "GET"

// result gives a sending call its results for an outcome.
func (p *probe) result(c *flow.Call, o outcome, w *flow.World, followed bool) *flow.Value {
	var taint flow.Taint
	if followed {
		taint = fromOutcome
	}
	nilErr := flow.NilValue()
	if o.status == 0 && o.fault == noFault {
		return flow.TupleValue(flow.UnknownValue(0xa11, taint), flow.UnknownValue(0xa12, taint))
	}
	if o.fault != noFault {
		err := &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(0xe4404, uint64(o.fault)), Taint: taint, Obj: &attemptError{fault: o.fault}}
		return flow.TupleValue(flow.NilValue(), err)
	}
	if followed && p.mode == leak {
		w.Mark(openNote, flow.BoolValue(true))
	}
	results := c.Instr.Signature().Results()
	resp := p.answer(c, results.At(0).Type(), o, w, taint)
	if s, ok := p.sendOf(c); ok && s.request >= 0 && s.request < len(c.Args) && resp.Type != nil {
		cc := *c
		cc.World = w
		setField(&cc, resp, resp.Type, "Request", c.Args[s.request])
	}
	if results.Len() == 1 {
		return resp
	}
	return flow.TupleValue(resp, nilErr)
}

// answer makes the response of an outcome that has one.
func (p *probe) answer(c *flow.Call, t types.Type, o outcome, w *flow.World, taint flow.Taint) *flow.Value {
	resp := &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(flow.Mix(0x4e59, uint64(o.status)), uint64(taint)), Taint: taint, Obj: &responseObj{o.status}}
	resp.Root = resp.Sym
	if !isPointerTo(t, "net/http", "Response") {
		return resp
	}
	resp.Type = t
	status := flow.IntValue(int64(o.status)).With(taint)
	if o.status == success.status {
		status = status.With(anySuccess)
	}
	cc := *c
	cc.World = w
	setField(&cc, resp, t, "StatusCode", status)
	return resp
}

// chain lists the frames that were active, innermost first.
func (e sendEvent) chain() []*flow.Frame {
	var fs []*flow.Frame
	for f := e.frame; f != nil; f = f.Parent {
		fs = append(fs, f)
	}
	return fs
}
