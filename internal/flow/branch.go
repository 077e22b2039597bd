package flow

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

func (m *Machine) branch(f *Frame, b *ir.Block, in *ir.Node, env *environment, w *World, k cont) Result {
	cond := m.val(f, env, in.X)
	if v, known := cond.Bool(); known {
		if int(env.visits[b.Index]) == m.Limits.Visits && counts(in.X) && f.nums.leaves(b) {
			// The last round that the limit allows: go on behind the loop as well.
			m.Cut = true
			r := m.side(f, b, v, env.clone(), w.Clone(), k)
			if m.enough(r) {
				return r
			}
			return m.Domain.Join(Either, r, m.side(f, b, !v, env, w, k))
		}
		return m.side(f, b, v, env, w, k)
	}
	plain, flip := unnegated(cond)
	if a := w.Get(Mix(plain.Sym, assumeSalt)); a != nil {
		m.decided[plain.Sym] = true
		v, _ := a.Bool()
		return m.side(f, b, v != flip, env, w, k)
	}
	f.At = in
	how := m.Domain.Branch(f, cond, w)
	switch how {
	case OnlyTrue, OnlyFalse:
		return m.side(f, b, how == OnlyTrue, env, w, k)
	}
	// A path remembers what it assumed where that decides what is asked. To
	// remember all would keep paths apart that differ in nothing that counts.
	wt, wf := w.Clone(), w
	if how == Both {
		m.both++
		defer func() { m.both-- }()
	}
	if how != Either {
		keep := !m.again || m.decided[plain.Sym]
		wt.assume(plain, !flip, keep)
		wf.assume(plain, flip, keep)
		if more := m.notLast(f, env, in.X); more != nil {
			side := wf
			if token.Token(in.X.N) == token.NEQ {
				side = wt
			}
			side.assume(more, true, keep)
		}
	}
	rt := m.side(f, b, true, env.clone(), wt, k)
	if m.enough(rt) {
		return rt
	}
	rf := m.side(f, b, false, env, wf, k)
	r := m.Domain.Join(how, rt, rf)
	if how != Both && rt.Reach != rf.Reach && cond.Taint&Config != 0 {
		r.Needs = addNeed(r.Needs, in.Pos, in.X.Pos)
	}
	return r
}

// notLast returns what follows where a comparison with the last number, as in
// i == n-1, does not hold: that i+1 is less than n. It is nil for other conditions.
func (m *Machine) notLast(f *Frame, env *environment, cond *ir.Node) *Value {
	if !counts(cond) || token.Token(cond.N) != token.EQL && token.Token(cond.N) != token.NEQ {
		return nil
	}
	last := cond.Y
	if last.Op != ir.BinOp || token.Token(last.N) != token.SUB {
		return nil
	}
	one := m.val(f, env, last.Y)
	if n, ok := one.Int(); !ok || n != 1 {
		return nil
	}
	next := m.binop(&ir.Node{N: int(token.ADD), Type: cond.X.Type, X: cond.X}, m.val(f, env, cond.X), one)
	more := m.binop(&ir.Node{N: int(token.LSS), Type: types.Typ[types.Bool], X: cond.X}, next, m.val(f, env, last.X))
	if _, known := more.Bool(); known {
		return nil
	}
	return more
}

// counts says whether a condition compares numbers, as that of a counted loop.
func counts(cond *ir.Node) bool {
	if cond.Op != ir.BinOp || cond.X.Type == nil {
		return false
	}
	b, ok := types.Unalias(cond.X.Type).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

func addNeed(needs []token.Pos, at ...token.Pos) []token.Pos {
	for _, n := range at {
		if n.IsValid() && !slices.Contains(needs, n) {
			needs = append(slices.Clone(needs), n)
		}
	}
	return needs
}

func (m *Machine) side(f *Frame, b *ir.Block, yes bool, env *environment, w *World, k cont) Result {
	to := b.Succs[1]
	if yes {
		to = b.Succs[0]
	}
	return m.block(f, to, b, env, w, k)
}
