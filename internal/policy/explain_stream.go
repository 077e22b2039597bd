package policy

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// A heardReading is a reading with what ends it when it waits, as one run has seen it.
type heardReading struct {
	*reading
	pos   token.Pos
	guard guardKind
	cut   bool // the run was larger than its bound, so that the rest is a part
}

// hear keeps a reading for whoever asks about its line.
func (x *streamFinder) hear(r *reading, g guardKind, cut bool) {
	pos, _ := x.here(r.at)
	if pos.IsValid() {
		x.m.heard = append(x.m.heard, heardReading{r, pos, g, cut})
	}
}

// streams says of the streams that a function reads what shows that they are some,
// what bounds them, and what ends a reading that waits.
func (x *explainer) streams(decl *ast.FuncDecl) {
	said := map[string]bool{}
	heard := slices.Clone(x.m.heard)
	slices.SortStableFunc(heard, func(a, b heardReading) int { return int(a.pos - b.pos) })
	for _, h := range heard {
		if h.pos < decl.Pos() || h.pos >= decl.End() {
			continue
		}
		lines := h.lines()
		key := strings.Join(lines, "\n")
		if at := x.pass.Fset.Position(h.pos).String() + key; said[at] {
			continue
		} else {
			said[at] = true
		}
		x.say(1, h.pos, "an answer is read piece by piece")
		for _, l := range lines {
			x.say(2, token.NoPos, "%s", l)
		}
		if pos, _ := x.m.prog.span(h.src.sent.instr); pos.IsValid() && h.src.sent.frame != nil && h.src.sent.frame.Fn.Local {
			x.say(2, pos, "the stream is opened here")
		}
	}
}

// lines are what is known of a reading.
func (h heardReading) lines() []string {
	var out []string
	switch {
	case h.src.given:
		out = append(out, "what it reads from is given by the caller: whether that is an answer, and what ends it, is not known")
	case h.ev == 0:
		out = append(out, "nothing shows that it is a stream and not a document")
	default:
		out = append(out, "it is a stream: "+h.ev.String())
	}
	if h.src.lasting {
		out = append(out, "its URL names a watch, which may be silent for as long as nothing happens")
	}
	if !h.src.given {
		b := h.src.bounds
		for _, x := range []bound{b.Total, b.Context, b.Request, b.Idle} {
			if x.what != "" {
				out = append(out, "bounds: "+x.String())
			}
		}
	}
	switch h.guard {
	case honestGuard:
		out = append(out, "a deadline that arriving data renews ends a reading that waits")
	case onceGuard:
		out = append(out, "a timer ends it, and nothing renews that timer: missing is a deadline that arriving data renews")
	case maybeGuard:
		out = append(out, "something that is not known may end a reading that waits")
	default:
		out = append(out, "missing: a deadline that arriving data renews, which cancels the request or closes the body")
	}
	if h.cut {
		out = append(out, "the function, with what it calls, is larger than the bound on steps: what was not looked at may change this, and nothing is reported")
	}
	return out
}

// String names what shows that an answer is a stream.
func (e evidence) String() string {
	var parts []string
	for _, x := range []struct {
		is   evidence
		text string
	}{
		{asksEvents, "the request asks for events"}, {readsEvents, "the fields of server-sent events are looked for"}, {byLibrary, "the SDK opens it as one"},
		{toCallback, "pieces go to a function of the caller's"}, {toChannel, "pieces go into a channel"}, {flushed, "pieces are flushed to a writer"},
		{printed, "pieces are printed"}, {returned, "pieces are returned one by one"},
	} {
		if e&x.is != 0 {
			parts = append(parts, x.text)
		}
	}
	return strings.Join(parts, ", ")
}
