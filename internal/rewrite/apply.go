package rewrite

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Result is a package as a rewrite leaves it.
type Result struct {
	// Files are all files of the package, and of packages below it that the
	// rewrite made.
	Files []*Output
	// Changes tells each change in a few words, with its place.
	Changes []string
	// Skipped counts what was left as it is, by reason.
	Skipped map[string]int
}

// Apply carries out a rewrite. Retarget gives the path under which the result
// imports what the package imports as path: results are written to another
// directory than the package.
//
// The result compiles. An error means that the package could not be brought into
// such a form at all.
func Apply(p *Package, rw Rewrite, retarget func(path string) string) (*Result, error) {
	d := newDraft(p, retarget)
	rw.Draft(d)
	return d.apply(rw)
}

// One is one change of a rewrite, and those that it needs.
type One struct {
	Rewrite Rewrite
	// Number is an index of the Changes that Apply returns for the rewrite.
	Number int
}

// Name returns the rewrite's name with the number.
func (o One) Name() string { return fmt.Sprintf("%s%d", o.Rewrite.Name(), o.Number) }

// Draft makes the change.
func (o One) Draft(d *Draft) {
	all := newDraft(d.Package, d.retarget)
	o.Rewrite.Draft(all)
	if _, err := all.apply(o.Rewrite); err != nil {
		return
	}
	// Drafts are the same every time, so changes correspond by their position.
	first := len(d.changes)
	o.Rewrite.Draft(d)
	number := o.Number
	for i, c := range d.changes[first:] {
		if c.quiet || c.dropped {
			continue
		}
		c.dropped = true
		if !all.changes[first+i].dropped {
			if number == 0 {
				c.revive()
			}
			number--
		}
	}
}

// revive undoes the dropping of a change, and of those that it needs.
func (c *change) revive() {
	c.dropped = false
	for _, n := range c.needs {
		n.revive()
	}
}

func (d *Draft) apply(rw Rewrite) (*Result, error) {
	p := d.Package
	for range 100 {
		r, clash := newRenderer(p, d.edits)
		if clash != nil {
			d.drop(clash.second.change, "two changes of one place")
			continue
		}
		outputs := d.render(r)
		problems := check(p, outputs, d.retarget)
		if len(problems) == 0 {
			return d.result(outputs), nil
		}
		if err := d.mend(problems); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", rw.Name(), p.Path, err)
		}
	}
	return nil, fmt.Errorf("%s of %s: still does not compile after 100 attempts", rw.Name(), p.Path)
}

func (d *Draft) result(outputs []*Output) *Result {
	res := &Result{Files: outputs, Skipped: d.skipped}
	for _, c := range d.changes {
		if !c.dropped && !c.quiet {
			res.Changes = append(res.Changes, d.place(c)+c.what)
		}
	}
	return res
}

// place writes where a change begins.
func (d *Draft) place(c *change) string {
	for _, e := range d.edits {
		if e.change == c {
			at := d.Package.Fset.Position(e.from)
			return fmt.Sprintf("%s:%d: %s: ", path.Base(filepath.ToSlash(at.Filename)), at.Line, d.Package.DeclName(e.from))
		}
	}
	return ""
}

func (d *Draft) render(r *renderer) []*Output {
	var out []*Output
	for _, f := range d.Package.Files {
		var after []piece
		for _, c := range d.changes {
			for _, t := range c.tails {
				if t.file == f && !c.dropped {
					after = append(after, t.pieces...)
				}
			}
		}
		out = append(out, r.file(f.Name, d.Package.Fset.File(f.Syntax.FileStart), after))
	}
	for _, f := range d.files {
		if !f.change.dropped {
			out = append(out, r.new(f.name, f.pieces))
		}
	}
	return out
}

// drop takes a change back, and those that rest on it.
func (d *Draft) drop(c *change, why string) {
	if c.dropped {
		return
	}
	c.dropped = true
	if !c.quiet {
		d.skip(why)
	}
	for _, other := range d.changes {
		if slices.Contains(other.needs, c) {
			d.drop(other, why)
		}
	}
}

// problem is an error of the compiler in an output.
type problem struct {
	output *Output
	offset int
	origin token.Pos // the old place, if there is one
	unused string    // the path of an import that nothing uses
	text   string
}

// mend removes imports that are not used any more, and else takes changes back:
// those at the place of an error, else those in its function, else all.
func (d *Draft) mend(problems []problem) error {
	mended := false
	for _, pr := range problems {
		if pr.unused != "" {
			mended = d.dropImport(pr) || mended
		}
	}
	if mended {
		return nil
	}
	for _, wide := range []bool{false, true} {
		for _, pr := range problems {
			for _, c := range d.around(pr.origin, wide) {
				d.drop(c, "does not compile: "+pr.text)
				mended = true
			}
		}
		if mended {
			return nil
		}
	}
	for _, c := range d.changes {
		if !c.dropped && !c.quiet {
			d.drop(c, "does not compile: "+problems[0].text)
			mended = true
		}
	}
	if !mended {
		return fmt.Errorf("does not compile: %s", problems[0].text)
	}
	return nil
}

