package policy

import (
	"go/types"
	"regexp"
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
	"(*net/http.Request).Clone":       cloneRequest,
	"(*net/http.Request).WithContext": cloneRequest,
	"(*net/http.Request).Context":     carriedContext,
	"(net/http.Header).Get":           headerGet,
	"(net/http.Header).Values":        headerGet,
	"(net/http.Header).Clone":         func(_ *probe, c *flow.Call) *flow.Value { return c.Args[0] },

	"(context.Context).Err":   func(*probe, *flow.Call) *flow.Value { return flow.NilValue() },
	"context.Cause":           func(*probe, *flow.Call) *flow.Value { return flow.NilValue() },
	"(context.Context).Value": func(_ *probe, c *flow.Call) *flow.Value { return flow.UnknownValue(c.Sym, fromRequest) },
	"(context.Context).Deadline": func(_ *probe, c *flow.Call) *flow.Value {
		return flow.TupleValue(flow.UnknownValue(c.Sym, 0), flow.UnknownValue(flow.Mix(c.Sym, 1), 0))
	},

	"errors.New":  newError,
	"fmt.Errorf":  newError,
	"errors.Join": newError,
	// It does not run what it is given, and what it returns does so once.
	"sync.OnceFunc": func(_ *probe, c *flow.Call) *flow.Value { return c.Args[0] },
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
	"(error).Error":                errorString,
	"(net.Error).Error":            errorString,
	"(net.Error).Timeout":          func(_ *probe, c *flow.Call) *flow.Value { return faultIs(c, faultTimeout) },
	"(net.Error).Temporary":        func(_ *probe, c *flow.Call) *flow.Value { return faultIs(c, faultTimeout) },
	"(*net/url.Error).Timeout":     func(_ *probe, c *flow.Call) *flow.Value { return faultIs(c, faultTimeout) },
	"(*net/url.Error).Temporary":   func(_ *probe, c *flow.Call) *flow.Value { return faultIs(c, faultTimeout) },
	"(*net/url.Error).Error":       errorString,
	"(*regexp.Regexp).MatchString": matchText,

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
	"io/ioutil.NopCloser":             reader,
	"io.TeeReader":                    wrapReader,
	"io.LimitReader":                  wrapReader,
	"io.MultiReader":                  wrapReader,
	"bufio.NewReader":                 wrapReader,
	"bufio.NewReaderSize":             wrapReader,
	"encoding/json.Marshal":           marshal,
	"encoding/json.NewEncoder":        newEncoder,
	"(*encoding/json.Encoder).Encode": encode,
	"encoding/xml.NewEncoder":         newEncoder,
	"(*encoding/xml.Encoder).Encode":  encode,
	"encoding/json.MarshalIndent":     marshal,
	"encoding/xml.Marshal":            marshal,
	"(net/url.Values).Encode":         reader,
	"cmp.Or":                          firstSet,
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
	req := p.makeRequest(c, m, c.Args[method+1], c.Args[method+2])
	if method > 0 {
		carryContext(c.World, req, c.Args[0])
	}
	return flow.TupleValue(req, flow.NilValue())
}

// makeRequest makes a request as net/http's constructors do.
func (p *probe) makeRequest(c *flow.Call, m, url, body *flow.Value) *flow.Value {
	r := &requestObj{url: url, urls: texts(c.World, url), bodies: texts(c.World, body), body: body, path: url.Taint&flow.Param != 0, built: sendEvent{c.Frame, c.Instr}, again: stateOf(c.World) != nil}
	r.bodyKey = p.bodyKey(c, body, keyAbsent)
	sym := flow.Mix(flow.Mix(flow.Mix(0x4e0, m.Sym), p.urlIdentity(c, url)), c.Identity(body))
	req := &flow.Value{Kind: flow.NonNil, Sym: sym, Root: sym, Obj: r, Type: p.m.requestType()}
	setField(c, req, req.Type, "Method", m.With(fromMethod))
	setField(c, req, req.Type, "Body", body)
	setField(c, req, req.Type, "GetBody", getBody(sym, body))
	header := &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(sym, 0x4ead), Root: sym, Obj: headerObj{}}
	setField(c, req, req.Type, "Header", header)
	r.keyValue = keyValueOf(c.World, body)
	if r.keyValue == nil {
		r.keyValue = keyValueOf(c.World, url)
	}
	clearKey(c.World, header) // a request of an earlier round may have had this name
	clearKey(c.World, req)
	carryContext(c.World, req, background())
	return req
}

