package main

import (
	"fmt"
	"go/types"
	"os"
	"runtime/pprof"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/resiliencevet/resiliencevet/internal/policy"
)

func main() {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo}, os.Args[1:]...)
	if err != nil {
		panic(err)
	}
	f, _ := os.Create("/tmp/cpu.prof")
	pprof.StartCPUProfile(f)
	a := policy.New(policy.Config{})
	for _, p := range pkgs {
		t := time.Now()
		pass := &analysis.Pass{Analyzer: a, Fset: p.Fset, Files: p.Syntax, Pkg: p.Types, TypesInfo: p.TypesInfo, ImportPackageFact: nofact, ExportObjectFact: noobj, ExportPackageFact: func(analysis.Fact) {}}
		res, _ := a.Run(pass)
		m := res.(*policy.Model)
		fmt.Println(p.PkgPath, time.Since(t), "built", m.Built, m.Problems)
		for _, v := range m.Verdicts {
			fmt.Println("  ", p.Fset.Position(v.Pos), v.Message[:60])
		}
	}
	pprof.StopCPUProfile()
}

func nofact(_ *types.Package, f analysis.Fact) bool { return false }

func noobj(types.Object, analysis.Fact) {}
