package driver

import (
	"slices"
	"strings"
)

// merge joins rows about one call. A function of one package that sends is seen once
// in its own package, and again in each package that calls it. Where the caller tells
// more of what is sent, its row stays, and the function's own one goes if every caller
// does; else the two are one row, at the function that decides what is sent.
func (r *auditReport) merge() {
	at := map[string]int{}
	for i := range r.rows {
		at[wayKey(r.rows[i].Way)] = i
	}
	order := make([]int, len(r.rows))
	for i := range order {
		order[i] = i
	}
	// Inner calls first, so that what is taken from outer ones is passed on whole.
	slices.SortStableFunc(order, func(a, b int) int { return len(r.rows[b].Way) - len(r.rows[a].Way) })
	refined, plain, gone := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for _, i := range order {
		row := &r.rows[i]
		j, ok := innerOf(at, row.Way)
		if !ok {
			continue
		}
		inner := &r.rows[j]
		if row.AddsTo(&inner.Call) {
			refined[j] = true
			continue
		}
		if inner.Take(&row.Call) {
			inner.layers = row.layers
		}
		gone[i], plain[j] = true, true
	}
	var rows []auditRow
	for i := range r.rows {
		if !gone[i] && (!refined[i] || plain[i]) {
			rows = append(rows, r.rows[i])
		}
	}
	r.rows = rows
}

// innerOf finds the row of a call that lies on a way: the outermost one beneath its
// beginning. The way of a row ends where its own package loses sight of the send, and
// so may be shorter.
func innerOf(at map[string]int, way []string) (int, bool) {
	for from := 1; from < len(way); from++ {
		for to := len(way); to > from; to-- {
			if j, ok := at[wayKey(way[from:to])]; ok {
				return j, true
			}
		}
	}
	return 0, false
}

func wayKey(way []string) string { return strings.Join(way, "\n") }
