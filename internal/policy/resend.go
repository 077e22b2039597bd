package policy

import (
	"go/token"
	"slices"
)

// A resend is a finding of retrybody: what sends a body again that was read.
type resend struct {
	at      repetition
	finding *finding
	verdict Verdict
}

// sayBodies turns the findings of retrybody into verdicts. A function that sends
// the request it is given again, as it is, is one mistake, whoever hands it a
// request: it is said where the function sends again, and not a second time where
// a caller hands it the request and what sends it.
func (m *modeler) sayBodies() {
	said := map[token.Pos]bool{}
	for _, b := range m.bodies {
		if said[b.verdict.Pos] || !m.inLayer(b.at, b.verdict.Pos) && slices.ContainsFunc(m.bodies, func(o resend) bool {
			return o.at == b.at && m.inLayer(o.at, o.verdict.Pos) && b.finding.w.built.frame == nil
		}) {
			continue
		}
		said[b.verdict.Pos] = true
		m.verdicts = append(m.verdicts, b.verdict)
	}
}

// inLayer says whether a place is in the function that holds the repetition.
func (m *modeler) inLayer(at repetition, pos token.Pos) bool {
	d := m.declOf(at.fn)
	return d != nil && d.Pos() <= pos && pos < d.End()
}

// withoutBody says whether retrybody speaks about the repetition of a finding,
// and about all outcomes that it is about: what the second attempt sends then is
// not the operation, and whoever mends the body is asked about the key. A function
// that sends again whatever it is given is another matter: there are unsafe
// requests without a body.
func (m *modeler) withoutBody(f *finding) bool {
	if f.w.given {
		return false
	}
	at := m.repetitionOf(f.w.first, f.w.second)
	for _, b := range m.bodies {
		if b.at != at || b.finding.w.body.Taint&fromRequest != 0 {
			continue
		}
		covered := func(o outcome) bool { return o.unreadable || b.finding.covers(o) }
		if !slices.ContainsFunc(slices.Concat(f.again, f.maybe), func(o outcome) bool { return !covered(o) }) {
			return true
		}
	}
	return false
}
