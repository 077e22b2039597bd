package ir

import (
	"go/token"
	"go/types"
)

func (d *decoder) typ() types.Type { return d.a.typ(d.p, d.r.int()) }

// typ returns the type of a number. One that cannot be read is nil.
func (a *Archive) typ(p *Program, i int) types.Type {
	if i < 0 || i >= len(a.types) {
		return nil
	}
	if a.known[i] == nil {
		a.known[i] = a.readType(p, &reader{b: a.types[i]})
	}
	return a.known[i]
}

func (a *Archive) readType(p *Program, r *reader) types.Type {
	sub := func() types.Type {
		if t := a.typ(p, r.int()); t != nil {
			return t
		}
		return types.Typ[types.Invalid]
	}
	switch r.int() {
	case typeBasic:
		if k := r.int(); k >= 0 && k < len(types.Typ) {
			return types.Typ[k]
		}
	case typeNamed:
		path, name := a.str(r), a.str(r)
		var args []types.Type
		for range r.count() {
			args = append(args, sub())
		}
		return p.instance(p.named(path, name, a), args)
	case typePointer:
		return types.NewPointer(sub())
	case typeSlice:
		return types.NewSlice(sub())
	case typeArray:
		n := r.int()
		return types.NewArray(sub(), int64(n))
	case typeMap:
		k := sub()
		return types.NewMap(k, sub())
	case typeChan:
		dir := types.ChanDir(r.int())
		return types.NewChan(dir, sub())
	case typeStruct:
		var fields []*types.Var
		var tags []string
		for range r.count() {
			name, pkg := a.str(r), p.pkg(a.str(r))
			t := sub()
			fields = append(fields, types.NewField(token.NoPos, pkg, name, t, r.flag()))
			tags = append(tags, a.str(r))
		}
		return types.NewStruct(fields, tags)
	case typeSignature:
		params, _ := a.typ(p, r.int()).(*types.Tuple)
		results, _ := a.typ(p, r.int()).(*types.Tuple)
		variadic, method := r.flag(), r.flag()
		if variadic && !endsInSlice(params) {
			variadic = false
		}
		var recv *types.Var
		if method {
			recv = types.NewParam(token.NoPos, nil, "", types.Typ[types.Invalid])
		}
		return types.NewSignatureType(recv, nil, nil, params, results, variadic)
	case typeInterface:
		var methods []*types.Func
		for range r.count() {
			name, pkg := a.str(r), p.pkg(a.str(r))
			sig, ok := sub().(*types.Signature)
			if !ok {
				return nil
			}
			sig = types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
			methods = append(methods, types.NewFunc(token.NoPos, pkg, name, sig))
		}
		return types.NewInterfaceType(methods, nil).Complete()
	case typeTuple:
		var vars []*types.Var
		for range r.count() {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", sub()))
		}
		return types.NewTuple(vars...)
	case typeParam:
		return p.param(a.str(r))
	}
	return nil
}

// endsInSlice says whether the last parameter is one that may be variadic.
func endsInSlice(params *types.Tuple) bool {
	if params.Len() == 0 {
		return false
	}
	_, ok := types.Unalias(params.At(params.Len() - 1).Type()).(*types.Slice)
	return ok
}

// param returns a type parameter: what it stands for is not known.
func (p *Program) param(name string) types.Type {
	t := p.params[name]
	if t == nil {
		t = types.NewTypeParam(types.NewTypeName(token.NoPos, nil, name, nil), types.Universe.Lookup("any").Type())
		p.params[name] = t
	}
	return t
}

// pkg finds a package among those that the package in view imports, through
// others too, or makes one of that path.
func (p *Program) pkg(path string) *types.Package {
	if path == "" {
		return nil
	}
	if p.universe == nil {
		p.universe = map[string]*types.Package{}
		var add func(q *types.Package)
		add = func(q *types.Package) {
			if p.universe[q.Path()] == nil {
				p.universe[q.Path()] = q
				for _, imp := range q.Imports() {
					add(imp)
				}
			}
		}
		add(p.Root)
	}
	q := p.universe[path]
	if q == nil {
		q = types.NewPackage(path, "")
		p.universe[path] = q
	}
	return q
}

// Named returns a type by import path and name: of a package that the one in
// view imports, or as far as summaries that were read have shown it; else nil.
func (p *Program) Named(path, name string) types.Type {
	if obj, ok := p.pkg(path).Scope().Lookup(name).(*types.TypeName); ok {
		return types.Unalias(obj.Type())
	}
	if t := p.ghosts[path+"."+name]; t != nil {
		return t
	}
	return nil
}

// named finds a type where the package is known, and makes it from its
// definition where not: unexported types are not in export data.
func (p *Program) named(path, name string, from *Archive) types.Type {
	if path == "" {
		if obj, ok := types.Universe.Lookup(name).(*types.TypeName); ok {
			return obj.Type()
		}
		return nil
	}
	pkg := p.pkg(path)
	if obj, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok {
		return types.Unalias(obj.Type())
	}
	key := path + "." + name
	t := p.ghosts[key]
	if t == nil {
		// Where it is never defined it passes for an interface: its zero value is
		// nil, and what it holds is not known.
		t = types.NewNamed(types.NewTypeName(token.NoPos, pkg, name, nil), types.NewInterfaceType(nil, nil), nil)
		p.ghosts[key] = t
	}
	def, ok := from.defs[key]
	if !ok || p.defined[key] {
		return t
	}
	p.defined[key] = true
	if u := from.typ(p, def.underlying); u != nil {
		if _, loop := u.(*types.Named); !loop {
			t.SetUnderlying(u)
		}
	}
	for _, m := range def.methods {
		sig, ok := from.typ(p, m.typ).(*types.Signature)
		if !ok {
			continue
		}
		var recv types.Type = t
		if m.ptr {
			recv = types.NewPointer(t)
		}
		sig = types.NewSignatureType(types.NewParam(token.NoPos, pkg, "", recv), nil, nil, sig.Params(), sig.Results(), sig.Variadic())
		t.AddMethod(types.NewFunc(token.NoPos, pkg, m.name, sig))
	}
	return t
}

// instance puts type arguments into a generic type, where they fit.
func (p *Program) instance(t types.Type, args []types.Type) types.Type {
	n, ok := t.(*types.Named)
	if !ok || len(args) == 0 || n.TypeParams().Len() != len(args) {
		return t
	}
	inst, err := types.Instantiate(nil, n, args, false)
	if err != nil {
		return t
	}
	return inst
}
