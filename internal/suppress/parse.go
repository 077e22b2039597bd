package suppress

import (
	"go/ast"
	"go/token"
	"strings"
)

// parseFile reads the directives of one file.
func parseFile(fset *token.FileSet, f *ast.File) []*Directive {
	var out []*Directive
	groups := map[*Directive]*ast.CommentGroup{}
	needNodes, needAttached := false, false
	for _, g := range f.Comments {
		for _, c := range g.List {
			d := parseComment(c.Text)
			if d == nil {
				continue
			}
			d.Pos, d.End = c.Pos(), c.End()
			d.file = fset.PositionFor(c.Pos(), false).Filename
			groups[d] = g
			needNodes = needNodes || d.Kind == NoLint
			needAttached = needAttached || d.Kind == LintIgnore
			out = append(out, d)
		}
	}
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	if needAttached {
		attach(fset, f, out, line)
	}
	if needNodes {
		expand(fset, f, out, groups)
	}
	return out
}

// parseComment reads one comment; nil when it is no directive.
func parseComment(text string) *Directive {
	if d := parseNoLint(text); d != nil {
		return d
	}
	for _, form := range []struct {
		text string
		kind Kind
	}{{"//lint:ignore", LintIgnore}, {"//lint:file-ignore", LintFileIgnore}} {
		rest, ok := afterWord(text, form.text)
		if !ok {
			continue
		}
		list, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
		return &Directive{Kind: form.kind, Text: form.text, Names: names(list), Reason: reasonOf(reason)}
	}
	if rest, ok := strings.CutPrefix(text, "//"+Suite+":"); ok {
		verb, reason, _ := strings.Cut(rest, " ")
		return &Directive{Kind: Own, Text: "//" + Suite + ":" + verb, Verb: verb, Reason: reasonOf(reason)}
	}
	return nil
}

// parseNoLint reads golangci-lint's directive. Like golangci-lint it allows
// spaces before the word, a list after a colon, and an explanation after a
// second pair of slashes.
func parseNoLint(text string) *Directive {
	if !strings.HasPrefix(text, "//") {
		return nil
	}
	body := strings.TrimLeft(text, "/ ")
	rest, ok := strings.CutPrefix(body, "nolint")
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != ':' {
		return nil // nolintlint, or a word that only begins so
	}
	d := &Directive{Kind: NoLint, Text: "//nolint"}
	list, reason, _ := strings.Cut(rest, "//")
	d.Reason = reasonOf(reason)
	// Whatever begins with "all" means everything, also with words behind it.
	if list, ok := strings.CutPrefix(list, ":"); ok && !strings.HasPrefix(list, "all") {
		d.Names = names(list)
	}
	return d
}

// names splits a list of rule names.
func names(list string) []string {
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// reasonOf trims an explanation. What follows a further // is a remark about
// the directive (an expectation of a test, say) and no reason.
func reasonOf(s string) string {
	s, _, _ = strings.Cut(s, "//")
	return strings.TrimSpace(s)
}

// attach gives each //lint:ignore its lines: the comment's own, and that on
// which the node begins that the comment belongs to. go/ast decides about that,
// as it does for staticcheck.
func attach(fset *token.FileSet, f *ast.File, directives []*Directive, line func(token.Pos) int) {
	byPos := map[token.Pos]*Directive{}
	for _, d := range directives {
		if d.Kind == LintIgnore {
			byPos[d.Pos] = d
			d.ranges = append(d.ranges, lineRange{line(d.Pos), line(d.Pos)})
		}
	}
	for node, groups := range ast.NewCommentMap(fset, f, f.Comments) {
		for _, g := range groups {
			for _, c := range g.List {
				if d := byPos[c.Pos()]; d != nil {
					d.ranges = append(d.ranges, lineRange{line(node.Pos()), line(node.Pos())})
				}
			}
		}
	}
}

// expand gives each //nolint its lines: those of its comment group, and every
// node that begins on the next line in the same column, to its end. So a
// comment above a statement covers the statement, one above a function covers
// the function, and one above the package clause the whole file.
func expand(fset *token.FileSet, f *ast.File, directives []*Directive, groups map[*Directive]*ast.CommentGroup) {
	type place struct{ line, column int }
	above := map[place][]*Directive{}
	for _, d := range directives {
		if d.Kind != NoLint {
			continue
		}
		from, to := fset.PositionFor(groups[d].Pos(), false), fset.PositionFor(groups[d].End(), false)
		d.ranges = append(d.ranges, lineRange{from.Line, to.Line})
		next := place{to.Line + 1, from.Column}
		above[next] = append(above[next], d)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		from := fset.PositionFor(n.Pos(), false)
		for _, d := range above[place{from.Line, from.Column}] {
			d.ranges = append(d.ranges, lineRange{from.Line, fset.PositionFor(n.End(), false).Line})
		}
		return true
	})
}
