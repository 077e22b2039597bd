package policy

import (
	"go/types"
	"slices"
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
	args := c.Args
	m, url, body := args[method], args[method+1], args[method+2]
	if isEmpty(m) {
		m = flow.StringValue("GET")
	}
	r := &requestObj{urls: texts(c.World, url), bodies: texts(c.World, body)}
	r.bodyKey = p.bodyKey(c, body, keyAbsent)
	sym := flow.Mix(flow.Mix(flow.Mix(0x4e0, m.Sym), urlIdentity(c, url)), c.Identity(body))
	req := &flow.Value{Kind: flow.NonNil, Sym: sym, Root: sym, Obj: r, Type: types.NewPointer(p.m.requestStruct)}
	setField(c, req, req.Type, "Method", m)
	header := &flow.Value{Kind: flow.NonNil, Sym: flow.Mix(sym, 0x4ead), Obj: headerObj{}}
	setField(c, req, req.Type, "Header", header)
	clearKey(c.World, header) // a request of an earlier round may have had this name
	clearKey(c.World, req)
	return flow.TupleValue(req, flow.NilValue())
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

func newError(_ *probe, c *flow.Call) *flow.Value {
	e := &attemptError{}
	c.Taint |= 0
	for _, a := range variadic(c) {
		if inner, ok := a.Obj.(*attemptError); ok {
			e.wraps = a
			_ = inner
		} else if a.Dyn != nil && implementsError(a.Dyn) {
			e.wraps = a
		} else if a.Global != nil && a.Kind == flow.NonNil {
			e.wraps = a
		}
	}
	return &flow.Value{Kind: flow.NonNil, Sym: c.Sym, Taint: c.Taint & (fromOutcome | fromRequest), Obj: e}
}

func implementsError(t types.Type) bool {
	return types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// variadic returns the arguments with those of the variadic slice among them.
func variadic(c *flow.Call) []*flow.Value {
	out := append([]*flow.Value(nil), c.Args...)
	if len(c.Args) == 0 {
		return out
	}
	last := c.Args[len(c.Args)-1]
	n, ok := last.Obj.(flow.SliceLen)
	if !ok {
		return out
	}
	for i := range int(n) {
		if v := c.World.Get(flow.Mix(flow.Mix(last.Sym, 7), flow.IntValue(int64(i)).Sym)); v != nil {
			out = append(out, v)
		}
	}
	return out
}

func errorsIs(p *probe, c *flow.Call) *flow.Value {
	errs, complete := chain(c.Args[0])
	if isNil, ok := c.Args[0].IsNil(); ok && isNil {
		return flow.BoolValue(false)
	}
	target := c.Args[1]
	name := ""
	if target.Global != nil {
		name = target.Global.Pkg.Pkg.Path() + "." + target.Global.Name()
	} else if target.Dyn != nil && target.Kind == flow.Const {
		name = types.TypeString(target.Dyn, nil) + "=" + target.C.ExactString()
	}
	for _, e := range errs {
		if e.Sym == target.Sym && target.Kind != flow.Unknown {
			return flow.BoolValue(true)
		}
		if a, ok := e.Obj.(*attemptError); ok && a.fault != noFault {
			if strings.HasPrefix(name, "syscall.Errno=") || strings.HasPrefix(name, "golang.org/x/sys/unix.Errno=") {
				// 104 is ECONNRESET on Linux; code compares by name, and the
				// value is the one of the system that is analysed
				return flow.BoolValue(a.fault == faultReset && strings.HasSuffix(name, "=104"))
			}
			if name == "" {
				return flow.UnknownValue(c.Sym, fromOutcome)
			}
			if faults, ok := sentinels[name]; ok && a.fault.in(faults) {
				return flow.BoolValue(true)
			}
		}
	}
	if complete && name != "" {
		return flow.BoolValue(false)
	}
	return flow.UnknownValue(c.Sym, c.Args[0].Taint|fromOutcome)
}

func errorsAs(p *probe, c *flow.Call) *flow.Value {
	target := c.Args[1]
	ptr, ok := types.Unalias(target.Dyn).(*types.Pointer)
	if target.Dyn == nil || !ok {
		return nil
	}
	v, found := p.asType(c.Args[0], ptr.Elem())
	switch found {
	case 1:
		addr := *target
		addr.Dyn = nil
		c.Store(&addr, v)
		return flow.BoolValue(true)
	case 0:
		return flow.BoolValue(false)
	}
	return flow.UnknownValue(c.Sym, c.Args[0].Taint|fromOutcome)
}

func errorsAsType(p *probe, c *flow.Call) *flow.Value {
	t := c.Common.Signature().Results().At(0).Type()
	v, found := p.asType(c.Args[0], t)
	switch found {
	case 1:
		return flow.TupleValue(v, flow.BoolValue(true))
	case 0:
		return flow.TupleValue(flow.Zero(t), flow.BoolValue(false))
	}
	return flow.TupleValue(flow.UnknownValue(c.Sym, fromOutcome), flow.UnknownValue(flow.Mix(c.Sym, 1), fromOutcome))
}

// asType looks for an error of a type in a chain: 1 found, 0 not there, -1 unknown.
func (p *probe) asType(err *flow.Value, t types.Type) (*flow.Value, int) {
	if isNil, ok := err.IsNil(); ok && isNil {
		return nil, 0
	}
	errs, complete := chain(err)
	for _, e := range errs {
		if a, ok := e.Obj.(*attemptError); ok {
			if a.fault == noFault {
				continue
			}
			if v, found := p.asFault(e, a.fault, t); found != 0 {
				return v, found
			}
			continue
		}
		if e.Dyn == nil {
			continue
		}
		if it, ok := types.Unalias(t).Underlying().(*types.Interface); ok {
			if types.Implements(e.Dyn, it) {
				return e, 1
			}
		} else if types.Identical(e.Dyn, t) {
			return e, 1
		}
	}
	if complete {
		return nil, 0
	}
	return nil, -1
}

func errorString(_ *probe, c *flow.Call) *flow.Value {
	if e, ok := c.Args[0].Obj.(*attemptError); ok && !e.opaque {
		if f := faultOf(c.Args[0]); f != noFault {
			return &flow.Value{Sym: c.Sym, Taint: fromOutcome, Obj: errorText{f}}
		}
	}
	return nil
}

func faultIs(c *flow.Call, f fault) *flow.Value {
	if _, ok := c.Args[0].Obj.(*attemptError); !ok {
		return nil
	}
	if got := faultOf(c.Args[0]); got != noFault {
		return flow.BoolValue(got == f)
	}
	return nil
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
		if table, ok := p.m.tables[s.Global.Object()]; ok {
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

// Detail marks that texts do not keep paths apart.
func (*madeOf) Detail() {}

// madeOf is the Obj of a text or body: the constant parts that it is made of.
type madeOf struct {
	parts []string
	key   keyState
}

func collect(c *flow.Call) *flow.Value {
	m := &madeOf{}
	for _, a := range variadic(c) {
		m.parts = append(m.parts, texts(c.World, a)...)
		if o, ok := a.Obj.(*madeOf); ok && o.key > m.key {
			m.key = o.key
		}
		m.key = max(m.key, markedKey(c.World, a))
	}
	return &flow.Value{Kind: flow.NonNil, Sym: c.Sym, Taint: c.Taint &^ flow.Element, Obj: m}
}

// join keeps the constant parts of a text that is put together.
func join(_ *probe, c *flow.Call) *flow.Value {
	v := collect(c)
	v.Kind = flow.Unknown
	return v
}

// urlText puts a URL together, with the parts that were set in it since it was
// parsed.
func urlText(_ *probe, c *flow.Call) *flow.Value {
	v := collect(c)
	m := v.Obj.(*madeOf)
	for i := range maxURLFields {
		if x := c.World.Get(flow.FieldAddr(c.Args[0].Sym, i)); x != nil {
			v.Sym = flow.Mix(v.Sym, flow.Mix(uint64(i), c.Identity(x)))
			m.parts = append(slices.Clip(m.parts), texts(c.World, x)...)
		}
	}
	return v
}

func joinErr(p *probe, c *flow.Call) *flow.Value {
	v := collect(c)
	return flow.TupleValue(v, flow.NilValue())
}

// reader keeps what a body is read from.
func reader(_ *probe, c *flow.Call) *flow.Value { return collect(c) }

// marshal keeps the names in what is encoded.
func marshal(_ *probe, c *flow.Call) *flow.Value {
	v := collect(c)
	v.Obj.(*madeOf).key = max(v.Obj.(*madeOf).key, valueKey(c.World, c.Args[0]))
	return flow.TupleValue(v, flow.NilValue())
}

// valueKey looks for a key in a value that is encoded. What a caller gives as
// an interface, or by a type parameter, may hold one.
func valueKey(w *flow.World, v *flow.Value) keyState {
	if _, param := types.Unalias(v.Dyn).(*types.TypeParam); v.Dyn != nil && !param {
		return encodedKey(w, v, v.Dyn, 0)
	}
	if v.Kind == flow.Unknown && v.Taint&flow.Param != 0 {
		return keyGiven
	}
	return keyAbsent
}

// encoder is the Obj of an encoder; to is what it writes into.
type encoder struct{ to *flow.Value }

func newEncoder(_ *probe, c *flow.Call) *flow.Value {
	return &flow.Value{Kind: flow.NonNil, Sym: c.Sym, Obj: encoder{c.Args[0]}}
}

// encode notes what was written into a buffer.
func encode(_ *probe, c *flow.Call) *flow.Value {
	if e, ok := c.Args[0].Obj.(encoder); ok {
		c.Fill(e.to)
		addParts(c.World, e.to, texts(c.World, c.Args[1]))
		markKey(c.World, e.to, valueKey(c.World, c.Args[1]))
	}
	return flow.NilValue()
}

// partsNote is the mark of the constant parts of something that is filled.
const partsNote = 0x7061727473

func addParts(w *flow.World, in *flow.Value, parts []string) {
	if len(parts) == 0 {
		return
	}
	key := flow.Mix(in.Sym, partsNote)
	m := &madeOf{}
	if old := w.Marked(key); old != nil {
		m.parts = append(m.parts, old.Obj.(*madeOf).parts...)
	}
	sym := uint64(0)
	for _, p := range parts {
		if !slices.Contains(m.parts, p) {
			m.parts = append(m.parts, p)
		}
	}
	for _, p := range m.parts {
		sym = flow.Mix(sym, flow.HashString(p))
	}
	w.Mark(key, &flow.Value{Sym: sym, Obj: m})
}

// texts returns the constant parts of a value: of a text, of what a text or a
// body was made of, of the fields and entries of what is encoded.
func texts(w *flow.World, v *flow.Value) []string { return textsIn(w, v, v.Type, 0) }

func textsIn(w *flow.World, v *flow.Value, t types.Type, depth int) []string {
	if s, ok := v.Str(); ok {
		return []string{s}
	}
	var out []string
	switch o := v.Obj.(type) {
	case *madeOf:
		out = o.parts
	case flow.Text:
		out = []string{string(o)}
	case flow.Concat:
		out = append(texts(w, o.Left), texts(w, o.Right)...)
	}
	if m := w.Marked(flow.Mix(v.Sym, partsNote)); m != nil {
		out = append(slices.Clone(out), m.Obj.(*madeOf).parts...)
	}
	if (v.Kind == flow.Struct || v.Kind == flow.Pointer) && t != nil && depth < 3 {
		if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		if st, ok := types.Unalias(t).Underlying().(*types.Struct); ok {
			for i := range st.NumFields() {
				if x := w.Get(flow.FieldAddr(v.Sym, i)); x != nil {
					if name := jsonName(st.Tag(i)); name != "" {
						out = append(slices.Clone(out), name)
					}
					out = append(slices.Clone(out), textsIn(w, x, st.Field(i).Type(), depth+1)...)
				}
			}
		}
	}
	return out
}

func requestTexts(c *flow.Call, req *flow.Value) (urls, bodies []string) {
	if r, ok := req.Obj.(*requestObj); ok {
		return r.urls, r.bodies
	}
	return nil, nil
}
