package policy

import (
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// throughTransport goes through the RoundTripper that is known to stand under
// an http.Client, as (*http.Client).Do does.
func (p *probe) throughTransport(c *flow.Call, s httpSend) (flow.Action, bool) {
	if !strings.HasPrefix(calleeName(c), "(*net/http.Client).") || len(c.Args) == 0 {
		return flow.Action{}, false
	}
	client := c.Args[0]
	t := p.m.prog.ir.Named("net/http", "Client")
	if t == nil || structOf(t) == nil {
		return flow.Action{}, false
	}
	transport := fieldNamed(c, client, t, "Transport")
	if transport == nil {
		return flow.Action{}, false
	}
	transport = c.World.Chosen(transport)
	if each := flow.Choices(transport, func(c *flow.Call, _ *flow.Value) flow.Action {
		if a, ok := p.send(c); ok {
			return a
		}
		return flow.Action{Handled: true, Value: p.External(c)}
	}); each != nil {
		return flow.Action{Choices: each}, true
	}
	if transport.Dyn == nil {
		return flow.Action{}, false
	}
	fn := p.m.prog.lookup(transport.Dyn, roundTrip())
	if fn == nil || !fn.HasBody() {
		return flow.Action{}, false
	}
	var req *flow.Value
	if s.request >= 0 {
		req = c.Args[s.request]
	} else {
		req = p.impliedRequest(c, s)
	}
	if p.scout[fn] {
		with := *c
		with.Callee, with.Args = fn, []*flow.Value{transport, req}
		if p.givesUnsafe(&with) {
			return flow.Action{End: true, Res: flow.Result{Reach: sentAgain}}, true
		}
		return flow.Action{Handled: true, Value: p.External(c)}, true
	}
	return flow.Action{Invoke: &flow.Value{Kind: flow.Func, Fn: fn}, Args: []*flow.Value{transport, req}}, true
}

// roundTrip returns a call of RoundTripper's method, for lookups.
func roundTrip() *ir.Node {
	return &ir.Node{Op: ir.Call, Name: "RoundTrip", Full: "(net/http.RoundTripper).RoundTrip"}
}

// impliedRequest makes the request that the short forms make: Get, Post, PostForm.
func (p *probe) impliedRequest(c *flow.Call, s httpSend) *flow.Value {
	body := flow.NilValue()
	if s.body >= 0 {
		body = c.Args[s.body]
	}
	return p.makeRequest(c, flow.StringValue(s.method), c.Args[s.url], body)
}
