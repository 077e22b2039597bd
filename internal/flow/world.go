package flow

import "maps"

// A World is the memory of one path, and what the domain keeps beside it.
// Paths that part get copies of their own.
type World struct {
	cells map[uint64]cell
	hash  uint64 // of all cells, whatever their order
	// State is the domain's; two paths with the same State, memory and
	// variables are one.
	State any
	// StateHash stands for State where paths are compared.
	StateHash uint64
}

type cell struct {
	v    *Value
	root uint64
}

// NewWorld returns an empty memory.
func NewWorld() *World { return &World{cells: map[uint64]cell{}} }

// Clone returns a copy that changes independently.
func (w *World) Clone() *World {
	c := *w
	c.cells = maps.Clone(w.cells)
	return &c
}

// Set stores v at the address addr inside the variable root.
func (w *World) Set(addr, root uint64, v *Value) {
	if old, ok := w.cells[addr]; ok {
		w.hash ^= Mix(addr, old.v.shape())
	}
	w.cells[addr] = cell{v, root}
	w.hash ^= Mix(addr, v.shape())
}

// Get returns what is stored at addr, nil if nothing is known.
func (w *World) Get(addr uint64) *Value { return w.cells[addr].v }

// Forget drops everything stored inside the variable root.
func (w *World) Forget(root uint64) {
	for a, c := range w.cells {
		if c.root == root {
			w.hash ^= Mix(a, c.v.shape())
			delete(w.cells, a)
		}
	}
}

// Mark records a note of the domain's under a key; Marked reads it.
func (w *World) Mark(key uint64, v *Value) { w.Set(Mix(key, markSalt), 0, v) }

// Marked returns the note under the key, nil if there is none.
func (w *World) Marked(key uint64) *Value { return w.Get(Mix(key, markSalt)) }

const (
	markSalt   = 0x6d61726b
	havocSalt  = 0x6861766f
	assumeSalt = 0x61737375
)

// FieldAddr returns the address of field i of the struct at base.
func FieldAddr(base uint64, i int) uint64 { return Mix(Mix(base, 0xf1e1d), uint64(i)) }
