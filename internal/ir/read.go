package ir

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"io"
	"math"
	"slices"
)

// An Archive is what a package has written out, read as far as it is needed.
// It is not safe for concurrent use.
type Archive struct {
	index  map[string]entry
	packed []byte

	texts  []string
	types  [][]byte
	bodies [][]byte
	defs   map[string]definition
	known  []types.Type
	funcs  []*Function
	broken bool
}

type entry struct {
	number int
	flags  Flags
}

type definition struct {
	underlying int
	methods    []method
}

type method struct {
	name string
	typ  int
	ptr  bool
}

// Read makes what a package has written out ready to be looked at.
func Read(w Written) (*Archive, error) {
	a := &Archive{index: map[string]entry{}, packed: w.Bodies}
	r := &reader{b: w.Index}
	for i := range r.count() {
		id := r.text()
		a.index[id] = entry{i, Flags(r.int())}
	}
	if r.bad {
		return nil, errors.New("the summary cannot be read")
	}
	return a, nil
}

// Flags returns the flags of a function; ok is false if it was not written out.
func (a *Archive) Flags(id string) (f Flags, ok bool) {
	e, ok := a.index[id]
	return e.flags, ok
}

// IDs returns the names of all functions, sorted.
func (a *Archive) IDs() []string {
	var ids []string
	for id := range a.index {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// reader reads numbers and texts; bad is set when there are none.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) int() int {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return int(n)
}

// count reads the length of a list, which cannot be longer than what is left.
func (r *reader) count() int {
	n := r.int()
	if n < 0 || n > len(r.b) {
		r.bad, r.b = true, nil
		return 0
	}
	return n
}

func (r *reader) bytes() []byte {
	n := r.count()
	s := r.b[:n]
	r.b = r.b[n:]
	return s
}

func (r *reader) text() string { return string(r.bytes()) }

func (r *reader) flag() bool { return r.int() == 1 }

// unpack inflates the bodies.
func (a *Archive) unpack() {
	if a.packed == nil {
		return
	}
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(a.packed)), math.MaxInt32))
	a.packed = nil
	r := &reader{b: data}
	for range r.count() {
		a.texts = append(a.texts, r.text())
	}
	for range r.count() {
		a.types = append(a.types, r.bytes())
	}
	for range r.count() {
		a.bodies = append(a.bodies, r.bytes())
	}
	a.defs = map[string]definition{}
	for range r.int() {
		name := a.str(r)
		d := definition{underlying: r.int()}
		for range r.count() {
			d.methods = append(d.methods, method{a.str(r), r.int(), r.flag()})
		}
		if r.bad {
			break
		}
		a.defs[name] = d
	}
	a.known = make([]types.Type, len(a.types))
	a.funcs = make([]*Function, len(a.bodies))
	if err != nil || r.bad {
		a.fail()
	}
}

// fail marks an archive that cannot be read: its functions have no bodies.
func (a *Archive) fail() {
	a.broken, a.bodies, a.defs, a.index = true, nil, nil, nil
}

func (a *Archive) str(r *reader) string {
	i := r.int()
	if i >= len(a.texts) || i < 0 {
		r.bad = true
		return ""
	}
	return a.texts[i]
}

// declare fills in what is known of a function before its body is read.
func (a *Archive) declare(p *Program, f *Function) {
	e, ok := a.index[f.ID]
	if !ok {
		return
	}
	f.Flags = e.flags
	f.load = func(f *Function) {
		a.unpack()
		if a.broken || e.number >= len(a.funcs) {
			return
		}
		a.funcs[e.number] = f
		a.read(p, f, e.number)
	}
}

// function returns a function of the archive by its number.
func (a *Archive) function(p *Program, number int) *Function {
	if number < 0 || number >= len(a.funcs) {
		return &Function{ID: "?"}
	}
	if f := a.funcs[number]; f != nil {
		return f
	}
	r := &reader{b: a.bodies[number]}
	id, path, name := a.str(r), a.str(r), a.str(r)
	if _, declared := a.index[id]; declared {
		f := p.External(id, path)
		a.funcs[number] = f
		if f.Name == "" {
			f.Name = name
		}
		return f
	}
	f := &Function{ID: id, Path: path, Name: name}
	a.funcs[number] = f
	f.load = func(f *Function) { a.read(p, f, number) }
	return f
}

// read reads a function. What cannot be read leaves it without a body.
func (a *Archive) read(p *Program, f *Function, number int) {
	d := &decoder{p: p, a: a, f: f, r: &reader{b: a.bodies[number]}}
	defer func() {
		// Bytes that were written by another version may say anything.
		if e := recover(); e != nil {
			if _, ours := e.(unreadable); !ours {
				panic(fmt.Sprintf("reading the summary of %s: %v", f.ID, e))
			}
			f.blocks = nil
		}
	}()
	d.function()
}

// unreadable is what a decoder panics with.
type unreadable struct{}

type decoder struct {
	p      *Program
	a      *Archive
	f      *Function
	r      *reader
	places []*Node
}

func (d *decoder) check(ok bool) {
	if !ok || d.r.bad {
		panic(unreadable{})
	}
}

