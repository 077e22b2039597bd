package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Move takes what a package declares and does not export into a package below
// it, under exported names: functions, types with their methods, variables and
// constants. It takes all that does without what stays, since the new package
// cannot import the old one.
//
// The new package is an internal one. So nobody else can call what has become
// exported, just as before.
type Move struct{}

// Name returns "move".
func (Move) Name() string { return "move" }

// Draft moves what can be moved.
func (Move) Draft(d *Draft) {
	m := &mover{
		draft: d, p: d.Package,
		units: map[types.Object]*unit{}, owners: map[types.Object]*unit{}, inUnit: map[*ast.Ident]*unit{},
	}
	m.collect()
	m.narrow()
	m.join()
	m.write()
}

// unit is a declaration that may be moved as a whole.
type unit struct {
	file    *File
	keyword string // of a group that the unit is taken from, else empty
	ranges  []region
	nodes   []ast.Node
	names   []types.Object // at the top level
	isType  bool
	stays   string     // why it cannot be moved
	group   *moveGroup // found by join
}

// moveGroup is units that need each other.
type moveGroup struct {
	units  []*unit
	change *change
}

type mover struct {
	draft  *Draft
	p      *Package
	all    []*unit
	units  map[types.Object]*unit // by what is declared at the top level
	owners map[types.Object]*unit // by field and method
	inUnit map[*ast.Ident]*unit   // where each identifier stands
	lits   []unkeyed
}

// unkeyed is a literal of a struct that names no fields, and so uses all.
type unkeyed struct {
	of     *types.Struct
	inside *unit
}

// collect makes units of all that is not exported.
func (m *mover) collect() {
	for _, f := range m.p.Files {
		if f.test() || hasDotImport(f) {
			continue
		}
		for _, decl := range f.Syntax.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil && decl.Body != nil && decl.Name.Name != "init" && decl.Name.Name != "main" && !hasPragma(decl.Doc) {
					m.add(f, decl, docPos(decl, decl.Doc), "", decl.Name)
				}
			case *ast.GenDecl:
				m.collectGroup(f, decl)
			}
		}
	}
	for _, f := range m.p.Files {
		for _, decl := range f.Syntax.Decls {
			if fd, ok := decl.(*ast.FuncDecl); ok && fd.Recv != nil {
				m.method(f, fd)
			}
		}
	}
	inside := map[ast.Node]*unit{}
	for _, u := range m.all {
		for _, n := range u.nodes {
			ast.Inspect(n, func(n ast.Node) bool {
				inside[n] = u
				if id, ok := n.(*ast.Ident); ok {
					m.inUnit[id] = u
					if obj := m.p.Info.Defs[id]; obj != nil && isMember(obj) {
						m.owners[obj] = u
					}
				}
				return true
			})
		}
	}
	for _, f := range m.p.Files {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || len(lit.Elts) == 0 {
				return true
			}
			st, isStruct := m.p.Info.TypeOf(lit).Underlying().(*types.Struct)
			if _, keyed := lit.Elts[0].(*ast.KeyValueExpr); isStruct && !keyed {
				m.lits = append(m.lits, unkeyed{st, inside[lit]})
			}
			return true
		})
	}
}

// unkeyedUses calls f for the fields that literals without field names use from
// outside of what is moved.
func (m *mover) unkeyedUses(f func(field *types.Var, u *unit)) {
	for _, lit := range m.lits {
		if lit.inside != nil && lit.inside.stays == "" {
			continue
		}
		for v := range lit.of.Fields() {
			if u := m.owners[v.Origin()]; u != nil && u.stays == "" && !v.Exported() {
				f(v.Origin(), u)
			}
		}
	}
}

func (m *mover) collectGroup(f *File, decl *ast.GenDecl) {
	if decl.Tok == token.IMPORT || hasPragma(decl.Doc) {
		return
	}
	grouped := decl.Lparen.IsValid()
	if decl.Tok == token.CONST && grouped && m.enumerates(decl) {
		return
	}
	for _, spec := range decl.Specs {
		var names []*ast.Ident
		var doc *ast.CommentGroup
		switch s := spec.(type) {
		case *ast.TypeSpec:
			names, doc = []*ast.Ident{s.Name}, s.Doc
		case *ast.ValueSpec:
			names, doc = s.Names, s.Doc
		}
		if grouped {
			m.add(f, spec, docPos(spec, doc), decl.Tok.String(), names...)
		} else {
			m.add(f, decl, docPos(decl, decl.Doc), "", names...)
		}
	}
}

