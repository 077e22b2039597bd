package apis

import (
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// A Table finds what is known of a function. It does not change once it is made,
// and may be asked by many at once.
type Table struct {
	packages map[string]*pkg
	wild     []string // what is before the "*" of modules that end in one
}

// pkg is what is known of one package: the same in every version, or one entry
// for each range of versions.
type pkg struct {
	versions []*entry
	// any is what holds in all of them; nil if there is one only.
	any *entry
}

// entry is one library in one package.
type entry struct {
	library  *Library
	policies map[string]*Policy
	names    map[string][]*Symbol
}

// An Entry is one thing that is known of a function, method or field.
type Entry struct {
	Library *Library
	Policy  *Policy // nil if the symbol names none
	Symbol  *Symbol
}

// New makes a table. It fails if a library contradicts itself or another one.
func New(libraries ...Library) (*Table, error) {
	t := &Table{packages: make(map[string]*pkg)}
	all := make([]*Library, 0, len(libraries))
	for _, l := range libraries {
		if err := l.check(); err != nil {
			return nil, err
		}
		l.Policies = slices.Clone(l.Policies)
		l.Symbols = slices.Clone(l.Symbols)
		all = append(all, &l)
	}
	if err := checkTogether(all); err != nil {
		return nil, err
	}
	modules := make(map[string][]*Library)
	for _, l := range all {
		modules[l.Module] = append(modules[l.Module], l)
		if prefix, ok := strings.CutSuffix(l.Module, "*"); ok && !slices.Contains(t.wild, prefix) {
			t.wild = append(t.wild, prefix)
		}
	}
	for module, versions := range modules {
		t.add(module, versions)
	}
	return t, nil
}

// add puts the versions of one module into the table.
func (t *Table) add(module string, versions []*Library) {
	slices.SortFunc(versions, func(a, b *Library) int { return semver.Compare(a.Since, b.Since) })
	holds := versions[0]
	if len(versions) > 1 {
		holds = merge(versions)
	}
	for _, l := range versions {
		policies := make(map[string]*Policy, len(l.Policies))
		for i := range l.Policies {
			policies[l.Policies[i].Name] = &l.Policies[i]
		}
		here := make(map[string]*entry)
		for i := range l.Symbols {
			s := &l.Symbols[i]
			path := join(module, s.Package)
			e := here[path]
			if e == nil {
				e = &entry{library: l, policies: policies, names: make(map[string][]*Symbol)}
				here[path] = e
			}
			e.names[s.Name] = append(e.names[s.Name], s)
		}
		for path, e := range here {
			p := t.packages[path]
			if p == nil {
				p = new(pkg)
				t.packages[path] = p
			}
			p.versions = append(p.versions, e)
		}
	}
	if len(versions) == 1 {
		return
	}
	policies := make(map[string]*Policy, len(holds.Policies))
	for i := range holds.Policies {
		policies[holds.Policies[i].Name] = &holds.Policies[i]
	}
	for _, l := range versions {
		for _, s := range l.Symbols {
			t.packages[join(module, s.Package)].any = &entry{library: holds, policies: policies}
		}
	}
}

// join is the import path of a package of a module.
func join(module, pkg string) string {
	if pkg == "" {
		return module
	}
	return module + "/" + pkg
}

// Func returns what is known of a function, method or field, named as Symbol
// names it, in a package with the import path pkgPath. Of several roles it is the
// first; Funcs has them all.
//
// version is that of the package's module. If it is none, as "" is, the answer is
// what holds in all versions, and there is none if they say different things of
// the symbol.
func (t *Table) Func(pkgPath, name, version string) (Entry, bool) {
	all := t.Funcs(pkgPath, name, version)
	if len(all) == 0 {
		return Entry{}, false
	}
	return all[0], true
}

// Funcs returns all the roles of a function, method or field, as Func does the
// first. A symbol whose Name has a star comes if nothing is known of the name
// itself; whether the method takes what Takes says is for the caller to see.
func (t *Table) Funcs(pkgPath, name, version string) []Entry {
	p := t.find(pkgPath)
	if p == nil {
		return nil
	}
	if semver.IsValid(version) {
		for _, e := range p.versions {
			if e.library.covers(version) {
				return e.entries(e.find(name))
			}
		}
		return nil
	}
	var said []*Symbol
	for _, e := range p.versions {
		symbols := e.find(name)
		switch {
		case len(symbols) == 0:
			// A function that this version does not have, or whose row it does not need.
		case said == nil:
			said = symbols
		case !slices.EqualFunc(said, symbols, func(a, b *Symbol) bool { return *a == *b }):
			return nil
		}
	}
	if p.any != nil {
		return p.any.entries(said)
	}
	return p.versions[0].entries(said)
}

// find returns what is known of a package.
func (t *Table) find(path string) *pkg {
	if p := t.packages[path]; p != nil {
		return p
	}
	for _, prefix := range t.wild {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			_, below, _ := strings.Cut(rest, "/")
			return t.packages[join(prefix+"*", below)]
		}
	}
	return nil
}

