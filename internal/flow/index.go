package flow

import "golang.org/x/tools/go/ssa"

// An Index holds what is computed once per function, whatever is asked of it.
// It is not safe for concurrent use.
type Index struct {
	funcs map[*ssa.Function]*numbering
}

// NewIndex returns an empty index.
func NewIndex() *Index { return &Index{map[*ssa.Function]*numbering{}} }

// numbering gives the values of a function the places that an environment
// keeps them at, and says which are still used from each block on.
type numbering struct {
	place map[ssa.Value]int
	size  int
	live  []set
	after map[ssa.Instruction]set // memoised by afterCall
	// ranges says for the heads of loops over a slice where the index is kept
	// and what the length is.
	ranges map[*ssa.BasicBlock]rangeHead
}

type rangeHead struct {
	index  int
	length ssa.Value
}

// rangeHeadOf recognises the head of a loop over a slice as go/ssa builds it.
func (n *numbering) rangeHeadOf(b *ssa.BasicBlock) (rangeHead, bool) {
	if len(b.Instrs) == 0 {
		return rangeHead{}, false
	}
	phi, ok := b.Instrs[0].(*ssa.Phi)
	if !ok || phi.Comment != "rangeindex" {
		return rangeHead{}, false
	}
	if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		if cmp, ok := br.Cond.(*ssa.BinOp); ok {
			return rangeHead{n.place[phi], cmp.Y}, true
		}
	}
	return rangeHead{}, false
}

// set is a set of small integers.
type set []uint64

func (b set) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b set) put(i int)      { b[i/64] |= 1 << (i % 64) }
func (b set) clear(i int)    { b[i/64] &^= 1 << (i % 64) }

// add adds the members of c, and says whether there was a new one.
func (b set) add(c set) (grew bool) {
	for i, x := range c {
		if b[i]|x != b[i] {
			b[i] |= x
			grew = true
		}
	}
	return grew
}

func (x *Index) of(fn *ssa.Function) *numbering {
	if n := x.funcs[fn]; n != nil {
		return n
	}
	n := &numbering{place: map[ssa.Value]int{}, after: map[ssa.Instruction]set{}}
	for _, p := range fn.Params {
		n.place[p] = len(n.place)
	}
	for _, v := range fn.FreeVars {
		n.place[v] = len(n.place)
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if v, ok := i.(ssa.Value); ok {
				n.place[v] = len(n.place)
			}
		}
	}
	n.size = len(n.place)
	n.liveness(fn)
	n.ranges = map[*ssa.BasicBlock]rangeHead{}
	for _, b := range fn.Blocks {
		if r, ok := n.rangeHeadOf(b); ok {
			n.ranges[b] = r
		}
	}
	x.funcs[fn] = n
	return n
}

// liveness computes for each block what is used in it or after it and made
// before it; phi instructions count as made at the head of their block.
func (n *numbering) liveness(fn *ssa.Function) {
	words := n.size/64 + 1
	n.live = make([]set, len(fn.Blocks))
	for i := range n.live {
		n.live[i] = make(set, words)
	}
	use := func(s set, v ssa.Value) {
		if i, ok := n.place[v]; ok {
			s.put(i)
		}
	}
	var ops []*ssa.Value
	for changed := true; changed; {
		changed = false
		for i := len(fn.Blocks) - 1; i >= 0; i-- {
			b := fn.Blocks[i]
			s := make(set, words)
			for _, succ := range b.Succs {
				out := append(set(nil), n.live[succ.Index]...)
				for _, in := range succ.Instrs {
					phi, ok := in.(*ssa.Phi)
					if !ok {
						break
					}
					out.clear(n.place[phi])
				}
				s.add(out)
				n.edge(s, b, succ)
			}
			for j := len(b.Instrs) - 1; j >= 0; j-- {
				in := b.Instrs[j]
				if _, ok := in.(*ssa.Phi); ok {
					break
				}
				if v, ok := in.(ssa.Value); ok {
					s.clear(n.place[v])
				}
				ops = in.Operands(ops[:0])
				for _, op := range ops {
					if *op != nil {
						use(s, *op)
					}
				}
			}
			if n.live[i].add(s) {
				changed = true
			}
		}
	}
}

// edge adds what the phi instructions of a block take from one before it.
func (n *numbering) edge(s set, from, to *ssa.BasicBlock) {
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			return
		}
		for j, p := range to.Preds {
			if i, ok := n.place[phi.Edges[j]]; ok && p == from {
				s.put(i)
			}
		}
	}
}

// afterCall returns what is still used after a call in a block.
func (n *numbering) afterCall(call ssa.Instruction, b *ssa.BasicBlock) set {
	if s, ok := n.after[call]; ok {
		return s
	}
	s := make(set, n.size/64+1)
	use := func(v ssa.Value) {
		if i, ok := n.place[v]; ok {
			s.put(i)
		}
	}
	for _, succ := range b.Succs {
		s.add(n.live[succ.Index])
		n.edge(s, b, succ)
	}
	for j := len(b.Instrs) - 1; j >= 0 && b.Instrs[j] != call; j-- {
		for _, op := range b.Instrs[j].Operands(nil) {
			if *op != nil {
				use(*op)
			}
		}
	}
	n.after[call] = s
	return s
}
