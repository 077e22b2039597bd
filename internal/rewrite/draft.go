package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
)

// A Rewrite changes packages in one way.
type Rewrite interface {
	// Name is one word.
	Name() string
	// Draft writes edits for what it can change in the package, and counts in the
	// draft what it left out. It must not change the package.
	Draft(d *Draft)
}

// All returns the rewrites.
func All() []Rewrite {
	return []Rewrite{
		Rename{}, ExtractVar{}, ExtractCall{}, ExtractBody{}, Receiver{}, Wrap{}, Alias{}, Move{},
	}
}

// A Draft collects what a rewrite changes in one package.
type Draft struct {
	Package *Package

	edits   []*edit
	changes []*change
	files   []*newFile
	names   map[string]bool             // names that the draft made
	added   map[*File]map[string]string // the names of imports that the draft adds
	imports []*addedImport
	skipped map[string]int
	// retarget gives the new path of an import; see Apply.
	retarget func(string) string
}

// change is edits that belong together.
type change struct {
	draft   *Draft
	what    string
	dropped bool
	tails   []tail
	quiet   bool // does not count: it changes nothing in the sense of the rewrite
	needs   []*change
}

// tail is text that is added to the end of a file.
type tail struct {
	file   *File
	pieces []piece
}

// newFile is a file that did not exist.
type newFile struct {
	name   string // relative to the package's directory
	change *change
	pieces []piece
}

func newDraft(p *Package, retarget func(string) string) *Draft {
	d := &Draft{
		Package: p, names: map[string]bool{}, added: map[*File]map[string]string{},
		skipped: map[string]int{}, retarget: retarget,
	}
	for _, f := range p.Files {
		for _, spec := range f.Syntax.Imports {
			if path := unquote(spec.Path.Value); retarget(path) != path {
				d.quiet("imports").replace(spec.Path, words(spec.Path.Pos(), "%q", retarget(path)))
			}
		}
	}
	return d
}

// addedImport is an import that a file did not have.
type addedImport struct {
	file   *File
	path   string
	change *change
}

// addImport adds an import to a file.
func (d *Draft) addImport(f *File, name, path string) {
	c := d.quiet("import")
	c.insert(f.Syntax.Name.End(), words(token.NoPos, "; import %s %q", name, path))
	d.imports = append(d.imports, &addedImport{f, path, c})
}

// skip counts something that the rewrite leaves as it is.
func (d *Draft) skip(why string) { d.skipped[why]++ }

// change begins a change.
func (d *Draft) change(format string, args ...any) *change {
	c := &change{draft: d, what: fmt.Sprintf(format, args...)}
	d.changes = append(d.changes, c)
	return c
}

func (d *Draft) quiet(what string) *change {
	c := d.change("%s", what)
	c.quiet = true
	return c
}

// fresh returns a name that stands nowhere in the package.
func (d *Draft) fresh(stem string) string {
	for n := 1; ; n++ {
		if name := fmt.Sprintf("%s%d", stem, n); d.free(name) {
			d.names[name] = true
			return name
		}
	}
}

// free says whether a name stands nowhere, and takes it.
func (d *Draft) free(name string) bool {
	if d.Package.names[name] || d.names[name] || predeclared(name) || token.IsKeyword(name) {
		return false
	}
	d.names[name] = true
	return true
}

func (c *change) edit(from, to token.Pos, pieces []piece) {
	c.draft.edits = append(c.draft.edits, &edit{from: from, to: to, pieces: pieces, change: c, seq: len(c.draft.edits)})
}

// replace puts pieces in the place of a node.
func (c *change) replace(n ast.Node, pieces ...piece) { c.edit(n.Pos(), n.End(), pieces) }

// cut removes a range.
func (c *change) cut(from, to token.Pos) { c.edit(from, to, nil) }

// insert puts pieces in front of a place.
func (c *change) insert(at token.Pos, pieces ...piece) { c.edit(at, at, pieces) }

// append puts pieces at the end of a file.
func (c *change) append(f *File, pieces ...piece) {
	c.tails = append(c.tails, tail{f, append([]piece{words(token.NoPos, "\n")}, append(pieces, words(token.NoPos, "\n"))...)})
}

// file adds a file.
func (c *change) file(name string, pieces []piece) {
	c.draft.files = append(c.draft.files, &newFile{name, c, pieces})
}
