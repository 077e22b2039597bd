package resilience

import "testing"

// Of two failures at the same moment, the one that was sent is kept: the breaker's refusal says less.
func TestRefusalIsNotKept(t *testing.T) {
	h := &hedge{c: &call{sent: 2}}
	h.keep(result{outcome: Broken, attempt: 1})
	h.keep(result{outcome: Refused, attempt: 2})
	if h.last.attempt != 1 || h.c.sent != 1 {
		t.Errorf("kept attempt %d, %d sent; want 1 and 1", h.last.attempt, h.c.sent)
	}
}
