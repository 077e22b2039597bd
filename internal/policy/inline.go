package policy

import (
	"go/constant"
	"go/types"

	"github.com/resiliencevet/resiliencevet/internal/ir"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// inline goes into functions of the package that can change what is asked, but
// not round and round: those that send, that see the attempt, the request or a
// function, or that make one of these.
func (m *modeler) inline(f *flow.Frame, callee *ir.Function, args []*flow.Value) bool {
	return m.inlines(f, callee, args, 1)
}

func (m *modeler) inlines(f *flow.Frame, callee *ir.Function, args []*flow.Value, rounds int) bool {
	n := 0
	for x := f; x != nil; x = x.Parent {
		if x.Fn == callee && !givenAnother(x.Site, args) {
			n++
		}
	}
	if n > rounds {
		return false
	}
	if generatorPackages[callee.Path] {
		return false // what they make is known, and what it is made of does not matter
	}
	if callee.Synthetic != "" || callee.Parent != nil {
		return true // wrappers, function literals
	}
	s := m.shapeOf(callee)
	if s != nil && s.sendful || m.methodFuncs[callee] || callee.Flags&(flagSends|flagRepeats|flagMakes) != 0 ||
		s != nil && (s.generates || s.derives || s.makesClient || m.shapes.makes(s)) {
		return true
	}
	results := callee.Signature.Results()
	if s != nil && results.Len() == 0 && m.shapes.reaches(s, func(x *shape) bool { return x.generates }) {
		return true // may renew a key that is kept
	}
	if callee.Local && results.Len() > 0 && isText(results.At(0).Type()) && sizeOf(callee) <= smallText {
		return true // a part of a body, or of a key
	}
	for _, p := range callee.Params {
		if holdsFunc(p.Type) || callee.Local && isReader(p.Type) && sizeOf(callee) <= smallText {
			return true
		}
	}
	for _, a := range args {
		if a.Kind == flow.Func || isRequest(a) || isHeaderValue(a) {
			return true
		}
		if results.Len() > 0 && a.Taint&(generated|fromNumber) != 0 {
			return true // may make a key of it
		}
		switch a.Obj.(type) {
		case *responseObj, *answerBody, *bodyObj, *scoped, *ender, *pieces, *timerObj:
			return true // may close it
		}
		if results.Len() > 0 && m.telling(a) {
			return true
		}
		if a.Fresh && a.Kind == flow.Pointer {
			return true // may change a variable of this path
		}
	}
	for i := range results.Len() {
		t := results.At(i).Type()
		if makes(t) || m.isClient(t) || holdsFunc(t) {
			return true
		}
		if _, basic := types.Unalias(t).Underlying().(*types.Basic); !callee.Local && !basic && !isError(t) {
			return true // its package thinks that it makes something worth knowing
		}
	}
	return false
}

// givenAnother says whether a call hands over a function literal, or names a
// function, that is not among some arguments: a function that calls what it is
// given does not call itself where it is called with something else in it.
func givenAnother(site *ir.Node, args []*flow.Value) bool {
	if site == nil {
		return false
	}
	another := false
	for _, a := range site.Args {
		for a.Op == ir.ChangeType {
			a = a.X
		}
		if a.Op != ir.MakeClosure && a.Op != ir.Func {
			continue
		}
		another = true
		for _, v := range args {
			if v.Kind == flow.Func && v.Fn == a.Fn {
				return false
			}
		}
	}
	return another
}

// pauses says whether a function, by its name and results, only works out how
// long to wait before the next attempt, or waits: there are many ways through
// it, and what they have in common is all that counts. It may close an answer.
func (m *modeler) pauses(fn *ir.Function) bool {
	if fn.Parent != nil || !waits(fn.Name) || fn.Flags&(flagSends|flagRepeats) != 0 || takesSomething(fn.Signature) {
		return false
	}
	if s := m.shapeOf(fn); s != nil && (s.sendful || s.mayRetry || m.shapes.repeatsWhatItIsGiven(s)) {
		return false
	}
	results := fn.Signature.Results()
	for i := range results.Len() {
		b, ok := types.Unalias(results.At(i).Type()).Underlying().(*types.Basic)
		if !isError(results.At(i).Type()) && (!ok || b.Info()&types.IsNumeric == 0) {
			return false
		}
	}
	return true
}

// smallText is the size, in instructions, up to which a function that only makes
// a text or a number is gone into.
const smallText = 60

// isText says whether a type is a text, bytes, a number, or something to read
// them from.
func isText(t types.Type) bool {
	if b, ok := types.Unalias(t).Underlying().(*types.Basic); ok {
		return b.Info()&(types.IsString|types.IsInteger) != 0
	}
	return isBytes(t) || types.IsInterface(t) && isReader(t) || isBuffer(t)
}

// isClient says whether a type of this package has methods that send.
func (m *modeler) isClient(t types.Type) bool {
	n, ok := derefNamed(t)
	if !ok || n.Obj().Pkg() != m.pass.Pkg {
		return false
	}
	for i := range n.NumMethods() {
		if s := m.shapes.funcs[n.Method(i).Origin()]; s != nil && s.sendful {
			return true
		}
	}
	return false
}

// telling says whether what a function returns may depend on an argument in a
// way that counts: the attempt's outcome, or a constant such as a method.
func (m *modeler) telling(a *flow.Value) bool {
	switch a.Obj.(type) {
	case *attemptError, *responseObj:
		return true
	}
	if a.Kind == flow.NonNil && a.Global != nil {
		return true // an error that a package keeps in a variable
	}
	return a.Kind == flow.Nil || a.Kind == flow.Const && a.C.Kind() != constant.Int || a.Taint&(fromOutcome|fromRequest|assumed) != 0 || a.Dyn != nil
}

// holdsFunc says whether a struct of this package keeps a function or an
// interface in a field, that the function may run.
func holdsFunc(t types.Type) bool {
	n, ok := derefNamed(t)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	st, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range st.NumFields() {
		if _, ok := types.Unalias(st.Field(i).Type()).Underlying().(*types.Signature); ok {
			return true
		}
	}
	return false
}

// makes says whether values of a type decide what is sent, or run it.
func makes(t types.Type) bool {
	if isPointerTo(t, "net/http", "Request") || isPointerTo(t, "net/http", "Response") {
		return true
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Signature, *types.Map:
		return true
	case *types.Interface:
		return !isError(t) && u.NumMethods() > 0 && u.NumMethods() < 3
	}
	return false
}
