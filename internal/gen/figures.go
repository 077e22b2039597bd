package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// figures joins what the two forms of an example measured. Both must have
// measured the same, in the same order: a figure alone compares nothing.
func figures(example string) ([]rule.Figure, error) {
	risky, err := rows(filepath.Join(example, "risky", "figures.txt"))
	if err != nil {
		return nil, err
	}
	safe, err := rows(filepath.Join(example, "safe", "figures.txt"))
	if err != nil {
		return nil, err
	}
	var out []rule.Figure
	for i := range max(len(risky), len(safe)) {
		r, s := at(risky, i), at(safe, i)
		if r[0] != s[0] || r[1] != s[1] {
			return nil, fmt.Errorf("row %d of risky is %q, of safe %q: they must measure the same", i+1, r[:2], s[:2])
		}
		out = append(out, rule.Figure{Situation: r[0], Measured: r[1], Risky: r[2], Safe: s[2]})
	}
	if len(out) == 0 {
		return nil, errors.New("no rows")
	}
	return out, nil
}

// at is a row, or an empty one behind the last.
func at(rows [][3]string, i int) [3]string {
	if i < len(rows) {
		return rows[i]
	}
	return [3]string{}
}

// rows reads a file of examples/internal/figures, which says how it looks.
func rows(path string) ([][3]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out [][3]string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, " | ")
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s: %q is no row", path, line)
		}
		out = append(out, [3]string(fields))
	}
	return out, nil
}
