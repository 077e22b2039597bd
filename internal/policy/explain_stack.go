package policy

import (
	"fmt"
	"go/token"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// layers says which retries stand around each other in a function.
func (x *explainer) layers(s *shape, fn *ir.Function) {
	if !x.m.mayRepeat(fn) {
		return
	}
	f := x.m.searchStack(s, fn, nil)
	if f == nil {
		x.say(1, token.NoPos, "no retry in it is seen to stand around another one that tries again after the same failure")
		return
	}
	layer, chain := split(f.w.first, f.w.second)
	pos, _ := x.m.prog.span(chain[0].call)
	x.say(1, pos, "a retry around another one, after %s:", describe(f.again))
	counts, known, shared := x.m.countLayers(f)
	times := func(inner bool) string {
		switch {
		case known && inner:
			return fmt.Sprintf("%d attempts", product(counts[1:]))
		case known:
			return fmt.Sprintf("%d attempts", counts[0])
		case shared:
			return "the numbers depend on each other"
		}
		return "how many attempts is not known"
	}
	x.say(2, pos, "the outer one is in %s: %s", layerName(layer), times(false))
	if f.w.stack.beneath != nil {
		x.say(2, token.NoPos, "the inner one is %s", f.w.stack.beneath)
		return
	}
	at, _ := x.m.innerPlace(f)
	x.say(2, at, "the inner one is in %s: %s", x.m.innerName(f), times(true))
}

// tableText says what the tables know of a function by itself; "" for nothing.
func (m *modeler) tableText(fn *ir.Function) string {
	path, symbol := splitName(fn.FullName())
	if m.libraries == nil || standardPath(path) {
		return ""
	}
	e, ok := m.libraries.Func(path, symbol, "")
	if !ok || e.Policy == nil {
		return ""
	}
	often := "as often as it is told"
	switch n := e.Policy.Attempts; {
	case n == apis.Unlimited:
		often = "without a bound on attempts by default"
	case n == 1:
		often = "once by default"
	case n > 1:
		often = fmt.Sprintf("up to %d times by default", n)
	}
	switch e.Symbol.Role {
	case apis.Call, apis.ModelCall, apis.ModelStream:
		return fmt.Sprintf("%s sends it %s", e.Library.Name, often)
	case apis.NewClient:
		return fmt.Sprintf("it makes a client of %s, which sends %s", e.Library.Name, often)
	case apis.RetryFunc:
		return fmt.Sprintf("%s calls what it is given %s", e.Library.Name, often)
	}
	return ""
}
