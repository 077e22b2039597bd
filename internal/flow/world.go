package flow

// A World is the memory of one path, and what the domain keeps beside it.
// Paths that part get copies of their own.
type World struct {
	cells  memory
	rounds *rounds
	// State is the domain's; two paths with the same State, memory and
	// variables are one.
	State any
	// StateHash stands for State where paths are compared.
	StateHash uint64
}

// NewWorld returns an empty memory.
func NewWorld() *World { return &World{} }

// Clone returns a copy that changes independently.
func (w *World) Clone() *World {
	c := *w
	c.cells = w.cells.clone()
	return &c
}

// Set stores v at the address addr inside the variable root; root 0 is for
// what belongs to no variable.
func (w *World) Set(addr, root uint64, v *Value) { w.cells.set(addr, cell{v: v, root: root}) }

// A tracer has room for what a hash has to remember meanwhile.
type tracer struct {
	reached map[uint64]bool
	found   []uint64
	inside  []*entry
}

// hash identifies what can still be read of the memory: notes, and variables
// that can be reached from the given ones.
func (w *World) hash(from []uint64, t *tracer) uint64 {
	if t.reached == nil {
		t.reached = map[uint64]bool{}
	}
	reached := t.reached
	clear(reached)
	for _, r := range from {
		reached[r] = true
	}
	h := w.StateHash
	reach := func(v *Value) (grew bool) {
		t.found = roots(t.found[:0], v)
		for _, r := range t.found {
			if !reached[r] {
				reached[r], grew = true, true
			}
		}
		return grew
	}
	// What belongs to no variable is looked at once, the rest, of which there is
	// less, until nothing new is reached.
	inside := t.inside[:0]
	for i := range w.cells.entries {
		e := &w.cells.entries[i]
		if e.root != 0 {
			inside = append(inside, e)
			continue
		}
		reach(e.v)
		if _, detail := e.v.Obj.(Detail); !detail {
			h ^= Mix(e.addr, w.shape(e.v)) // a note of a detail keeps no paths apart, nor does its absence
		}
	}
	t.inside = inside
	for grew := true; grew; {
		grew = false
		rest := inside[:0]
		for _, e := range inside {
			if !reached[e.root] {
				rest = append(rest, e)
				continue
			}
			grew = reach(e.v) || grew
			h ^= Mix(e.addr, w.shape(e.v))
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

// Lead calls visit for a value and for everything that it leads to: what a closure
// captures, and whatever is stored in the variables that it points into.
func (w *World) Lead(v *Value, visit func(*Value)) {
	seen := map[uint64]bool{0: true}
	queue := []*Value{v}
	for len(queue) > 0 {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if v == nil {
			continue
		}
		visit(v)
		queue = append(queue, v.Elems...)
		into := []uint64{v.Root}
		if v.Kind == Struct {
			into = append(into, v.Sym)
		}
		for _, r := range into {
			if seen[r] {
				continue
			}
			seen[r] = true
			for i := range w.cells.entries {
				if e := &w.cells.entries[i]; e.root == r {
					queue = append(queue, e.v)
				}
			}
		}
	}
}

// Get returns what is stored at addr, nil if nothing is known.
func (w *World) Get(addr uint64) *Value {
	c, _ := w.cells.get(addr)
	return c.v
}

// Forget drops everything stored inside the variable root.
func (w *World) Forget(root uint64) {
	w.cells.removeAll(func(c cell) bool { return c.root == root })
}

// Mark records a note of the domain's under a key; Marked reads it.
func (w *World) Mark(key uint64, v *Value) { w.Set(Mix(key, markSalt), 0, v) }

// MarkOn is Mark for a note about something: it counts as long as that can be
// reached.
func (w *World) MarkOn(about *Value, key uint64, v *Value) { w.Set(Mix(key, markSalt), about.Root, v) }

// Unmark drops a note.
func (w *World) Unmark(key uint64) { w.cells.remove(Mix(key, markSalt)) }

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
