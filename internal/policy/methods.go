package policy

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// methodSources finds the parameters and fields that decide the method of
// requests made in this package: the run of a function that is given its
// method assumes one for them.
type methodSources struct {
	params map[*ssa.Parameter]bool
	fields map[fieldKey]bool
	funcs  map[*ssa.Function]bool
	seen   map[ssa.Value]bool
	pend   []ssa.Value
}

func findMethodSources(fns []*ssa.Function) *methodSources {
	s := &methodSources{params: map[*ssa.Parameter]bool{}, fields: map[fieldKey]bool{}, funcs: map[*ssa.Function]bool{}, seen: map[ssa.Value]bool{}}
	var calls []*ssa.CallCommon
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case ssa.CallInstruction:
					c := in.Common()
					calls = append(calls, c)
					if callee := c.StaticCallee(); callee != nil && callee.Object() != nil {
						switch callee.Object().(*types.Func).FullName() {
						case "net/http.NewRequest":
							s.add(c.Args[0])
						case "net/http.NewRequestWithContext":
							s.add(c.Args[1])
						}
					}
				case *ssa.Store:
					if fa, ok := in.Addr.(*ssa.FieldAddr); ok && isPointerTo(fa.X.Type(), "net/http", "Request") && fieldName(fa.X.Type(), fa.Field) == "Method" {
						s.add(in.Val)
					}
				}
			}
		}
	}
	for {
		s.drain()
		// the arguments that go to parameters found so far
		for _, c := range calls {
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

func (s *methodSources) add(v ssa.Value) {
	if !s.seen[v] {
		s.seen[v] = true
		s.pend = append(s.pend, v)
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
func (s *methodSources) step(v ssa.Value) {
	switch v := v.(type) {
	case *ssa.Parameter:
		s.params[v] = true
	case *ssa.Phi:
		for _, e := range v.Edges {
			s.add(e)
		}
	case *ssa.ChangeType:
		s.add(v.X)
	case *ssa.Convert:
		s.add(v.X)
	case *ssa.Call:
		callee := v.Call.StaticCallee()
		if callee == nil {
			return
		}
		if callee.Pkg != nil && callee.Pkg.Pkg.Path() == "strings" && len(v.Call.Args) > 0 {
			s.add(v.Call.Args[0]) // strings.ToUpper and the like
			return
		}
		s.funcs[callee] = true
		for _, b := range callee.Blocks {
			if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(r.Results) == 1 {
				s.add(r.Results[0])
			}
		}
	case *ssa.FreeVar:
		s.binding(v)
	case *ssa.Field:
		s.field(v.X.Type(), v.Field)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			s.address(v.X)
		}
	}
}

// address goes back from a variable to what is stored in it.
func (s *methodSources) address(a ssa.Value) {
	switch a := a.(type) {
	case *ssa.FieldAddr:
		s.field(a.X.Type(), a.Field)
	case *ssa.Alloc:
		for _, r := range *a.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == a {
				s.add(st.Val)
			}
		}
	case *ssa.FreeVar:
		for _, b := range bindings(a) {
			s.address(b)
		}
	}
}

func (s *methodSources) binding(v *ssa.FreeVar) {
	for _, b := range bindings(v) {
		s.add(b)
	}
}

// bindings returns what closures bind a free variable to.
func bindings(v *ssa.FreeVar) []ssa.Value {
	fn := v.Parent()
	idx := -1
	for i, f := range fn.FreeVars {
		if f == v {
			idx = i
		}
	}
	var out []ssa.Value
	if fn.Parent() == nil || idx < 0 {
		return nil
	}
	for _, b := range fn.Parent().Blocks {
		for _, in := range b.Instrs {
			if mc, ok := in.(*ssa.MakeClosure); ok && mc.Fn == fn {
				out = append(out, mc.Bindings[idx])
			}
		}
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
