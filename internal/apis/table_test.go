package apis_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// ferry is a library with a policy, and a symbol of each kind of name.
func ferry(since, before, read string) apis.Library {
	return apis.Library{
		Name: "ferry", Module: "example.com/ferry", Since: since, Before: before, Read: read,
		Policies: []apis.Policy{{
			Name: "cross", Attempts: 3, After: apis.NoAnswer | apis.ServerError, Wait: time.Second, Context: apis.Hears,
		}},
		Symbols: []apis.Symbol{
			{Name: "Retry", Role: apis.RetryFunc, Policy: "cross", Arg: 1, Context: 0},
			{Name: "Retry", Role: apis.WithPolicy, Policy: "cross", Arg: 2, Context: apis.None},
			{Name: "Boat.Limit", Role: apis.Attempts, Policy: "cross", Arg: apis.None, Context: apis.None},
			{Package: "pier", Name: "Clerk.Sell", Role: apis.ModelCall, Policy: "cross", Arg: apis.None, Context: 0},
			{Package: "pier", Name: "Clerk.*", Role: apis.Call, Policy: "cross", Arg: apis.None, Context: 0, Takes: "pier.Option"},
			{Package: "pier", Name: "*.*", Role: apis.Call, Arg: apis.None, Context: 1, Takes: "pier.Option"},
		},
	}
}

