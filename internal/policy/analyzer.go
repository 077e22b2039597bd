package policy

import (
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/guard"
)

// New returns the analyzer that makes the model of a package. Its result is a
// *Model, nil for packages of the standard library. It reports nothing itself.
func New(config Config) *analysis.Analyzer { return NewFrom(&config) }

// NewFrom is New for a configuration that is complete only when the analysis
// starts, as where flags are parsed after the analyzers are made.
func NewFrom(config *Config) *analysis.Analyzer {
	libraries := sync.OnceValues(func() (*apis.Table, error) { return apis.New(apis.Libraries()...) })
	return &analysis.Analyzer{
		Name:       "resiliencemodel",
		Doc:        "resiliencemodel: reconstruct the resilience policy of outbound calls\n\nThe other analyzers of resiliencevet read its result; by itself it reports nothing.",
		ResultType: reflect.TypeFor[*Model](),
		FactTypes:  []analysis.Fact{(*CodeFact)(nil), (*IncompleteFact)(nil)},
		Run: func(pass *analysis.Pass) (any, error) {
			table, err := libraries()
			if err != nil {
				return nil, err
			}
			return run(pass, config, table), nil
		},
	}
}

func run(pass *analysis.Pass, config *Config, libraries *apis.Table) *Model {
	if isStandard(pass) {
		return nil
	}
	model := &Model{pass: pass}
	for _, imp := range pass.Pkg.Imports() {
		var inc IncompleteFact
		if pass.ImportPackageFact(imp, &inc) {
			model.problems = append(model.problems, Problem{Pos: packageClause(pass), Message: "the model of " + imp.Path() + " is incomplete: " + inc.Reason})
		}
	}
	failure := guard.Do(func() error {
		m, err := newModeler(pass, config, libraries)
		if m == nil {
			return err
		}
		model.modeler = m
		if len(m.exports) > 0 {
			m.buildExports()
			model.Built = m.prog.built
			m.exportFacts()
		}
		if !config.FactsOnly {
			model.find = func() { find(m, model) }
		}
		return nil
	})
	if failure != nil {
		model.problems = append(model.problems, Problem{Pos: packageClause(pass), Message: failure.Error()})
		// Where reports are discarded, the packages that import this one say it.
		pass.ExportPackageFact(&IncompleteFact{Reason: failure.Error()})
	}
	return model
}

// find finds the verdicts of a model.
func find(m *modeler, model *Model) {
	failure := guard.Do(func() error {
		m.buildAll()
		m.findRetries()
		model.verdicts = m.sorted()
		return nil
	})
	if m.prog != nil {
		model.Built = m.prog.built
	}
	if failure != nil {
		model.problems = append(model.problems, Problem{Pos: packageClause(m.pass), Message: failure.Error()})
	}
}

func packageClause(pass *analysis.Pass) token.Pos {
	if len(pass.Files) == 0 {
		return token.NoPos
	}
	return pass.Files[0].Name.Pos()
}

// isStandard says whether the package is the standard library's: its path has
// no dot in the first element, and it lies at that path in a tree that has the
// runtime. Drivers do not say it the same way, honnef's not at all.
func isStandard(pass *analysis.Pass) bool {
	path := pass.Pkg.Path()
	first, _, _ := strings.Cut(path, "/")
	if path == "unsafe" {
		return true
	}
	if strings.Contains(first, ".") || len(pass.Files) == 0 {
		return false
	}
	dir := filepath.ToSlash(filepath.Dir(pass.Fset.PositionFor(pass.Files[0].Package, false).Filename))
	src, ok := strings.CutSuffix(dir, "/"+path)
	if !ok || !strings.HasSuffix(src, "/src") {
		return false
	}
	_, err := os.Stat(filepath.FromSlash(src + "/runtime/proc.go"))
	return err == nil
}

// standardRoots are the first elements of the standard library's import paths.
const standardRoots = " archive bufio bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go hash html " +
	"image index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings structs sync syscall testing text time " +
	"unicode unique unsafe vendor weak "

// standardPath says whether an import path looks like the standard library's.
func standardPath(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(standardRoots, " "+first+" ")
}