// around returns the changes at an old place, or those in its declaration.
func (d *Draft) around(at token.Pos, wide bool) []*change {
	if !at.IsValid() {
		return nil
	}
	from, to := at, at
	if decl := d.Package.decl(at); wide && decl != nil {
		from, to = decl.Pos(), decl.End()
	}
	var out []*change
	for _, e := range d.edits {
		if e.from <= to && from <= e.to && !e.change.dropped && !e.change.quiet {
			out = append(out, e.change)
		}
	}
	return out
}

// dropImport removes an import that was added, or one of an old or a new file.
func (d *Draft) dropImport(pr problem) bool {
	for _, a := range d.imports {
		if a.file.Name == pr.output.Name && a.path == pr.unused && !pr.origin.IsValid() && !a.change.dropped {
			a.change.dropped = true
			return true
		}
	}
	for _, f := range d.Package.Files {
		for _, spec := range f.Syntax.Imports {
			if f.Name == pr.output.Name && d.retarget(unquote(spec.Path.Value)) == pr.unused {
				for _, e := range d.edits { // an edit of the path itself
					if spec.Pos() <= e.from && e.to <= spec.End() && e.change.quiet {
						e.change.dropped = true
					}
				}
				var n ast.Node = spec
				if g, ok := d.Package.parents[spec].(*ast.GenDecl); ok && !g.Lparen.IsValid() {
					n = g
				}
				d.quiet("unused import").cut(n.Pos(), n.End())
				return true
			}
		}
	}
	for _, f := range d.files {
		for i, p := range f.pieces {
			if f.name == pr.output.Name && isImport(p, pr.unused) {
				f.pieces = slices.Delete(f.pieces, i, i+1)
				return true
			}
		}
	}
	return false
}

// importPiece makes an import of a new file: one piece, so that it can be found.
func importPiece(name, path string) piece {
	return words(token.NoPos, "import %s %q\n", name, path)
}

func isImport(p piece, path string) bool {
	return strings.HasPrefix(p.words, "import ") && strings.HasSuffix(p.words, strconv.Quote(path)+"\n")
}

// check type-checks outputs: first the packages below, then the package itself.
func check(p *Package, outputs []*Output, retarget func(string) string) []problem {
	imports := map[string]*types.Package{}
	for path, imported := range p.imports {
		imports[retarget(path)] = imported
	}
	groups := map[string][]*Output{}
	var dirs []string
	for _, o := range outputs {
		dir := path.Dir(o.Name)
		if groups[dir] == nil {
			dirs = append(dirs, dir)
		}
		groups[dir] = append(groups[dir], o)
	}
	slices.SortFunc(dirs, func(a, b string) int { return len(b) - len(a) }) // "." is the shortest
	for _, dir := range dirs {
		full := path.Join(retarget(strings.TrimSuffix(p.Path, "_test")), dir)
		made, problems := checkOne(full, groups[dir], imports)
		if len(problems) > 0 {
			return problems
		}
		imports[full] = made
	}
	return nil
}

type importMap map[string]*types.Package

func (m importMap) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := m[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not imported by the package", path)
}

func checkOne(path string, outputs []*Output, imports importMap) (*types.Package, []problem) {
	fset := token.NewFileSet()
	var files []*ast.File
	var problems []problem
	byBase := map[*token.File]*Output{}
	for _, o := range outputs {
		f, err := parser.ParseFile(fset, o.Name, o.Text, parser.SkipObjectResolution)
		if err != nil {
			problems = append(problems, problem{output: o, text: err.Error()})
			continue
		}
		byBase[fset.File(f.FileStart)] = o
		files = append(files, f)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	conf := types.Config{Importer: imports, Error: func(err error) {
		e := err.(types.Error)
		tf := fset.File(e.Pos)
		o, offset := byBase[tf], tf.Offset(e.Pos)
		pr := problem{output: o, offset: offset, origin: o.Origin(offset), text: e.Msg}
		for _, f := range files {
			for _, spec := range f.Imports {
				if spec.Pos() <= e.Pos && e.Pos <= spec.End() {
					pr.unused = unquote(spec.Path.Value)
				}
			}
		}
		problems = append(problems, pr)
	}}
	made, _ := conf.Check(path, fset, files, nil) // its error is the first of the problems
	return made, problems
}

func unquote(s string) string {
	text, err := strconv.Unquote(s)
	if err != nil {
		return s
	}
	return text
}
