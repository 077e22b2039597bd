package libraries

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// one stands for the modules of a "/*".
var one = map[string]string{
	"github.com/aws/aws-sdk-go-v2/service/*": "github.com/aws/aws-sdk-go-v2/service/bedrockruntime",
}

// modulePath is the module that a library's rows are held against.
func modulePath(l apis.Library) string {
	if path, ok := one[l.Module]; ok {
		return path
	}
	return l.Module
}

// packagePath is the package that has a symbol.
func packagePath(l apis.Library, s apis.Symbol) string {
	if s.Package == "" {
		return modulePath(l)
	}
	return modulePath(l) + "/" + s.Package
}

// load type-checks all packages that the tables name, as the workspace has them.
// From the sources and without the bodies of functions: nothing is compiled for
// it, and nothing of them matters here.
var load = sync.OnceValues(func() (map[string]*packages.Package, error) {
	var paths []string
	for _, l := range apis.Libraries() {
		for _, s := range l.Symbols {
			paths = append(paths, packagePath(l, s))
		}
	}
	slices.Sort(paths)
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedModule,
		Env: append(os.Environ(), "CGO_ENABLED=0"),
		ParseFile: func(fset *token.FileSet, filename string, src []byte) (*ast.File, error) {
			file, err := parser.ParseFile(fset, filename, src, parser.SkipObjectResolution)
			if file != nil {
				for _, d := range file.Decls {
					if f, ok := d.(*ast.FuncDecl); ok {
						f.Body = nil
					}
				}
			}
			return file, err
		},
	}, slices.Compact(paths)...)
	if err != nil {
		return nil, err
	}
	known := make(map[string]*packages.Package)
	for _, p := range loaded {
		known[p.PkgPath] = p
	}
	return known, nil
})

// loadPackage is one of them.
func loadPackage(t *testing.T, path string) *packages.Package {
	t.Helper()
	known, err := load()
	if err != nil {
		t.Fatal(err)
	}
	p := known[path]
	if p == nil || p.Types == nil || p.Module == nil {
		t.Fatalf("package %s was not loaded", path)
	}
	return p
}

// TestVersions wants the tables to speak of the versions that the tests run with.
func TestVersions(t *testing.T) {
	for _, l := range apis.Libraries() {
		if l.Before != "" {
			continue // not the one that is required here
		}
		for _, s := range l.Symbols {
			p := loadPackage(t, packagePath(l, s))
			if p.Module.Path != modulePath(l) {
				t.Errorf("%s: package %s is in module %s", l.Name, p.PkgPath, p.Module.Path)
			}
			if p.Module.Version != l.Read {
				t.Errorf("%s: the table was read in %s, the tests run with %s %s",
					l.Name, l.Read, p.Module.Path, p.Module.Version)
				break
			}
		}
		if strings.HasSuffix(l.Module, "/*") && one[l.Module] == "" {
			t.Errorf("%s: no module stands for %s", l.Name, l.Module)
		}
	}
}
