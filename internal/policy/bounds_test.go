package policy

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// boundsSeer reports what bounds each request that a run sends.
type boundsSeer struct {
	probe
	seen func(c *flow.Call, b Bounds)
}

func (s *boundsSeer) Call(c *flow.Call) flow.Action {
	if h, ok := s.sendOf(c); ok && h.request < len(c.Args) {
		s.seen(c, s.boundsOf(c, h))
	}
	return s.probe.Call(c)
}

func (s *boundsSeer) Join(_ flow.Branch, a, _ flow.Result) flow.Result { return a }

// TestBounds runs every function of a package, and compares what bounds the
// requests with comments. The bounds of one request are joined by "; ".
func TestBounds(t *testing.T) {
	t.Parallel()
	model := New(Config{})
	a := &analysis.Analyzer{Name: "bounds", Doc: "bounds", Requires: []*analysis.Analyzer{model}, Run: func(pass *analysis.Pass) (any, error) {
		m := pass.ResultOf[model].(*Model).modeler
		if m == nil {
			return nil, fmt.Errorf("no model of %s", pass.Pkg.Path())
		}
		for _, s := range m.shapes.order {
			m.want[s.decl] = true
		}
		m.buildAll()
		var said []string
		for _, s := range m.shapes.order {
			fn := m.prog.fn(s.fn)
			d := &boundsSeer{probe: probe{m: m, outcome: success, assume: readMethod}}
			d.seen = func(c *flow.Call, b Bounds) {
				pos, _ := m.prog.span(c.Instr)
				text := fmt.Sprintf("%s; %s; %s", b.Total, b.Context, b.Header)
				if key := fmt.Sprint(pos, text); !slices.Contains(said, key) {
					said = append(said, key)
					pass.Reportf(pos, "%s", text)
				}
			}
			m.askDomain(fn, d, &d.probe, searchLimits)
		}
		return nil, nil
	}}
	analysistest.Run(t, analysistest.TestData(), a, "bounds")
}

func TestBoundJoin(t *testing.T) {
	t.Parallel()
	minute, hour := bound{state: boundPresent, d: 60e9, what: totalName}, bound{state: boundPresent, d: 3600e9, what: totalName}
	for _, c := range []struct {
		a, b bound
		want string
	}{
		{minute, minute, "http.Client.Timeout of 1m0s"},
		{minute, hour, "http.Client.Timeout"},
		{minute, unknown(totalName, "x"), "http.Client.Timeout of 1m0s by default"},
		{unknown(totalName, "x"), minute, "http.Client.Timeout of 1m0s by default"},
		{absent(totalName), absent(totalName), "no http.Client.Timeout"},
		{absent(totalName), minute, "http.Client.Timeout unknown: a setting decides"},
		{minute, absent(totalName), "http.Client.Timeout unknown: a setting decides"},
	} {
		if got := c.a.join(c.b).String(); got != c.want {
			t.Errorf("%s and %s are %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

// TestLibraryBounds sees that options bound a client, and that one which is not
// known leaves nothing known.
func TestLibraryBounds(t *testing.T) {
	t.Parallel()
	table, err := apis.New(apis.Libraries()...)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := table.Func("github.com/openai/openai-go/v3/option", "WithRequestTimeout", ""); !ok {
		t.Error("the tables know nothing of WithRequestTimeout")
	}
	known := joinLimits(unlimited(), unlimited())
	if known.client.state != boundAbsent || known.request.state != boundAbsent {
		t.Errorf("a client without options is bounded by %v", known)
	}
	if x := joinLimits(unlimited(), anyLimits()); x.client.state != boundUnknown {
		t.Errorf("a client with unknown options is bounded by %v", x)
	}
}
