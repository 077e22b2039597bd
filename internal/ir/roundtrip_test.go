package ir_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

const source = `package p

import (
	"errors"
	"net/http"
)

type Final struct{ Err error }

func (f *Final) Error() string { return f.Err.Error() }

type hidden struct {
	next interface{ Do(*http.Request) (*http.Response, error) }
	max  int
	tag  string
}

type Pair[K comparable, V any] struct { Key K; Val V }

func (h *hidden) Do(req *http.Request) (resp *http.Response, err error) {
	for i := range h.max {
		if resp, err = h.next.Do(req); err == nil { return resp, nil }
		if i > 1<<40 && float64(i) > 1.5 { break }
	}
	return
}

func Retry[T any](tries int, fn func() (T, error)) (out T, err error) {
	type local struct{ n int }
	l := local{tries}
	for ; l.n > 0; l.n-- {
		if out, err = fn(); err == nil { return }
		var f *Final
		if errors.As(err, &f) { return out, f.Err }
	}
	return
}

func Closures(names []string) map[string]func() string {
	m := map[string]func() string{}
	for _, n := range names {
		m[n] = func() string { inner := func() string { return n + "!" }; return inner() }
	}
	select { default: }
	return m
}

func UsesInstance() (int, error) {
	return Retry(3, func() (int, error) { p := Pair[string, int]{"a", 1}; return p.Val, nil })
}
`

func load(t *testing.T) (*token.FileSet, *types.Package, *ssa.Package) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(&types.Config{Importer: importer.Default()}, fset, types.NewPackage("example.com/p", "p"), []*ast.File{file}, ssa.InstantiateGenerics)
	if err != nil {
		t.Fatal(err)
	}
	return fset, pkg.Pkg, pkg
}

// dump writes a function so that two can be compared.
func dump(f *ir.Function) string {
	var b strings.Builder
	var fn func(f *ir.Function)
	name := func(t types.Type) string {
		if t == nil {
			return "-"
		}
		if tuple, ok := t.(*types.Tuple); ok { // the names of results are not kept
			return fmt.Sprint(tuple.Len(), " results")
		}
		return types.TypeString(t, nil)
	}
	operand := func(n *ir.Node) string {
		switch {
		case n == nil:
			return "_"
		case n.Place >= 0:
			return fmt.Sprintf("#%d", n.Place)
		case n.Op == ir.Const && n.Const != nil:
			return n.Const.ExactString()
		case n.Op == ir.Func:
			return n.Fn.ID
		case n.Op == ir.Builtin:
			return n.Name
		case n.Op == ir.GlobalAddr:
			return n.Global.Full()
		}
		return n.Name + name(n.Type)
	}
	fn = func(f *ir.Function) {
		f.Blocks() // reads what the next line writes
		fmt.Fprintf(&b, "func %s %s size %d\n", f.ID, f.Name, f.Size)
		for _, bl := range f.Blocks() {
			fmt.Fprintf(&b, " block %d from %d to %d\n", bl.Index, len(bl.Preds), len(bl.Succs))
			for _, n := range bl.Nodes {
				fmt.Fprintf(&b, "  %d #%d %s n=%d name=%s ok=%v:", n.Op, n.Place, name(n.Type), n.N, n.Name, n.CommaOk)
				for _, x := range append([]*ir.Node{n.X, n.Y, n.Z}, n.Args...) {
					b.WriteString(" " + operand(x))
				}
				if n.Sig != nil {
					b.WriteString(" " + fmt.Sprint(n.Sig.Params().Len(), n.Sig.Results().Len()))
				}
				b.WriteString("\n")
			}
		}
		for _, a := range f.AnonFuncs {
			fn(a)
		}
	}
	fn(f)
	return b.String()
}

