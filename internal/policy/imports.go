package policy

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// What importers need to know of a function before they read its code.
const (
	// flagSends: a call of it sends a request.
	flagSends ir.Flags = 1 << iota
	// flagRepeats: it, or what it calls, runs something again: a request, or a
	// function that it is given.
	flagRepeats
	// flagHelps: its code tells something about requests, answers, errors or
	// keys that pass through it.
	flagHelps
	// flagMakes: it makes a text that is new with every call.
	flagMakes
	// flagDerives: it makes a context that it ends, or lets its caller end.
	flagDerives
	// flagKeys: a RoundTrip method that sets a key header.
	flagKeys
	// flagBreaks: it makes a circuit breaker that its caller may get.
	flagBreaks
	// flagLimits: it sets a number of attempts of which 0 is without a limit, perhaps
	// to one that it is given.
	flagLimits
	// flagClient: it makes a client of a service with the options that it is given.
	flagClient
	// flagReads: it reads what it is given piece by piece.
	flagReads
)

// imports is what the packages that a package imports have written out.
type imports struct {
	pass     *analysis.Pass
	archives []*ir.Archive
	by       map[string]*ir.Archive // the one that holds a function, by ID
	tables   map[string]Table
	methods  map[string][]string // IDs of methods that send or repeat, by name
	keyed    map[string]bool     // paths of packages with a RoundTripper that sets a key header
	repeater bool                // there is a RoundTripper that sends again
	err      error
}

func newImports(pass *analysis.Pass) *imports {
	im := &imports{pass: pass, by: map[string]*ir.Archive{}, tables: map[string]Table{}, methods: map[string][]string{}, keyed: map[string]bool{}}
	for _, p := range pass.Pkg.Imports() {
		var fact CodeFact
		if !pass.ImportPackageFact(p, &fact) {
			continue
		}
		a, err := ir.Read(ir.Written{Index: fact.Index, Bodies: fact.Bodies})
		if err != nil {
			im.err = err
			continue
		}
		im.archives = append(im.archives, a)
		for _, t := range fact.Tables {
			im.tables[t.Name] = t
		}
		for _, id := range a.IDs() {
			if im.by[id] != nil {
				continue
			}
			im.by[id] = a
			f, _ := a.Flags(id)
			if f&flagKeys != 0 {
				im.keyed[p.Path()] = true
			}
			if f&(flagSends|flagRepeats) != 0 && id[0] == '(' {
				name := id[strings.LastIndexByte(id, '.')+1:]
				im.methods[name] = append(im.methods[name], id)
				im.repeater = im.repeater || name == "RoundTrip" && f&flagRepeats != 0
			}
		}
	}
	return im
}

// any says whether an imported package has written something out.
func (im *imports) any() bool { return len(im.archives) > 0 }

// archive returns the archive that holds a function.
func (im *imports) archive(id string) *ir.Archive { return im.by[id] }

// flags returns what is known of a function of another package; for a method
// of an interface, of the methods that may stand for it.
func (im *imports) flags(fn *types.Func) ir.Flags {
	if len(im.by) == 0 || fn.Pkg() == nil {
		return 0
	}
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return im.implemented(fn)
	}
	if fn.Pkg() == im.pass.Pkg {
		return 0
	}
	id := fn.Origin().FullName()
	if a := im.by[id]; a != nil {
		f, _ := a.Flags(id)
		return f
	}
	return 0
}

// implemented joins the flags of imported methods that a call of an
// interface's method may run.
func (im *imports) implemented(m *types.Func) ir.Flags {
	ids := im.methods[m.Name()]
	if len(ids) == 0 {
		return 0
	}
	it, ok := m.Signature().Recv().Type().Underlying().(*types.Interface)
	if !ok {
		return 0
	}
	var all ir.Flags
	for _, id := range ids {
		if t := im.receiver(id); t != nil && types.Implements(t, it) {
			f, _ := im.by[id].Flags(id)
			all |= f
		}
	}
	return all
}

// receiver returns the receiver type of a method, by ID, where the type can be
// named from this package; a pointer in any case, whose methods are all.
func (im *imports) receiver(id string) types.Type {
	name := strings.TrimPrefix(id[1:strings.LastIndexByte(id, ')')], "*")
	if i := strings.IndexByte(name, '['); i >= 0 {
		return nil // generic
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return nil
	}
	for _, p := range im.pass.Pkg.Imports() {
		if p.Path() == name[:dot] {
			if obj, ok := p.Scope().Lookup(name[dot+1:]).(*types.TypeName); ok {
				return types.NewPointer(obj.Type())
			}
		}
	}
	return nil
}
