package flow

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// Reach says how far a run came, over all the paths that count. The domain
// gives the levels their meaning; they are ordered.
type Reach uint8

// A Result is what a run found from one point on.
type Result struct {
	Reach   Reach
	Witness any         // how the reach was come by, the domain's
	Needs   []token.Pos // undecided settings that had to fall one way for it
	Round   bool        // the path only came round to where it had been
}

// A Branch says how the two sides of an undecided condition are joined.
type Branch uint8

const (
	// Either side may be taken: the better result counts. For conditions that
	// have nothing to do with what is asked, such as counters and clocks.
	Either Branch = iota
	// Both sides count: for conditions that decide what is asked.
	Both
	// Apart is Either where the path remembers which side it took.
	Apart
	// OnlyTrue and OnlyFalse take one side, where the domain assumes it.
	OnlyTrue
	OnlyFalse
)

// A Domain gives calls, fields and undecided branches a meaning.
type Domain interface {
	// Call may take over a call. With handled it gives the result; with end
	// the path ends there and res is its result; with neither, the machine
	// goes into the callee if it has its body, and asks External otherwise.
	Call(c *Call) Action
	// External gives the result of a call whose body is not known.
	External(c *Call) *Value
	// Field gives the initial value of a field or variable of which the
	// machine knows only the address; nil leaves it unknown.
	Field(addr *Value, t types.Type, w *World) *Value
	// Assert gives the result of a type assertion on v whose dynamic type is
	// not known; ok is 1 for holds, 0 for does not, -1 for unknown.
	Assert(v *Value, t types.Type, w *World) (res *Value, ok int)
	// Branch says how to treat an undecided condition.
	Branch(f *Frame, cond *Value, w *World) Branch
	// Join joins the results of the two sides of an undecided condition.
	Join(how Branch, a, b Result) Result
	// Return gives the result of a path that leaves the root function.
	Return(w *World) Result
	// Equal decides a comparison that the machine cannot; known is false if
	// the domain cannot either.
	Equal(a, b *Value) (eq, known bool)
}

// A Watcher is a Domain that wants to know what is stored in fields.
type Watcher interface {
	// Stored is called after a value was stored at an address, or sent to a
	// channel.
	Stored(f *Frame, at *ir.Node, addr, v *Value, w *World)
}

// A Keeper is a Domain that wants to know of values that go where the machine
// follows them only in part: into slices that grow or are copied, into channels by
// way of select, into operations of which it knows nothing.
type Keeper interface {
	Keep(v *Value, w *World)
}

// A Selector is a Domain that wants to know of select statements. The values are
// those of the channels, each followed by what is sent to it, if anything is.
type Selector interface {
	Selected(f *Frame, at *ir.Node, args []*Value, w *World)
}

// A Deferrer is a Domain that wants to know of deferred calls when they are
// deferred.
type Deferrer interface {
	Deferred(c *Call)
}

// A Returner is a Domain that wants to see what the root function returns.
type Returner interface {
	Returned(w *World, v *Value) Result
}

// An Action is a domain's answer to a call.
type Action struct {
	Handled bool
	Value   *Value
	// Fork, if set, replaces Value: each alternative is followed in a world of
	// its own and the best result counts.
	Fork []Alternative
	End  bool
	Res  Result
	// Invoke, if set, is a function value that the call runs once, with Args or
	// else unknown arguments; Then, if set, makes the call's result of what it
	// returned.
	Invoke *Value
	Args   []*Value
	Then   func(ret *Value) *Value
	// Choices, if set, replaces all else: the call goes on in each of these ways,
	// in a world of its own, and all of them count, as both sides of a condition do.
	Choices []func(c *Call) Action
	// Again says that the call may run Invoke again while it returns true, as
	// iterator functions do with their loop body.
	Again bool
}

// An Alternative is one outcome of a call.
type Alternative struct {
	World *World
	Value *Value
}

