// Package flow runs functions in SSA form on partly known values. It follows
// values through variables, fields, closures and calls, takes a branch where
// its condition is known and both sides where it is not, and asks its user
// (a [Domain]) what calls and unknown branches mean. It knows nothing of HTTP.
package flow

import (
	"go/constant"
	"go/types"
	"math/bits"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// Kind says how much is known of a Value.
type Kind uint8

// The kinds of values.
const (
	Unknown Kind = iota // nothing but where it comes from (Taint) and its identity (Sym)
	Const               // a constant: C
	Nil                 // the nil of its type
	NonNil              // not nil; Obj may say more
	Func                // a function: Fn and, for a closure, its bindings in Elems
	Pointer             // the address of a variable, field or element
	Struct              // a struct held at the address Sym
	Tuple               // several results: Elems
)

// Taint says what a value was made from. The bits of operands add up.
type Taint uint16

// What values are made from. The machine spreads the bits; only the domain
// gives them out and acts on them, but for Element, Param and Config.
const (
	Param   Taint = 1 << iota // a parameter of the root function
	Config                    // the receiver of the root function, or a package variable
	Element                   // an element of something that is ranged over or received
	Each                      // what differs from one round of a loop over elements to the next
	Domain1                   // bits for the domain
	Domain2
	Domain3
	Domain4
	Domain5
	Domain6
	Domain7
	Domain8
	Domain9
	Domain10
	Domain11
)

// A Value is what is known of one value on one path. Values are immutable.
type Value struct {
	Kind  Kind
	Taint Taint
	// Sym is the identity: two values with one Sym are equal on a path.
	Sym uint64
	// Root is the variable that a Pointer points into, Fresh when that
	// variable was made on this path, so that its initial value is zero.
	Root  uint64
	Fresh bool
	C     constant.Value
	Fn    *ir.Function
	Elems []*Value
	// Dyn is the dynamic type of an interface value, nil if unknown.
	Dyn types.Type
	// Base and Field say which field a Pointer addresses, Type its struct.
	Base  *Value
	Field int
	Type  types.Type
	// Global is the package variable that this is the address or value of.
	Global *ir.Global
	// Obj is what the domain knows of the value.
	Obj any
}

// Mix folds b into the hash a.
func Mix(a, b uint64) uint64 {
	a ^= bits.RotateLeft64(b*0x9E3779B97F4A7C15, 29)
	a *= 0xBF58476D1CE4E5B9
	return a ^ a>>31
}

// HashString returns the hash of a text.
func HashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// ConstValue returns the value of a constant.
func ConstValue(c constant.Value) *Value {
	return &Value{Kind: Const, C: c, Sym: Mix(1, HashString(c.ExactString()))}
}

// BoolValue returns a boolean constant.
func BoolValue(b bool) *Value { return ConstValue(constant.MakeBool(b)) }

// IntValue returns an integer constant.
func IntValue(i int64) *Value { return ConstValue(constant.MakeInt64(i)) }

// StringValue returns a string constant.
func StringValue(s string) *Value { return ConstValue(constant.MakeString(s)) }

// NilValue returns nil.
func NilValue() *Value { return &Value{Kind: Nil, Sym: 2} }

// UnknownValue returns a value of which only the identity and the origin are known.
func UnknownValue(sym uint64, t Taint) *Value { return &Value{Sym: sym, Taint: t} }

// TupleValue returns several results as one value.
func TupleValue(vs ...*Value) *Value {
	t := &Value{Kind: Tuple, Elems: vs, Sym: 3}
	for _, v := range vs {
		t.Sym = Mix(t.Sym, v.Sym)
		t.Taint |= v.Taint
	}
	return t
}

// A Detail is an Obj that does not keep paths apart: paths whose values differ
// in details only are one.
type Detail interface{ Detail() }

// Detail marks what the machine itself notes.
func (Concat) Detail()  {}
func (Numeric) Detail() {}
func (negated) Detail() {}

// shape hashes what of a value can change the course of a path: what is known
// of it, not which of many unknown values it is.
func (v *Value) shape() uint64 {
	switch v.Kind {
	case Unknown, NonNil:
		if n, ok := v.Obj.(AtLeast); ok {
			return Mix(Mix(99, uint64(n)), uint64(v.Taint))
		}
		if _, detail := v.Obj.(Detail); detail || v.Obj == nil {
			return Mix(uint64(v.Kind)+100, uint64(v.Taint))
		}
	case Tuple:
		h := uint64(7)
		for _, e := range v.Elems {
			h = Mix(h, e.shape())
		}
		return h
	}
	return v.Sym
}

// With returns v with more taint.
func (v *Value) With(t Taint) *Value {
	if v.Taint|t == v.Taint {
		return v
	}
	c := *v
	c.Taint |= t
	return &c
}

// Bool returns the truth of a boolean constant; known is false for all else.
func (v *Value) Bool() (b, known bool) {
	if v.Kind == Const && v.C.Kind() == constant.Bool {
		return constant.BoolVal(v.C), true
	}
	return false, false
}

// Int returns an integer constant.
func (v *Value) Int() (int64, bool) {
	if v.Kind == Const {
		return constant.Int64Val(constant.ToInt(v.C))
	}
	return 0, false
}

// Str returns a string constant.
func (v *Value) Str() (string, bool) {
	if v.Kind == Const && v.C.Kind() == constant.String {
		return constant.StringVal(v.C), true
	}
	return "", false
}

// IsNil says whether v is nil; known is false where that is open.
func (v *Value) IsNil() (isNil, known bool) {
	switch v.Kind {
	case Nil:
		return true, true
	case Unknown:
		return false, false
	}
	return false, true
}
