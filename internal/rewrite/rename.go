package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Rename gives new names to what a package does not export: functions, methods,
// types, fields, variables, constants, parameters, labels.
//
// Each old name has one new name, for whatever it stands. So names that hide
// others, fields that are promoted and methods that meet interfaces do so
// afterwards.
type Rename struct{}

// Name returns "rename".
func (Rename) Name() string { return "rename" }

// Draft renames.
func (Rename) Draft(d *Draft) {
	p := d.Package
	kept, telling, order := map[string]bool{}, map[string]bool{}, []string{}
	note := func(id *ast.Ident, obj types.Object) {
		if !slices.Contains(order, id.Name) {
			order = append(order, id.Name)
		}
		if id.Name == "_" || predeclared(id.Name) || !renamable(p, obj) {
			kept[id.Name] = true
		} else if meaningful(id.Name, obj) {
			kept[id.Name], telling[id.Name] = true, true
		}
	}
	identifiers(p, note)
	names := map[string]string{}
	for _, name := range order {
		if kept[name] {
			if telling[name] {
				d.skip("the name tells something")
			}
			continue
		}
		// "n" begins no word that says something, see meaningful.
		names[name] = d.fresh("n")
	}
	// One change: names belong together.
	all := map[string]*change{}
	identifiers(p, func(id *ast.Ident, _ types.Object) {
		name, ok := names[id.Name]
		if !ok {
			return
		}
		c := all[id.Name]
		if c == nil {
			c = d.change("%s becomes %s", id.Name, name)
			all[id.Name] = c
		}
		c.replace(id, words(id.Pos(), "%s", name))
	})
}

// identifiers calls f for all identifiers but those of package clauses, with
// what they stand for; nil for the variable of a type switch.
func identifiers(p *Package, f func(id *ast.Ident, obj types.Object)) {
	for _, file := range p.Files {
		ast.Inspect(file.Syntax, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || id == file.Syntax.Name {
				return true
			}
			obj := p.Info.Uses[id]
			if obj == nil {
				obj = p.Info.Defs[id]
			}
			f(id, obj)
			return true
		})
	}
}

// renamable says whether an object belongs to the package and to nobody else.
func renamable(p *Package, obj types.Object) bool {
	if obj == nil {
		return true // the variable of a type switch
	}
	if _, imported := obj.(*types.PkgName); imported || obj.Pkg() != p.Types {
		return false
	}
	if fn, ok := obj.(*types.Func); ok && (fn.Name() == "init" || fn.Name() == "main") {
		return false
	}
	// What is exported can be seen from other packages, and a function's own
	// variables cannot, whatever they are called. They are left alone all the
	// same: a local type's fields may be written out by reflection.
	return !token.IsExported(obj.Name())
}

// meaningful says whether a name tells a reader what a function does, so that
// the linter may listen to it, too: it is silent about POSTs of functions that
// begin with a word for reading, and words for waiting and repeating may count as
// hints. Such names are kept, because a rename by a person keeps their class, too.
// Fields are kept where they are named like keys of operations. Names of
// variables, types and labels mean nothing.
func meaningful(name string, obj types.Object) bool {
	lower := strings.ToLower(name)
	contains := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(lower, w) })
	}
	v, isVar := obj.(*types.Var)
	if isVar && v.IsField() && contains(keyWords()) {
		return true
	}
	if obj == nil || !isFunc(obj) {
		return false
	}
	return contains(waitWords()) || strings.HasSuffix(lower, "asget") ||
		slices.ContainsFunc(readWords(), func(w string) bool { return strings.HasPrefix(lower, w) })
}

// isFunc says whether an object is a function, or a variable that holds one.
func isFunc(obj types.Object) bool {
	if _, ok := obj.(*types.Func); ok {
		return true
	}
	if _, ok := obj.(*types.Var); !ok {
		return false
	}
	_, ok := obj.Type().Underlying().(*types.Signature)
	return ok
}

// readWords begin names of functions that read.
func readWords() []string {
	return []string{
		"auth", "check", "count", "describe", "download", "embed", "exists", "fetch", "find", "get", "has", "health", "introspect", "is", "list",
		"load", "login", "look", "ping", "poll", "query", "read", "refresh", "render", "scan", "search", "select", "show", "token", "valid", "verif", "watch",
	}
}

// waitWords are in names of functions that wait or repeat.
func waitWords() []string {
	return []string{"again", "attempt", "backoff", "delay", "doze", "hedge", "jitter", "pause", "repeat", "retr", "sleep", "wait"}
}

// keyWords are in names of fields that hold a key of an operation.
func keyWords() []string {
	return []string{"key", "token", "id", "dedup", "idempot", "reference", "nonce", "uuid", "auth", "header"}
}