// A Frame is a running function.
type Frame struct {
	Fn     *ir.Function
	Parent *Frame
	Site   *ir.Node // the call in Parent, nil for the root
	Depth  int
	Handed bool // it was given to code that cannot be seen, which runs it some time
	// At is the condition that the domain is asked about.
	At    *ir.Node
	nums  *numbering
	place uint64   // the chain of call sites
	ctx   uint64   // the chain of call sites with the variables at each
	roots []uint64 // the variables that the callers can still reach
}

// A Call is a call that is about to be made.
type Call struct {
	Frame  *Frame
	Instr  *ir.Node
	Callee *ir.Function // nil if not known
	Func   *Value       // what is called, where a value decides
	Args   []*Value     // receiver first; for a method of an interface, too
	Sym    uint64       // the identity of the call with these arguments
	World  *World
	Taint  Taint // of all arguments

	machine  *Machine
	at       *ir.Node // where the caller is while the call runs
	bindings []*Value
}

// Identity returns a hash that is equal for values that are the same or were
// made the same way from the same, contents included.
func (c *Call) Identity(v *Value) uint64 { return c.machine.identity(v, c.World, 0) }

// Load returns what is stored at an address.
func (c *Call) Load(addr *Value, t types.Type) *Value { return c.machine.load(addr, t, c.World) }

// Bindings returns what the closure that is called captures.
func (c *Call) Bindings() []*Value { return c.bindings }

// Fill notes that the call changes the variable that addr points into in ways
// that are not followed.
func (c *Call) Fill(addr *Value) { c.machine.escape(addr, c.World, c) }

// Store stores a value at an address.
func (c *Call) Store(addr, v *Value) { c.machine.store(addr, v, c.World) }

// Limits bound a run. Beyond them the result is Exhausted.
type Limits struct {
	Steps  int // basic blocks
	Depth  int // nested calls
	Visits int // of one block in one call, on one path
}

// A Machine runs one root function for one question.
type Machine struct {
	Domain Domain
	Limits Limits
	// Inline says whether to go into a function whose body is there.
	Inline func(f *Frame, callee *ir.Function, args []*Value) bool
	// Lookup finds the method that a call of an interface's method runs on a
	// value of type t; nil if that is not known.
	Lookup func(t types.Type, call *ir.Node) *ir.Function
	// Exhausted is set when a limit was met: the result is a lower bound.
	Exhausted bool
	// Defers says to run deferred calls.
	Defers bool
	// Salt tells the variables of this run from those of another over the same
	// memory, as where what one function returned is given to the next.
	Salt uint64
	// Once says that no condition is remembered, so that a second try is no use.
	Once bool
	// Cut is set when any path was cut short, as those are that go round more
	// often than Limits.Visits.
	Cut   bool
	Steps int
	// Enough, if set, is the reach with which the run ends: nothing beyond
	// counts, where no condition asks for both of its sides.
	Enough Reach
	// Top is the highest reach: alternatives beyond one with it add nothing.
	Top Reach

	// decided has the conditions that a path met again after it had taken a
	// side; in the second try, again is set, and only these keep paths apart.
	decided map[uint64]bool
	again   bool

	tracer tracer

	both int // conditions on the path whose sides both count
	ids  map[any]uint64
	// places names, for variables made anew while one was held, where they are made.
	places map[uint64]uint64
	// Index is what is computed once per function; runs over one package share it.
	Index  *Index
	consts map[*ir.Node]*Value
	memo   map[uint64]Result
	open   map[uint64]bool
}

// enough says whether a result ends the search: it does not where both sides of
// a condition before count.
func (m *Machine) enough(r Result) bool {
	return m.Enough > 0 && m.both == 0 && r.Reach >= m.Enough
}

type cont func(w *World, ret *Value) Result

