package policy

import (
	"go/types"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// roles returns what the tables say of the function that is called.
func (m *modeler) roles(c *flow.Call) []apis.Entry {
	if m.libraries == nil {
		return nil
	}
	name := calleeName(c)
	if name == "" {
		return nil
	}
	found, asked := m.roleOf[name]
	if !asked {
		path, symbol := splitName(name)
		if !standardPath(path) {
			found = m.libraries.Funcs(path, symbol, "")
		}
		m.roleOf[name] = found
	}
	if len(found) == 0 {
		return nil
	}
	if !strings.HasSuffix(found[0].Symbol.Name, "*") {
		return found
	}
	var fit []apis.Entry
	for _, e := range found {
		if takes(c.Instr.Signature(), e) {
			fit = append(fit, e)
		}
	}
	return fit
}

// role returns what a table says of a function in one of some roles.
func (m *modeler) role(c *flow.Call, roles ...apis.Role) (apis.Entry, bool) {
	for _, e := range m.roles(c) {
		for _, r := range roles {
			if e.Symbol.Role == r {
				return e, true
			}
		}
	}
	return apis.Entry{}, false
}

// splitName takes the full name of a function apart, as types.Func gives it, into
// the import path and the name that tables use: "Func" or "Type.Method".
func splitName(full string) (path, symbol string) {
	if !strings.HasPrefix(full, "(") {
		slash := strings.LastIndexByte(full, '/') + 1
		dot := strings.IndexByte(full[slash:], '.')
		if dot < 0 {
			return "", full
		}
		return full[:slash+dot], full[slash+dot+1:]
	}
	end := strings.LastIndexByte(full, ')')
	recv, method := strings.TrimPrefix(full[1:end], "*"), full[end+1:]
	if i := strings.IndexByte(recv, '['); i >= 0 {
		recv = recv[:i]
	}
	slash := strings.LastIndexByte(recv, '/') + 1
	dot := strings.IndexByte(recv[slash:], '.')
	if dot < 0 {
		return "", full
	}
	return recv[:slash+dot], recv[slash+dot+1:] + method
}

// takes says whether the last parameter of a function is of the options by which
// a table knows the methods of a library.
func takes(sig *types.Signature, e apis.Entry) bool {
	want := e.Symbol.Takes
	if want == "" {
		return true
	}
	if want == "context.Context" {
		n := sig.Results().Len()
		return sig.Params().Len() > 0 && isNamed(sig.Params().At(0).Type(), "context", "Context") && n > 0 && isError(sig.Results().At(n-1).Type())
	}
	if !sig.Variadic() || sig.Params().Len() == 0 {
		return false
	}
	last, ok := types.Unalias(sig.Params().At(sig.Params().Len() - 1).Type()).(*types.Slice)
	if !ok {
		return false
	}
	elem := types.Unalias(last.Elem())
	if name, ok := strings.CutPrefix(want, "func(*"); ok {
		fn, ok := elem.Underlying().(*types.Signature)
		if !ok || fn.Params().Len() != 1 {
			return false
		}
		n, ok := derefNamed(fn.Params().At(0).Type())
		return ok && n.Obj().Name() == strings.TrimSuffix(name, ")")
	}
	n, ok := elem.(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	full := n.Obj().Pkg().Path() + "." + n.Obj().Name()
	return strings.HasSuffix(full, "/"+want) && strings.HasPrefix(full, strings.TrimSuffix(e.Library.Module, "*"))
}

// fieldRoles returns the fields of a library's type that the tables speak of, by
// index.
func (m *modeler) fieldRoles(t types.Type) map[int]apis.Entry {
	n, ok := derefNamed(t)
	if m.libraries == nil || !ok || n.Obj().Pkg() == nil || standardPath(n.Obj().Pkg().Path()) {
		return nil
	}
	st, ok := n.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var out map[int]apis.Entry
	for i := range st.NumFields() {
		if !st.Field(i).Exported() {
			continue
		}
		e, ok := m.libraries.Func(n.Obj().Pkg().Path(), n.Obj().Name()+"."+st.Field(i).Name(), "")
		if ok && e.Symbol.Arg == apis.None {
			if out == nil {
				out = map[int]apis.Entry{}
			}
			out[i] = e
		}
	}
	return out
}

// opaque says whether a function is one of a library's that is not followed: of
// the client of a service, or whose code is not in view.
func (m *modeler) opaque(fn *ir.Function) bool {
	return fn != nil && !fn.Local && m.libraries != nil && m.libraries.Knows(fn.Path) && (m.libraries.API(fn.Path) || !fn.HasBody())
}
