package rewrite

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// join groups units that need each other.
func (m *mover) join() {
	for _, u := range m.all {
		if u.stays != "" {
			m.draft.skip(u.stays)
			continue
		}
		u.group = &moveGroup{units: []*unit{u}}
	}
	merge := func(a, b *moveGroup) {
		if a == b {
			return
		}
		for _, u := range b.units {
			u.group = a
		}
		a.units = append(a.units, b.units...)
	}
	identifiers(m.p, func(id *ast.Ident, obj types.Object) {
		if obj == nil {
			return
		}
		from := m.inUnit[id]
		to, _ := m.target(obj)
		if from != nil && to != nil && from.stays == "" && to.stays == "" {
			merge(from.group, to.group)
		}
	})
}

// write makes the edits.
func (m *mover) write() {
	d, p := m.draft, m.p
	var groups []*moveGroup
	for _, u := range m.all {
		if u.stays == "" && !slices.Contains(groups, u.group) {
			slices.SortFunc(u.group.units, func(a, b *unit) int { return cmp.Compare(a.ranges[0].from, b.ranges[0].from) })
			groups = append(groups, u.group)
		}
	}
	if len(groups) == 0 {
		return
	}
	pkgName := d.fresh("moved")
	names := m.names(groups)
	used := map[*File]bool{}
	identifiers(p, func(id *ast.Ident, obj types.Object) {
		if obj == nil {
			return
		}
		name, ok := names[origin(obj)]
		if !ok {
			return
		}
		u, _ := m.target(obj)
		from := m.inUnit[id]
		if !isMember(origin(obj)) && (from == nil || from.stays != "") {
			used[p.fileOf(id.Pos())] = true
			name = pkgName + "." + name
		}
		u.group.change.replace(id, words(id.Pos(), "%s", name))
	})
	dir := path.Join("internal", pkgName)
	for _, f := range p.Files {
		if used[f] {
			d.addImport(f, "", path.Join(d.retarget(p.Path), dir))
		}
	}
	for i, g := range groups {
		for _, f := range p.Files {
			if pieces := m.pieces(g, f); pieces != nil {
				name := fmt.Sprintf("%s%d.go", strings.TrimSuffix(f.Name, ".go"), i+1)
				g.change.file(path.Join(dir, name), append(m.header(f, pkgName), pieces...))
			}
		}
	}
}

// header begins a new file with the imports of an old one. Those that it does
// not need are removed later.
func (m *mover) header(f *File, pkgName string) []piece {
	out := []piece{words(token.NoPos, "package %s\n", pkgName)}
	for _, spec := range f.Syntax.Imports {
		name := ""
		if spec.Name != nil {
			if name = spec.Name.Name; name == "_" {
				continue
			}
		}
		out = append(out, importPiece(name, m.draft.retarget(unquote(spec.Path.Value))))
	}
	return out
}

// pieces cuts a group's declarations out of a file and returns them.
func (m *mover) pieces(g *moveGroup, f *File) []piece {
	var out []piece
	for _, u := range g.units {
		if u.file != f {
			continue
		}
		for i, r := range u.ranges {
			g.change.cut(r.from, r.to)
			out = append(out, words(token.NoPos, "\n"))
			if i == 0 && u.keyword != "" {
				out = append(out, words(token.NoPos, "%s (\n", u.keyword), span(r.from, r.to), words(token.NoPos, "\n)\n"))
			} else {
				out = append(out, span(r.from, r.to), words(token.NoPos, "\n"))
			}
		}
	}
	return out
}

// names chooses the new names of what is moved, and of the fields and methods
// that code outside of the new package uses.
func (m *mover) names(groups []*moveGroup) map[types.Object]string {
	names := map[types.Object]string{}
	for _, g := range groups {
		g.change = m.draft.change("%s and %d more move", g.units[0].names[0].Name(), len(g.units)-1)
		for _, u := range g.units {
			for _, obj := range u.names {
				names[obj] = m.exported(obj.Name(), false)
			}
		}
	}
	byName := map[string]string{} // one new name for all members of a name
	export := func(obj types.Object, u *unit) {
		if names[obj] != "" {
			return
		}
		if byName[obj.Name()] == "" {
			byName[obj.Name()] = m.exported(obj.Name(), true)
		}
		names[obj] = byName[obj.Name()]
		m.hide(obj, u)
	}
	identifiers(m.p, func(id *ast.Ident, obj types.Object) {
		if v, ok := m.p.Info.Defs[id].(*types.Var); ok && v.Embedded() {
			// Named after its type, and in Uses as that.
			if name, ok := names[m.p.Info.Uses[id]]; ok && m.owners[v] != nil {
				names[v] = name
			}
			return
		}
		if obj == nil || !isMember(origin(obj)) || token.IsExported(obj.Name()) {
			return
		}
		obj = origin(obj)
		if from, u := m.inUnit[id], m.owners[obj]; u != nil && u.stays == "" && (from == nil || from.stays != "") {
			export(obj, u)
		}
	})
	m.unkeyedUses(func(field *types.Var, u *unit) {
		if !field.Embedded() {
			export(field, u)
		}
	})
	return names
}

// hide keeps a field that becomes exported out of encoded text.
func (m *mover) hide(obj types.Object, u *unit) {
	for _, n := range u.nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			f, ok := n.(*ast.Field)
			if ok && f.Tag == nil && len(f.Names) > 0 && f.Names[0].Pos() == obj.Pos() {
				if _, isVar := obj.(*types.Var); isVar {
					u.group.change.insert(f.Type.End(), words(token.NoPos, " `json:\"-\" xml:\"-\"`"))
				}
			}
			return true
		})
	}
}

// exported returns an exported name of the same class, see [meaningful], that is
// free and no method of a well-known interface.
func (m *mover) exported(name string, member bool) string {
	r, n := utf8.DecodeRuneInString(name)
	upper := string(unicode.ToUpper(r)) + name[n:]
	if !token.IsExported(upper) {
		upper = "X" + name
	}
	known := []string{"Error", "String", "Is", "As", "Unwrap", "Timeout", "Temporary", "Close", "Read", "Write", "Do", "RoundTrip", "Format", "Len", "Less", "Swap"}
	if !(member && slices.Contains(known, upper)) && m.draft.free(upper) {
		return upper
	}
	return m.draft.fresh(upper)
}