// getBody is the GetBody that a new request gets: net/http makes one for three
// types of readers (request.go:NewRequestWithContext, go1.26).
func getBody(sym uint64, body *flow.Value) *flow.Value {
	isNil, known := body.IsNil()
	switch {
	case known && isNil && body.Dyn == nil:
		return flow.NilValue()
	case body.Dyn == nil:
		return flow.UnknownValue(flow.Mix(sym, 0x6e7b), body.Taint)
	case isBuffer(body.Dyn) || isNoBody(body):
		return &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(sym, 0x6e7b)}
	}
	return flow.NilValue()
}

func isEmpty(v *flow.Value) bool { s, ok := v.Str(); return ok && s == "" }

// Marks of requests that are copies of others.
const (
	cloneNote = 0xc10e
	cloneSalt = 0xc10e5a17
)

// originOf returns the identity of the request that one is a copy of, through
// copies of copies; its own if it is none.
func originOf(w *flow.World, req *flow.Value) uint64 {
	if o := w.Marked(flow.Mix(req.Sym, cloneNote)); o != nil {
		return o.Sym
	}
	return req.Sym
}

// cloneRequest copies a request: its fields are its own from then on, and
// after Clone its header is, too.
func cloneRequest(p *probe, c *flow.Call) *flow.Value {
	req := c.Args[0]
	t := p.m.requestType()
	st := structOf(t)
	if st == nil || st.NumFields() == 0 {
		return req
	}
	v := *req
	v.Sym = flow.Mix(originOf(c.World, req), cloneSalt)
	if v.Sym == req.Sym {
		return req // a copy of the same copy
	}
	v.Root = v.Sym
	_, elsewhere := req.Obj.(madeElsewhere)
	elsewhere = elsewhere || req.Type == nil // by code that cannot be seen
	noteCopy(c.World, req, &v)
	if len(c.Args) > 1 {
		carryContext(c.World, &v, c.Args[1])
	}
	for i := range st.NumFields() {
		f := st.Field(i)
		to := flow.FieldAddr(v.Sym, i)
		x := c.World.Get(flow.FieldAddr(req.Sym, i))
		switch f.Name() {
		case "Method", "URL", "Body", "Header":
			x = fieldNamed(c, req, derefType(t), f.Name())
		}
		if f.Name() == "Body" && elsewhere {
			continue // each may have one of its own
		}
		if x != nil && f.Name() == "Header" && shortName(c) == "Clone" {
			h := *x
			h.Sym, h.Root = flow.Mix(v.Sym, 0x4ead), v.Root
			copyMarks(c.World, x, &h)
			x = &h
		}
		if x == nil {
			x = flow.UnknownValue(flow.Mix(to, 19), fromRequest)
			if f.Name() == "GetBody" {
				x = &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(to, 19)}
			}
		}
		c.World.Set(to, v.Root, x)
	}
	return &v
}

// noteCopy notes that one request is a copy of another.
func noteCopy(w *flow.World, from, to *flow.Value) {
	w.MarkOn(to, flow.Mix(to.Sym, cloneNote), flow.UnknownValue(originOf(w, from), 0))
	copyMarks(w, from, to)
}

// isCopy says whether a request is a copy of another.
func isCopy(w *flow.World, req *flow.Value) bool {
	return w.Marked(flow.Mix(req.Sym, cloneNote)) != nil
}

// copyMarks gives a copy the marks of the original, and no others.
func copyMarks(w *flow.World, from, to *flow.Value) {
	for _, note := range [...]uint64{headerNote, keyValueNote, partsNote, contextNote} {
		if x := w.Marked(flow.Mix(from.Sym, note)); x != nil {
			w.MarkOn(to, flow.Mix(to.Sym, note), x)
		} else {
			w.Unmark(flow.Mix(to.Sym, note))
		}
	}
}

func derefType(t types.Type) types.Type {
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

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
	if k := notedKeyValue(c.World, c.Args[0]); k != nil && shortName(c) == "Get" {
		return k
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

// matchText matches the text of an attempt's error with a pattern that is known.
func matchText(_ *probe, c *flow.Call) *flow.Value {
	pattern, known := c.Args[0].Obj.(flow.Text)
	text, failed := c.Args[1].Obj.(errorText)
	if !known || !failed {
		return nil
	}
	re, err := regexp.Compile(string(pattern))
	if err != nil {
		return nil
	}
	return flow.BoolValue(re.MatchString(text.fault.text()))
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
		v := c.World.Get(flow.ElementAddr(s.Sym, i))
		if v == nil || v.Kind != flow.Const {
			return nil
		}
		if v.Sym == x.Sym {
			return flow.BoolValue(true).With(x.Taint)
		}
	}
	return flow.BoolValue(false).With(x.Taint)
}