// enumerates says whether the specs of a group of constants depend on their
// order.
func (m *mover) enumerates(decl *ast.GenDecl) bool {
	found := false
	for _, s := range decl.Specs {
		found = found || len(s.(*ast.ValueSpec).Values) == 0
		ast.Inspect(s, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && m.p.Info.Uses[id] == types.Universe.Lookup("iota") {
				found = true
			}
			return !found
		})
	}
	return found
}

func hasDotImport(f *File) bool {
	return slices.ContainsFunc(f.Syntax.Imports, func(s *ast.ImportSpec) bool { return s.Name != nil && s.Name.Name == "." })
}

func hasPragma(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:") })
}

func docPos(n ast.Node, doc *ast.CommentGroup) token.Pos {
	if doc != nil {
		return doc.Pos()
	}
	return n.Pos()
}

func (m *mover) add(f *File, n ast.Node, from token.Pos, keyword string, names ...*ast.Ident) {
	u := &unit{file: f, keyword: keyword, nodes: []ast.Node{n}, ranges: []region{{from: from, to: n.End()}}}
	for _, id := range names {
		obj := m.p.Info.Defs[id]
		if id.Name == "_" || token.IsExported(id.Name) || obj == nil {
			return
		}
		u.names = append(u.names, obj)
		_, u.isType = obj.(*types.TypeName)
	}
	for _, obj := range u.names {
		m.units[obj] = u
	}
	m.all = append(m.all, u)
}

// method adds a method to its type.
func (m *mover) method(f *File, fd *ast.FuncDecl) {
	fn, ok := m.p.Info.Defs[fd.Name].(*types.Func)
	if !ok {
		return
	}
	t := fn.Signature().Recv().Type()
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return
	}
	u := m.units[named.Origin().Obj()]
	if u == nil {
		return
	}
	if f != u.file {
		u.stays = "methods in another file"
		return
	}
	u.nodes = append(u.nodes, fd)
	u.ranges = append(u.ranges, region{from: docPos(fd, fd.Doc), to: fd.End()})
}

// origin leads from a member of an instantiated type to its declaration.
func origin(obj types.Object) types.Object {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.Origin()
	case *types.Func:
		return obj.Origin()
	}
	return obj
}

// narrow takes out, until nothing changes, what cannot be moved.
func (m *mover) narrow() {
	methods := map[string]bool{} // unexported, in interfaces
	for id, obj := range m.p.Info.Defs {
		if fn, ok := obj.(*types.Func); ok && isMember(fn) && types.IsInterface(fn.Signature().Recv().Type()) && !token.IsExported(id.Name) {
			methods[id.Name] = true
		}
	}
	for obj, u := range m.owners {
		if _, ok := obj.(*types.Func); ok && methods[obj.Name()] {
			u.stays = "an interface's method is not exported"
		}
	}
	for changed := true; changed; {
		changed = false
		identifiers(m.p, func(id *ast.Ident, obj types.Object) {
			if obj == nil || m.p.Info.Uses[id] == nil {
				return
			}
			from := m.inUnit[id]
			to, mine := m.target(obj)
			if !mine {
				return
			}
			if from != nil && from.stays == "" && (to == nil || to.stays != "") {
				from.stays = "it needs what stays: an import cycle"
				changed = true
			}
			if to != nil && to.stays == "" && (from == nil || from.stays != "") && m.embeds(id) {
				to.stays = "a type that stays embeds it"
				changed = true
			}
		})
		m.unkeyedUses(func(field *types.Var, u *unit) {
			if field.Embedded() && predeclared(field.Name()) {
				u.stays = "an embedded field that cannot be exported"
				changed = true
			}
		})
	}
}

// target returns the unit that declares an object, and whether it is the
// package's at all, and no function's.
func (m *mover) target(obj types.Object) (u *unit, mine bool) {
	obj = origin(obj)
	if obj.Pkg() != m.p.Types {
		return nil, false
	}
	if isMember(obj) {
		u = m.owners[obj]
		return u, u != nil || m.p.topLevelMember(obj)
	}
	if obj.Parent() != m.p.Types.Scope() {
		return nil, false
	}
	return m.units[obj], true
}

// topLevelMember says whether a field or method was declared outside of
// functions.
func (p *Package) topLevelMember(obj types.Object) bool {
	_, inFunc := p.decl(obj.Pos()).(*ast.FuncDecl)
	if _, isMethod := obj.(*types.Func); isMethod && inFunc {
		return p.decl(obj.Pos()).(*ast.FuncDecl).Name.Pos() == obj.Pos()
	}
	return !inFunc
}

// embeds says whether an identifier is the type of an embedded field.
func (m *mover) embeds(id *ast.Ident) bool {
	v, ok := m.p.Info.Defs[id].(*types.Var)
	return ok && v.Embedded()
}
