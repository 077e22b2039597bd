package libraries

import (
	"fmt"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// TestSymbols looks every row up in the library it speaks of.
func TestSymbols(t *testing.T) {
	for _, l := range apis.Libraries() {
		for _, s := range l.Symbols {
			p := loadPackage(t, packagePath(l, s))
			if err := resolve(p, l, s); err != nil {
				t.Errorf("%s %s: %s, as %s: %v", l.Module, l.Read, &s, roles[s.Role], err)
			}
		}
	}
}

// resolve says what is wrong with a row.
func resolve(p *packages.Package, l apis.Library, s apis.Symbol) error {
	first, second, two := strings.Cut(s.Name, ".")
	switch {
	case second == "*":
		return resolveStar(p, modulePath(l), first, s)
	case !two:
		switch obj := p.Types.Scope().Lookup(first).(type) {
		case *types.Func:
			return fits(obj.Signature(), s)
		case *types.TypeName:
			if _, ok := obj.Type().Underlying().(*types.Struct); !ok {
				return fmt.Errorf("it is a type, %s, without composite literals that matter", obj.Type().Underlying())
			}
			return nil
		case *types.Var:
			return nil
		}
		return fmt.Errorf("%s has nothing of that name", p.PkgPath)
	}
	typ, ok := p.Types.Scope().Lookup(first).(*types.TypeName)
	if !ok {
		return fmt.Errorf("%s has no type %s", p.PkgPath, first)
	}
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(typ.Type()), true, p.Types, second)
	if types.IsInterface(typ.Type()) {
		obj, _, _ = types.LookupFieldOrMethod(typ.Type(), true, p.Types, second)
	}
	switch obj := obj.(type) {
	case *types.Func:
		if of := declaredBy(obj); of != typ {
			return fmt.Errorf("the method is that of %s, and a call names that", of)
		}
		return fits(obj.Signature(), s)
	case *types.Var:
		if s.Arg != apis.None || s.Context != apis.None {
			return fmt.Errorf("a field has no arguments")
		}
		return fitsNumber(obj.Type(), s)
	}
	return fmt.Errorf("%s has neither a field nor a method %s", first, second)
}

// declaredBy is the type that a method is declared with.
func declaredBy(f *types.Func) *types.TypeName {
	t := types.Unalias(f.Origin().Signature().Recv().Type())
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return named.Origin().Obj()
	}
	return nil
}

// resolveStar wants at least one method that a row with a star stands for.
func resolveStar(p *packages.Package, module, typ string, s apis.Symbol) error {
	for _, name := range p.Types.Scope().Names() {
		obj, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || typ != "*" && typ != name || obj.IsAlias() {
			continue
		}
		methods := types.NewMethodSet(types.NewPointer(obj.Type()))
		for m := range methods.Methods() {
			sig := m.Obj().(*types.Func).Signature()
			if takes(sig, p, module, s.Takes) && fits(sig, s) == nil {
				return nil
			}
		}
	}
	return fmt.Errorf("no method of %s takes %s", typ, s.Takes)
}

// takes says whether the last arguments are options of the type.
func takes(sig *types.Signature, p *packages.Package, module, option string) bool {
	if option == "context.Context" {
		n := sig.Results().Len()
		return sig.Params().Len() > 0 && sig.Params().At(0).Type().String() == option && n > 0 && sig.Results().At(n-1).Type().String() == "error"
	}
	if !sig.Variadic() {
		return false
	}
	elem := types.Unalias(sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice).Elem())
	if name, ok := strings.CutPrefix(option, "func(*"); ok {
		f, ok := elem.(*types.Signature)
		if !ok || f.Params().Len() != 1 || f.Results().Len() != 0 {
			return false
		}
		want := p.Types.Scope().Lookup(strings.TrimSuffix(name, ")"))
		return want != nil && types.Identical(f.Params().At(0).Type(), types.NewPointer(want.Type()))
	}
	named, ok := elem.(*types.Named)
	return ok && named.Obj().Pkg().Path()+"."+named.Obj().Name() == module+"/"+option
}

// fits says whether a function's arguments are those that the row is about.
func fits(sig *types.Signature, s apis.Symbol) error {
	params := sig.Params()
	if s.Arg >= params.Len() || s.Context >= params.Len() {
		return fmt.Errorf("it has %d arguments", params.Len())
	}
	if s.Context != apis.None {
		if got := params.At(s.Context).Type().String(); got != "context.Context" {
			return fmt.Errorf("argument %d is a %s, not a context", s.Context, got)
		}
	}
	if s.Role == apis.Generator && sig.Results().Len() == 0 {
		return fmt.Errorf("it makes nothing")
	}
	if s.Arg == apis.None {
		return nil
	}
	arg := params.At(s.Arg).Type()
	switch s.Role {
	case apis.RetryFunc:
		if _, ok := arg.Underlying().(*types.Signature); !ok {
			return fmt.Errorf("argument %d is a %s, and cannot be called", s.Arg, arg)
		}
	case apis.Header:
		if s.Arg+1 >= params.Len() || !isString(arg) || !isString(params.At(s.Arg+1).Type()) {
			return fmt.Errorf("argument %d and the next are no name and value", s.Arg)
		}
	case apis.Key:
		if !isString(arg) {
			return fmt.Errorf("argument %d is a %s, and no key", s.Arg, arg)
		}
	case apis.NewClient, apis.Beneath, apis.PerAttempt, apis.Condition, apis.WithPolicy, apis.Hedge:
		if _, ok := arg.Underlying().(*types.Basic); ok {
			return fmt.Errorf("argument %d is a %s", s.Arg, arg)
		}
	}
	return fitsNumber(arg, s)
}

// fitsNumber wants numbers and durations where a row is about one.
func fitsNumber(t types.Type, s apis.Symbol) error {
	switch s.Role {
	case apis.Timeout, apis.Elapsed:
		if ptr, ok := t.(*types.Pointer); ok {
			t = ptr.Elem()
		}
		if t.String() != "time.Duration" {
			return fmt.Errorf("it is a %s, and no duration", t)
		}
	case apis.Attempts:
		if _, ok := t.Underlying().(*types.Slice); ok {
			return nil // its length
		}
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		if b, ok := t.Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
			return fmt.Errorf("it is a %s, and no number", t)
		}
	}
	return nil
}

func isString(t types.Type) bool {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// roles are the roles as messages say them.
var roles = map[apis.Role]string{
	apis.RetryFunc: "a retry function", apis.Call: "a call", apis.ModelCall: "a model call",
	apis.ModelStream: "a model stream", apis.NewClient: "a new client", apis.AsHTTP: "an HTTP client",
	apis.NewPolicy: "a new policy", apis.Attempts: "a number of attempts", apis.Disable: "a switch",
	apis.Methods: "a filter of methods", apis.Condition: "a condition", apis.Beneath: "a client beneath",
	apis.PerAttempt: "a hook for each attempt", apis.Key: "a key", apis.Header: "a header",
	apis.Generator: "a generator", apis.Timeout: "a timeout", apis.WithContext: "a context",
	apis.Stream: "a stream", apis.Breaker: "a breaker", apis.Hedge: "a hedge", apis.Elapsed: "a longest time",
	apis.Again: "a mark", apis.Final: "a mark of what is final", apis.WithPolicy: "a policy taken",
}