// Run executes fn with the given parameters, those of a literal followed by
// what it captures, and returns the joined result.
//
// Half of the steps are for a first try, in which a path remembers every
// condition that it has taken a side of. If they do not suffice, the second half
// is for a try in which paths are told apart only by the conditions that the
// first has met more than once.
func (m *Machine) Run(fn *ir.Function, params []*Value, w *World) Result {
	m.ids = map[any]uint64{}
	m.places = map[uint64]uint64{}
	m.decided = map[uint64]bool{}
	if m.Index == nil {
		m.Index = NewIndex()
	}
	m.consts = map[*ir.Node]*Value{}
	if m.Once {
		return m.try(fn, params, w)
	}
	all := m.Limits.Steps
	defer func() { m.Limits.Steps = all }()
	m.Limits.Steps = all / 2
	start := w.Clone()
	r := m.try(fn, params, w)
	if !m.Exhausted {
		return r
	}
	m.Limits.Steps = all
	m.Exhausted, m.Cut, m.again = false, false, true
	return m.try(fn, params, start)
}

func (m *Machine) try(fn *ir.Function, params []*Value, w *World) Result {
	m.memo = map[uint64]Result{}
	m.open = map[uint64]bool{}
	m.both = 0
	f := &Frame{Fn: fn, place: m.id(fn), nums: m.Index.of(fn)}
	f.ctx = f.place
	env := m.newEnv(fn, params[:min(len(params), len(fn.Params))], params[min(len(params), len(fn.Params)):])
	return m.enter(f, env, w, func(w *World, v *Value) Result {
		if r, ok := m.Domain.(Returner); ok {
			return r.Returned(w, v)
		}
		return m.Domain.Return(w)
	})
}

// id gives an object a number, the same in every run since runs are deterministic.
func (m *Machine) id(x any) uint64 {
	n, ok := m.ids[x]
	if !ok {
		n = uint64(len(m.ids)) + 16 + m.Salt
		m.ids[x] = n
	}
	return n
}

type environment struct {
	vals   []*Value
	visits []uint8
	defers []*Call
}

func (e *environment) clone() *environment {
	return &environment{append([]*Value(nil), e.vals...), append([]uint8(nil), e.visits...), e.defers}
}

func (m *Machine) newEnv(fn *ir.Function, args, bindings []*Value) *environment {
	blocks := fn.Blocks()
	e := &environment{vals: make([]*Value, fn.Size), visits: make([]uint8, len(blocks))}
	for i := range fn.Params {
		if i < len(args) {
			e.vals[i] = args[i]
		}
	}
	for i := range fn.FreeVars {
		if i < len(bindings) {
			e.vals[len(fn.Params)+i] = bindings[i]
		}
	}
	return e
}

func (m *Machine) enter(f *Frame, env *environment, w *World, k cont) Result {
	return m.block(f, f.Fn.Blocks()[0], nil, env, w, k)
}

func (m *Machine) block(f *Frame, b, pred *ir.Block, env *environment, w *World, k cont) Result {
	m.Steps++
	if m.Steps > m.Limits.Steps || int(env.visits[b.Index]) >= m.Limits.Visits {
		m.Exhausted = m.Exhausted || m.Steps > m.Limits.Steps
		m.Cut = true
		return m.Domain.Return(w)
	}
	env.visits[b.Index]++
	i := 0
	if pred != nil {
		i = m.phis(f, b, pred, env)
	}
	r, ranges := f.nums.ranges[b]
	if ranges {
		m.nextRound(f, b, r, env, w)
	}
	if len(b.Preds) < 2 {
		return m.instrs(f, b, i, env, w, k)
	}
	key := m.key(f, b, env, w)
	if r, ok := m.memo[key]; ok {
		return r
	}
	if m.open[key] {
		return Result{Round: true} // and round without anything new
	}
	m.open[key] = true
	res := m.instrs(f, b, i, env, w, k)
	delete(m.open, key)
	m.memo[key] = res
	return res
}

// panics says whether an instruction ends the path since it dereferences nil: no
// run comes further, whatever the code behind it says.
func (m *Machine) panics(f *Frame, in *ir.Node, env *environment) bool {
	switch {
	case in.Op == ir.FieldAddr, in.Op == ir.UnOp && token.Token(in.N) == token.MUL, in.Op == ir.Call && in.IsInvoke():
	default:
		return false
	}
	v := m.val(f, env, in.X)
	return v.Kind == Nil && v.Dyn == nil
}

