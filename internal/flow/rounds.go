package flow

import (
	"go/constant"
	"go/token"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// Of a loop over elements whose number is not known, one round is like another.
// What a path assumed about an element, or stored at its place, is about that
// round only; kept any longer, it would tell paths apart that have gone through
// the same choices with other elements, and their number would grow with every
// round.

// rounds are the loops over elements that a path is in, innermost first, and
// those that it has left.
type rounds struct {
	loop   uint64
	round  uint64 // names the current round
	parent *rounds
	// counted has the whole numbers in memory when the round began, by address,
	// and those of the variables of the loop's head, by place.
	counted map[uint64]int64
	heads   map[int]int64
}

// nextRound takes note that a path has come to the head of a loop over
// elements.
func (m *Machine) nextRound(f *Frame, b *ir.Block, r rangeHead, env *environment, w *World) {
	if r.length != nil && m.counted(f, env, r.length) {
		return
	}
	loop := Mix(f.place, m.id(b))
	var last *rounds
	for x := w.rounds; x != nil && last == nil; x = x.parent {
		if x.loop == loop {
			last = x
		}
	}
	if last != nil {
		for ; w.rounds != last; w.rounds = w.rounds.parent {
			w.endRound(w.rounds.round)
		}
		w.endRound(last.round)
		w.rounds = last.parent
	}
	n := env.visits[b.Index]
	w.rounds = &rounds{loop: loop, round: Mix(loop, uint64(n)), parent: w.rounds, counted: map[uint64]int64{}, heads: map[int]int64{}}
	w.rounds.widen(last, n > 2, b, env, w)
	if r.length == nil {
		return
	}
	// The index is one less than that of the round that begins. From the third
	// round on its value does not matter, but that it is not the first.
	i := env.vals[r.index]
	if i == nil {
		return
	}
	if n > 2 {
		i = &Value{Kind: Unknown, Sym: w.rounds.round, Obj: AtLeast(1)}
	}
	env.vals[r.index] = i.With(Each)
}

// widen takes note of the whole numbers that a round begins with. Of those that
// were others in the round before, which count something, it forgets the value
// from the third round on, but whether there is anything counted.
func (r *rounds) widen(last *rounds, forget bool, b *ir.Block, env *environment, w *World) {
	counts := func(v *Value, before int64, known bool) (*Value, int64) {
		n, exact := v.Int()
		if least, ok := v.Obj.(AtLeast); ok {
			n, known = int64(least), true
		} else if !exact || !known || n == before {
			return nil, n
		}
		if !forget {
			return nil, n
		}
		x := &Value{Kind: Unknown, Sym: Mix(r.round, v.Sym), Taint: v.Taint}
		if n >= 1 {
			x.Obj = AtLeast(1)
		}
		return x, 1
	}
	if last == nil {
		last = r
	}
	for i := range w.cells.entries {
		at, c := w.cells.entries[i].addr, w.cells.entries[i].cell
		if _, exact := c.v.Int(); c.root == 0 || !exact && c.v.Obj == nil {
			continue
		}
		before, known := last.counted[at]
		x, n := counts(c.v, before, known)
		if x != nil {
			w.cells.own()
			w.cells.entries[i].v = x
		}
		r.counted[at] = n
	}
	for _, phi := range b.Nodes {
		if phi.Op != ir.Phi {
			return
		}
		v := env.vals[phi.Place]
		if v == nil {
			continue
		}
		before, known := last.heads[phi.Place]
		x, n := counts(v, before, known)
		if x != nil {
			env.vals[phi.Place] = x
		}
		r.heads[phi.Place] = n
	}
}

// counted says whether a length is known.
func (m *Machine) counted(f *Frame, env *environment, length *ir.Node) bool {
	return m.val(f, env, length).Kind == Const
}

// endRound drops what was about one round. Of variables in which elements were
// stored, nothing is known from then on but that they were filled.
func (w *World) endRound(round uint64) {
	var filled map[uint64]Taint
	for _, c := range w.cells.entries {
		if c.round == round && c.root != 0 {
			if filled == nil {
				filled = map[uint64]Taint{}
			}
			filled[c.root] |= c.v.Taint
		}
	}
	w.cells.removeAll(func(c cell) bool { return c.round == round })
	for root, t := range filled {
		if at := Mix(root, havocSalt); w.Get(at) == nil {
			w.Set(at, root, UnknownValue(root, t))
		}
	}
}

// roundOf returns the round that something with a taint is about, 0 for none.
func (w *World) roundOf(t Taint) uint64 {
	if t&Each == 0 || w.rounds == nil {
		return 0
	}
	return w.rounds.round
}

// assume notes which side of a condition a path has taken; unless it is kept,
// that does not tell the path from others.
func (w *World) assume(cond *Value, holds, keep bool) {
	v := BoolValue(holds)
	if !keep {
		v.Obj = passing{}
	}
	w.cells.set(Mix(cond.Sym, assumeSalt), cell{v, 0, w.roundOf(cond.Taint)})
}

// passing is the Obj of an assumption that no later condition needs.
type passing struct{}

// Detail marks that such assumptions do not keep paths apart.
func (passing) Detail() {}

// AtLeast is the Obj of a number of which only a lower bound is known.
type AtLeast int64

// compareLeast adds to, and compares, a number of which a lower bound is known;
// nil if that decides nothing.
func (m *Machine) compareLeast(op token.Token, x, y *Value, t Taint) *Value {
	if _, ok := y.Obj.(AtLeast); ok && x.Kind == Const {
		x, y = y, x
		switch op { // turned round
		case token.LSS:
			op = token.GTR
		case token.GTR:
			op = token.LSS
		case token.LEQ:
			op = token.GEQ
		case token.GEQ:
			op = token.LEQ
		case token.ADD, token.EQL, token.NEQ:
		default:
			return nil
		}
	}
	least, ok := x.Obj.(AtLeast)
	if !ok || y.Kind != Const {
		return nil
	}
	n, exact := constant.Int64Val(constant.ToInt(y.C))
	if !exact {
		return nil
	}
	switch op {
	case token.ADD:
		if n >= 0 && n < 1<<16 && least < 1<<16 {
			return &Value{Kind: Unknown, Sym: Mix(Mix(x.Sym, y.Sym), uint64(op)), Taint: t, Obj: least + AtLeast(n)}
		}
	case token.EQL, token.NEQ:
		if int64(least) > n {
			return BoolValue(op == token.NEQ).With(t)
		}
	case token.GTR, token.LEQ:
		if int64(least) > n {
			return BoolValue(op == token.GTR).With(t)
		}
	case token.GEQ, token.LSS:
		if int64(least) >= n {
			return BoolValue(op == token.GEQ).With(t)
		}
	}
	return nil
}
