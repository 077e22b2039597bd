package policy

import (
	"cmp"
	"go/types"
	"slices"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// Detail marks that texts do not keep paths apart.
func (*madeOf) Detail() {}

// madeOf is the Obj of a text or body: the constant parts that it is made of.
type madeOf struct {
	parts []string
	key   keyState
	// under are the readers that this reads from.
	under []*flow.Value
	// bare says that it keeps nothing itself: it is as far as what it reads from.
	bare bool
	// keyValue is the key in what is encoded.
	keyValue *flow.Value
	// by is the function that made it, args its arguments, and listed those of them
	// that it was given as a list.
	by           string
	args, listed []*flow.Value
}

func collect(c *flow.Call) *flow.Value {
	all := variadic(c)
	m := &madeOf{by: calleeName(c), args: c.Args, listed: all[len(c.Args):]}
	t := c.Taint | writtenNumber(c)
	for _, a := range all {
		t |= a.Taint
		m.parts = append(m.parts, texts(c.World, a)...)
		if o, ok := a.Obj.(*madeOf); ok && o.key > m.key {
			m.key = o.key
		}
		m.key = max(m.key, markedKey(c.World, a))
		if k := keyValueOf(c.World, a); k != nil {
			m.keyValue = k
		}
	}
	v := &flow.Value{Kind: flow.NonNil, Sym: c.Sym, Taint: t, Obj: m}
	if t&fromNumber != 0 {
		noteNumber(c, v)
	}
	return v
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

// firstSet gives the first of some texts that is not empty, as cmp.Or does.
func firstSet(_ *probe, c *flow.Call) *flow.Value {
	for _, v := range variadic(c) {
		if _, list := v.Obj.(flow.SliceLen); list {
			continue
		}
		if !isEmpty(v) {
			return v
		}
	}
	return nil
}

func joinErr(p *probe, c *flow.Call) *flow.Value {
	v := collect(c)
	return flow.TupleValue(v, flow.NilValue())
}

// reader keeps what a body is read from.
func reader(_ *probe, c *flow.Call) *flow.Value {
	v := collect(c)
	m := v.Obj.(*madeOf)
	switch calleeName(c) {
	case "io.NopCloser", "io/ioutil.NopCloser":
		m.under, m.bare = c.Args[:1], true
	case "strings.NewReader", "bytes.NewReader", "bytes.NewBuffer", "bytes.NewBufferString":
		v.Type = c.Instr.Type
	}
	clearUsed(c.World, v) // it is a new one
	return v
}

// wrapReader makes a reader that reads from another.
func wrapReader(_ *probe, c *flow.Call) *flow.Value {
	v := collect(c)
	m := v.Obj.(*madeOf)
	m.under = c.Args[:1]
	m.bare = calleeName(c) == "io.TeeReader"
	if calleeName(c) == "io.MultiReader" {
		m.under = variadic(c)[1:]
	}
	clearUsed(c.World, v)
	return v
}

// marshal keeps the names in what is encoded.
func marshal(_ *probe, c *flow.Call) *flow.Value {
	v := collect(c)
	made := v.Obj.(*madeOf)
	made.key = max(made.key, valueKey(c.World, c.Args[0]))
	made.keyValue = keyValueOf(c.World, c.Args[0])
	return flow.TupleValue(v, flow.NilValue())
}

// encodedElsewhere is what is known of a text that code which cannot be seen
// makes of its arguments: what they say, and a key that they carry, is likely to
// be in it.
func encodedElsewhere(c *flow.Call) *madeOf {
	m := &madeOf{}
	params := c.Instr.Signature().Params()
	skip := len(c.Args) - params.Len() // the receiver
	for i, a := range c.Args {
		m.key = max(m.key, markedKey(c.World, a))
		m.parts = append(m.parts, textsIn(c.World, a, cmp.Or(a.Dyn, a.Type), 0)...)
		if o, ok := a.Obj.(*madeOf); ok {
			m.key = max(m.key, o.key)
		}
		if n := i - skip; n >= 0 && n < params.Len() && (a.Dyn != nil || types.IsInterface(params.At(n).Type())) {
			m.key = max(m.key, valueKey(c.World, a))
		}
	}
	return m
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
		if k := keyValueOf(c.World, c.Args[1]); k != nil {
			noteKeyValue(c.World, e.to, k)
		}
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
	if old, ok := markedParts(w, in); ok {
		m.parts = append(m.parts, old.parts...)
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

func markedParts(w *flow.World, in *flow.Value) (*madeOf, bool) {
	x := w.Marked(flow.Mix(in.Sym, partsNote))
	if x == nil {
		return nil, false
	}
	m, ok := x.Obj.(*madeOf)
	return m, ok
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
	if m, ok := markedParts(w, v); ok {
		out = append(slices.Clone(out), m.parts...)
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
					if jsonName(st.Tag(i)) == streamField && isTrue(x) {
						out = append(slices.Clone(out), askedStream)
					}
					out = append(slices.Clone(out), textsIn(w, x, st.Field(i).Type(), depth+1)...)
				}
			}
		}
	}
	return out
}
