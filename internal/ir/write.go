package ir

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/types/typeutil"
)

// Written is what a package writes out for those that import it, in two parts:
// what is read for every import, and what is read where a function is run.
type Written struct {
	// Index lists the functions with their flags.
	Index []byte
	// Bodies holds everything else, deflated.
	Bodies []byte
}

// Write writes out functions, with the literals in them. position gives file
// and line of a node's position. define says which types are written out with
// their fields and methods, for packages in whose imports they are not found.
//
// Functions of other packages may be among them, read from an archive before:
// a package sees the facts of the packages that it imports, but not of those
// that they import.
func Write(fns []*Function, position func(token.Pos) token.Position, define func(*types.TypeName) bool) Written {
	w := &writer{
		position: position, define: define,
		strings: map[string]int{}, types: map[string]int{}, hashed: typeutil.Map{}, funcs: map[*Function]int{}, defined: map[string]bool{},
	}
	w.hashed.SetHasher(typeutil.MakeHasher())
	var index buffer
	index.int(len(fns))
	w.str("")
	for _, f := range fns {
		index.text(f.ID)
		index.int(int(f.Flags))
		w.number(f)
	}
	for i := 0; i < len(w.order); i++ { // literals join the list while it is written
		w.bodies = append(w.bodies, w.function(w.order[i]))
	}
	for i := 0; i < len(w.named); i++ { // so do types
		w.definition(w.named[i])
	}
	return Written{Index: index.Bytes(), Bodies: w.deflate()}
}

type writer struct {
	position func(token.Pos) token.Position
	define   func(*types.TypeName) bool

	strings map[string]int
	texts   []string
	types   map[string]int // by encoding
	hashed  typeutil.Map
	encoded [][]byte
	named   []*types.Named // to be defined
	defined map[string]bool
	defs    buffer
	ndefs   int
	funcs   map[*Function]int
	order   []*Function
	bodies  [][]byte
}

// buffer writes numbers and texts.
type buffer struct{ bytes.Buffer }

func (b *buffer) int(n int) {
	var tmp [binary.MaxVarintLen64]byte
	b.Write(tmp[:binary.PutUvarint(tmp[:], uint64(n))])
}

func (b *buffer) text(s string) {
	b.int(len(s))
	b.WriteString(s)
}

func (b *buffer) flag(v bool) {
	if v {
		b.int(1)
	} else {
		b.int(0)
	}
}

func (w *writer) deflate() []byte {
	var all buffer
	all.int(len(w.texts))
	for _, s := range w.texts {
		all.text(s)
	}
	lists := [][][]byte{w.encoded, w.bodies}
	for _, l := range lists {
		all.int(len(l))
		for _, e := range l {
			all.int(len(e))
			all.Write(e)
		}
	}
	all.int(w.ndefs)
	all.Write(w.defs.Bytes())
	var out bytes.Buffer
	z, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err == nil {
		_, err = z.Write(all.Bytes())
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		panic(err) // memory does not fail, and the level is valid
	}
	return out.Bytes()
}

func (w *writer) str(s string) int {
	i, ok := w.strings[s]
	if !ok {
		i = len(w.texts)
		w.strings[s] = i
		w.texts = append(w.texts, s)
	}
	return i
}

func (w *writer) number(f *Function) int {
	i, ok := w.funcs[f]
	if !ok {
		i = len(w.order)
		w.funcs[f] = i
		w.order = append(w.order, f)
	}
	return i
}

func (w *writer) function(f *Function) []byte {
	var b buffer
	b.int(w.str(f.ID))
	b.int(w.str(f.Path))
	b.int(w.str(f.Name))
	b.int(w.str(f.Synthetic))
	b.int(w.typ(f.Signature))
	blocks := f.Blocks()
	file := f.File
	for _, list := range [][]*Node{f.Params, f.FreeVars} {
		b.int(len(list))
		for _, x := range list {
			b.int(w.typ(x.Type))
			b.int(w.str(x.Name))
		}
	}
	b.int(len(f.AnonFuncs))
	for _, a := range f.AnonFuncs {
		b.int(w.number(a))
	}
	b.int(f.Size)
	b.int(len(blocks))
	for _, bl := range blocks {
		for _, list := range [][]*Block{bl.Preds, bl.Succs} {
			b.int(len(list))
			for _, x := range list {
				b.int(x.Index)
			}
		}
		b.int(len(bl.Nodes))
		for _, n := range bl.Nodes {
			w.node(&b, n, &file)
		}
	}
	b.int(w.str(file))
	return b.Bytes()
}

