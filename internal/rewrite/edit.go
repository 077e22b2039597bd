package rewrite

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// A piece is a part of a new text: words, or a range of the old text.
type piece struct {
	words string
	// at is the old place that the words stand for; none for words that are new
	// through and through.
	at token.Pos
	// from and to are the range of the old text. Edits strictly inside it are
	// carried out; one of exactly this range is what moved the text here.
	from, to token.Pos
}

// words makes a piece of new text that stands for an old place.
func words(at token.Pos, format string, args ...any) piece {
	if len(args) == 0 {
		return piece{words: format, at: at}
	}
	return piece{words: fmt.Sprintf(format, args...), at: at}
}

// span makes a piece of old text.
func span(from, to token.Pos) piece { return piece{from: from, to: to} }

// old makes a piece of the text of a node.
func old(n ast.Node) piece { return span(n.Pos(), n.End()) }

// An edit replaces a range of the old text. An empty range inserts.
type edit struct {
	from, to token.Pos
	pieces   []piece
	change   *change
	seq      int // insertions at one place keep the order in which they were made
}

func (e *edit) inserts() bool { return e.from == e.to }

// Output is a file as a rewrite leaves it.
type Output struct {
	// Name is relative to the package's directory, with slashes.
	Name string
	// Text is the whole file.
	Text     []byte
	segments []segment
}

// segment says where a part of an output, up to the next one, comes from.
type segment struct {
	offset int       // in the output
	origin token.Pos // in the old text
	moves  bool      // the origin goes on with the text; otherwise all of it stands for one place
}

// Origin leads from an offset in the text back to the old place, and is
// token.NoPos for text without one.
func (o *Output) Origin(offset int) token.Pos {
	i, found := slices.BinarySearchFunc(o.segments, offset, func(s segment, at int) int { return cmp.Compare(s.offset, at) })
	if !found {
		i--
	}
	if i < 0 {
		return token.NoPos
	}
	s := o.segments[i]
	if s.moves {
		return s.origin + token.Pos(offset-s.offset)
	}
	return s.origin
}

// renderer writes texts from pieces.
type renderer struct {
	fset  *token.FileSet
	files map[*token.File]*renderedFile
	into  *Output
	open  []*edit // those whose pieces are being written
}

type renderedFile struct {
	text  []byte
	edits []*edit // in the order of the text
}

// conflict is two edits of which neither lies inside of the other.
type conflict struct{ first, second *edit }

// newRenderer sorts the edits of the changes that still hold. Where two are at
// odds it returns them instead.
func newRenderer(p *Package, edits []*edit) (*renderer, *conflict) {
	r := &renderer{fset: p.Fset, files: map[*token.File]*renderedFile{}}
	for _, f := range p.Files {
		r.files[p.Fset.File(f.Syntax.FileStart)] = &renderedFile{text: f.Text}
	}
	for _, e := range edits {
		if !e.change.dropped {
			f := r.files[p.Fset.File(e.from)]
			f.edits = append(f.edits, e)
		}
	}
	for _, file := range p.Files {
		f := r.files[p.Fset.File(file.Syntax.FileStart)]
		slices.SortFunc(f.edits, func(a, b *edit) int {
			return cmp.Or(
				cmp.Compare(a.from, b.from),
				// insertions stand before what is replaced, outer before inner
				-compareBool(a.inserts(), b.inserts()),
				-cmp.Compare(a.to, b.to),
				cmp.Compare(a.seq, b.seq),
			)
		})
		var around []*edit
		for _, e := range f.edits {
			for len(around) > 0 && around[len(around)-1].to <= e.from {
				around = around[:len(around)-1]
			}
			if len(around) > 0 {
				outer := around[len(around)-1]
				if e.to > outer.to || e.from == outer.from && e.to == outer.to {
					return nil, &conflict{outer, e}
				}
			}
			if !e.inserts() {
				around = append(around, e)
			}
		}
	}
	return r, nil
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// file renders a whole old file and what is to stand behind it.
func (r *renderer) file(name string, f *token.File, tail []piece) *Output {
	out := &Output{Name: name}
	r.into = out
	r.old(token.Pos(f.Base()), token.Pos(f.Base()+f.Size()), true)
	r.pieces(tail)
	return out
}

// new renders a new file.
func (r *renderer) new(name string, pieces []piece) *Output {
	out := &Output{Name: name}
	r.into = out
	r.pieces(pieces)
	return out
}

func (r *renderer) pieces(pieces []piece) {
	for _, p := range pieces {
		if p.from.IsValid() {
			r.old(p.from, p.to, false)
		} else {
			r.write(p.words, p.at, false)
		}
	}
}

// old writes a range of the old text with the edits inside it; all of them, or
// only those strictly inside.
func (r *renderer) old(from, to token.Pos, all bool) {
	tf := r.fset.File(from)
	f := r.files[tf]
	text := func(a, b token.Pos) {
		r.write(string(f.text[int(a)-tf.Base():int(b)-tf.Base()]), a, true)
	}
	at := from
	i, _ := slices.BinarySearchFunc(f.edits, from, func(e *edit, from token.Pos) int { return cmp.Compare(e.from, from) })
	for ; i < len(f.edits) && f.edits[i].from <= to; i++ {
		e := f.edits[i]
		switch {
		case e.from < at || e.to > to:
			continue // inside of one that was carried out, or not in the range
		case !all && e.inserts() && (e.from == from || e.from == to):
			continue
		case !all && e.from == from && e.to == to:
			continue
		case slices.Contains(r.open, e):
			continue
		}
		text(at, e.from)
		r.open = append(r.open, e)
		r.pieces(e.pieces)
		r.open = r.open[:len(r.open)-1]
		at = e.to
	}
	text(at, to)
}

func (r *renderer) write(text string, origin token.Pos, moves bool) {
	if text == "" {
		return
	}
	r.into.segments = append(r.into.segments, segment{len(r.into.Text), origin, moves})
	r.into.Text = append(r.into.Text, text...)
}

// list writes strings as a list with commas.
func list(items []string) string { return strings.Join(items, ", ") }
