package policy

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// onPurpose are the words of those who know that there is no limit.
var onPurpose = regexp.MustCompile(`(?i)unlimited|infinit|forever|for ever|endless|unbound|until|always|indefinit|no ?limit|without ?(a )?limit|never give|wait|poll|watch`)

// say makes a verdict, unless somebody has written that it is meant so.
func (d *limitSearch) say(fn *ir.Function, z *zero) {
	m := d.m
	pos, end := m.prog.span(z.site)
	if !pos.IsValid() {
		return
	}
	decls := map[*ast.FuncDecl]bool{m.declOf(fn): true}
	places := []*ir.Node{z.site, z.call}
	for f := z.frame; f != nil; f = f.Parent {
		if f.Fn.Local {
			decls[m.declOf(f.Fn)] = true
		}
		if f.Site != nil {
			places = append(places, f.Site)
		}
	}
	for decl := range decls {
		if decl != nil && m.meantSo(decl, places) {
			return
		}
	}
	if s := m.shapeOf(fn); s != nil && !m.open(s.fn) && m.callersMeanSo(s) {
		return
	}
	name := z.entry.Symbol.Name[strings.IndexByte(z.entry.Symbol.Name, '.')+1:]
	v := Verdict{Rule: RetryUnbounded, Severity: Warning, Pos: pos, End: end,
		Message: fmt.Sprintf("%s with 0 does not turn the retry off: in %s it takes the limit away, and the call is made again for as long as it fails; give 1 for a single attempt, or the number of attempts that you want", name, z.entry.Library.Name)}
	if p, e := m.prog.span(z.call); z.call != z.site && z.frame.Fn.Local && p.IsValid() && p != pos {
		v.Related = append(v.Related, analysis.RelatedInformation{Pos: p, End: e, Message: "the number is given here"})
	}
	m.verdicts = append(m.verdicts, v)
}

// meantSo says whether the name of a function, of a number in it, or a comment beside
// one of some places says that there is to be no limit.
func (m *modeler) meantSo(decl *ast.FuncDecl, places []*ir.Node) bool {
	if onPurpose.MatchString(decl.Name.Name) {
		return true
	}
	spans := make([]stretch, len(places))
	for i, p := range places {
		spans[i].pos, spans[i].end = m.prog.span(p)
	}
	return m.namesNumber(decl) || m.commentSays(decl, spans)
}

// stretch is a place in the source.
type stretch struct{ pos, end token.Pos }

// callersMeanSo says whether a function in this package that calls another has a name,
// or a comment beside the call, which says that there is to be no limit.
func (m *modeler) callersMeanSo(s *shape) bool {
	for _, t := range m.shapes.order {
		if t == s || !slices.Contains(t.calls, s.fn) {
			continue
		}
		if onPurpose.MatchString(t.fn.Name()) {
			return true
		}
		var spans []stretch
		ast.Inspect(t.decl.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if fn, ok := m.pass.TypesInfo.Uses[id].(*types.Func); ok && fn.Origin() == s.fn {
					spans = append(spans, stretch{id.Pos(), id.End()})
				}
			}
			return true
		})
		if m.commentSays(t.decl, spans) {
			return true
		}
	}
	return false
}

// namesNumber says whether the name of a number in a function says it.
func (m *modeler) namesNumber(decl *ast.FuncDecl) (meant bool) {
	ast.Inspect(decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && onPurpose.MatchString(id.Name) {
			obj := m.pass.TypesInfo.ObjectOf(id)
			if obj != nil && obj.Type() != nil {
				b, basic := types.Unalias(obj.Type()).Underlying().(*types.Basic)
				meant = meant || basic && b.Info()&types.IsNumeric != 0 && !isNamed(obj.Type(), "time", "Duration")
			}
		}
		return !meant
	})
	return meant
}

// commentSays says whether a comment beside one of some places in a function says it.
func (m *modeler) commentSays(decl *ast.FuncDecl, places []stretch) bool {
	fset := m.pass.Fset
	for _, f := range m.pass.Files {
		if decl.Pos() < f.FileStart || decl.Pos() >= f.FileEnd {
			continue
		}
		for _, g := range f.Comments {
			first, last := fset.Position(g.Pos()).Line, fset.Position(g.End()).Line
			for _, p := range places {
				if !p.pos.IsValid() || p.pos < decl.Pos() || p.pos > decl.End() {
					continue
				}
				if from, to := fset.Position(p.pos).Line, fset.Position(p.end).Line; first <= to && last >= from-1 && onPurpose.MatchString(g.Text()) {
					return true
				}
			}
		}
	}
	return false
}
