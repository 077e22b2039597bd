package policy
import ("testing";"golang.org/x/tools/go/analysis/analysistest";"os";"golang.org/x/tools/go/analysis";"fmt")
func TestDbg(t *testing.T) {
	td, _ := os.Getenv("TD"), error(nil)
	m := New(Config{})
	a := &analysis.Analyzer{Name:"x",Doc:"x",Requires: []*analysis.Analyzer{m}, Run: func(p *analysis.Pass) (any, error) {
		mod := p.ResultOf[m].(*Model)
		if mod == nil { return nil, nil }
		for _, pr := range mod.Problems() { fmt.Println("PROBLEM", pr.Message) }
		for _, v := range mod.verdicts { fmt.Println("VERDICT", p.Fset.Position(v.Pos), v.Rule) }
		return nil, nil
	}}
	_ = t
	analysistest.Run(t, td, a, os.Getenv("DBG"))
}
