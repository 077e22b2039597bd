package policy

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// claims are the places where a person says that repeating is harmless:
// //resiliencevet:idempotent with a reason, on a function, or on the line of a
// call or the line above it.
type claims struct {
	fset  *token.FileSet
	lines map[lineKey]bool
	decls map[*ast.FuncDecl]bool
}

type lineKey struct {
	file string
	line int
}

const idempotentClaim = "//resiliencevet:idempotent"

func isClaim(text string) bool {
	rest, ok := strings.CutPrefix(text, idempotentClaim)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

func findClaims(pass *analysis.Pass) *claims {
	c := &claims{fset: pass.Fset, lines: map[lineKey]bool{}, decls: map[*ast.FuncDecl]bool{}}
	for _, f := range pass.Files {
		for _, g := range f.Comments {
			for _, cm := range g.List {
				if isClaim(cm.Text) {
					p := pass.Fset.PositionFor(cm.Pos(), false)
					c.lines[lineKey{p.Filename, p.Line}] = true
				}
			}
		}
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Doc != nil {
				for _, cm := range fd.Doc.List {
					if isClaim(cm.Text) {
						c.decls[fd] = true
					}
				}
			}
		}
	}
	return c
}

// covers says whether a claim is made for the code at pos, written in decl.
func (c *claims) covers(pos token.Pos, decl *ast.FuncDecl) bool {
	if c.decls[decl] {
		return true
	}
	if len(c.lines) == 0 || !pos.IsValid() {
		return false
	}
	p := c.fset.PositionFor(pos, false)
	return c.lines[lineKey{p.Filename, p.Line}] || c.lines[lineKey{p.Filename, p.Line - 1}]
}
