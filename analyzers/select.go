package analyzers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/analyzers/suppression"
	"github.com/resiliencevet/resiliencevet/internal/nearest"
)

// A Selection is the set of rules that run. It does not change once made.
type Selection struct {
	names map[string]bool
}

// Has reports whether the rule runs.
func (s Selection) Has(rule string) bool { return s.names[rule] }

// Names returns the rules that run, sorted.
func (s Selection) Names() []string {
	var out []string
	for name, on := range s.names {
		if on {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Select reads a list of rules, as given with -rules:
//
//	a,b        only a and b
//	-c         the default rules without c
//	default,d  the default rules and d
//	all,-c     every rule without c
//
// Entries take effect from left to right. A list that begins with a removal
// starts from the default rules, any other from none. An empty list means the
// default rules. The error is one line that fits after the flag's name.
func (s Suite) Select(list string) (Selection, error) {
	on := map[string]bool{}
	set := func(value bool, which func(Rule) bool) (matched bool) {
		for _, r := range s {
			if which(r) {
				on[r.Doc.Name] = value
				matched = true
			}
		}
		return matched
	}
	byDefault := func(r Rule) bool { return r.Doc.Default }
	list = strings.TrimSpace(list)
	if list == "" || list[0] == '-' {
		set(true, byDefault)
	}
	if list == "" {
		return Selection{on}, nil
	}
	for entry := range strings.SplitSeq(list, ",") {
		name, remove := strings.CutPrefix(strings.TrimSpace(entry), "-")
		var matched bool
		switch name {
		case "":
			return Selection{}, fmt.Errorf("empty rule name in %q", list)
		case "all":
			matched = true
			set(!remove, func(Rule) bool { return true })
		case "default":
			matched = true
			set(!remove, byDefault)
		case suppression.Name:
			return Selection{}, fmt.Errorf("%s is no rule to choose: it runs whenever a rule does", suppression.Name)
		default:
			matched = set(!remove, func(r Rule) bool { return r.Doc.Name == name })
		}
		if !matched {
			return Selection{}, s.Unknown(name)
		}
	}
	return Selection{on}, nil
}

// Unknown is the error about a name that no rule has.
func (s Suite) Unknown(name string) error {
	var names []string
	for _, d := range s.Docs() {
		names = append(names, d.Name)
	}
	if near := nearest.To(name, names); near != "" {
		return fmt.Errorf("unknown rule %q: did you mean %s?", name, near)
	}
	return fmt.Errorf("unknown rule %q: `resiliencevet rules` lists them", name)
}
