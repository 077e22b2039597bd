package flow

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// calls is a domain that counts calls of the function "hit" on the path that
// has most of them; "ask" returns something undecided.
type calls struct{ how Branch }

func (calls) Call(c *Call) Action {
	if c.Callee != nil && c.Callee.Name == "hit" {
		n, _ := c.World.State.(int)
		c.World.State, c.World.StateHash = n+1, uint64(n+1)
		return Action{Handled: true, Value: UnknownValue(c.Sym, 0)}
	}
	return Action{}
}
func (calls) External(c *Call) *Value                         { return UnknownValue(c.Sym, c.Taint) }
func (calls) Field(*Value, types.Type, *World) *Value         { return nil }
func (calls) Assert(*Value, types.Type, *World) (*Value, int) { return nil, -1 }
func (d calls) Branch(*Frame, *Value, *World) Branch          { return d.how }
func (calls) Equal(a, b *Value) (eq, known bool)              { return false, false }
func (calls) Return(w *World) Result                          { n, _ := w.State.(int); return Result{Reach: Reach(n)} }
func (d calls) Join(how Branch, a, b Result) Result {
	if (a.Reach > b.Reach) == (how != Both) {
		return a
	}
	return b
}

const prelude = `package p
func hit()
func ask() bool
type pair struct{ n int; f func() }
`

// run runs the function "f" of a source text. Either gives the most calls of
// hit on any path, Both the fewest.
func run(t *testing.T, src string, how Branch) (int, *Machine) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", prelude+src, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(&types.Config{Importer: importer.Default()}, fset, types.NewPackage("p", "p"), []*ast.File{file}, ssa.InstantiateGenerics)
	if err != nil {
		t.Fatal(err)
	}
	m := &Machine{Domain: calls{how}, Limits: Limits{Steps: 5000, Depth: 20, Visits: 40}}
	prog := ir.NewProgram(pkg.Pkg, nil)
	m.Inline = func(*Frame, *ir.Function, []*Value) bool { return true }
	fn := prog.Of(pkg.Func("f"))
	params := make([]*Value, len(fn.Params))
	for i := range params {
		params[i] = UnknownValue(uint64(i)+1000, Param)
	}
	return int(m.Run(fn, params, NewWorld()).Reach), m
}

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		name, src   string
		most, least int
	}{
		{"constant condition", `func f() { if 1 > 2 { hit() } }`, 0, 0},
		{"undecided condition", `func f() { if ask() { hit() } }`, 1, 0},
		{"the same condition twice", `func f(b bool) { if b { hit() }; if !b { hit() } }`, 2, 1},
		{"counted loop", `func f() { for i := 0; i < 3; i++ { hit() } }`, 3, 3},
		{"goto", `func f() { n := 0
again: hit(); n++; if n < 4 { goto again } }`, 4, 4},
		{"range over int", `func f() { for range 5 { hit() } }`, 5, 5},
		{"range over func", `func g(yield func(int) bool) { _ = yield(1) && yield(2) }
func f() { for range g { hit() } }`, 2, 2},
		{"break", `func f() { for { hit(); if ask() { break }; return } }`, 1, 1},
		{"closure", `func f() { g := func() { hit() }; g(); g() }`, 2, 2},
		{"captured variable", `func f() { n := 0; g := func() { n++ }; g(); g(); if n == 2 { hit() } }`, 1, 1},
		{"field", `func f() { p := &pair{n: 2}; p.n++; if p.n == 3 { hit() } }`, 1, 1},
		{"function in a field", `func f() { p := pair{f: hit}; p.f() }`, 1, 1},
		{"copy of a struct", `func f() { p := pair{n: 1}; q := p; q.n = 5; if p.n == 1 { hit() } }`, 1, 1},
		{"method value", `func (p pair) m() { hit() }
func f() { m := pair{}.m; m() }`, 1, 1},
		{"interface", `type i interface{ m() }
func (p pair) m() { hit() }
func f() { var x i = pair{}; if _, ok := x.(pair); ok { hit() } }`, 1, 1},
		{"generic", `func twice[T any](g func(T), x T) { g(x); g(x) }
func f() { twice(func(string) { hit() }, "") }`, 2, 2},
		{"recursion", `func g(n int) { if n == 0 { return }; hit(); g(n - 1) }
func f() { g(3) }`, 3, 3},
		{"nil", `func f() { var p *pair; if p == nil { hit() } }`, 1, 1},
		{"go statement", `func f() { go hit(); go func() { hit() }() }`, 2, 2},
		{"nil map is empty", `func f() { var m map[string]int; for range m { hit() } }`, 0, 0},
		{"strings", `func f() { s := "a" + "b"; if s == "ab" && len(s) == 2 { hit() } }`, 1, 1},
		{"first round of a loop over elements", `func f(xs []int) { for i := range xs { if i == 0 { hit() } } }`, 1, 0},
		{"later rounds of a loop over elements", `func f(xs []int) { for i := range xs { if i > 0 { hit(); return } } }`, 1, 0},
		{"a place stored in one round is not the next one's", `func f(xs []int) { for i := range xs { if xs[i] == 7 { hit(); return }; xs[i] = 7 } }`, 1, 0},
		{"appended functions", `func f() { var fs []func(); fs = append(fs, hit); fs = append(fs, hit, hit); for _, g := range fs { g() } }`, 3, 3},
		{"append of nothing", `func f() { var a, b []int; if append(a, b...) == nil { hit() } }`, 1, 1},
		{"a variable made anew while the last is held", `func f() { var last *pair
for i := range 2 { p := pair{n: i}; if last != nil && last.n == 0 && p.n == 1 { hit() }; last = &p } }`, 1, 1},
		{"division by zero", `func f(n int) { z := 0; _ = n; if z == 0 { hit() } }`, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, _ := run(t, c.src, Either); got != c.most {
				t.Errorf("most calls %d, want %d", got, c.most)
			}
			if got, _ := run(t, c.src, Both); got != c.least {
				t.Errorf("fewest calls %d, want %d", got, c.least)
			}
		})
	}
}

