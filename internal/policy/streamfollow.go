package policy

import (
	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// followKey tells what is read by the methods of what a function returns.
type followKey struct {
	fn     *ir.Function
	source uint64
	bounds string
	ev     evidence
}

// Returned goes on with what a function returns, or keeps in its receiver: the
// methods that read from it are called again and again.
func (d *streamer) Returned(w *flow.World, v *flow.Value) flow.Result {
	if d.inTimer != nil {
		return flow.Result{}
	}
	d.ends.returned(d, w, v)
	if d.depth > 0 {
		return flow.Result{}
	}
	var holders []*flow.Value
	if v.Kind == flow.Tuple {
		holders = append(holders, v.Elems...)
	} else {
		holders = append(holders, v)
	}
	for _, h := range append(holders, d.params...) {
		d.follow(w, h)
	}
	return flow.Result{}
}

// follow calls the methods of a struct, or the function, that read from a source
// which the run has opened.
func (d *streamer) follow(w *flow.World, v *flow.Value) {
	src := d.leadsTo(w, v, 0)
	if src == nil || src.given {
		return
	}
	for _, fn := range d.readersOf(v) {
		key := followKey{fn, src.id, src.bounds.Total.String() + src.bounds.Context.String(), src.ev}
		if d.followed[key] {
			continue
		}
		d.followed[key] = true
		world := w.Clone()
		d.depth++
		d.twice(fn, v, world)
		d.depth--
	}
}

// twice calls a function, and again with what the first call has left.
func (d *streamer) twice(fn *ir.Function, v *flow.Value, w *flow.World) {
	args := d.blanks(fn)
	if v.Kind == flow.Func {
		args = append(args, v.Elems...)
	} else if len(args) > 0 {
		args[0] = v
	}
	again := &followAgain{streamer: d, fn: fn, args: args}
	mach := d.machine(again, nestedLimits)
	mach.Run(fn, args, w)
	d.m.steps += mach.Steps
	d.cut = d.cut || mach.Exhausted
}

// followAgain is the domain of the first of two calls.
type followAgain struct {
	*streamer
	fn   *ir.Function
	args []*flow.Value
	done int
}

func (a *followAgain) Returned(w *flow.World, v *flow.Value) flow.Result {
	a.streamer.ends.returned(a.streamer, w, v)
	if a.done++; a.done > 4 {
		return flow.Result{}
	}
	if v.Kind != flow.Tuple || len(v.Elems) > 1 {
		a.streamer.show(w, returned)
	}
	a.streamer.nestedRun(a.fn, a.args, w)
	return flow.Result{}
}

// readersOf returns the methods of a struct that read pieces, or the function itself.
func (d *streamer) readersOf(v *flow.Value) []*ir.Function {
	if v.Kind == flow.Func {
		return []*ir.Function{v.Fn}
	}
	t := v.Dyn
	if t == nil {
		t = v.Type
	}
	if t == nil {
		return nil
	}
	var out []*ir.Function
	for _, s := range d.m.readingMethods(t) {
		if fn := d.m.prog.lookup(t, &ir.Node{Op: ir.Call, Name: s.fn.Name()}); fn != nil && fn.HasBody() {
			out = append(out, fn)
		}
	}
	return out
}
