package policy

import (
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// kill is a call that ends a reading: of a cancel function, or of Close.
type kill struct {
	target uint64 // a scope, or a source
	at     sendEvent
	timer  *timer // whose function makes it
	// scopes are those whose end it waits for, in a goroutine that does.
	scopes []scope
	waits  bool
}

// timer is a call of time.AfterFunc.
type timer struct {
	at    *ir.Node
	frame *flow.Frame
	kills bool
	// unknown says that it runs a function which is not in view.
	unknown bool
	resets  []reset
	// stopped says that it is stopped, and not only when all is over.
	stopped bool
	// gone says that it went where it is not followed: something may reset it there.
	gone bool
}

// reset is one call that renews a timer.
type reset struct {
	at sendEvent
	// blind says that it is made before anything was asked about the piece.
	blind bool
}

// timerObj is the Obj of a timer that runs a function.
type timerObj struct{ of *timer }

// timerCall is a call that makes, renews or stops a timer.
func (d *streamer) timerCall(c *flow.Call) (flow.Action, bool) {
	switch calleeName(c) {
	case "time.AfterFunc", "context.AfterFunc":
		return d.afterFunc(c), true
	case "(*time.Timer).Stop":
		if o, ok := c.Args[0].Obj.(*timerObj); ok {
			o.of.stopped = o.of.stopped || c.Instr.Op != ir.Defer
			return handled(flow.UnknownValue(c.Sym, 0)), true
		}
	case "(*time.Timer).Reset":
		if o, ok := c.Args[0].Obj.(*timerObj); ok {
			o.of.renew(d, c)
			return handled(flow.UnknownValue(c.Sym, 0)), true
		}
	}
	if c.Callee != nil && c.Callee.Path == "context" {
		return flow.Action{}, false
	}
	if c.Instr.IsInvoke() && shortName(c) == "Done" && len(c.Args) == 1 {
		if at := detachedAt(c.Frame); at != nil {
			scopes := []scope{0} // of which nothing is known
			if o, ok := c.Args[0].Obj.(*contextObj); ok && len(o.scopes) > 0 {
				scopes = o.scopes
			}
			for _, s := range scopes {
				if !slices.Contains(d.done[at], s) {
					d.done[at] = append(d.done[at], s)
				}
			}
		}
	}
	return flow.Action{}, false
}

func (t *timer) renew(d *streamer, c *flow.Call) {
	at := -1
	for i, r := range t.resets {
		if r.at.instr == c.Instr {
			at = i
		}
	}
	blind := false
	if src := d.current(c.World); src != nil {
		n := c.World.Marked(flow.Mix(src.id, readNote))
		if n != nil {
			bits, _ := n.Int()
			blind = bits&checkedFlag == 0
		}
	}
	if at >= 0 {
		t.resets[at].blind = t.resets[at].blind && blind
		return
	}
	t.resets = append(t.resets, reset{sendEvent{c.Frame, c.Instr}, blind})
}

// afterFunc runs the function of a timer, to see what it ends. What it changes
// otherwise is left out: it runs when the time has come, not here.
func (d *streamer) afterFunc(c *flow.Call) flow.Action {
	t := d.timers[c.Instr]
	if t == nil {
		t = &timer{at: c.Instr, frame: c.Frame}
		d.timers[c.Instr] = t
	}
	f := c.Args[len(c.Args)-1]
	if calleeName(c) == "context.AfterFunc" {
		if o, ok := c.Args[0].Obj.(*contextObj); ok {
			defer d.during(&timer{at: c.Instr, frame: c.Frame}, o.scopes)()
		}
	} else {
		defer d.during(t, nil)()
	}
	switch o := f.Obj.(type) {
	case *ender:
		d.kill(c, uint64(o.of))
	default:
		if f.Kind == flow.Func && f.Fn.HasBody() {
			d.nestedRun(f.Fn, append(d.blanks(f.Fn), f.Elems...), c.World)
		} else {
			t.unknown = true
			d.doubt = true
		}
	}
	if c.Instr.Signature().Results().Len() == 1 && calleeName(c) == "time.AfterFunc" {
		return handled(&flow.Value{Kind: flow.NonNil, Sym: flow.Mix(c.Sym, 5), Type: c.Instr.Type, Obj: &timerObj{t}})
	}
	return handled(d.probe.External(c))
}

// during says for a while whose function runs.
func (d *streamer) during(t *timer, waits []scope) func() {
	before, scopes := d.inTimer, d.waiting
	d.inTimer, d.waiting = t, waits
	return func() { d.inTimer, d.waiting = before, scopes }
}

// blanks are arguments of which nothing is known.
func (d *streamer) blanks(fn *ir.Function) []*flow.Value {
	out := make([]*flow.Value, len(fn.Params))
	for i, p := range fn.Params {
		out[i] = flow.UnknownValue(flow.Mix(0xb1a4, uint64(i)), flow.Param)
		out[i].Type = p.Type
	}
	return out
}

// nestedLimits bound a run inside another.
var nestedLimits = flow.Limits{Steps: 600, Depth: 12, Visits: 3}

// nestedRun runs a function over a copy of a path's memory.
func (d *streamer) nestedRun(fn *ir.Function, args []*flow.Value, w *flow.World) {
	if d.nested > 400 {
		d.cut = true
		return
	}
	mach := d.machine(d, nestedLimits)
	mach.Run(fn, args, w.Clone())
	d.m.steps += mach.Steps
	d.cut = d.cut || mach.Exhausted
}

// kill notes that a call ends readings, wherever it is made.
func (d *streamer) kill(c *flow.Call, target uint64) {
	k := kill{target: target, at: sendEvent{c.Frame, c.Instr}, timer: d.inTimer}
	if d.inTimer != nil {
		d.inTimer.kills = true
		k.scopes, k.waits = d.waiting, d.waiting != nil
	} else if at := detachedAt(c.Frame); at != nil {
		k.scopes, k.waits = d.done[at], len(d.done[at]) > 0
	}
	for _, o := range d.kills {
		if o.target == k.target && o.at.instr == k.at.instr && o.timer == k.timer && detachedAt(o.at.frame) == detachedAt(k.at.frame) && siteOf(o.at.frame) == siteOf(k.at.frame) {
			return
		}
	}
	d.kills = append(d.kills, k)
}

// gives notes what code that cannot be seen is given: the power to end a reading,
// or a timer.
func (d *streamer) gives(c *flow.Call) {
	standard := c.Callee != nil && standardPath(c.Callee.Path)
	if c.Callee == nil && c.Instr.IsInvoke() {
		path, _ := splitName(c.Instr.Full)
		standard = standardPath(path)
	}
	for i, a := range slices.Concat(variadic(c), c.Bindings()) {
		switch o := a.Obj.(type) {
		case *ender:
			d.doubt = d.doubt || !standard
		case *timerObj:
			o.of.gone = o.of.gone || !standard
		case *pieces:
			if !standard && !(i == 0 && isMethodCall(c)) && c.Instr.Signature().Results().Len() == 0 {
				o.src.doubt = true
			}
		}
		if !standard && (a.Kind == flow.Pointer || a.Kind == flow.Struct || a.Kind == flow.Func) && a.Obj == nil {
			d.holds(c.World, a, 0)
		}
	}
}

// holds notes the same of what a struct or a closure holds.
func (d *streamer) holds(w *flow.World, v *flow.Value, depth int) {
	if v == nil || depth > 3 {
		return
	}
	switch o := v.Obj.(type) {
	case *ender:
		d.doubt = true
	case *timerObj:
		o.of.gone = true
	}
	switch v.Kind {
	case flow.Pointer, flow.Struct:
		d.holds(w, w.Get(v.Sym), depth+1)
		if st := structOf(v.Type); st != nil {
			for i := range st.NumFields() {
				d.holds(w, w.Get(flow.FieldAddr(v.Sym, i)), depth+1)
			}
		}
	case flow.Func:
		for _, e := range v.Elems {
			d.holds(w, e, depth+1)
		}
	}
}

// keeps notes that a timer is kept where others find it.
func (d *streamer) keeps(addr, v *flow.Value) {
	if o, ok := v.Obj.(*timerObj); ok && !addr.Fresh {
		o.of.gone = true
	}
}

// A guardKind says what ends a reading that waits.
type guardKind uint8

const (
	noGuard     guardKind = iota
	onceGuard             // a timer that nothing renews
	maybeGuard            // something that is not known
	honestGuard           // a deadline that is renewed
)

// guardOf says what ends a reading, beside the bounds of its request.
func (d *streamer) guardOf(r *reading) (guardKind, *timer) {
	best, by := noGuard, (*timer)(nil)
	take := func(g guardKind, t *timer) {
		if g > best {
			best, by = g, t
		}
	}
	if r.src.renewed {
		take(honestGuard, nil)
	}
	if r.src.doubt || d.doubt {
		take(maybeGuard, nil)
	}
	targets := []uint64{r.src.id}
	for _, s := range r.src.scopes {
		targets = append(targets, uint64(s))
	}
	for i := 0; i < len(targets); i++ {
		for _, k := range d.kills {
			if k.target != targets[i] {
				continue
			}
			if k.waits && (k.timer == nil || k.scopes != nil) {
				for _, s := range k.scopes {
					if !slices.Contains(targets, uint64(s)) {
						targets = append(targets, uint64(s))
					}
				}
			}
			g, t := d.guardBy(k, r)
			take(g, t)
		}
	}
	return best, by
}

// guardBy says what a call that can end a reading is worth.
func (d *streamer) guardBy(k kill, r *reading) (guardKind, *timer) {
	if k.timer != nil {
		switch {
		case k.waits:
			return noGuard, nil // it ends with a context: see the scopes
		case len(k.timer.resets) > 0:
			return honestGuard, k.timer
		case k.timer.gone:
			return maybeGuard, nil
		case k.timer.stopped:
			return noGuard, nil // it bounds what comes before
		}
		return onceGuard, k.timer
	}
	end := detachedAt(k.at.frame)
	if k.at.instr.Op == ir.Go {
		end = k.at.instr
	}
	reads := detachedAt(r.at.frame)
	switch {
	case end != nil && !runsUnder(r.at.frame, end):
		if k.at.instr.Op == ir.Go {
			return maybeGuard, nil
		}
		for f := k.at.frame; f != nil; f = f.Parent {
			if usesTime(f.Fn) {
				return honestGuard, nil
			}
			if f.Site == end {
				break
			}
		}
		if k.waits {
			return noGuard, nil
		}
		return maybeGuard, nil
	case reads != nil && !runsUnder(k.at.frame, reads):
		// The one who waits for what the reader hands over ends the reading.
		for f := k.at.frame; f != nil; f = f.Parent {
			if selectsTime(f.Fn) {
				return honestGuard, nil
			}
		}
	}
	return noGuard, nil
}

// detachedAt returns the call that began what runs beside its caller: the go
// statement, or the call that hands a function to code that is not in view; nil
// if a frame runs as its root does.
func detachedAt(f *flow.Frame) *ir.Node {
	for ; f != nil; f = f.Parent {
		if f.Handed || f.Site != nil && f.Site.Op == ir.Go {
			return f.Site
		}
	}
	return nil
}

func siteOf(f *flow.Frame) *ir.Node {
	if f == nil {
		return nil
	}
	return f.Site
}

// runsUnder says whether a frame is one that a call began, or below it.
func runsUnder(f *flow.Frame, site *ir.Node) bool {
	for ; f != nil; f = f.Parent {
		if f.Site == site {
			return true
		}
	}
	return false
}

// usesTime says whether a function waits for a time: with a timer, a ticker, or
// by sleeping.
func usesTime(fn *ir.Function) bool {
	found := false
	fn.Nodes(func(n *ir.Node) {
		switch n.Op {
		case ir.Call, ir.Defer, ir.Go:
			if f := n.StaticCallee(); f != nil && f.Path == "time" {
				switch f.Name {
				case "After", "NewTimer", "NewTicker", "Tick", "Sleep", "AfterFunc", "Reset":
					found = true
				}
			}
		case ir.FieldAddr:
			found = found || isTimer(n)
		}
	})
	return found
}

func isTimer(n *ir.Node) bool {
	return isPointerTo(n.X.Type, "time", "Timer") || isPointerTo(n.X.Type, "time", "Ticker")
}

// selectsTime says whether a function waits for a time beside something else.
func selectsTime(fn *ir.Function) bool {
	found := false
	fn.Nodes(func(n *ir.Node) { found = found || n.Op == ir.Select })
	return found && usesTime(fn)
}

// renewingTransport says whether the transport of a client renews the deadline of
// its connections with each reading; doubt, whether it may.
func (d *streamer) renewingTransport(c *flow.Call, client *flow.Value, before bool) (renews, doubt bool) {
	doubt = before
	t, tt := d.m.prog.ir.Named("net/http", "Client"), d.m.prog.ir.Named("net/http", "Transport")
	if t == nil || tt == nil || client.Kind != flow.Pointer && client.Kind != flow.Struct {
		return false, doubt
	}
	transport := fieldNamed(c, client, t, "Transport")
	if transport == nil {
		return false, doubt
	}
	if transport.Dyn != nil && !isPointerTo(transport.Dyn, "net/http", "Transport") {
		return false, true // a transport whose code is not in view, else it would run
	}
	for _, name := range [...]string{"DialContext", "DialTLSContext", "Dial", "DialTLS"} {
		f := fieldNamed(c, transport, tt, name)
		if f == nil || f.Kind == flow.Nil {
			continue
		}
		if f.Kind != flow.Func {
			if c.World.Get(f.Sym) != nil || transport.Fresh {
				doubt = doubt || f.Kind != flow.Nil
			}
			continue
		}
		if d.connsRenew(f.Fn, 0, map[*ir.Function]bool{}) {
			return true, doubt
		}
		doubt = doubt || setsDeadline(f.Fn, 0, map[*ir.Function]bool{})
	}
	return false, doubt
}

// connsRenew says whether a function makes a connection whose Read sets a deadline.
func (d *streamer) connsRenew(fn *ir.Function, depth int, seen map[*ir.Function]bool) bool {
	if fn == nil || depth > 4 || seen[fn] {
		return false
	}
	seen[fn] = true
	found := false
	fn.Nodes(func(n *ir.Node) {
		switch n.Op {
		case ir.MakeInterface:
			if read := d.m.prog.lookup(n.X.Type, readMethodCall()); read != nil {
				found = found || setsDeadline(read, 0, map[*ir.Function]bool{})
			}
		case ir.Call:
			found = found || d.connsRenew(n.StaticCallee(), depth+1, seen)
		case ir.MakeClosure:
			found = found || d.connsRenew(n.Fn, depth+1, seen)
		}
	})
	return found
}

// setsDeadline says whether a function sets the deadline of a connection's reads.
func setsDeadline(fn *ir.Function, depth int, seen map[*ir.Function]bool) bool {
	if fn == nil || depth > 3 || seen[fn] {
		return false
	}
	seen[fn] = true
	found := false
	fn.Nodes(func(n *ir.Node) {
		if n.Op == ir.MakeClosure {
			found = found || setsDeadline(n.Fn, depth+1, seen)
		}
		if n.Op != ir.Call && n.Op != ir.Defer {
			return
		}
		name := n.Name
		callee := n.StaticCallee()
		if callee != nil {
			name = callee.Name
			found = found || setsDeadline(callee, depth+1, seen)
		}
		found = found || name == "SetReadDeadline" || name == "SetDeadline" && !strings.HasPrefix(n.Full, "(net.PacketConn)")
	})
	return found
}
