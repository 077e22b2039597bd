package policy

import (
	"go/types"
	"iter"
	"math/bits"
)

// A bitset is a set of small numbers. In a package of thousands of functions
// that call each other, what each reaches would not fit into maps.
type bitset []uint64

func (b bitset) has(i int) bool { return i>>6 < len(b) && b[i>>6]&(1<<(i&63)) != 0 }

func (b bitset) add(i int) { b[i>>6] |= 1 << (i & 63) }

// reachable returns what a function calls, through others, with or without
// what it may call through interfaces.
func (s *shapes) reachable(from *shape, interfaces bool) bitset {
	reach := make(bitset, (len(s.order)+63)>>6)
	var visit func(*shape)
	call := func(fns []*types.Func) {
		for _, c := range fns {
			if y := s.funcs[c]; y != nil && !reach.has(y.index) {
				reach.add(y.index)
				visit(y)
			}
		}
	}
	visit = func(x *shape) {
		call(x.calls)
		if interfaces {
			call(x.mayCall)
		}
	}
	visit(from)
	return reach
}

// reached yields what a function calls, through others, by position.
func (s *shapes) reached(sh *shape) iter.Seq[*shape] {
	return func(yield func(*shape) bool) {
		for w, word := range sh.reach {
			for ; word != 0; word &= word - 1 {
				if !yield(s.order[w<<6+bits.TrailingZeros64(word)]) {
					return
				}
			}
		}
	}
}

func (s *shapes) reaches(sh *shape, what func(*shape) bool) bool {
	for r := range s.reached(sh) {
		if what(r) {
			return true
		}
	}
	return false
}
