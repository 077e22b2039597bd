package policy

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis"
)

func TestDebug(t *testing.T) {
	dir := os.Getenv("DIR")
	if dir == "" {
		t.Skip()
	}
	fset := token.NewFileSet()
	fs, _ := filepath.Glob(dir + "/*.go")
	var files []*ast.File
	for _, f := range fs {
		a, _ := parser.ParseFile(fset, f, nil, parser.ParseComments)
		files = append(files, a)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{}}
	pkg, err := (&types.Config{Importer: importer.ForCompiler(fset, "source", nil)}).Check("x/y", fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	pass := &analysis.Pass{Fset: fset, Files: files, Pkg: pkg, TypesInfo: info, ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false }, ExportObjectFact: func(types.Object, analysis.Fact) {}}
	m := newModeler(pass, &Config{})
	for _, s := range m.shapes.order {
		if fn := os.Getenv("FN"); fn != "" && s.fn.Name() != fn {
			continue
		}
		fmt.Println(s.fn.Name(), "sendful", s.sendful, "mayRetry", s.mayRetry, "repeats", s.repeats)
		if !s.mayRetry {
			continue
		}
		fn := m.prog.ssa.FuncValue(s.fn)
		if os.Getenv("SSA") != "" {
			fn.WriteTo(os.Stdout)
		}
		for _, o := range append(ambiguous, success) {
			r, _ := m.ask(fn, &probe{m: m, outcome: o, assume: "POST", optimist: o.name == success.name}, limits)
			w, _ := r.Witness.(*witness)
			fmt.Println("   ", o.name, r.Reach, r.Needs, w != nil)
		}
	}
	m.findRetries()
	for _, v := range m.sorted() {
		if os.Getenv("FN") != "" {
			break
		}
		fmt.Println(fset.Position(v.Pos), v.Message)
	}
}
