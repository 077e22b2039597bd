package policy

import (
	"go/ast"
	"go/types"
	"slices"
)

// exports are the functions of the package whose code others need, by position.
func (s *shapes) exports() []*shape {
	if s.pass.Pkg.Name() == "main" {
		return nil
	}
	x := &exporter{s: s, in: map[*shape]bool{}}
	http := importsHTTP(s.pass.Pkg)
	sdk := s.generatedSends() > maxGenerated
	for _, sh := range s.order {
		switch {
		case !sh.fn.Exported():
			// others get at it by what calls it
		case sh.generated && (sdk || !http):
			// or an SDK that was generated over a client of another package
		case s.reallySends(sh), givesCancel(sh.fn.Signature()), s.repeatsWhatItIsGiven(sh), sh.derives && derivesForOthers(sh.fn.Signature()):
			x.add(sh)
			x.relate(sh.fn.Signature())
		case s.makes(sh), sh.keys, sh.pieces && takesReader(sh.fn.Signature()), sh.methods && returnsText(sh.fn.Signature()), handsThrough(sh.fn.Signature()), http && helpsOthers(sh.fn.Signature(), true):
			x.add(sh)
			if recv := sh.fn.Signature().Recv(); recv != nil && givesClient(sh.fn.Signature()) {
				x.relate(sh.fn.Signature()) // what makes the settings decides what bounds the client
			}
		case s.helpsWithBreaker(sh), s.limits && s.nearLimit(sh, 2) && takesNumber(sh.fn.Signature()), s.handsClient(sh):
			x.add(sh)
		}
	}
	x.addRelated(sdk)
	x.addCalled()
	var out []*shape
	for _, sh := range s.order {
		if x.in[sh] {
			out = append(out, sh)
		}
	}
	return out
}

// reallySends says whether a function sends, itself or by what it calls, and
// does not only name a key.
func (s *shapes) reallySends(sh *shape) bool {
	return sh.sends || sh.sendful && s.reaches(sh, func(x *shape) bool { return x.sends })
}

// generatedSends counts the generated functions that send.
func (s *shapes) generatedSends() int {
	n := 0
	for _, sh := range s.order {
		if sh.generated && sh.sendful {
			n++
		}
	}
	return n
}

// exporter collects the functions that are written out.
type exporter struct {
	s    *shapes
	in   map[*shape]bool
	pend []*shape // whose calls were not looked at
	// related are the types of this package that functions which send or repeat
	// take, return and consist of; contracts are the interfaces among them.
	related   map[*types.TypeName]bool
	contracts []*types.Interface
}

func (x *exporter) add(sh *shape) {
	if !x.in[sh] && !isTestFile(x.s.pass.Fset, sh.decl.Pos()) {
		x.in[sh] = true
		x.pend = append(x.pend, sh)
	}
}

// relate adds the types of a signature.
func (x *exporter) relate(sig *types.Signature) {
	if x.related == nil {
		x.related = map[*types.TypeName]bool{}
	}
	if r := sig.Recv(); r != nil {
		x.relateType(r.Type(), 0)
	}
	x.relateType(sig.Params(), 0)
	x.relateType(sig.Results(), 0)
}

func (x *exporter) relateType(t types.Type, depth int) {
	if depth > 4 {
		return
	}
	switch t := types.Unalias(t).(type) {
	case *types.Tuple:
		for i := range t.Len() {
			x.relateType(t.At(i).Type(), depth)
		}
	case *types.Pointer:
		x.relateType(t.Elem(), depth)
	case *types.Slice:
		x.relateType(t.Elem(), depth+1)
	case *types.Map:
		x.relateType(t.Elem(), depth+1)
	case *types.Signature:
		x.relateType(t.Params(), depth+1)
		x.relateType(t.Results(), depth+1)
	case *types.Struct:
		for i := range t.NumFields() {
			x.relateType(t.Field(i).Type(), depth+1)
		}
	case *types.Named:
		if t.Obj().Pkg() != x.s.pass.Pkg || x.related[t.Origin().Obj()] {
			return
		}
		x.related[t.Origin().Obj()] = true
		if it, ok := t.Underlying().(*types.Interface); ok && it.NumMethods() > 0 && t.TypeParams().Len() == 0 {
			x.contracts = append(x.contracts, it)
		}
		x.relateType(t.Underlying(), depth+1)
	}
}