// phis evaluates the phi instructions at the head of b and returns their number.
func (m *Machine) phis(f *Frame, b, pred *ir.Block, env *environment) int {
	from := 0
	for i, p := range b.Preds {
		if p == pred {
			from = i
			break
		}
	}
	var vals []*Value
	for _, phi := range b.Nodes {
		if phi.Op != ir.Phi {
			break
		}
		vals = append(vals, m.val(f, env, phi.Args[from]))
	}
	for i, v := range vals {
		env.vals[b.Nodes[i].Place] = v
	}
	return len(vals)
}

// key identifies a path's state at the head of b: what it can still use of
// its variables, its memory, and what its callers have.
func (m *Machine) key(f *Frame, b *ir.Block, env *environment, w *World) uint64 {
	live := f.nums.live[b.Index]
	h := Mix(Mix(f.ctx, m.id(b)), w.hash(env.roots(f.roots, live), &m.tracer))
	return Mix(h, env.hash(live, w))
}

// roots adds the variables that those in a set lead to.
func (e *environment) roots(to []uint64, live set) []uint64 {
	to = slices.Clip(to)
	for i, x := range e.vals {
		if x != nil && live.has(i) {
			to = roots(to, x)
		}
	}
	return to
}

// hash identifies the variables in a set.
func (e *environment) hash(live set, w *World) uint64 {
	var h uint64
	for i, x := range e.vals {
		if x != nil && live.has(i) {
			h ^= Mix(uint64(i)+1, w.shape(x))
		}
	}
	for _, c := range e.defers {
		h = Mix(h, c.Sym)
	}
	return h
}

func (m *Machine) instrs(f *Frame, b *ir.Block, i int, env *environment, w *World, k cont) Result {
	for ; i < len(b.Nodes); i++ {
		in := b.Nodes[i]
		if m.panics(f, in, env) {
			return m.Domain.Return(w)
		}
		switch in.Op {
		case ir.Call:
			next, slot := i+1, in.Place
			v, res, done := m.call(f, in, b, env, w, func(w *World, ret *Value) Result {
				e := env.clone()
				e.vals[slot] = ret
				return m.instrs(f, b, next, e, w, k)
			})
			if done {
				return res
			}
			env.vals[slot] = v
		case ir.Go:
			// Followed as if it were waited for: what it sends is sent. That its
			// outcome is not looked at shows by itself.
			next := i + 1
			_, res, done := m.call(f, in, b, env, w, func(w *World, _ *Value) Result {
				return m.instrs(f, b, next, env.clone(), w, k)
			})
			if done {
				return res
			}
		case ir.If:
			return m.branch(f, b, in, env, w, k)
		case ir.Jump:
			return m.block(f, b.Succs[0], b, env, w, k)
		case ir.Return:
			return k(w, m.returned(f, in, env))
		case ir.Panic:
			return m.Domain.Return(w)
		case ir.Store:
			addr, v := m.val(f, env, in.X), m.val(f, env, in.Y)
			m.store(addr, v, w)
			if x, ok := m.Domain.(Watcher); ok {
				x.Stored(f, in, addr, v, w)
			}
		case ir.MapUpdate:
			m.mapUpdate(f, in, env, w)
		case ir.Defer:
			m.deferCall(f, in, env, w)
		case ir.RunDefers:
			if len(env.defers) > 0 {
				next := i + 1
				return m.runDefers(f, in, b, env, w, func(env *environment, w *World) Result {
					return m.instrs(f, b, next, env, w, k)
				})
			}
		case ir.Send:
			if x, ok := m.Domain.(Watcher); ok {
				x.Stored(f, in, m.val(f, env, in.X), m.val(f, env, in.Y), w)
			}
		default:
			env.vals[in.Place] = m.eval(f, in, env, w)
		}
	}
	return m.Domain.Return(w)
}

func (m *Machine) returned(f *Frame, in *ir.Node, env *environment) *Value {
	if len(in.Args) == 1 {
		return m.val(f, env, in.Args[0])
	}
	vs := make([]*Value, len(in.Args))
	for i, r := range in.Args {
		vs[i] = m.val(f, env, r)
	}
	return TupleValue(vs...)
}
