package policy

import (
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// CodeFact is what a package tells those that import it: the code of the
// functions that decide how requests are sent and repeated, as the analysis
// runs it. It is a summary over parameters in the form that loses least: the
// caller's values are put in by running it.
//
// It holds functions of other packages too, as far as these need them, since
// not all drivers show a package the facts of packages it imports indirectly.
type CodeFact struct {
	Index  []byte
	Bodies []byte
	// Tables are the package variables of constants that the code reads.
	Tables []Table
	// Incomplete is set when there was more than the bounds let through.
	Incomplete bool
}

// AFact marks CodeFact as a fact.
func (*CodeFact) AFact() {}

// String lists the functions, for tests.
func (f *CodeFact) String() string {
	a, err := ir.Read(ir.Written{Index: f.Index, Bodies: f.Bodies})
	if err != nil {
		return err.Error()
	}
	var parts []string
	for _, id := range a.IDs() {
		flags, _ := a.Flags(id)
		s := id
		for _, x := range []struct {
			flag ir.Flags
			name string
		}{{flagSends, " sends"}, {flagRepeats, " repeats"}, {flagHelps, " helps"}, {flagMakes, " makes"}, {flagDerives, " derives"}, {flagKeys, " keys"}, {flagBreaks, " breaks"}, {flagLimits, " limits"}, {flagClient, " client"}, {flagReads, " reads"}} {
			if flags&x.flag != 0 {
				s += x.name
			}
		}
		parts = append(parts, s)
	}
	s := strings.Join(parts, "; ")
	if f.Incomplete {
		s += " …"
	}
	return s
}

// A Table is a package variable that holds a constant, or maps constants to
// constants, and never changes. Constants are written as encodeConst does.
type Table struct {
	Name         string
	Keys, Values []string
	Zero         string // of the elements; of the variable itself if there are no keys
	Single       bool   // it is one constant: Zero
}

// encodeConst writes a constant as one letter for its kind and its text; empty
// for what is not written.
func encodeConst(c constant.Value) string {
	if c == nil {
		return ""
	}
	switch c.Kind() {
	case constant.Bool:
		return "b" + c.ExactString()
	case constant.String:
		return "s" + constant.StringVal(c)
	case constant.Int:
		return "i" + c.ExactString()
	}
	return ""
}

func decodeConst(s string) constant.Value {
	if s == "" {
		return nil
	}
	switch s[0] {
	case 'b':
		return constant.MakeBool(s[1:] == "true")
	case 's':
		return constant.MakeString(s[1:])
	case 'i':
		return constant.MakeFromLiteral(s[1:], token.INT, 0)
	}
	return nil
}

// export returns the table for a fact.
func (t constTable) export(name string) Table {
	out := Table{Name: name}
	if z := flow.Zero(t.elem); z.Kind == flow.Const {
		out.Zero = encodeConst(z.C)
	}
	for _, k := range slices.Sorted(maps.Keys(t.keys)) {
		out.Keys = append(out.Keys, encodeConst(t.keys[k]))
		out.Values = append(out.Values, encodeConst(t.values[k]))
	}
	return out
}

// table reads a table of a fact.
func (t Table) table() constTable {
	out := constTable{values: map[string]constant.Value{}, keys: map[string]constant.Value{}, elem: types.Typ[types.Invalid]}
	if z := decodeConst(t.Zero); z != nil {
		switch z.Kind() {
		case constant.Bool:
			out.elem = types.Typ[types.Bool]
		case constant.String:
			out.elem = types.Typ[types.String]
		case constant.Int:
			out.elem = types.Typ[types.Int]
		}
	}
	for i, k := range t.Keys {
		if c := decodeConst(k); c != nil && i < len(t.Values) {
			out.keys[c.ExactString()] = c
			out.values[c.ExactString()] = decodeConst(t.Values[i])
		}
	}
	return out
}

// IncompleteFact says that the model of a package could not be made, so that
// packages that import it learn why they know less.
type IncompleteFact struct{ Reason string }

// AFact marks IncompleteFact as a fact.
func (*IncompleteFact) AFact() {}

func (f *IncompleteFact) String() string { return "incomplete: " + f.Reason }
