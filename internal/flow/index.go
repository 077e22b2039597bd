package flow

import "github.com/resiliencevet/resiliencevet/internal/ir"

// An Index holds what is computed once per function, whatever is asked of it.
// It is not safe for concurrent use.
type Index struct {
	funcs map[*ir.Function]*numbering
}

// NewIndex returns an empty index.
func NewIndex() *Index { return &Index{map[*ir.Function]*numbering{}} }

// numbering says which values of a function are still used from each block on.
type numbering struct {
	size  int
	live  []set
	after map[*ir.Node]set // memoised by afterCall
	// ranges has the heads of loops over what may have any number of elements.
	ranges map[*ir.Block]rangeHead
	left   map[*ir.Block]bool // memoised by leaves
}

// rangeHead says where the index of a loop over a slice is kept and what the
// length is; length is nil for a loop over a map, a text or a channel.
type rangeHead struct {
	index  int
	length *ir.Node
}

// rangeHeadOf recognises the head of a loop over elements as go/ssa builds it.
func rangeHeadOf(b *ir.Block) (rangeHead, bool) {
	for _, n := range b.Nodes {
		if n.Op == ir.Next {
			return rangeHead{}, true
		}
	}
	for _, phi := range b.Nodes {
		if phi.Op != ir.Phi {
			break
		}
		if phi.Name != "rangeindex" {
			continue
		}
		if br := b.Nodes[len(b.Nodes)-1]; br.Op == ir.If && br.X.Op == ir.BinOp {
			return rangeHead{phi.Place, br.X.Y}, true
		}
	}
	return rangeHead{}, false
}

// set is a set of small integers.
type set []uint64

func (b set) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b set) clear(i int)    { b[i/64] &^= 1 << (i % 64) }

// use adds the place of a value, if it has one.
func (b set) use(n *ir.Node) {
	if i := n.Place; i >= 0 {
		b[i/64] |= 1 << (i % 64)
	}
}

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

func (x *Index) of(fn *ir.Function) *numbering {
	if n := x.funcs[fn]; n != nil {
		return n
	}
	blocks := fn.Blocks()
	n := &numbering{size: fn.Size, after: map[*ir.Node]set{}, ranges: map[*ir.Block]rangeHead{}, left: map[*ir.Block]bool{}}
	n.liveness(blocks)
	for _, b := range blocks {
		if r, ok := rangeHeadOf(b); ok {
			n.ranges[b] = r
		}
	}
	x.funcs[fn] = n
	return n
}

// liveness computes for each block what is used in it or after it and made
// before it; phi instructions count as made at the head of their block.
func (n *numbering) liveness(blocks []*ir.Block) {
	words := n.size/64 + 1
	n.live = make([]set, len(blocks))
	for i := range n.live {
		n.live[i] = make(set, words)
	}
	var ops []*ir.Node
	for changed := true; changed; {
		changed = false
		for i := len(blocks) - 1; i >= 0; i-- {
			b := blocks[i]
			s := make(set, words)
			for _, succ := range b.Succs {
				out := append(set(nil), n.live[succ.Index]...)
				for _, phi := range succ.Nodes {
					if phi.Op != ir.Phi {
						break
					}
					out.clear(phi.Place)
				}
				s.add(out)
				s.edge(b, succ)
			}
			for j := len(b.Nodes) - 1; j >= 0; j-- {
				in := b.Nodes[j]
				if in.Op == ir.Phi {
					break
				}
				if in.Op.IsValue() {
					s.clear(in.Place)
				}
				ops = in.Operands(ops[:0])
				for _, op := range ops {
					s.use(op)
				}
			}
			if n.live[i].add(s) {
				changed = true
			}
		}
	}
}

// edge adds what the phi instructions of a block take from one before it.
func (b set) edge(from, to *ir.Block) {
	for _, phi := range to.Nodes {
		if phi.Op != ir.Phi {
			return
		}
		for j, p := range to.Preds {
			if p == from {
				b.use(phi.Args[j])
			}
		}
	}
}

// afterCall returns what is still used after a call in a block.
func (n *numbering) afterCall(call *ir.Node, b *ir.Block) set {
	if s, ok := n.after[call]; ok {
		return s
	}
	s := make(set, n.size/64+1)
	for _, succ := range b.Succs {
		s.add(n.live[succ.Index])
		s.edge(b, succ)
	}
	for j := len(b.Nodes) - 1; j >= 0 && b.Nodes[j] != call; j-- {
		for _, op := range b.Nodes[j].Operands(nil) {
			s.use(op)
		}
	}
	n.after[call] = s
	return s
}

// leaves says whether a block decides about leaving a loop that it is in: one
// of its successors leads back to it, and the other does not.
func (n *numbering) leaves(b *ir.Block) bool {
	l, ok := n.left[b]
	if !ok {
		l = len(b.Succs) == 2 && leadsTo(b.Succs[0], b) != leadsTo(b.Succs[1], b)
		n.left[b] = l
	}
	return l
}

func leadsTo(from, to *ir.Block) bool {
	seen := map[*ir.Block]bool{}
	var visit func(b *ir.Block) bool
	visit = func(b *ir.Block) bool {
		if b == to {
			return true
		}
		if seen[b] {
			return false
		}
		seen[b] = true
		for _, s := range b.Succs {
			if visit(s) {
				return true
			}
		}
		return false
	}
	return visit(from)
}