func (d *decoder) function() {
	f, r := d.f, d.r
	d.a.str(r) // ID and path
	d.a.str(r)
	f.Name = d.a.str(r)
	f.Synthetic = d.a.str(r)
	if sig, ok := d.typ().(*types.Signature); ok && f.Signature == nil {
		f.Signature = sig
	}
	var params, free []*Node
	for i, list := range [...]*[]*Node{&params, &free} {
		for range r.count() {
			*list = append(*list, &Node{Op: Param + Op(i), Type: d.typ(), Name: d.a.str(r), Place: len(params) + len(free)})
		}
	}
	f.Params, f.FreeVars = params, free
	for range r.count() {
		anon := d.a.function(d.p, r.int())
		anon.Parent = f
		f.AnonFuncs = append(f.AnonFuncs, anon)
	}
	f.Size = r.int()
	d.check(f.Size >= len(params)+len(free) && f.Size < 1<<20)
	d.places = make([]*Node, f.Size)
	for i, x := range slices.Concat(params, free) {
		d.places[i] = x
	}
	blocks := make([]*Block, r.count())
	for i := range blocks {
		blocks[i] = &Block{Index: i}
	}
	for _, b := range blocks {
		for _, list := range [...]*[]*Block{&b.Preds, &b.Succs} {
			for range r.count() {
				j := r.int()
				d.check(j < len(blocks))
				*list = append(*list, blocks[j])
			}
		}
		for range r.count() {
			b.Nodes = append(b.Nodes, d.node(b))
			d.check(true)
		}
	}
	f.File = d.a.str(r)
	d.check(true)
	f.blocks = blocks
}

// place returns the node of a place, which may be read later.
func (d *decoder) place(i int) *Node {
	d.check(i >= 0 && i < len(d.places))
	if d.places[i] == nil {
		d.places[i] = &Node{Place: i}
	}
	return d.places[i]
}

func (d *decoder) node(b *Block) *Node {
	r := d.r
	op := Op(r.int())
	d.check(op <= Panic)
	n := &Node{Place: -1}
	if op.IsValue() {
		n = d.place(r.int())
		n.Type = d.typ()
	}
	n.Op, n.Block = op, b
	mask := r.int()
	for i, x := range [...]**Node{&n.X, &n.Y, &n.Z} {
		if mask&(1<<i) != 0 {
			*x = d.operand()
		}
	}
	n.CommaOk = mask&8 != 0
	for range r.count() {
		n.Args = append(n.Args, d.operand())
	}
	switch op {
	case FieldAddr, Field, Extract, UnOp, BinOp:
		n.N = r.int()
	case Phi:
		n.Name = d.a.str(r)
	case MakeClosure:
		n.Fn = d.ref()
	case Call, Go, Defer:
		n.Name = d.a.str(r)
		n.Full = d.a.str(r)
		sig, ok := d.typ().(*types.Signature)
		d.check(ok)
		n.Sig = sig
		n.Line = r.int()
	}
	return n
}

func (d *decoder) operand() *Node {
	x := d.r.int()
	if x&7 == refPlace {
		return d.place(x >> 3)
	}
	n := &Node{Place: -1}
	switch x {
	case refConst:
		n.Op, n.Type = Const, d.typ()
		n.Const = d.constant()
	case refGlobal:
		path, name := d.a.str(d.r), d.a.str(d.r)
		n.Op, n.Type = GlobalAddr, d.typ()
		n.Global = d.p.global(path, name, n.Type, nil)
	case refFunc:
		n.Op, n.Fn = Func, d.ref()
		if n.Fn.Signature != nil {
			n.Type = n.Fn.Signature
		}
	case refBuiltin:
		n.Op, n.Name = Builtin, d.a.str(d.r)
	case refOther:
		n.Op = Other
	default:
		d.check(false)
	}
	return n
}

func (d *decoder) ref() *Function {
	if i := d.r.int(); i > 0 {
		return d.a.function(d.p, i-1)
	}
	id, path, name := d.a.str(d.r), d.a.str(d.r), d.a.str(d.r)
	sig, _ := d.typ().(*types.Signature)
	f := d.p.External(id, path)
	if f.Name == "" {
		f.Name = name
	}
	if f.Signature == nil {
		f.Signature = sig
	}
	return f
}

func (d *decoder) constant() constant.Value {
	switch d.r.int() {
	case constTrue:
		return constant.MakeBool(true)
	case constFalse:
		return constant.MakeBool(false)
	case constString:
		return constant.MakeString(d.a.str(d.r))
	case constInt:
		u := uint64(d.r.int())
		return constant.MakeInt64(int64(u>>1) ^ -int64(u&1))
	case constBigInt:
		return constant.MakeFromLiteral(d.a.str(d.r), token.INT, 0)
	case constFloat:
		return constant.BinaryOp(constant.MakeInt64(0), token.ADD, rational(d.a.str(d.r)))
	case constUnknown:
		return constant.MakeUnknown()
	}
	return nil
}

// rational reads a number as constant.Value.ExactString writes it: a fraction,
// or a decimal.
func rational(s string) constant.Value {
	for i := range s {
		if s[i] == '/' {
			x := constant.MakeFromLiteral(s[:i], token.INT, 0)
			y := constant.MakeFromLiteral(s[i+1:], token.INT, 0)
			return constant.BinaryOp(x, token.QUO, y)
		}
	}
	return constant.MakeFromLiteral(s, token.FLOAT, 0)
}
