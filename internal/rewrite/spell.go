package rewrite

import (
	"go/token"
	"go/types"
)

// A speller writes types as text for one place of a file.
type speller struct {
	draft  *Draft
	file   *File
	scope  *types.Scope // what is visible there; nil: the top level of the file
	at     token.Pos
	change *change // gets the imports that the text needs
	failed bool
}

// at returns a speller for a place inside a function.
func (d *Draft) at(f *File, c *change, at token.Pos) *speller {
	return &speller{draft: d, file: f, scope: d.Package.Types.Scope().Innermost(at), at: at, change: c}
}

// top returns a speller for the top level of a file.
func (d *Draft) top(f *File, c *change) *speller { return &speller{draft: d, file: f, change: c} }

// spell writes a type, and says whether that is possible: types of other
// packages must be exported and their packages imported, local ones visible.
func (s *speller) spell(t types.Type) (string, bool) {
	s.failed = false
	s.walk(t, map[types.Type]bool{})
	if s.failed {
		return "", false
	}
	text := types.TypeString(t, s.qualify)
	return text, !s.failed
}

func (s *speller) qualify(pkg *types.Package) string {
	p := s.draft.Package
	if pkg == p.Types {
		return ""
	}
	for _, spec := range s.file.Syntax.Imports {
		obj := p.Info.PkgNameOf(spec)
		if obj == nil || obj.Imported() != pkg || obj.Name() == "_" {
			continue
		}
		if obj.Name() == "." {
			return ""
		}
		if s.sees(obj.Name(), obj) {
			return obj.Name()
		}
	}
	if p.imports[pkg.Path()] != pkg {
		s.failed = true
		return ""
	}
	name, ok := s.draft.added[s.file][pkg.Path()]
	if !ok {
		name = s.draft.fresh("pkg")
		if s.draft.added[s.file] == nil {
			s.draft.added[s.file] = map[string]string{}
		}
		s.draft.added[s.file][pkg.Path()] = name
		s.draft.addImport(s.file, name, s.draft.retarget(pkg.Path()))
	}
	return name
}

// sees says whether a name means an object at the place.
func (s *speller) sees(name string, obj types.Object) bool {
	if s.scope == nil {
		return s.draft.Package.Types.Scope().Lookup(name) == nil || obj.Parent() == s.draft.Package.Types.Scope()
	}
	_, found := s.scope.LookupParent(name, s.at)
	return found == obj
}

// walk fails for types that cannot be written at the place.
func (s *speller) walk(t types.Type, seen map[types.Type]bool) {
	if seen[t] || s.failed {
		return
	}
	seen[t] = true
	named := func(obj *types.TypeName, args *types.TypeList) {
		for a := range args.Types() {
			s.walk(a, seen)
		}
		switch p := s.draft.Package.Types; {
		case obj.Pkg() == nil:
			s.failed = s.failed || s.scope != nil && !s.sees(obj.Name(), obj)
		case obj.Pkg() != p:
			s.failed = s.failed || !obj.Exported()
		case obj.Parent() != p.Scope():
			s.failed = s.failed || s.scope == nil || !s.sees(obj.Name(), obj)
		default:
			s.failed = s.failed || !s.sees(obj.Name(), obj)
		}
	}
	switch t := t.(type) {
	case *types.Basic:
		s.failed = s.failed || t.Info()&types.IsUntyped != 0 || t.Kind() == types.Invalid ||
			s.scope != nil && t.Kind() != types.UnsafePointer && !s.sees(t.Name(), types.Universe.Lookup(t.Name()))
	case *types.Named:
		named(t.Obj(), t.TypeArgs())
	case *types.Alias:
		named(t.Obj(), t.TypeArgs())
	case *types.TypeParam:
		s.failed = s.failed || s.scope == nil || !s.sees(t.Obj().Name(), t.Obj())
	case *types.Pointer:
		s.walk(t.Elem(), seen)
	case *types.Slice:
		s.walk(t.Elem(), seen)
	case *types.Array:
		s.walk(t.Elem(), seen)
	case *types.Chan:
		s.walk(t.Elem(), seen)
	case *types.Map:
		s.walk(t.Key(), seen)
		s.walk(t.Elem(), seen)
	case *types.Signature:
		s.walk(t.Params(), seen)
		s.walk(t.Results(), seen)
	case *types.Tuple:
		for v := range t.Variables() {
			s.walk(v.Type(), seen)
		}
	case *types.Struct:
		for f := range t.Fields() {
			s.walk(f.Type(), seen)
			s.failed = s.failed || f.Pkg() != s.draft.Package.Types && !f.Exported()
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			s.walk(m.Type(), seen)
			s.failed = s.failed || m.Pkg() != s.draft.Package.Types && !m.Exported()
		}
		for e := range t.EmbeddedTypes() {
			s.walk(e, seen)
		}
	case *types.Union:
		for term := range t.Terms() {
			s.walk(term.Type(), seen)
		}
	}
}

// spellAll writes the types of variables.
func (s *speller) spellAll(ts []types.Type) ([]string, bool) {
	out := make([]string, len(ts))
	for i, t := range ts {
		text, ok := s.spell(t)
		if !ok {
			return nil, false
		}
		out[i] = text
	}
	return out, true
}

// results returns the types of what a call returns.
func results(t types.Type) []types.Type {
	tuple, ok := t.(*types.Tuple)
	if !ok {
		return []types.Type{t}
	}
	var out []types.Type
	for v := range tuple.Variables() {
		out = append(out, v.Type())
	}
	return out
}

func predeclared(name string) bool { return types.Universe.Lookup(name) != nil }
