package policy

import (
	"go/token"
	"go/types"
	"strings"
)

// importsHTTP says whether a package can name net/http's types.
func importsHTTP(pkg *types.Package) bool {
	for _, p := range pkg.Imports() {
		if p.Path() == "net/http" {
			return true
		}
	}
	return false
}

func derefNamed(t types.Type) (*types.Named, bool) {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return n, ok
}

// isSend says whether calling fn sends a request: a function of net/http, or
// a method that looks like Client.Do or RoundTripper.RoundTrip, whoever wrote it.
func isSend(fn *types.Func) bool {
	if fn.Pkg() != nil && fn.Pkg().Path() == "net/http" {
		if _, ok := httpSends[fn.FullName()]; ok {
			return true
		}
	}
	return isDoer(fn)
}

// isDoer recognises methods that take a request and return its response.
func isDoer(fn *types.Func) bool {
	sig, ok := fn.Type().(*types.Signature)
	return ok && sig.Recv() != nil && isDoerName(fn.Name()) && isExchange(sig)
}

func isDoerName(name string) bool { return name == "Do" || name == "RoundTrip" }

// isExchange recognises func(*http.Request) (*http.Response, error).
func isExchange(sig *types.Signature) bool {
	return sig.Params().Len() == 1 && sig.Results().Len() == 2 &&
		isPointerTo(sig.Params().At(0).Type(), "net/http", "Request") &&
		isPointerTo(sig.Results().At(0).Type(), "net/http", "Response")
}

func isPointerTo(t types.Type, pkg, name string) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && isNamed(p.Elem(), pkg, name)
}

func isNamed(t types.Type, pkg, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg
}

// isTestFile says whether a position lies in a _test.go file.
func isTestFile(fset *token.FileSet, pos token.Pos) bool {
	return strings.HasSuffix(fset.PositionFor(pos, false).Filename, "_test.go")
}
