package policy

import "go/token"

// An Explanation is one line of what the model knows of a place, or does not
// know and why.
type Explanation struct {
	Depth int       // of indentation: what belongs to the line before has one more
	Text  string    // one line
	Pos   token.Pos // what it is about, NoPos for nothing in the package
}

// Explain says what the model knows of the calls and loops on a line of a file
// of the package: layers, attempts, key, body, verdicts, and for what is not
// known why it is not. file is a path or the end of one. found is false when
// no function of the package has that line.
func (m *Model) Explain(file string, line int) (lines []Explanation, found bool) {
	return nil, false
}
