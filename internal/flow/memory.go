package flow

import "slices"

// memory maps addresses to cells. It is a sorted slice that copies share until
// one of them is changed: paths part far more often than what they remember
// grows, and a copied slice costs a fraction of a copied map.
type memory struct {
	entries []entry
	shared  bool
}

type entry struct {
	addr uint64
	cell
}

type cell struct {
	v    *Value
	root uint64
	// round is the round of a loop that this is about, 0 for none: see rounds.
	round uint64
}

// clone returns a copy that changes independently.
func (m *memory) clone() memory {
	m.shared = true
	return *m
}

// own makes sure that nobody else sees a change.
func (m *memory) own() {
	if m.shared {
		// Most copies are made to note one thing more.
		m.entries = append(make([]entry, 0, len(m.entries)+4), m.entries...)
		m.shared = false
	}
}

func (m *memory) find(addr uint64) (int, bool) {
	i, j := 0, len(m.entries)
	for i < j {
		if h := int(uint(i+j) >> 1); m.entries[h].addr < addr {
			i = h + 1
		} else {
			j = h
		}
	}
	return i, i < len(m.entries) && m.entries[i].addr == addr
}

func (m *memory) get(addr uint64) (cell, bool) {
	if i, ok := m.find(addr); ok {
		return m.entries[i].cell, true
	}
	return cell{}, false
}

func (m *memory) set(addr uint64, c cell) {
	i, ok := m.find(addr)
	m.own()
	if ok {
		m.entries[i].cell = c
		return
	}
	m.entries = slices.Insert(m.entries, i, entry{addr, c})
}

func (m *memory) remove(addr uint64) {
	if i, ok := m.find(addr); ok {
		m.own()
		m.entries = slices.Delete(m.entries, i, i+1)
	}
}

// removeAll drops the cells that drop says yes to.
func (m *memory) removeAll(drop func(cell) bool) {
	if slices.ContainsFunc(m.entries, func(e entry) bool { return drop(e.cell) }) {
		m.own()
		m.entries = slices.DeleteFunc(m.entries, func(e entry) bool { return drop(e.cell) })
	}
}
