package policy

import (
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// exchange decides what a function of a known library does that sends one
// request.
func (p *probe) exchange(c *flow.Call) (flow.Action, bool) {
	if c.Callee == nil {
		return flow.Action{}, false
	}
	ex, ok := apis.ExchangeOf(c.Callee.FullName())
	if !ok || ex.Request >= len(c.Args) {
		return flow.Action{}, false
	}
	o := p.exchanged(c, ex)
	result := func(out outcome, w *flow.World, followed bool) *flow.Value {
		return p.exchangeResult(c, out, w, followed)
	}
	if !p.follows(o) {
		return flow.Action{Handled: true, Value: result(success, c.World, false)}, true
	}
	return p.attempt(c, o, result), true
}

// exchanged is the operation that the description of a request stands for.
func (p *probe) exchanged(c *flow.Call, ex apis.Exchange) operation {
	req := c.Args[ex.Request]
	params := c.Callee.Params
	field := func(name string) *flow.Value {
		return loadField(c, req, params[ex.Request].Type, name)
	}
	method, url, header, body := field(ex.Method), field(ex.URL), field(ex.Header), field(ex.Body)
	// The library may choose another host for every attempt, so that the URL
	// tells operations apart only as far as it is known.
	o := operation{ident: flow.Mix(flow.Mix(0xe8c4, req.Sym), c.Identity(body))}
	for _, t := range texts(c.World, url) {
		o.ident = flow.Mix(o.ident, flow.HashString(t))
	}
	if text, ok := method.Str(); ok {
		o.method = strings.ToUpper(text)
		o.given = method.Taint&assumed != 0
		o.ours = method.Taint&chosenHere != 0
	}
	o.urls = texts(c.World, url)
	o.bodies = slices.Concat(texts(c.World, body), texts(c.World, header))
	o.path = url.Taint&flow.Param != 0
	o.key = max(p.bodyKey(c, body, keyAbsent), markedKey(c.World, header), markedKey(c.World, req))
	o.keyValue = notedKeyValue(c.World, header)
	if o.keyValue == nil {
		o.keyValue = keyValueOf(c.World, body)
	}
	if elsewhereKey(c.World) {
		o.key = keyPresent
	}
	if body.Dyn != nil && isReader(body.Dyn) {
		o.body = bodyOf(body)
	}
	return o
}

// exchangeResult gives the answer, in what the library wraps it in, and the error.
func (p *probe) exchangeResult(c *flow.Call, out outcome, w *flow.World, followed bool) *flow.Value {
	plain := p.result(c, out, w, followed)
	results := c.Instr.Signature().Results()
	if results.Len() != 2 || len(plain.Elems) != 2 {
		return plain
	}
	answer, err := plain.Elems[0], plain.Elems[1]
	wrapped := &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(answer.Sym, 0xe8c5), Taint: answer.Taint, Type: results.At(0).Type()}
	wrapped.Root = wrapped.Sym
	if st := structOf(wrapped.Type); st != nil {
		for i := range st.NumFields() {
			t := st.Field(i).Type()
			if !isPointerTo(t, "net/http", "Response") {
				continue
			}
			if answer.Kind == flow.NonNil {
				answer = p.answer(c, t, out, w, answer.Taint)
			}
			w.Set(flow.FieldAddr(wrapped.Sym, i), wrapped.Root, answer)
		}
	}
	return flow.TupleValue(wrapped, err)
}
