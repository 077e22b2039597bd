package flow

import (
	"math/rand/v2"
	"testing"
)

// TestMemory compares a memory and its copies with maps that had the same done
// to them.
func TestMemory(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	type both struct {
		m memory
		x map[uint64]cell
	}
	all := []*both{{x: map[uint64]cell{}}}
	for range 20000 {
		b := all[rnd.IntN(len(all))]
		addr, root := rnd.Uint64N(60), rnd.Uint64N(4)
		switch n := rnd.IntN(100); {
		case n < 60:
			c := cell{v: &Value{}, root: root}
			b.m.set(addr, c)
			b.x[addr] = c
		case n < 80:
			b.m.remove(addr)
			delete(b.x, addr)
		case n < 83:
			b.m.removeAll(func(c cell) bool { return c.root == root })
			for a, c := range b.x {
				if c.root == root {
					delete(b.x, a)
				}
			}
		case len(all) < 40:
			c := &both{m: b.m.clone(), x: map[uint64]cell{}}
			for a, v := range b.x {
				c.x[a] = v
			}
			all = append(all, c)
		}
	}
	for i, b := range all {
		if len(b.m.entries) != len(b.x) {
			t.Fatalf("memory %d has %d cells, want %d", i, len(b.m.entries), len(b.x))
		}
		for j, e := range b.m.entries {
			if j > 0 && e.addr <= b.m.entries[j-1].addr {
				t.Fatalf("memory %d is not sorted at %d", i, j)
			}
			if got, ok := b.m.get(e.addr); !ok || got != b.x[e.addr] {
				t.Fatalf("memory %d, address %d: %v, want %v", i, e.addr, got, b.x[e.addr])
			}
		}
	}
}
