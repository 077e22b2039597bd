package ir

import (
	"fmt"
	"go/types"
	"path/filepath"
)

// The kinds of types in writing.
const (
	typeNil = iota
	typeBasic
	typeNamed
	typePointer
	typeSlice
	typeArray
	typeMap
	typeChan
	typeStruct
	typeSignature
	typeInterface
	typeTuple
	typeParam
)

// typ writes a type into the table and returns its number.
func (w *writer) typ(t types.Type) int {
	if t == nil {
		return w.enter([]byte{typeNil})
	}
	if sig, ok := t.(*types.Signature); ok && sig == nil {
		return w.enter([]byte{typeNil})
	}
	t = types.Unalias(t)
	// Identity of types does not look at receivers, and whether there is one is written:
	// a method is not remembered as the function with the same parameters.
	sig, isSignature := t.(*types.Signature)
	method := isSignature && sig.Recv() != nil
	if i, ok := w.hashed.At(t).(int); ok && !method {
		return i
	}
	var b buffer
	switch t := t.(type) {
	case *types.Basic:
		b.int(typeBasic)
		b.int(int(t.Kind()))
	case *types.Named:
		w.name(&b, t)
	case *types.Pointer:
		b.int(typePointer)
		b.int(w.typ(t.Elem()))
	case *types.Slice:
		b.int(typeSlice)
		b.int(w.typ(t.Elem()))
	case *types.Array:
		b.int(typeArray)
		b.int(int(t.Len()))
		b.int(w.typ(t.Elem()))
	case *types.Map:
		b.int(typeMap)
		b.int(w.typ(t.Key()))
		b.int(w.typ(t.Elem()))
	case *types.Chan:
		b.int(typeChan)
		b.int(int(t.Dir()))
		b.int(w.typ(t.Elem()))
	case *types.Struct:
		b.int(typeStruct)
		b.int(t.NumFields())
		for i := range t.NumFields() {
			f := t.Field(i)
			b.int(w.str(f.Name()))
			b.int(w.pkg(f.Pkg()))
			b.int(w.typ(f.Type()))
			b.flag(f.Embedded())
			b.int(w.str(t.Tag(i)))
		}
	case *types.Signature:
		b.int(typeSignature)
		b.int(w.typ(t.Params()))
		b.int(w.typ(t.Results()))
		b.flag(t.Variadic())
		b.flag(t.Recv() != nil)
	case *types.Interface:
		b.int(typeInterface)
		b.int(t.NumMethods())
		for i := range t.NumMethods() {
			m := t.Method(i)
			b.int(w.str(m.Name()))
			b.int(w.pkg(m.Pkg()))
			b.int(w.typ(m.Type()))
		}
	case *types.Tuple:
		b.int(typeTuple)
		b.int(t.Len())
		for i := range t.Len() {
			b.int(w.typ(t.At(i).Type()))
		}
	case *types.TypeParam:
		b.int(typeParam)
		b.int(w.str(t.Obj().Name()))
	default:
		b.int(typeNil)
	}
	i := w.enter(b.Bytes())
	if !method {
		w.hashed.Set(t, i)
	}
	return i
}

func (w *writer) enter(b []byte) int {
	i, ok := w.types[string(b)]
	if !ok {
		i = len(w.encoded)
		w.types[string(b)] = i
		w.encoded = append(w.encoded, b)
	}
	return i
}

func (w *writer) pkg(p *types.Package) int {
	if p == nil {
		return w.str("")
	}
	return w.str(p.Path())
}

func (w *writer) name(b *buffer, t *types.Named) {
	b.int(typeNamed)
	obj := t.Obj()
	b.int(w.pkg(obj.Pkg()))
	b.int(w.str(w.nameOf(obj)))
	b.int(t.TypeArgs().Len())
	for i := range t.TypeArgs().Len() {
		b.int(w.typ(t.TypeArgs().At(i)))
	}
	if obj.Pkg() != nil && w.define(obj) {
		w.named = append(w.named, t.Origin())
	}
}

// nameOf names a type in its package; one that a function declares gets its
// place too, so that two of one name are two.
func (w *writer) nameOf(obj *types.TypeName) string {
	if obj.Pkg() == nil || obj.Parent() == nil || obj.Parent() == obj.Pkg().Scope() {
		return obj.Name()
	}
	at := w.position(obj.Pos())
	return fmt.Sprintf("%s·%s:%d", obj.Name(), filepath.Base(at.Filename), at.Line)
}

// definition writes what a type is, for packages where it cannot be looked up.
func (w *writer) definition(t *types.Named) {
	name := t.Obj().Pkg().Path() + "." + w.nameOf(t.Obj())
	if w.defined[name] {
		return
	}
	w.defined[name] = true
	w.ndefs++
	w.defs.int(w.str(name))
	w.defs.int(w.typ(t.Underlying()))
	w.defs.int(t.NumMethods())
	for i := range t.NumMethods() {
		m := t.Method(i)
		w.defs.int(w.str(m.Name()))
		w.defs.int(w.typ(m.Type()))
		_, ptr := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
		w.defs.flag(ptr)
	}
}
