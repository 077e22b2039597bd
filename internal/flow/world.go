package flow

import "maps"

// A World is the memory of one path, and what the domain keeps beside it.
// Paths that part get copies of their own.
type World struct {
	cells  map[uint64]cell
	rounds *rounds
	// State is the domain's; two paths with the same State, memory and
	// variables are one.
	State any
	// StateHash stands for State where paths are compared.
	StateHash uint64
}

type cell struct {
	v    *Value
	root uint64
	// round is the round of a loop that this is about, 0 for none: see rounds.
	round uint64
}

// NewWorld returns an empty memory.
func NewWorld() *World { return &World{cells: map[uint64]cell{}} }

// Clone returns a copy that changes independently.
func (w *World) Clone() *World {
	c := *w
	c.cells = maps.Clone(w.cells)
	return &c
}

// Set stores v at the address addr inside the variable root; root 0 is for
// what belongs to no variable.
func (w *World) Set(addr, root uint64, v *Value) { w.cells[addr] = cell{v: v, root: root} }

// hash identifies what can still be read of the memory: notes, and variables
// that can be reached from the given ones.
func (w *World) hash(from []uint64) uint64 {
	reached := make(map[uint64]bool, len(from)+8)
	for _, r := range from {
		reached[r] = true
	}
	h := w.StateHash
	var found []uint64
	reach := func(v *Value) (grew bool) {
		found = roots(found[:0], v)
		for _, r := range found {
			if !reached[r] {
				reached[r], grew = true, true
			}
		}
		return grew
	}
	// What belongs to no variable is looked at once, the rest, of which there is
	// less, until nothing new is reached.
	type entry struct {
		addr uint64
		cell cell
	}
	inside := make([]entry, 0, len(w.cells))
	for a, c := range w.cells {
		if c.root != 0 {
			inside = append(inside, entry{a, c})
			continue
		}
		reach(c.v)
		if _, detail := c.v.Obj.(Detail); !detail {
			h ^= Mix(a, w.shape(c.v)) // a note of a detail keeps no paths apart, nor does its absence
		}
	}
	for grew := true; grew; {
		grew = false
		rest := inside[:0]
		for _, e := range inside {
			if !reached[e.cell.root] {
				rest = append(rest, e)
				continue
			}
			grew = reach(e.cell.v) || grew
			h ^= Mix(e.addr, w.shape(e.cell.v))
		}
		inside = rest
	}
	return h
}

// shape is that of a value. Where the domain follows something, one element of
// what is ranged over or received is not like another: it may be what is followed.
func (w *World) shape(v *Value) uint64 {
	if w.StateHash != 0 && v.Kind == Unknown && v.Taint&Element != 0 {
		return Mix(v.shape(), v.Sym)
	}
	return v.shape()
}

// roots appends the variables that a value leads to.
func roots(to []uint64, v *Value) []uint64 {
	if v.Root != 0 {
		to = append(to, v.Root)
	}
	if v.Kind == Struct && v.Sym != v.Root {
		to = append(to, v.Sym)
	}
	for _, e := range v.Elems {
		to = roots(to, e)
	}
	return to
}

// Get returns what is stored at addr, nil if nothing is known.
func (w *World) Get(addr uint64) *Value { return w.cells[addr].v }

// Forget drops everything stored inside the variable root.
func (w *World) Forget(root uint64) {
	for a, c := range w.cells {
		if c.root == root {
			delete(w.cells, a)
		}
	}
}

// Mark records a note of the domain's under a key; Marked reads it.
func (w *World) Mark(key uint64, v *Value) { w.Set(Mix(key, markSalt), 0, v) }

// MarkOn is Mark for a note about something: it counts as long as that can be
// reached.
func (w *World) MarkOn(about *Value, key uint64, v *Value) { w.Set(Mix(key, markSalt), about.Root, v) }

// Unmark drops a note.
func (w *World) Unmark(key uint64) { delete(w.cells, Mix(key, markSalt)) }

// Marked returns the note under the key, nil if there is none.
func (w *World) Marked(key uint64) *Value { return w.Get(Mix(key, markSalt)) }

const (
	markSalt   = 0x6d61726b
	havocSalt  = 0x6861766f
	assumeSalt = 0x61737375
)

// FieldAddr returns the address of field i of the struct at base.
func FieldAddr(base uint64, i int) uint64 { return Mix(Mix(base, 0xf1e1d), uint64(i)) }

// Filled says whether the variable root went to code that cannot be seen: what
// is not stored in it is not known.
func (w *World) Filled(root uint64) bool { return root != 0 && w.Get(Mix(root, havocSalt)) != nil }
