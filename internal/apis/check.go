package apis

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/semver"
)

// check returns what is wrong with a library taken by itself.
func (l *Library) check() error {
	if l.Name == "" {
		return fmt.Errorf("a library of module %q has no name", l.Module)
	}
	if l.Module == "" {
		return fmt.Errorf("library %s: it has no module", l.Name)
	}
	if err := l.checkVersions(); err != nil {
		return fmt.Errorf("library %s: %w", l.Name, err)
	}
	policies := make(map[string]bool)
	for i := range l.Policies {
		p := &l.Policies[i]
		if err := p.check(); err != nil {
			return fmt.Errorf("library %s: policy %q: %w", l.Name, p.Name, err)
		}
		if policies[p.Name] {
			return fmt.Errorf("library %s: policy %q is there twice", l.Name, p.Name)
		}
		policies[p.Name] = true
	}
	type row struct {
		pkg, name string
		role      Role
		arg       int
	}
	rows := make(map[row]bool)
	for i := range l.Symbols {
		s := &l.Symbols[i]
		if err := s.check(policies); err != nil {
			return fmt.Errorf("library %s: symbol %s: %w", l.Name, s, err)
		}
		r := row{s.Package, s.Name, s.Role, s.Arg}
		if rows[r] {
			return fmt.Errorf("library %s: symbol %s is there twice in one role", l.Name, s)
		}
		rows[r] = true
	}
	return nil
}

func (l *Library) checkVersions() error {
	for _, v := range []string{l.Since, l.Before} {
		if v != "" && !semver.IsValid(v) {
			return fmt.Errorf("%q is no version", v)
		}
	}
	if l.Since != "" && l.Before != "" && semver.Compare(l.Since, l.Before) >= 0 {
		return fmt.Errorf("no version is from %s on and before %s", l.Since, l.Before)
	}
	if !semver.IsValid(l.Read) {
		return fmt.Errorf("%q, which was read, is no version", l.Read)
	}
	if !l.covers(l.Read) {
		return fmt.Errorf("%s, which was read, is not one of its versions", l.Read)
	}
	return nil
}

func (p *Policy) check() error {
	switch {
	case p.Name == "":
		return errors.New("it has no name")
	case p.Attempts < Unlimited:
		return fmt.Errorf("%d attempts", p.Attempts)
	case p.Wait < 0 || p.Longest < 0 || p.Elapsed < 0 || p.Factor < 0:
		return errors.New("a wait below zero")
	case p.Longest != 0 && p.Wait > p.Longest:
		return fmt.Errorf("it waits for %s, and for %s at most", p.Wait, p.Longest)
	}
	return nil
}

// String names the symbol as messages do.
func (s *Symbol) String() string {
	if s.Package == "" {
		return s.Name
	}
	return s.Package + "." + s.Name
}

// check returns what is wrong with a symbol of a library that has the policies.
func (s *Symbol) check(policies map[string]bool) error {
	if err := checkName(s.Name); err != nil {
		return err
	}
	switch star := strings.Contains(s.Name, "*"); {
	case star && s.Takes == "":
		return errors.New("a star needs Takes, or it would stand for too much")
	case !star && s.Takes != "":
		return errors.New("only names with a star have Takes")
	}
	switch {
	case s.Role < RetryFunc || s.Role > lastRole:
		return fmt.Errorf("there is no role %d", s.Role)
	case s.Policy != "" && !policies[s.Policy]:
		return fmt.Errorf("there is no policy %q", s.Policy)
	case s.Arg < None || s.Context < None:
		return fmt.Errorf("argument %d, context %d: None is the least", s.Arg, s.Context)
	case s.Role == RetryFunc && s.Arg == None:
		return errors.New("what it calls again must be one of its arguments")
	case (s.Role == Timeout) != (s.Covers != 0):
		return errors.New("a timeout, and nothing else, covers something")
	case s.Covers > BetweenReads:
		return fmt.Errorf("a timeout cannot cover %d", s.Covers)
	case s.Count != (Count{}) && s.Role != Attempts && s.Role != Elapsed:
		return errors.New("a count is for what sets a number of attempts, or a time")
	}
	return nil
}

// checkName wants "Func", "Type.Method", "Type.*" or "*.*".
func checkName(name string) error {
	first, second, two := strings.Cut(name, ".")
	switch {
	case first == "" || two && second == "" || strings.ContainsAny(second, "."):
		return fmt.Errorf("%q is no name", name)
	case strings.ContainsAny(name, "()[]/ "):
		return fmt.Errorf("%q: a receiver has neither a star nor type parameters, and no path", name)
	case strings.Contains(first, "*") && name != "*.*", strings.Contains(second, "*") && second != "*":
		return fmt.Errorf("%q: a star stands for a whole name", name)
	}
	return nil
}

// checkTogether returns what is wrong with libraries that are alright alone: one
// version of a module must not be in two.
func checkTogether(libraries []*Library) error {
	modules := make(map[string][]*Library)
	for _, l := range libraries {
		for _, other := range modules[l.Module] {
			if l.overlaps(other) {
				return fmt.Errorf("library %s: versions of %s are there twice, in [%s, %s) and [%s, %s)",
					l.Name, l.Module, other.Since, other.Before, l.Since, l.Before)
			}
		}
		modules[l.Module] = append(modules[l.Module], l)
	}
	return nil
}

// overlaps says whether there may be a version that both are for.
func (l *Library) overlaps(other *Library) bool {
	before := func(a, b *Library) bool { // all of a before all of b
		return a.Before != "" && b.Since != "" && semver.Compare(a.Before, b.Since) <= 0
	}
	return !before(l, other) && !before(other, l)
}