// isRelated says whether a type, or what it is made of, is a related one or
// stands for one.
func (x *exporter) isRelated(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Tuple:
		for i := range t.Len() {
			if x.isRelated(t.At(i).Type()) {
				return true
			}
		}
	case *types.Pointer:
		return x.isRelated(t.Elem())
	case *types.Slice:
		return x.isRelated(t.Elem())
	case *types.Signature:
		return x.isRelated(t.Params()) || x.isRelated(t.Results())
	case *types.Named:
		if x.related[t.Origin().Obj()] {
			return true
		}
		if t.TypeParams().Len() > 0 {
			return false
		}
		return slices.ContainsFunc(x.contracts, func(it *types.Interface) bool {
			return types.Implements(t, it) || types.Implements(types.NewPointer(t), it)
		})
	}
	return false
}

// addRelated adds what makes the types that functions which send or repeat
// work with, what those types do, and what tells errors apart.
func (x *exporter) addRelated(sdk bool) {
	if x.related == nil {
		return
	}
	var candidates []*shape
	for _, sh := range x.s.order {
		if sh.generated && sdk {
			continue
		}
		if sig := sh.fn.Signature(); !x.in[sh] && sh.fn.Exported() && (sh.fills || sh.callsField || x.constructs(sig) || helpsOthers(sig, false) || wrapsExchange(sig) && isSmall(sh.decl)) {
			candidates = append(candidates, sh)
		}
	}
	for grew := true; grew; {
		grew = false
		for i, sh := range candidates {
			if sh == nil {
				continue
			}
			sig := sh.fn.Signature()
			if sh.fills || tellsErrors(sig) || sig.Recv() != nil && x.isRelated(sig.Recv().Type()) || x.isRelated(sig.Results()) {
				candidates[i] = nil
				x.add(sh)
				if !sh.generated {
					x.relate(sig)
				}
				grew = true
			}
		}
	}
}

// givesClient says whether a function returns an HTTP client.
func givesClient(sig *types.Signature) bool {
	return sig.Results().Len() > 0 && isPointerTo(sig.Results().At(0).Type(), "net/http", "Client")
}

// constructs says whether a function makes a struct of this package.
func (x *exporter) constructs(sig *types.Signature) bool {
	if sig.Recv() != nil || sig.Results().Len() == 0 {
		return false
	}
	n, ok := derefNamed(sig.Results().At(0).Type())
	return ok && n.Obj().Pkg() == x.s.pass.Pkg && structOf(n) != nil
}

// wrapsExchange says whether a method is of a struct that keeps a request or a
// response of net/http: what it tells of them decides what happens next.
func wrapsExchange(sig *types.Signature) bool {
	if sig.Recv() == nil {
		return false
	}
	st := structOf(sig.Recv().Type())
	if st == nil {
		return false
	}
	for i := range st.NumFields() {
		if t := st.Field(i).Type(); isPointerTo(t, "net/http", "Response") || isPointerTo(t, "net/http", "Request") {
			return true
		}
	}
	return false
}

// tellsErrors says whether a function is given an error and returns one, or
// whether something is so.
func tellsErrors(sig *types.Signature) bool {
	r := sig.Results()
	if r.Len() == 0 {
		return false
	}
	if t := r.At(r.Len() - 1).Type(); !isError(t) && !isBool(t) {
		return false
	}
	if sig.Recv() != nil && implementsError(sig.Recv().Type()) {
		return true
	}
	for i := range sig.Params().Len() {
		if isError(sig.Params().At(i).Type()) {
			return true
		}
	}
	return false
}

