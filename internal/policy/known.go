package policy

import (
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// A handler gives the result of a call that the model knows; nil leaves it to
// the machine.
type handler func(p *probe, c *flow.Call) *flow.Value

// known are functions of the standard library that decide what happens after
// an attempt, or make requests. The table is read only.
var known = map[string]handler{
	"net/http.NewRequest":             func(p *probe, c *flow.Call) *flow.Value { return p.newRequest(c, 0) },
	"net/http.NewRequestWithContext":  func(p *probe, c *flow.Call) *flow.Value { return p.newRequest(c, 1) },
	"(*net/http.Request).Clone":       sameRequest,
	"(*net/http.Request).WithContext": sameRequest,
	"(*net/http.Request).Context":     func(_ *probe, c *flow.Call) *flow.Value { return flow.UnknownValue(c.Sym, 0) },
	"(net/http.Header).Get":           headerGet,
	"(net/http.Header).Values":        headerGet,
	"(net/http.Header).Clone":         func(_ *probe, c *flow.Call) *flow.Value { return c.Args[0] },

	"(context.Context).Err":   func(*probe, *flow.Call) *flow.Value { return flow.NilValue() },
	"context.Cause":           func(*probe, *flow.Call) *flow.Value { return flow.NilValue() },
	"(context.Context).Value": func(_ *probe, c *flow.Call) *flow.Value { return flow.UnknownValue(c.Sym, fromRequest) },
	"(context.Context).Deadline": func(_ *probe, c *flow.Call) *flow.Value {
		return flow.TupleValue(flow.UnknownValue(c.Sym, 0), flow.UnknownValue(flow.Mix(c.Sym, 1), 0))
	},

	"errors.New":    newError,
	"fmt.Errorf":    newError,
	"errors.Join":   newError,
	"errors.Is":     errorsIs,
	"errors.As":     errorsAs,
	"errors.AsType": errorsAsType,
	"errors.Unwrap": func(_ *probe, c *flow.Call) *flow.Value {
		if e, ok := c.Args[0].Obj.(*attemptError); ok && e.wraps != nil && !e.opaque {
			return e.wraps
		}
		return nil
	},
	"os.IsTimeout": func(_ *probe, c *flow.Call) *flow.Value {
		if e, ok := c.Args[0].Obj.(*attemptError); ok && !e.opaque && e.wraps == nil {
			return flow.BoolValue(e.fault == faultTimeout)
		}
		return nil
	},
	"(error).Error":              errorString,
	"(net.Error).Error":          errorString,
	"(net.Error).Timeout":        func(_ *probe, c *flow.Call) *flow.Value { return faultIs(c, faultTimeout) },
	"(net.Error).Temporary":      func(_ *probe, c *flow.Call) *flow.Value { return faultIs(c, faultTimeout) },
	"(*net/url.Error).Timeout":   func(_ *probe, c *flow.Call) *flow.Value { return faultIs(c, faultTimeout) },
	"(*net/url.Error).Temporary": func(_ *probe, c *flow.Call) *flow.Value { return faultIs(c, faultTimeout) },
	"(*net/url.Error).Error":     errorString,

	"strings.ToUpper":                 textFunc(strings.ToUpper),
	"strings.ToLower":                 textFunc(strings.ToLower),
	"strings.TrimSpace":               textFunc(strings.TrimSpace),
	"strings.EqualFold":               textTest(strings.EqualFold),
	"strings.HasPrefix":               textTest(strings.HasPrefix),
	"strings.HasSuffix":               textTest(strings.HasSuffix),
	"strings.Contains":                textContains,
	"slices.Contains":                 sliceContains,
	"strings.NewReader":               reader,
	"bytes.NewReader":                 reader,
	"bytes.NewBuffer":                 reader,
	"bytes.NewBufferString":           reader,
	"io.NopCloser":                    reader,
	"encoding/json.Marshal":           marshal,
	"encoding/json.NewEncoder":        newEncoder,
	"(*encoding/json.Encoder).Encode": encode,
	"encoding/xml.NewEncoder":         newEncoder,
	"(*encoding/xml.Encoder).Encode":  encode,
	"encoding/json.MarshalIndent":     marshal,
	"encoding/xml.Marshal":            marshal,
	"(net/url.Values).Encode":         reader,
	"fmt.Sprintf":                     join,
	"fmt.Sprint":                      join,
	"net/url.JoinPath":                joinErr,
	"net/url.Parse":                   joinErr,
	"(*net/url.URL).JoinPath":         urlText,
	"(*net/url.URL).String":           urlText,
	"path.Join":                       join,
	"strings.Join":                    join,
	"strings.TrimRight":               join,
	"strings.TrimSuffix":              join,
	"strings.ReplaceAll":              join,
}

func (p *probe) newRequest(c *flow.Call, method int) *flow.Value {
	m := c.Args[method]
	if isEmpty(m) {
		m = flow.StringValue("GET")
	}
	return flow.TupleValue(p.makeRequest(c, m, c.Args[method+1], c.Args[method+2]), flow.NilValue())
}

// makeRequest makes a request as net/http's constructors do.
func (p *probe) makeRequest(c *flow.Call, m, url, body *flow.Value) *flow.Value {
	r := &requestObj{urls: texts(c.World, url), bodies: texts(c.World, body), body: body, path: url.Taint&flow.Param != 0}
	r.bodyKey = p.bodyKey(c, body, keyAbsent)
	sym := flow.Mix(flow.Mix(flow.Mix(0x4e0, m.Sym), urlIdentity(c, url)), c.Identity(body))
	req := &flow.Value{Kind: flow.NonNil, Sym: sym, Root: sym, Obj: r, Type: p.m.requestType()}
	setField(c, req, req.Type, "Method", m.With(fromMethod))
	header := &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(sym, 0x4ead), Obj: headerObj{}}
	setField(c, req, req.Type, "Header", header)
	clearKey(c.World, header) // a request of an earlier round may have had this name
	clearKey(c.World, req)
	return req
}

