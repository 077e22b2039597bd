package flow

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

func not(x *Value) *Value {
	if b, ok := x.Bool(); ok {
		return BoolValue(!b).With(x.Taint)
	}
	if inner, ok := x.Obj.(negated); ok {
		return inner.v
	}
	return &Value{Sym: Mix(x.Sym, 41), Taint: x.Taint, Obj: negated{x}}
}

// negated is the Obj of an undecided condition that was turned round, so that
// what a path has assumed of the one is known of the other.
type negated struct{ v *Value }

func convert(x *Value, t types.Type) *Value {
	if b, ok := types.Unalias(t).Underlying().(*types.Basic); ok && x.Kind == Const {
		switch {
		case b.Info()&types.IsString != 0 && x.C.Kind() == constant.String:
			return x
		case b.Info()&types.IsInteger != 0 && x.C.Kind() == constant.Int:
			return x
		case b.Info()&types.IsFloat != 0:
			return ConstValue(constant.ToFloat(x.C)).With(x.Taint)
		}
	}
	if x.Kind == Const && x.C.Kind() == constant.String {
		// bytes of a known text: keep the text for those who look at bodies
		return &Value{Kind: NonNil, Sym: Mix(x.Sym, 43), Taint: x.Taint, Obj: Text(constant.StringVal(x.C))}
	}
	c := *x
	c.Sym = Mix(x.Sym, 43)
	return &c
}

// ranged is the Obj of the iterator over a map or a string.
type ranged struct{ over *Value }

// Detail marks that iterators do not keep paths apart.
func (ranged) Detail() {}

// Text is the Obj of bytes that hold a known text.
type Text string

func (m *Machine) binop(in *ir.Node, x, y *Value) *Value {
	op, t := token.Token(in.N), in.Type
	taint := x.Taint | y.Taint
	var obj any
	if b, ok := types.Unalias(in.X.Type).Underlying().(*types.Basic); ok && b.Info()&types.IsNumeric != 0 {
		obj = Numeric{}
	}
	if v := m.compareLeast(op, x, y, taint); v != nil {
		return v
	}
	switch op {
	case token.EQL, token.NEQ:
		eq, known := m.equal(x, y)
		if known {
			return BoolValue(eq == (op == token.EQL)).With(taint)
		}
		a, b := x.Sym, y.Sym
		if a > b {
			a, b = b, a
		}
		v := UnknownValue(Mix(Mix(a, b), 47), taint)
		v.Obj = obj
		if op == token.NEQ {
			return not(v)
		}
		return v
	}
	if x.Kind == Const && y.Kind == Const {
		if v := constOp(op, x.C, y.C, t); v != nil {
			return v.With(taint)
		}
	}
	v := UnknownValue(Mix(Mix(x.Sym, y.Sym), uint64(op)+200), taint)
	v.Obj = obj
	if op == token.ADD && obj == nil {
		v.Obj = Concat{x, y}
	}
	return v
}

// Concat is the Obj of a text that is put together from two.
type Concat struct{ Left, Right *Value }

// Numeric is the Obj of an undecided comparison, or sum, of numbers.
type Numeric struct{}

// IsNumeric says whether an undecided condition compares numbers.
func IsNumeric(cond *Value) bool {
	plain, _ := unnegated(cond)
	_, ok := plain.Obj.(Numeric)
	return ok
}

// Unnegated returns an undecided condition without its negations.
func Unnegated(cond *Value) *Value {
	plain, _ := unnegated(cond)
	return plain
}

// unnegated strips negations off an undecided condition.
func unnegated(v *Value) (plain *Value, flipped bool) {
	for {
		n, ok := v.Obj.(negated)
		if !ok {
			return v, flipped
		}
		v, flipped = n.v, !flipped
	}
}

func (m *Machine) equal(x, y *Value) (eq, known bool) {
	if x.Kind == Const && y.Kind == Const && x.C.Kind() == y.C.Kind() {
		if eq, known := m.Domain.Equal(x, y); known {
			return eq, true
		}
		return constant.Compare(x.C, token.EQL, y.C), true
	}
	xn, xk := x.IsNil()
	yn, yk := y.IsNil()
	if xk && yk && (xn || yn) {
		return xn && yn, true
	}
	if eq, known := m.Domain.Equal(x, y); known {
		return eq, true
	}
	if x.Sym == y.Sym {
		return true, true
	}
	return false, false
}

func constOp(op token.Token, x, y constant.Value, t types.Type) (v *Value) {
	defer func() {
		// go/constant panics on operands it cannot combine; then nothing is known
		if recover() != nil {
			v = nil
		}
	}()
	switch op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return BoolValue(constant.Compare(x, op, y))
	case token.SHL, token.SHR:
		n, ok := constant.Uint64Val(constant.ToInt(y))
		if !ok || n > 512 {
			return nil
		}
		return ConstValue(constant.Shift(constant.ToInt(x), op, uint(n)))
	case token.QUO, token.REM:
		if constant.Sign(y) == 0 {
			return nil
		}
		if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && op == token.QUO {
			op = token.QUO_ASSIGN // integer division
		}
	}
	c := constant.BinaryOp(x, op, y)
	if c.Kind() == constant.Unknown {
		return nil
	}
	return ConstValue(c)
}