func table(t *testing.T, libraries ...apis.Library) *apis.Table {
	t.Helper()
	made, err := apis.New(libraries...)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestTableFinds(t *testing.T) {
	known := table(t, ferry("", "", "v1.0.0"))
	for _, test := range []struct {
		pkg, name string
		found     string // the symbol's name
		role      apis.Role
		policy    string
	}{
		{"example.com/ferry", "Retry", "Retry", apis.RetryFunc, "cross"},
		{"example.com/ferry", "Boat.Limit", "Boat.Limit", apis.Attempts, "cross"},
		{"example.com/ferry/pier", "Clerk.Sell", "Clerk.Sell", apis.ModelCall, "cross"},
		{"example.com/ferry/pier", "Clerk.Refund", "Clerk.*", apis.Call, "cross"},
		{"example.com/ferry/pier", "Guard.Wave", "*.*", apis.Call, ""},
		{"example.com/ferry/pier", "Wave", "", 0, ""},
		{"example.com/ferry/pier", "Retry", "", 0, ""},
		{"example.com/ferry", "Boat.Sail", "", 0, ""},
		{"example.com/ferry/dock", "Retry", "", 0, ""},
		{"example.com/ferryman", "Retry", "", 0, ""},
	} {
		for _, version := range []string{"v1.2.3", ""} {
			got, ok := known.Func(test.pkg, test.name, version)
			if !ok {
				if test.found != "" {
					t.Errorf("%s %s %s: not found, want %s", test.pkg, test.name, version, test.found)
				}
				continue
			}
			if got.Symbol.Name != test.found || got.Symbol.Role != test.role {
				t.Errorf("%s %s %s: found %s with role %d, want %q with role %d",
					test.pkg, test.name, version, got.Symbol, got.Symbol.Role, test.found, test.role)
			}
			policy := ""
			if got.Policy != nil {
				policy = got.Policy.Name
			}
			if policy != test.policy {
				t.Errorf("%s %s %s: policy %q, want %q", test.pkg, test.name, version, policy, test.policy)
			}
			if got.Library.Name != "ferry" {
				t.Errorf("%s %s %s: library %q", test.pkg, test.name, version, got.Library.Name)
			}
		}
	}
}

func TestTableListsRoles(t *testing.T) {
	known := table(t, ferry("", "", "v1.0.0"))
	var roles []apis.Role
	for _, e := range known.Funcs("example.com/ferry", "Retry", "v1.0.0") {
		roles = append(roles, e.Symbol.Role)
	}
	if want := []apis.Role{apis.RetryFunc, apis.WithPolicy}; !slices.Equal(roles, want) {
		t.Errorf("roles %v, want %v", roles, want)
	}
}

func TestTableTellsVersionsApart(t *testing.T) {
	old, current := ferry("", "v2.0.0", "v1.0.0"), ferry("v2.0.0", "", "v2.1.0")
	current.Policies[0].Attempts = 5
	current.Policies = append(current.Policies, apis.Policy{Name: "wait", Attempts: 2})
	current.Symbols = append(current.Symbols,
		apis.Symbol{Name: "Wait", Role: apis.RetryFunc, Policy: "wait", Context: apis.None})
	known := table(t, current, old)
	for _, test := range []struct {
		name, version string
		attempts      int // 0: not found
	}{
		{"Retry", "v0.9.0", 3},
		{"Retry", "v1.99.0", 3},
		{"Retry", "v2.0.0-rc.1", 3},
		{"Retry", "v2.0.0", 5},
		{"Retry", "v3.0.0", 5},
		{"Retry", "", 0}, // they say different things
		{"Retry", "(devel)", 0},
		{"Wait", "v2.0.0", 2},
		{"Wait", "v1.0.0", 0},
		{"Wait", "", 2}, // only one of them knows it
	} {
		got, ok := known.Func("example.com/ferry", test.name, test.version)
		attempts := 0
		if ok {
			attempts = got.Policy.Attempts
		}
		if attempts != test.attempts {
			t.Errorf("%s in %q: %d attempts, want %d", test.name, test.version, attempts, test.attempts)
		}
	}
}

// TestTableWithoutVersion wants what holds in all versions, and no more.
func TestTableWithoutVersion(t *testing.T) {
	old, current := ferry("", "v2.0.0", "v1.0.0"), ferry("v2.0.0", "", "v2.1.0")
	old.Policies[0].Context = apis.Deaf
	old.Policies[0].Wait = 3 * time.Second
	old.Policies[0].After = apis.NoAnswer | apis.Conflict
	old.Policies[0].Longest = 8 * time.Second
	known := table(t, old, current)
	got, ok := known.Func("example.com/ferry", "Retry", "")
	if !ok {
		t.Fatal("both versions make three attempts, and nothing is said")
	}
	want := apis.Policy{Name: "cross", Attempts: 3, After: apis.NoAnswer, Wait: time.Second, Context: apis.Varies}
	if p := got.Policy; p.Attempts != want.Attempts || p.After != want.After || p.Wait != want.Wait ||
		p.Longest != want.Longest || p.Context != want.Context {
		t.Errorf("the policy in all versions is %+v, want %+v", *p, want)
	}
	if got.Library.Since != "" || got.Library.Before != "" {
		t.Errorf("what holds in all versions is bounded: [%s, %s)", got.Library.Since, got.Library.Before)
	}

	// Another role for the same name: nothing holds in both.
	current.Symbols = slices.Clone(current.Symbols)
	current.Symbols[2].Role = apis.Disable
	known = table(t, old, current)
	if got, ok := known.Func("example.com/ferry", "Boat.Limit", ""); ok {
		t.Errorf("role %d in every version, though they differ", got.Symbol.Role)
	}
	// A row of its own in one version, and one with a star in the other.
	current.Symbols = slices.DeleteFunc(current.Symbols, func(s apis.Symbol) bool { return s.Name == "Clerk.Sell" })
	known = table(t, old, current)
	if got, ok := known.Func("example.com/ferry/pier", "Clerk.Sell", ""); ok {
		t.Errorf("%s has role %d in every version, though they differ", got.Symbol, got.Symbol.Role)
	}
}

func TestTableKnowsModulesBelow(t *testing.T) {
	lines := ferry("", "", "v1.0.0")
	lines.Module = "example.com/lines/*"
	known := table(t, lines)
	for path, want := range map[string]bool{
		"example.com/lines/north":      true,
		"example.com/lines/south":      true,
		"example.com/lines":            false,
		"example.com/lines/north/dock": false,
		"example.com/lineside/north":   false,
	} {
		if _, ok := known.Func(path, "Retry", ""); ok != want {
			t.Errorf("Retry of %s: %t, want %t", path, ok, want)
		}
	}
	if _, ok := known.Func("example.com/lines/north/pier", "Clerk.Sell", ""); !ok {
		t.Error("a package of a module below is not known")
	}
}

// TestNewRefuses wants an error that names the library and, where there is one,
// the symbol.
func TestNewRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*apis.Library)
		want   string
	}{
		"no name":          {func(l *apis.Library) { l.Name = "" }, "has no name"},
		"no module":        {func(l *apis.Library) { l.Module = "" }, "no module"},
		"since":            {func(l *apis.Library) { l.Since = "1.0" }, `"1.0" is no version`},
		"empty range":      {func(l *apis.Library) { l.Since, l.Before = "v1.0.0", "v1.0.0" }, "no version is from v1.0.0"},
		"read":             {func(l *apis.Library) { l.Read = "" }, "no version"},
		"read elsewhere":   {func(l *apis.Library) { l.Since = "v2.0.0" }, "not one of its versions"},
		"policy name":      {func(l *apis.Library) { l.Policies[0].Name = "" }, "no name"},
		"policy twice":     {func(l *apis.Library) { l.Policies = append(l.Policies, l.Policies[0]) }, "twice"},
		"attempts":         {func(l *apis.Library) { l.Policies[0].Attempts = -2 }, "-2 attempts"},
		"waits":            {func(l *apis.Library) { l.Policies[0].Longest = 1 }, "at most"},
		"no such policy":   {func(l *apis.Library) { l.Symbols[0].Policy = "swim" }, `Retry: there is no policy "swim"`},
		"symbol name":      {func(l *apis.Library) { l.Symbols[0].Name = "" }, "is no name"},
		"receiver":         {func(l *apis.Library) { l.Symbols[0].Name = "(*Boat).Sail" }, "receiver"},
		"type parameters":  {func(l *apis.Library) { l.Symbols[0].Name = "Boat[T].Sail" }, "receiver"},
		"three parts":      {func(l *apis.Library) { l.Symbols[0].Name = "pier.Boat.Sail" }, "is no name"},
		"half a star":      {func(l *apis.Library) { l.Symbols[0].Name = "Boat.Sa*" }, "whole name"},
		"type of any name": {func(l *apis.Library) { l.Symbols[0].Name = "*.Sail" }, "whole name"},
		"star alone":       {func(l *apis.Library) { l.Symbols[4].Takes = "" }, "pier.Clerk.*: a star needs Takes"},
		"takes alone":      {func(l *apis.Library) { l.Symbols[0].Takes = "pier.Option" }, "have Takes"},
		"symbol twice":     {func(l *apis.Library) { l.Symbols = append(l.Symbols, l.Symbols[2]) }, "Boat.Limit is there twice"},
		"argument":         {func(l *apis.Library) { l.Symbols[0].Arg = -2 }, "Retry: argument -2"},
		"context":          {func(l *apis.Library) { l.Symbols[0].Context = -2 }, "context -2"},
		"no role":          {func(l *apis.Library) { l.Symbols[0].Role = 0 }, "no role 0"},
		"unknown role":     {func(l *apis.Library) { l.Symbols[0].Role = 99 }, "no role 99"},
		"nothing to call":  {func(l *apis.Library) { l.Symbols[0].Arg = apis.None }, "calls again"},
		"covers":           {func(l *apis.Library) { l.Symbols[0].Covers = apis.WholeCall }, "covers"},
		"timeout":          {func(l *apis.Library) { l.Symbols[1].Role = apis.Timeout }, "covers"},
		"count":            {func(l *apis.Library) { l.Symbols[0].Count.Plus = 1 }, "a count is for"},
	} {
		t.Run(name, func(t *testing.T) {
			l := ferry("", "", "v1.0.0")
			test.change(&l)
			_, err := apis.New(l)
			if err == nil {
				t.Fatalf("accepted, want an error with %q", test.want)
			}
			if !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "library "+l.Name) && l.Name != "" {
				t.Errorf("error %q, want one with %q that names the library", err, test.want)
			}
		})
	}
}

func TestNewRefusesVersionsTwice(t *testing.T) {
	for name, libraries := range map[string][]apis.Library{
		"without bounds": {ferry("", "", "v1.0.0"), ferry("", "", "v1.0.0")},
		"one version":    {ferry("", "v2.0.1", "v1.0.0"), ferry("v2.0.0", "", "v2.1.0")},
		"one inside":     {ferry("v1.0.0", "v2.0.0", "v1.0.0"), ferry("v1.3.0", "v1.4.0", "v1.3.0")},
	} {
		if _, err := apis.New(libraries...); err == nil || !strings.Contains(err.Error(), "library ferry") {
			t.Errorf("%s: %v, want an error that names the library", name, err)
		}
	}
}

// TestNewKeepsItsOwn changes a library after a table was made of it.
func TestNewKeepsItsOwn(t *testing.T) {
	l := ferry("", "", "v1.0.0")
	known := table(t, l)
	l.Policies[0].Attempts = 9
	l.Symbols[0].Arg = 4
	got, ok := known.Func("example.com/ferry", "Retry", "v1.0.0")
	if !ok || got.Policy.Attempts != 3 || got.Symbol.Arg != 1 {
		t.Errorf("the table has changed with the library it was made of: %+v", got)
	}
}