func isEmpty(v *flow.Value) bool { s, ok := v.Str(); return ok && s == "" }

func sameRequest(_ *probe, c *flow.Call) *flow.Value { return c.Args[0] }

// headerGet answers for the key: a request whose key is not known has none in
// the question that is asked.
func headerGet(p *probe, c *flow.Call) *flow.Value {
	if len(c.Args) < 2 {
		return nil
	}
	text, ok := c.Args[1].Str()
	if !ok || !isKeyHeader(text) {
		return nil
	}
	if markedKey(c.World, c.Args[0]) != keyAbsent {
		return flow.UnknownValue(c.Sym, fromRequest)
	}
	if shortName(c) == "Values" {
		return flow.NilValue()
	}
	return flow.StringValue("")
}

func textFunc(f func(string) string) handler {
	return func(_ *probe, c *flow.Call) *flow.Value {
		if e, ok := c.Args[0].Obj.(errorText); ok {
			return &flow.Value{Sym: c.Sym, Taint: fromOutcome, Obj: e}
		}
		if s, ok := c.Args[0].Str(); ok {
			return flow.StringValue(f(s)).With(c.Args[0].Taint)
		}
		return nil
	}
}

func textTest(f func(a, b string) bool) handler {
	return func(_ *probe, c *flow.Call) *flow.Value {
		a, ok1 := c.Args[0].Str()
		b, ok2 := c.Args[1].Str()
		if ok1 && ok2 {
			return flow.BoolValue(f(a, b)).With(c.Taint)
		}
		return nil
	}
}

func textContains(p *probe, c *flow.Call) *flow.Value {
	if e, ok := c.Args[0].Obj.(errorText); ok {
		if part, ok := c.Args[1].Str(); ok {
			return flow.BoolValue(e.fault.contains(part))
		}
	}
	return textTest(strings.Contains)(p, c)
}

func sliceContains(p *probe, c *flow.Call) *flow.Value {
	s, x := c.Args[0], c.Args[1]
	if s.Global != nil && x.Kind == flow.Const {
		if table, ok := p.m.table(s.Global); ok {
			_, in := table.values[x.C.ExactString()]
			return flow.BoolValue(in).With(x.Taint)
		}
	}
	n, ok := s.Obj.(flow.SliceLen)
	if !ok || x.Kind != flow.Const {
		return nil
	}
	for i := range int(n) {
		v := c.World.Get(flow.Mix(flow.Mix(s.Sym, 7), flow.IntValue(int64(i)).Sym))
		if v == nil || v.Kind != flow.Const {
			return nil
		}
		if v.Sym == x.Sym {
			return flow.BoolValue(true).With(x.Taint)
		}
	}
	return flow.BoolValue(false).With(x.Taint)
}