// What is written and read again is the same, in a program that imports the
// package.
func TestRoundTrip(t *testing.T) {
	fset, tpkg, pkg := load(t)
	prog := ir.NewProgram(tpkg, nil)
	var fns []*ir.Function
	for _, name := range []string{"Retry", "Closures", "UsesInstance"} {
		fns = append(fns, prog.Of(pkg.Func(name)))
	}
	hidden := types.NewPointer(pkg.Type("hidden").Type())
	fns = append(fns, prog.Of(pkg.Prog.MethodValue(pkg.Prog.MethodSets.MethodSet(hidden).Lookup(tpkg, "Do"))))
	for i, f := range fns {
		f.Flags = ir.Flags(i + 1)
	}
	isRequest := func(o *types.TypeName) bool { return o.Name() == "Request" || o.Pkg() == tpkg }
	written := ir.Write(fns, func(p token.Pos) token.Position { return fset.Position(p) }, isRequest)
	again := ir.Write(fns, func(p token.Pos) token.Position { return fset.Position(p) }, isRequest)
	if string(written.Bodies) != string(again.Bodies) || string(written.Index) != string(again.Index) {
		t.Error("written twice, it differs")
	}
	archive, err := ir.Read(written)
	if err != nil {
		t.Fatal(err)
	}
	root := types.NewPackage("example.com/app", "app")
	root.SetImports([]*types.Package{tpkg})
	for _, importer := range []*types.Package{root, types.NewPackage("example.com/other", "other")} {
		archive, err = ir.Read(written)
		if err != nil {
			t.Fatal(err)
		}
		p := ir.NewProgram(importer, func(id string) *ir.Archive {
			if strings.Contains(id, "example.com/p.") {
				return archive
			}
			return nil
		})
		for i, f := range fns {
			g := p.External(f.ID, "example.com/p")
			if !g.HasBody() || g.Flags != ir.Flags(i+1) {
				t.Fatalf("%s has no body, or flags %d", f.ID, g.Flags)
			}
			// a type that a function declares is known by its place, too
			got := strings.NewReplacer("·p.go:29", "", "interface{}", "any").Replace(dump(g))
			if want := dump(f); want != got && importer == root {
				t.Errorf("%s differs:\n%s\nwant\n%s", f.ID, got, want)
			}
		}
		h := p.Named("example.com/p", "hidden")
		if h == nil {
			t.Fatal("hidden is not known")
		}
		if st, ok := h.Underlying().(*types.Struct); !ok || st.NumFields() != 3 || st.Field(1).Name() != "max" {
			t.Errorf("hidden is %v", h.Underlying())
		}
		req := p.Named("net/http", "Request")
		if req == nil {
			t.Fatal("http.Request is not known")
		}
		if st, ok := req.Underlying().(*types.Struct); !ok || st.Field(0).Name() != "Method" {
			t.Errorf("http.Request is %v", req.Underlying())
		}
		if obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(h), true, tpkg, "Do"); obj == nil {
			t.Error("hidden has no method Do")
		}
	}
	if f, ok := archive.Flags("example.com/p.Retry"); !ok || f != 1 {
		t.Errorf("flags of Retry: %d, %v", f, ok)
	}
}

// Bytes that nobody wrote are refused, or leave functions without bodies.
func TestGarbage(t *testing.T) {
	fset, tpkg, pkg := load(t)
	f := ir.NewProgram(tpkg, nil).Of(pkg.Func("Retry"))
	w := ir.Write([]*ir.Function{f}, func(p token.Pos) token.Position { return fset.Position(p) }, func(*types.TypeName) bool { return false })
	for cut := range w.Index {
		if _, err := ir.Read(ir.Written{Index: w.Index[:cut], Bodies: w.Bodies}); err == nil {
			t.Fatalf("an index cut at %d is read", cut)
		}
	}
	for cut := range w.Bodies {
		a, err := ir.Read(ir.Written{Index: w.Index, Bodies: w.Bodies[:cut]})
		if err != nil {
			t.Fatal(err)
		}
		p := ir.NewProgram(types.NewPackage("q", "q"), func(string) *ir.Archive { return a })
		if p.External(f.ID, "example.com/p").HasBody() {
			t.Fatalf("bodies cut at %d are read", cut)
		}
	}
}