func (w *writer) node(b *buffer, n *Node, file *string) {
	b.int(int(n.Op))
	if n.Op.IsValue() {
		b.int(n.Place)
		b.int(w.typ(n.Type))
	}
	mask := 0
	for i, x := range [...]*Node{n.X, n.Y, n.Z} {
		if x != nil {
			mask |= 1 << i
		}
	}
	if n.CommaOk {
		mask |= 8
	}
	b.int(mask)
	for _, x := range [...]*Node{n.X, n.Y, n.Z} {
		if x != nil {
			w.operand(b, x)
		}
	}
	b.int(len(n.Args))
	for _, x := range n.Args {
		w.operand(b, x)
	}
	switch n.Op {
	case FieldAddr, Field, Extract, UnOp, BinOp:
		b.int(n.N)
	case Phi:
		b.int(w.str(n.Name))
	case MakeClosure:
		w.ref(b, n.Fn)
	case Call, Go, Defer:
		b.int(w.str(n.Name))
		b.int(w.str(n.Full))
		b.int(w.typ(n.Sig))
		p := token.Position{Line: n.Line}
		if n.Pos.IsValid() {
			p = w.position(n.Pos)
			*file = filepath.Base(p.Filename)
		}
		b.int(p.Line)
	}
}

const (
	refPlace = iota
	refConst
	refGlobal
	refFunc
	refBuiltin
	refOther
)

func (w *writer) operand(b *buffer, n *Node) {
	if n.Place >= 0 {
		b.int(n.Place << 3) // the lowest bits are refPlace
		return
	}
	switch n.Op {
	case Const:
		b.int(refConst)
		b.int(w.typ(n.Type))
		w.constant(b, n.Const)
	case GlobalAddr:
		b.int(refGlobal)
		b.int(w.str(n.Global.Path))
		b.int(w.str(n.Global.Name))
		b.int(w.typ(n.Type))
	case Func:
		b.int(refFunc)
		w.ref(b, n.Fn)
	case Builtin:
		b.int(refBuiltin)
		b.int(w.str(n.Name))
	default:
		b.int(refOther)
	}
}

// ref refers to a function that is written out too by its number, and to any
// other by its name.
func (w *writer) ref(b *buffer, f *Function) {
	i, ok := w.funcs[f]
	if !ok && f.Parent != nil {
		if _, in := w.funcs[f.Outermost()]; in {
			i, ok = w.number(f), true
		}
	}
	if ok {
		b.int(i + 1)
		return
	}
	b.int(0)
	b.int(w.str(f.ID))
	b.int(w.str(f.Path))
	b.int(w.str(f.Name))
	b.int(w.typ(f.Signature))
}

const (
	constZero = iota
	constTrue
	constFalse
	constString
	constInt
	constBigInt
	constFloat
	constUnknown
)

func (w *writer) constant(b *buffer, c constant.Value) {
	if c == nil {
		b.int(constZero)
		return
	}
	switch c.Kind() {
	case constant.Bool:
		if constant.BoolVal(c) {
			b.int(constTrue)
		} else {
			b.int(constFalse)
		}
	case constant.String:
		b.int(constString)
		b.int(w.str(constant.StringVal(c)))
	case constant.Int:
		if i, ok := constant.Int64Val(c); ok {
			b.int(constInt)
			b.int(int(uint64(i)<<1 ^ uint64(i>>63)))
			return
		}
		b.int(constBigInt)
		b.int(w.str(c.ExactString()))
	case constant.Float:
		b.int(constFloat)
		b.int(w.str(c.ExactString()))
	default:
		b.int(constUnknown)
	}
}
