package apis_test

import (
	"cmp"
	"regexp"
	"slices"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// TestLibrariesHold holds what is known to its own rules: a table can be made of
// it, it comes sorted, and every policy says where it was read.
func TestLibrariesHold(t *testing.T) {
	libraries := apis.Libraries()
	if _, err := apis.New(libraries...); err != nil {
		t.Fatal(err)
	}
	if len(libraries) == 0 {
		t.Fatal("nothing is known")
	}
	sorted := slices.IsSortedFunc(libraries, func(a, b apis.Library) int {
		return cmp.Or(cmp.Compare(a.Module, b.Module), semver.Compare(a.Since, b.Since))
	})
	if !sorted {
		t.Error("the libraries are not sorted by module and version")
	}
	source := regexp.MustCompile(`^[a-z0-9_/.-]+\.go:\w+$`)
	for _, l := range libraries {
		for _, p := range l.Policies {
			if !source.MatchString(p.Source) {
				t.Errorf("%s: policy %s: source %q is not file.go:function", l.Name, p.Name, p.Source)
			}
			if p.Attempts == 0 && p.Wait != 0 {
				t.Errorf("%s: policy %s: the caller says how often, but not how long to wait", l.Name, p.Name)
			}
			if p.Attempts == 1 && p.After == 0 && (p.Wait != 0 || p.RetryAfter != 0) {
				t.Errorf("%s: policy %s waits, and does not try again", l.Name, p.Name)
			}
		}
	}
}

// TestLibrariesUsePolicies wants no policy that nothing leads to.
func TestLibrariesUsePolicies(t *testing.T) {
	for _, l := range apis.Libraries() {
		for _, p := range l.Policies {
			used := slices.ContainsFunc(l.Symbols, func(s apis.Symbol) bool { return s.Policy == p.Name })
			if !used {
				t.Errorf("%s %s: no symbol names the policy %s", l.Name, l.Read, p.Name)
			}
		}
	}
}

// TestLibrariesAreNew changes what one call returned, and looks at the next.
func TestLibrariesAreNew(t *testing.T) {
	first := apis.Libraries()
	for i := range first {
		clear(first[i].Policies)
		clear(first[i].Symbols)
	}
	for _, l := range apis.Libraries() {
		for _, p := range l.Policies {
			if p.Name == "" {
				t.Fatalf("%s: a caller of Libraries has changed what the next one gets", l.Name)
			}
		}
	}
}
