package policy

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// BreakerScope is the rule about circuit breakers that live no longer than one call.
const BreakerScope = "breakerscope"

// breakerLife is what becomes of a circuit breaker in the function that makes it.
type breakerLife struct {
	kept     bool              // it goes where it may outlive the call, or be used again
	returned bool              // callers get it
	uses     []*ir.Node        // calls that run something under it
	is       map[*ir.Node]bool // the values that are it, its builder, or what is made from it
}

// wantBreakers adds the functions that make a circuit breaker, and those that
// call them, to the ones that are built.
func (m *modeler) wantBreakers() {
	for _, s := range m.shapes.order {
		if isTestFile(m.pass.Fset, s.decl.Pos()) {
			continue
		}
		if s.makesBreaker {
			m.want[s.decl] = true
		}
		for _, c := range s.calls {
			if callee := m.shapes.funcs[c]; callee != nil && callee.makesBreaker {
				m.want[s.decl], m.want[callee.decl] = true, true
			}
		}
	}
}

// findBreakers looks for circuit breakers that are made, used once and forgotten.
func (m *modeler) findBreakers() {
	if !slices.ContainsFunc(m.shapes.order, func(s *shape) bool { return s.makesBreaker }) {
		return
	}
	makers := map[*ir.Function]*ir.Node{}
	for _, s := range m.shapes.order {
		if !m.want[s.decl] || isTestFile(m.pass.Fset, s.decl.Pos()) || m.runsOnce(s) {
			continue
		}
		fn := m.prog.fn(s.fn)
		if fn == nil || !fn.HasBody() {
			continue
		}
		inMain := s.fn.Pkg().Name() == "main" && s.fn.Name() == "main"
		if !inMain {
			m.findBreakersIn(fn, makers)
		}
		for _, lit := range literalsOf(fn) {
			if !givenToSync(lit) && (!inMain || isHandler(lit.Signature)) {
				m.findBreakersIn(lit, makers)
			}
		}
	}
}

// runsOnce says whether a function is one that a program runs once, as far as its
// name and its callers tell: what it makes has no later call to be kept for.
func (m *modeler) runsOnce(s *shape) bool {
	name := s.fn.Name()
	if name == "init" {
		return true
	}
	for _, p := range []string{"New", "Must", "Open", "Connect", "Dial", "Init", "Setup", "Start", "Test", "Benchmark", "Example"} {
		if strings.HasPrefix(name, p) || strings.HasPrefix(name, strings.ToLower(p)) {
			return true
		}
	}
	for v := range s.fn.Signature().Params().Variables() {
		if n, ok := derefNamed(v.Type()); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "testing" {
			return true
		}
	}
	return s.fn.Pkg().Name() == "main" && slices.ContainsFunc(m.shapes.order, func(x *shape) bool {
		return x.decl.Recv == nil && x.fn.Name() == "main" && slices.Contains(x.calls, s.fn)
	})
}

// isHandler says whether a function answers requests, and so runs often.
func isHandler(sig *types.Signature) bool {
	return sig.Params().Len() == 2 && isNamed(sig.Params().At(0).Type(), "net/http", "ResponseWriter") && isPointerTo(sig.Params().At(1).Type(), "net/http", "Request")
}

// givenToSync says whether a literal is given to sync.Once and its like.
func givenToSync(lit *ir.Function) (given bool) {
	lit.Parent.Nodes(func(n *ir.Node) {
		callee := (*ir.Function)(nil)
		if n.Op == ir.Call {
			callee = n.StaticCallee()
		}
		if callee == nil || callee.Path != "sync" {
			return
		}
		given = given || slices.ContainsFunc(n.Args, func(a *ir.Node) bool { return a.Fn == lit })
	})
	return given
}

