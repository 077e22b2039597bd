package rewrite

import (
	"go/ast"
	"go/token"
)

// Wrap sends calls of one or two results through a generic function that calls
// what it is given, once:
//
//	id, err := once(func() (string, error) { return c.post(ctx, b) })
type Wrap struct{}

// Name returns "wrap".
func (Wrap) Name() string { return "wrap" }

// Draft wraps calls.
func (Wrap) Draft(d *Draft) {
	p := d.Package
	var helpers [3]string // by number of results
	var first [3]*change
	for _, call := range d.statementCalls() {
		rs := results(p.Info.TypeOf(call))
		if len(rs) > 2 {
			d.skip("more than two results")
			continue
		}
		if p.recovers([]ast.Node{call}) {
			d.skip("it recovers from a panic")
			continue
		}
		file := p.fileOf(call.Pos())
		c := d.change("%s in a generic function", p.text(call))
		types, ok := d.at(file, c, call.Pos()).spellAll(rs)
		if !ok {
			c.dropped = true
			d.skip("a type that cannot be written")
			continue
		}
		n := len(rs)
		if helpers[n] == "" {
			helpers[n] = d.fresh("once")
			first[n] = d.quiet("the generic function")
			text := "func %s[A any](f func() A) A { return f() }"
			if n == 2 {
				text = "func %s[A, B any](f func() (A, B)) (A, B) { return f() }"
			}
			// It must be there for files without tests, too.
			first[n].append(d.mainFile(file), words(token.NoPos, text, helpers[n]))
		}
		c.replace(call, words(call.Pos(), "%s(func() %s { return ", helpers[n], tuple(types)), old(call), words(call.Pos(), " })"))
	}
}

// mainFile returns the first file without tests, or else the one that is given.
func (d *Draft) mainFile(otherwise *File) *File {
	for _, f := range d.Package.Files {
		if !f.test() {
			return f
		}
	}
	return otherwise
}