// smallBody is the size, in nodes of syntax, up to which a method is written out
// only because one that sends calls it on the same type: what it does with the
// fields is known then.
const smallBody = 150

func isSmall(decl *ast.FuncDecl) bool {
	n := 0
	ast.Inspect(decl.Body, func(x ast.Node) bool {
		if x != nil {
			n++
		}
		return n <= smallBody
	})
	return n <= smallBody
}

// addCalled adds what the functions call, as far as running them goes into it.
func (x *exporter) addCalled() {
	for len(x.pend) > 0 {
		sh := x.pend[len(x.pend)-1]
		x.pend = x.pend[:len(x.pend)-1]
		for _, c := range slices.Concat(sh.calls, sh.mayCall) {
			if y := x.s.funcs[c]; y != nil && (y.sendful || y.fills || y.derives || x.s.breakers && x.s.worksWithBreaker(y) || y.setsLimit || x.s.handsClient(y) || x.s.helps(y) || x.s.repeatsWhatItIsGiven(y) || x.s.makes(y) ||
				sh.sendful && sameReceiver(sh, y) && isSmall(y.decl)) {
				x.add(y)
			}
		}
	}
}

// repeatsWhatItIsGiven says whether a function calls a function that it is
// given again: a retry helper, perhaps.
func (s *shapes) repeatsWhatItIsGiven(sh *shape) bool {
	if sig := sh.fn.Signature(); !givenSomething(sig) || isServing(sig) {
		return false
	}
	again := func(x *shape) bool {
		return x.repeatsGiven && (x == sh || takesSomething(sh.fn.Signature()) || sameReceiver(x, sh)) ||
			x.callsRepeater && (sh.wrapsGiven || takesSomething(sh.fn.Signature()))
	}
	return again(sh) || s.reaches(sh, again)
}

// sameReceiver says whether two functions are methods of one type.
func sameReceiver(x, y *shape) bool {
	rx, ry := x.fn.Signature().Recv(), y.fn.Signature().Recv()
	if rx == nil || ry == nil {
		return false
	}
	nx, okx := derefNamed(rx.Type())
	ny, oky := derefNamed(ry.Type())
	return okx && oky && nx.Origin() == ny.Origin()
}

// makes says whether a function makes a text that is new each time, itself or
// by what it calls.
func (s *shapes) makes(sh *shape) bool {
	return returnsText(sh.fn.Signature()) && (sh.generates || s.reaches(sh, func(x *shape) bool { return x.generates }))
}

// handsThrough says whether a function returns what it is given beside an
// error, whatever that is: Must and the like.
func handsThrough(sig *types.Signature) bool {
	params, results := sig.Params(), sig.Results()
	if params.Len() != 2 || results.Len() != 1 || !isError(params.At(1).Type()) {
		return false
	}
	_, generic := types.Unalias(results.At(0).Type()).(*types.TypeParam)
	return generic
}

// derivesForOthers says whether a function that makes a context gives it to its
// caller, alone or in a struct, or to a function that its caller gives it.
func derivesForOthers(sig *types.Signature) bool {
	for i := range sig.Results().Len() {
		if holdsFunc(sig.Results().At(i).Type()) {
			return true
		}
	}
	return givesCancel(sig) || givenSomething(sig)
}

// givenSomething says whether a function is given a function that returns an
// error: as an argument, or in the receiver.
func givenSomething(sig *types.Signature) bool {
	return takesSomething(sig) || sig.Recv() != nil && (holdsFunc(sig.Recv().Type()) || endsInError(sig.Recv().Type()))
}

// takesSomething is givenSomething for arguments only.
func takesSomething(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if t := sig.Params().At(i).Type(); endsInError(t) || holdsFunc(t) {
			return true
		}
	}
	return false
}