func (m *modeler) findBreakersIn(fn *ir.Function, makers map[*ir.Function]*ir.Node) {
	users := usersIn(fn)
	fn.Nodes(func(n *ir.Node) {
		made := m.breakerMade(n, makers, true)
		if made == nil {
			return
		}
		life := m.lifeOf(n, users)
		if life.kept || life.returned || len(life.uses) == 0 || usedOften(n, life.uses) {
			return
		}
		pos, end := m.prog.span(n)
		if !pos.IsValid() {
			return
		}
		v := Verdict{Rule: BreakerScope, Severity: Warning, Pos: pos, End: end,
			Message: "this circuit breaker is made anew for every call, and what it has counted is thrown away with it: it never opens, however long the outage; keep one for each dependency, in a field or a package variable"}
		if made != n {
			if p, e := m.prog.span(made); p.IsValid() {
				v.Related = append(v.Related, analysis.RelatedInformation{Pos: p, End: e, Message: "it is made here"})
			}
		}
		m.verdicts = append(m.verdicts, v)
	})
}

// breakerMade returns the call that makes a breaker, if n is one, or is a call of a
// function of this package that does nothing but make one and return it.
func (m *modeler) breakerMade(n *ir.Node, makers map[*ir.Function]*ir.Node, helpers bool) *ir.Node {
	if n.Op != ir.Call {
		return nil
	}
	callee := n.StaticCallee()
	if callee == nil || callee.Path != m.pass.Pkg.Path() { // Local are instances of generic functions, too
		if e, ok := m.role(callOf(n), apis.Breaker); ok && ownsState(e) {
			return n
		}
		return nil
	}
	if !helpers || callee.Parent != nil {
		return nil
	}
	made, known := makers[callee]
	if known || m.shapeOf(callee) == nil || !m.shapeOf(callee).makesBreaker {
		return made
	}
	makers[callee] = nil
	users := usersIn(callee)
	is := map[*ir.Node]bool{}
	callee.Nodes(func(x *ir.Node) {
		if m.breakerMade(x, makers, false) == nil {
			return
		}
		life := m.lifeOf(x, users)
		if life.kept || len(life.uses) > 0 || !life.returned {
			return
		}
		made = x
		for v := range life.is {
			is[v] = true
		}
	})
	callee.Nodes(func(x *ir.Node) {
		if x.Op == ir.Return && (len(x.Args) == 0 || !is[x.Args[0]]) {
			made = nil // another one, perhaps one that is kept
		}
	})
	makers[callee] = made
	return made
}

// ownsState says whether a breaker's counts are in it: not with a store that several
// processes share, and not in hystrix, which finds its circuits by their names.
func ownsState(e apis.Entry) bool {
	return e.Symbol.Name != "NewDistributedCircuitBreaker" && e.Library.Name != "heimdall"
}

func callOf(n *ir.Node) *flow.Call { return &flow.Call{Instr: n, Callee: n.StaticCallee()} }

func usersIn(fn *ir.Function) map[*ir.Node][]*ir.Node {
	users := map[*ir.Node][]*ir.Node{}
	var ops []*ir.Node
	fn.Nodes(func(n *ir.Node) {
		ops = n.Operands(ops[:0])
		for _, o := range ops {
			users[o] = append(users[o], n)
		}
	})
	return users
}

// lifeOf follows a value through the function that makes it.
func (m *modeler) lifeOf(made *ir.Node, users map[*ir.Node][]*ir.Node) *breakerLife {
	life := &breakerLife{is: map[*ir.Node]bool{made: true}}
	queue := []*ir.Node{made}
	follow := func(v *ir.Node) {
		if !life.is[v] {
			life.is[v] = true
			queue = append(queue, v)
		}
	}
	for len(queue) > 0 && !life.kept {
		v := queue[0]
		queue = queue[1:]
		for _, u := range users[v] {
			switch u.Op {
			case ir.BinOp, ir.If: // compared with nil
			case ir.Extract:
				if u.N == 0 {
					follow(u)
				}
			case ir.MakeInterface, ir.ChangeInterface, ir.ChangeType, ir.Slice:
				follow(u)
			case ir.Phi:
				life.kept = life.kept || reaches(u.Block, u.Block, nil)
				follow(u)
			case ir.Return:
				life.returned = true
			case ir.FieldAddr, ir.IndexAddr:
				// Of the client and the arguments that are followed below: they are
				// filled, and what is read of them is not known.
				life.kept = life.kept || v.Op != ir.Alloc || slices.ContainsFunc(users[u], func(x *ir.Node) bool { return x.Op != ir.Store || x.X != u })
			case ir.Store:
				if u.X == v { // the client as a whole
					continue
				}
				if to := holderOf(u.X); to != nil {
					follow(to)
				} else {
					life.kept = true
				}
			case ir.Call:
				m.called(life, v, u, follow)
			default:
				life.kept = true
			}
		}
	}
	return life
}