// find returns the rows of a name, or those with a star that stand for it.
func (e *entry) find(name string) []*Symbol {
	if found := e.names[name]; found != nil {
		return found
	}
	typ, _, method := strings.Cut(name, ".")
	if !method {
		return nil
	}
	if found := e.names[typ+".*"]; found != nil {
		return found
	}
	return e.names["*.*"]
}

// entries puts rows together with what they name. A row whose policy differs too
// much from version to version is left out.
func (e *entry) entries(symbols []*Symbol) []Entry {
	var found []Entry
	for _, s := range symbols {
		policy := e.policies[s.Policy]
		if policy == nil && s.Policy != "" {
			continue
		}
		found = append(found, Entry{Library: e.library, Policy: policy, Symbol: s})
	}
	return found
}

// covers says whether the library's rows hold for a version.
func (l *Library) covers(version string) bool {
	return (l.Since == "" || semver.Compare(version, l.Since) >= 0) &&
		(l.Before == "" || semver.Compare(version, l.Before) < 0)
}

// merge returns what holds in all versions of a module.
func merge(versions []*Library) *Library {
	newest := versions[len(versions)-1]
	holds := &Library{Name: newest.Name, Module: newest.Module, Read: newest.Read, API: newest.API}
	for _, p := range newest.Policies {
		same := true
		for _, l := range versions {
			for _, q := range l.Policies {
				if q.Name == p.Name {
					same = same && p.narrow(&q)
				}
			}
		}
		if same {
			holds.Policies = append(holds.Policies, p)
		}
	}
	return holds
}

// narrow leaves of p what holds for q as well: the failures that both try again
// after, the shorter wait and the longer bound. It says whether the two are one
// policy at all, and send equally often.
func (p *Policy) narrow(q *Policy) bool {
	p.After &= q.After
	p.RetryAfter &= q.RetryAfter
	p.Wait = min(p.Wait, q.Wait)
	if p.Longest == 0 || q.Longest == 0 {
		p.Longest = 0
	} else {
		p.Longest = max(p.Longest, q.Longest)
	}
	if p.Factor != q.Factor {
		p.Factor = 0
	}
	p.Jitter = p.Jitter && q.Jitter
	if p.Context != q.Context {
		p.Context = Varies
	}
	return p.Attempts == q.Attempts && p.Elapsed == q.Elapsed && p.Body == q.Body && slices.Equal(p.Methods, q.Methods)
}

// Knows says whether anything is known of the package with an import path.
func (t *Table) Knows(path string) bool { return t.find(path) != nil }

// API says whether a package belongs to the client of one service.
func (t *Table) API(path string) bool {
	p := t.find(path)
	return p != nil && p.versions[0].library.API
}

// Has says whether the library that has a package knows of a symbol in some role,
// in any of its packages.
func (t *Table) Has(path string, role Role) bool {
	p := t.find(path)
	return p != nil && slices.ContainsFunc(p.versions, func(e *entry) bool {
		return slices.ContainsFunc(e.library.Symbols, func(s Symbol) bool { return s.Role == role })
	})
}

// Functions returns the names of the functions, methods left out, that the library
// which has a package knows in some role, sorted.
func (t *Table) Functions(path string, role Role) []string {
	var out []string
	if p := t.find(path); p != nil {
		for _, e := range p.versions {
			for _, s := range e.library.Symbols {
				if s.Role == role && !strings.Contains(s.Name, ".") {
					out = append(out, s.Name)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Name returns what messages call the library that has a package; "" if nothing
// is known of it.
func (t *Table) Name(path string) string {
	if p := t.find(path); p != nil {
		return p.versions[0].library.Name
	}
	return ""
}
