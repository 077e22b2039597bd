package policy

import (
	"go/token"
	"go/types"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// methodSources finds the parameters and fields that decide the method of
// requests made in this package: the run of a function that is given its
// method assumes one for them.
type methodSources struct {
	params map[*ir.Node]bool
	fields map[fieldKey]bool
	funcs  map[*ir.Function]bool
	seen   map[*ir.Node]bool
	pend   []*ir.Node

	calls    []*ir.Node
	stores   map[*ir.Node][]*ir.Node     // by address
	closures map[*ir.Function][]*ir.Node // by function
	captured map[*ir.Node]capture        // free variables
	returned map[*ir.Function][]*ir.Node // results of functions that have one
}

// capture is where a free variable stands.
type capture struct {
	fn    *ir.Function
	index int
}

func findMethodSources(fns []*ir.Function) *methodSources {
	s := &methodSources{
		params: map[*ir.Node]bool{}, fields: map[fieldKey]bool{}, funcs: map[*ir.Function]bool{}, seen: map[*ir.Node]bool{},
		stores: map[*ir.Node][]*ir.Node{}, closures: map[*ir.Function][]*ir.Node{}, captured: map[*ir.Node]capture{}, returned: map[*ir.Function][]*ir.Node{},
	}
	for _, fn := range fns {
		for i, v := range fn.FreeVars {
			s.captured[v] = capture{fn, i}
		}
		fn.Nodes(func(n *ir.Node) { s.note(fn, n) })
	}
	for {
		s.drain()
		// the arguments that go to parameters found so far
		for _, c := range s.calls {
			callee := c.StaticCallee()
			if callee == nil {
				continue
			}
			for i, p := range callee.Params {
				if s.params[p] && i < len(c.Args) {
					s.add(c.Args[i])
				}
			}
		}
		if len(s.pend) == 0 {
			return s
		}
	}
}

// note collects what the search needs of an instruction, and where it begins.
func (s *methodSources) note(fn *ir.Function, n *ir.Node) {
	switch n.Op {
	case ir.Call, ir.Go, ir.Defer:
		s.calls = append(s.calls, n)
		if callee := n.StaticCallee(); callee != nil {
			switch callee.FullName() {
			case "net/http.NewRequest":
				s.add(n.Args[0])
			case "net/http.NewRequestWithContext":
				s.add(n.Args[1])
			}
		}
	case ir.Store:
		s.stores[n.X] = append(s.stores[n.X], n.Y)
		if fa := n.X; fa.Op == ir.FieldAddr && isPointerTo(fa.X.Type, "net/http", "Request") && fieldName(fa.X.Type, fa.N) == "Method" {
			s.add(n.Y)
		}
	case ir.MakeClosure:
		s.closures[n.Fn] = append(s.closures[n.Fn], n)
	case ir.Return:
		if len(n.Args) == 1 {
			s.returned[fn] = append(s.returned[fn], n.Args[0])
		}
	}
}

func (s *methodSources) add(v *ir.Node) {
	if !s.seen[v] {
		s.seen[v] = true
		s.pend = append(s.pend, v)
	}
}

func (s *methodSources) addAll(vs []*ir.Node) {
	for _, v := range vs {
		s.add(v)
	}
}

func (s *methodSources) drain() {
	for len(s.pend) > 0 {
		v := s.pend[len(s.pend)-1]
		s.pend = s.pend[:len(s.pend)-1]
		s.step(v)
	}
}

// step goes one step back from a value.
func (s *methodSources) step(v *ir.Node) {
	switch v.Op {
	case ir.Param:
		s.params[v] = true
	case ir.Phi:
		s.addAll(v.Args)
	case ir.ChangeType, ir.Convert:
		s.add(v.X)
	case ir.Call:
		callee := v.StaticCallee()
		if callee == nil {
			return
		}
		if callee.Path == "strings" && len(v.Args) > 0 {
			s.add(v.Args[0]) // strings.ToUpper and the like
			return
		}
		s.funcs[callee] = true
		s.addAll(s.returned[callee])
	case ir.FreeVar:
		s.addAll(s.bindings(v))
	case ir.Field:
		s.field(v.X.Type, v.N)
	case ir.UnOp:
		if token.Token(v.N) == token.MUL {
			s.address(v.X)
		}
	}
}

// address goes back from a variable to what is stored in it.
func (s *methodSources) address(a *ir.Node) {
	switch a.Op {
	case ir.FieldAddr:
		s.field(a.X.Type, a.N)
	case ir.Alloc:
		s.addAll(s.stores[a])
	case ir.FreeVar:
		for _, b := range s.bindings(a) {
			s.address(b)
		}
	}
}

// bindings returns what closures bind a free variable to.
func (s *methodSources) bindings(v *ir.Node) []*ir.Node {
	at, ok := s.captured[v]
	if !ok {
		return nil
	}
	var out []*ir.Node
	for _, mc := range s.closures[at.fn] {
		out = append(out, mc.Args[at.index])
	}
	return out
}

func (s *methodSources) field(t types.Type, i int) {
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if isHTTP(t, "Request") {
		return
	}
	s.fields[fieldKey{typeKey(t), i}] = true
}

func fieldName(t types.Type, i int) string {
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if st, ok := types.Unalias(t).Underlying().(*types.Struct); ok && i < st.NumFields() {
		return st.Field(i).Name()
	}
	return ""
}
