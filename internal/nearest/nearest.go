// Package nearest finds the name that a person probably meant.
package nearest

// To returns the one of names that is closest to name by edit distance, or ""
// when none is near enough to be a slip: at most a third of the letters differ.
// Of several equally close names the first wins.
func To(name string, names []string) string {
	best, bound := "", len(name)/3+1
	for _, n := range names {
		if d := Distance(name, n); d < bound {
			best, bound = n, d
		}
	}
	return best
}

// Distance counts the single-byte insertions, deletions and replacements that
// turn a into b.
func Distance(a, b string) int {
	// row[j] is the distance of a[:i] to b[:j].
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := diagonal
			if a[i] != b[j] {
				next = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