// Undecided conditions that lead to nothing different must not multiply the
// paths: twenty of them in a row are a million paths, and a few hundred steps.
func TestPathsMeet(t *testing.T) {
	src := "func note(string, ...any)\nfunc f() {\n"
	for range 20 {
		src += "\tif ask() { x := 1; note(\"on\", x) } else { note(\"off\") }\n"
	}
	src += "\thit()\n}"
	got, m := run(t, src, Either)
	if got != 1 {
		t.Errorf("calls %d, want 1", got)
	}
	if m.Steps > 200 || m.Exhausted {
		t.Errorf("%d steps, exhausted %v", m.Steps, m.Exhausted)
	}
}

// A loop over elements has as many rounds as there are elements, which is not
// known, and each has several ways through it: what was chosen for one element
// must not tell paths apart in the rounds after it.
func TestRoundsMeet(t *testing.T) {
	src := `func kind(int) int
func f(xs []int, table map[int]int) {
	for _, x := range xs { switch kind(x) { case 1: x++; case 2: x--; case 3: x *= 2; case 4: x /= 2 } }
	for k := range table { if kind(k) == 1 { _ = k } }
	var p pair
	small, large := 0, 0
	for _, x := range xs { if kind(x) == 1 { small++ } else { large++; p.n++ } }
	if small > 0 || large > 0 || p.n > 0 { kind(0) }
	hit()
}`
	got, m := run(t, src, Either)
	if got != 1 || m.Exhausted {
		t.Errorf("calls %d, want 1; exhausted %v", got, m.Exhausted)
	}
	if got, m = run(t, src, Apart); got != 1 || m.Steps > 400 || m.Exhausted {
		t.Errorf("where every choice is remembered: calls %d, want 1; %d steps, exhausted %v", got, m.Steps, m.Exhausted)
	}
}

// Choices that no later condition asks for again are forgotten in the second try.
func TestSecondTry(t *testing.T) {
	src := "func kind(int) bool\nfunc f(b bool) {\n"
	for i := range 16 {
		src += fmt.Sprintf("\tif kind(%d) { ask() }\n", i)
	}
	src += "\tif b { ask() }\n\tif b { hit() }\n\tif !b { hit() }\n}"
	got, m := run(t, src, Apart)
	if got != 1 || m.Exhausted {
		t.Errorf("calls %d, want 1, since b stays what it is; exhausted %v after %d steps", got, m.Exhausted, m.Steps)
	}
}

func TestLimits(t *testing.T) {
	src := `func f() { for { if ask() { hit() } } }`
	if _, m := run(t, src, Either); !m.Cut {
		t.Error("an endless loop was not cut")
	}
}