// holderOf returns the variable that a breaker is put into where that is only a step
// on its way: variadic arguments, or an http.Client.
func holderOf(addr *ir.Node) *ir.Node {
	if addr.X == nil || addr.X.Op != ir.Alloc {
		return nil
	}
	p, ok := types.Unalias(addr.X.Type).(*types.Pointer)
	if !ok {
		return nil
	}
	switch addr.Op {
	case ir.IndexAddr:
		if _, array := types.Unalias(p.Elem()).(*types.Array); array {
			return addr.X
		}
	case ir.FieldAddr:
		if isNamed(p.Elem(), "net/http", "Client") {
			return addr.X
		}
	}
	return nil
}

// called decides what a call does with a breaker, or with what was made from one.
func (m *modeler) called(life *breakerLife, v, call *ir.Node, follow func(*ir.Node)) {
	c := callOf(call)
	sig := call.Signature()
	name, receiver := call.Name, call.IsInvoke() && call.X == v
	args := call.Args
	if c.Callee != nil && c.Callee.Signature.Recv() != nil && len(args) > 0 {
		name, receiver = c.Callee.Name, args[0] == v
		args = args[1:]
	}
	if slices.Contains(args, v) {
		// Given away: to what makes something of it, or out of sight.
		for _, e := range m.roles(c) {
			if e.Symbol.Role == apis.WithPolicy && e.Symbol.Arg < len(args) && slices.Index(args, v) >= e.Symbol.Arg {
				follow(call)
				return
			}
		}
		life.kept = true
		return
	}
	if !receiver {
		life.kept = true
		return
	}
	if _, ok := m.role(c, apis.RetryFunc); ok || runsUnderBreaker(v, name) {
		life.uses = append(life.uses, call)
		return
	}
	switch {
	case strings.HasPrefix(name, "Record") || slices.Contains([]string{"Name", "State", "Counts", "Metrics", "IsOpen", "IsClosed", "IsHalfOpen", "RemainingDelay"}, name):
		// It tells, or is told, and outlives nothing.
	case sig.Results().Len() > 0 && m.ofLibrary(sig.Results().At(0).Type()):
		follow(call) // a builder's method
	default:
		life.kept = true
	}
}

// ofLibrary says whether a type is one of a library that the tables know.
func (m *modeler) ofLibrary(t types.Type) bool {
	n, ok := derefNamed(t)
	return ok && n.Obj().Pkg() != nil && !standardPath(n.Obj().Pkg().Path()) && m.libraries.Knows(n.Obj().Pkg().Path())
}

// runsUnderBreaker says whether a method asks the breaker for leave, or runs
// something that it counts.
func runsUnderBreaker(recv *ir.Node, name string) bool {
	if recv.Type != nil && isPointerTo(recv.Type, "net/http", "Client") {
		return slices.Contains([]string{"Do", "Get", "Head", "Post", "PostForm"}, name)
	}
	return slices.Contains([]string{"Execute", "Allow", "Run", "Go", "TryAcquirePermit", "RoundTrip"}, name)
}

// usedOften says whether a breaker counts more than one use before it is thrown
// away: in a loop that begins after it was made, or in one call after the other.
func usedOften(made *ir.Node, uses []*ir.Node) bool {
	for i, u := range uses {
		if u.Block != made.Block && reaches(u.Block, u.Block, made.Block) {
			return true
		}
		for _, w := range uses[i+1:] {
			if u.Block == w.Block || reaches(u.Block, w.Block, made.Block) || reaches(w.Block, u.Block, made.Block) {
				return true
			}
		}
	}
	return false
}

// reaches says whether a way leads from the end of one block to another that does
// not lead through the block without.
func reaches(from, to, without *ir.Block) bool {
	seen := map[*ir.Block]bool{without: true}
	queue := slices.Clone(from.Succs)
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		if seen[b] {
			continue
		}
		if b == to {
			return true
		}
		seen[b] = true
		queue = append(queue, b.Succs...)
	}
	return false
}
