package policy

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// pos is where a reading is written; NoPos if that is not here.
func (x *streamFinder) pos(e sendEvent) token.Pos {
	if e.instr == nil {
		return token.NoPos
	}
	pos, _ := x.m.prog.span(e.instr)
	return pos
}

// here returns the call of this package that reads, or leads to the reading.
func (x *streamFinder) here(e sendEvent) (pos, end token.Pos) {
	if e.frame == nil {
		return token.NoPos, token.NoPos
	}
	call := e.instr
	if !e.frame.Fn.Local {
		call, _ = x.m.callFrom(e.frame)
	}
	return x.m.prog.span(call)
}

func (x *streamFinder) add(v Verdict) {
	if !v.Pos.IsValid() || slices.ContainsFunc(x.m.verdicts, func(o Verdict) bool { return o.Rule == v.Rule && o.Pos == v.Pos }) {
		return
	}
	x.m.verdicts = append(x.m.verdicts, v)
}

func (x *streamFinder) sayNoIdle(r *reading) {
	pos, end := x.here(r.at)
	b := r.src.bounds
	x.add(Verdict{Rule: StreamNoIdle, Severity: Error, Pos: pos, End: end, Related: x.opened(r, pos),
		Message: fmt.Sprintf("this stream is read with no deadline that arriving data renews: %s, so when the server stops sending without closing the connection, the reading waits %s; "+
			"cancel the request, or close the body, when nothing has come for some time", unbounded(b), howLong(b))})
}

// howLong says until when a reading waits that nothing ends: where a timeout is not
// known, there may be one for the whole.
func howLong(b Bounds) string {
	if b.Total.state == boundUnknown {
		return "until a timeout ends the whole, if there is one"
	}
	return "for ever"
}

// unbounded says what does not end a request.
func unbounded(b Bounds) string {
	client := "the client has no Timeout"
	if b.Total.state == boundUnknown {
		client = "the client's Timeout is not known here, and would cut the stream"
	}
	if b.Context.state == boundUnknown {
		return client + ", and nothing but the caller's context ends the request"
	}
	return client + ", and the request's context has no deadline"
}

// opened points at what opens the stream.
func (x *streamFinder) opened(r *reading, pos token.Pos) []analysis.RelatedInformation {
	p, e := x.here(r.src.sent)
	if !p.IsValid() || p == pos {
		return nil
	}
	return []analysis.RelatedInformation{{Pos: p, End: e, Message: "the stream is opened here"}}
}

func (x *streamFinder) sayTotal(t totalled, said map[token.Pos]bool) {
	r := t.reading
	read, readEnd := x.here(r.at)
	pos, end := x.here(t.by.at)
	if !pos.IsValid() {
		pos, end = read, readEnd
	}
	if said[pos] {
		return
	}
	said[pos] = true
	long := "a healthy answer that takes longer is cut off, and a stall is noticed only then"
	if t.by.d > 0 {
		long = fmt.Sprintf("a healthy answer that takes longer than %s is cut off, and a stall is noticed only then", t.by.d)
	}
	verdict := Verdict{Rule: StreamTotal, Severity: Warning, Pos: pos, End: end,
		Message: fmt.Sprintf("one total timeout (%s) covers a whole stream: %s; bound the time between two pieces instead, and the whole only as far as an answer may ever take", t.by.what, long)}
	if read != pos {
		verdict.Related = append(verdict.Related, analysis.RelatedInformation{Pos: read, End: readEnd, Message: "the stream is read here"})
	}
	verdict.Related = append(verdict.Related, x.opened(r, read)...)
	x.add(verdict)
}

// sayErr says that the end of a stream is not asked about.
func (x *streamFinder) sayErr(v *streamVerdict) {
	pos, end := x.here(v.drop.at)
	v1 := Verdict{Rule: StreamErr, Severity: Error, Pos: pos, End: end}
	cut := "a lost connection, or a line that is too long, ends this loop like the end of the answer"
	switch {
	case v.drop.src.sdk != "":
		cut = "a lost connection, or an error that the server reports in the stream, ends this loop like the end of the answer"
	case !v.drop.scans:
		cut = "every error of the reading is taken for the end of the answer, a lost connection too"
	}
	what := "ask Err after the loop"
	switch {
	case !v.drop.scans:
		what = "only io.EOF is the end: return what else comes"
	case v.inside:
		what = "inside the loop Err is always nil: ask it after the loop"
	}
	v1.Message = fmt.Sprintf("the error that ends the stream is dropped: %s, and what has come so far counts as all of it; %s", cut, what)
	x.add(v1)
}

// pings looks for deadlines that each line renews.
func (x *streamFinder) pings(d *streamer) {
	events := false
	for _, r := range d.order {
		events = events || r.ev&readsEvents != 0
	}
	if !events {
		return
	}
	var blind []reset
	for _, t := range d.timers {
		if !t.kills && !t.unknown {
			continue
		}
		for _, r := range t.resets {
			if !r.blind {
				return // there is a deadline that only pieces renew
			}
			blind = append(blind, r)
		}
		if t.gone {
			return
		}
	}
	for _, r := range blind {
		pos, end := x.here(r.at)
		x.add(Verdict{Rule: StreamPing, Severity: Warning, Pos: pos, End: end,
			Message: "every line renews this deadline, comments, empty lines and pings too: a server that keeps the connection alive and has stopped answering is never noticed; renew it only when a piece of the answer has come"})
	}
}

// sayLeak says that the one who waits gives up, and the reading goes on; false if
// nobody gives up.
func (x *streamFinder) sayLeak(r *reading) bool {
	site := detachedAt(r.at.frame)
	if site == nil || site.Op != ir.Go {
		return false
	}
	for f := r.at.frame; f != nil; f = f.Parent {
		if f.Site != site {
			continue
		}
		for f = f.Parent; f != nil; f = f.Parent {
			at := timeCase(f)
			if at == nil {
				continue
			}
			pos, end := x.m.prog.span(at)
			if !pos.IsValid() {
				return false
			}
			read, readEnd := x.here(r.at)
			x.add(Verdict{Rule: StreamLeak, Severity: Warning, Pos: pos, End: end,
				Related: []analysis.RelatedInformation{{Pos: read, End: readEnd, Message: "it goes on reading here"}},
				Message: "when this deadline expires, the goroutine that reads the stream goes on, with its connection, until the server ends it: nothing cancels the request or closes the body; cancel the request on this path"})
			return true
		}
		break
	}
	return false
}

// timeCase returns the call in a function that makes the time which it waits for
// beside something else, or the select; nil if there is none.
func timeCase(f *flow.Frame) *ir.Node {
	if !f.Fn.Local {
		return nil
	}
	var at *ir.Node
	f.Fn.Nodes(func(n *ir.Node) {
		if n.Op != ir.Select || at != nil {
			return
		}
		for _, a := range n.Args {
			if c := chanOf(a.Type); c != nil && isNamed(c.Elem(), "time", "Time") {
				at = n
				if a.Op == ir.Call {
					at = a
				}
			}
		}
	})
	return at
}
