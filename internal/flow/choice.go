package flow

import "github.com/resiliencevet/resiliencevet/internal/ir"

// A value may be one of a few, where that was settled before the run began and
// nobody knows how: what a constructor keeps, for instance, that looks at the
// environment. A path takes one of them when a call depends on it, and keeps to
// it; what is found must hold for all.

// OneOf is the Obj of a value that is one of its Elems.
type OneOf struct{}

// OneOfValues makes a value that is one of some others.
func OneOfValues(sym uint64, t Taint, of []*Value) *Value {
	return &Value{Kind: Unknown, Sym: sym, Taint: t, Elems: of, Obj: OneOf{}}
}

const chosenSalt = 0x63686f73

// Chosen returns what a path has taken a value for; the value itself if that
// is still open, or if there is no choice.
func (w *World) Chosen(v *Value) *Value {
	if _, open := v.Obj.(OneOf); open {
		if took := w.Get(Mix(v.Sym, chosenSalt)); took != nil {
			return took
		}
	}
	return v
}

// Choices returns, for a value that is one of several, a choice for each of them:
// the path remembers which it took, and then goes on as with says.
func Choices(v *Value, with func(c *Call, took *Value) Action) []func(*Call) Action {
	if _, open := v.Obj.(OneOf); !open {
		return nil
	}
	var out []func(*Call) Action
	for _, e := range v.Elems {
		out = append(out, func(c *Call) Action {
			c.World.Set(Mix(v.Sym, chosenSalt), 0, e)
			return with(c, e)
		})
	}
	return out
}

// oneOf returns the receiver of a call through an interface if it is one of
// several; one that was chosen before replaces it.
func oneOf(c *Call) *Value {
	if !c.Instr.IsInvoke() || len(c.Args) == 0 {
		return nil
	}
	if _, open := c.Args[0].Obj.(OneOf); !open {
		return nil
	}
	return c.Args[0]
}

// eachReceiver makes a call once for each value that its receiver may be.
func (m *Machine) eachReceiver(c *Call, of *Value) []func(*Call) Action {
	with := func(c *Call, took *Value) Action {
		c.Args = append([]*Value{took}, c.Args[1:]...)
		if took.Dyn != nil && m.Lookup != nil {
			c.Callee = m.Lookup(took.Dyn, c.Instr)
		}
		return m.Domain.Call(c)
	}
	if took := c.World.Chosen(of); took != of {
		return []func(*Call) Action{func(c *Call) Action { return with(c, took) }}
	}
	return Choices(of, with)
}

func (m *Machine) choose(c *Call, choices []func(*Call) Action, b *ir.Block, env *environment, k cont) Result {
	m.both++
	defer func() { m.both-- }()
	var all Result
	for i, choice := range choices {
		one := *c
		one.World = c.World.Clone()
		e := env.clone()
		v, r, done := m.act(&one, choice(&one), b, e, one.World, k)
		if !done {
			r = k(one.World, v)
		}
		if i == 0 {
			all = r
		} else {
			all = m.Domain.Join(Both, all, r)
		}
	}
	return all
}