// returnsText says whether a function's first result is a text, bytes or a number.
func returnsText(sig *types.Signature) bool {
	if sig.Results().Len() == 0 {
		return false
	}
	if _, ok := types.Unalias(sig.Results().At(0).Type()).(*types.TypeParam); ok {
		return true
	}
	t := types.Unalias(sig.Results().At(0).Type()).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem()).Underlying()
	}
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() == types.String || t.Info()&types.IsInteger != 0
	case *types.Array:
		return isByte(t.Elem())
	case *types.Slice:
		return isByte(t.Elem())
	}
	return false
}

func isByte(t types.Type) bool {
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

// helps says whether the machine would go into a function for what it takes
// and returns.
func (s *shapes) helps(sh *shape) bool {
	sig := sh.fn.Signature()
	if helpsOthers(sig, false) || sh.callsField {
		return true
	}
	if recv := sig.Recv(); recv != nil && sig.Results().Len() > 0 {
		if n, ok := derefNamed(recv.Type()); ok { // a client's own settings
			for i := range n.NumMethods() {
				if m := s.funcs[n.Method(i)]; m != nil && (m.sends || m.repeatsGiven) {
					return true
				}
			}
		}
	}
	return false
}

// helpsOthers says whether the types that a function takes and returns are of
// the kind that decides about requests; strictly, whether they are net/http's,
// or tell errors and statuses apart.
func helpsOthers(sig *types.Signature, strictly bool) bool {
	params, results := sig.Params(), sig.Results()
	if isServing(sig) {
		return false
	}
	tells := results.Len() == 1 && isBool(results.At(0).Type())
	for i := range params.Len() {
		t := params.At(i).Type()
		switch {
		case isPointerTo(t, "net/http", "Response"):
			return true // may close it
		case isPointerTo(t, "net/http", "Request"), isNamed(t, "net/http", "Header"):
			if !strictly || !readsTexts(results) {
				return true
			}
		case tells && (isError(t) || isStatus(params, i)):
			return true
		case !strictly && isError(t) && results.Len() > 0:
			return true
		case !strictly && takesFunc(t):
			return true
		}
	}
	for i := range results.Len() {
		t := results.At(i).Type()
		if isPointerTo(t, "net/http", "Request") || isPointerTo(t, "net/http", "Response") || isPointerTo(t, "net/http", "Client") ||
			isNamed(t, "net/http", "RoundTripper") || isNamed(t, "context", "CancelFunc") {
			return true
		}
		if !strictly && makes(t) {
			return true
		}
		if !strictly && holdsFunc(t) {
			return true
		}
	}
	if recv := sig.Recv(); !strictly && recv != nil && results.Len() == 1 {
		if implementsError(recv.Type()) || isNamed(results.At(0).Type(), "context", "Context") && holdsFunc(recv.Type()) {
			return true // an error's Unwrap, Is, Timeout; a context that is kept beside its cancel function
		}
	}
	return false
}

// isServing says whether a function is a server's side.
func isServing(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if isNamed(sig.Params().At(i).Type(), "net/http", "ResponseWriter") {
			return true
		}
	}
	return false
}

// readsTexts says of a function that is given a request whether all that it returns
// are texts and numbers.
func readsTexts(results *types.Tuple) bool {
	for i := range results.Len() {
		b, ok := types.Unalias(results.At(i).Type()).Underlying().(*types.Basic)
		if !ok || b.Kind() == types.Bool {
			return false
		}
	}
	return results.Len() > 0
}

func takesFunc(t types.Type) bool {
	_, ok := types.Unalias(t).Underlying().(*types.Signature)
	return ok
}

// isStatus says whether a parameter may be a response's status.
func isStatus(params *types.Tuple, i int) bool {
	b, ok := types.Unalias(params.At(i).Type()).(*types.Basic)
	return ok && b.Kind() == types.Int && params.Len() <= 2
}
