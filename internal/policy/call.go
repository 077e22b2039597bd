package policy

import (
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// A State says how much is known of something.
type State string

// The states.
const (
	Known   State = "known"   // the value is what the code says
	Partly  State = "partly"  // the value holds what is known of it, and more belongs to it
	Absent  State = "absent"  // it is known that there is none
	Unknown State = "unknown" // Why says why
)

// A Cell is one property of a call.
type Cell struct {
	State State  `json:"state"`
	Value string `json:"value,omitempty"`
	Why   string `json:"why,omitempty"` // of what is unknown, or partly known
	By    string `json:"by,omitempty"`  // what a bound is set by
}

func knownCell(text string) Cell       { return Cell{State: Known, Value: text} }
func absentCell(text string) Cell      { return Cell{State: Absent, Value: text} }
func unknownCell(why string) Cell      { return Cell{State: Unknown, Why: why} }
func partlyCell(text, why string) Cell { return Cell{State: Partly, Value: text, Why: why} }
func (c Cell) is(states ...State) bool {
	for _, s := range states {
		if c.State == s {
			return true
		}
	}
	return false
}

// or is the cell, unless nothing is known of it.
func (c Cell) or(other Cell) Cell {
	if c.is(Known, Partly) {
		return c
	}
	return other
}

// NoPieces is why nothing is known of how a call's answer is read, if it does not come
// in pieces as far as is seen.
const NoPieces = "no reading in pieces is seen"

// A Call is an outbound call with the policy that it has, whether or not a rule
// says anything about it.
type Call struct {
	Pos, End token.Pos `json:"-"`
	Function string    `json:"function"` // that it is written in: "Type.Method"
	// Way are the calls that lead to the send, through all packages, the outermost
	// first: "example.com/pay/client.go:41". The first one is the place of the call.
	Way []string `json:"way"`
	// Operation is the function that sends: of net/http, of a client of a service,
	// or a method of an interface.
	Operation string `json:"operation"`
	// Model says that it asks a language model: by its URL, or as the operation of a
	// service's client.
	Model  bool `json:"model"`
	Method Cell `json:"method"`
	URL    Cell `json:"url"` // unknown parts are "…"
	Client Cell `json:"client"`
	// Layers send again, the outermost first.
	Layers []Layer `json:"layers"`
	// Requests is how many there are at most for one call, all layers together.
	Requests Cell `json:"requests"`
	// Headers, Body and Whole are what bounds the wait for the headers of an answer,
	// the reading of its body, and the whole call with all its attempts.
	Headers Cell `json:"headers"`
	Body    Cell `json:"body"`
	Whole   Cell `json:"whole"`
	Key     Cell `json:"key"`
	Stream  Cell `json:"stream"` // how an answer that comes in pieces is read
	// Verdicts are the findings about it, as rules report them by default.
	Verdicts []Said   `json:"verdicts"`
	Risk     Risk     `json:"risk"`
	Reasons  []string `json:"reasons"` // for the risk
}

// A Layer is one thing that sends again.
type Layer struct {
	Name     string    `json:"name"`
	Pos      token.Pos `json:"-"`        // NoPos where it is not in view
	Attempts int       `json:"attempts"` // at most, the first counted; 0 where it is not known, -1 without a bound
	After    string    `json:"after"`    // the outcomes that it sends again after, as text
	// Open is what decides whether it sends again, where that is not known.
	Open string `json:"open,omitempty"`
}

// Said is a verdict in short.
type Said struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
}

// Risk is how urgently a person should look at a call.
type Risk string

// The risks, highest first.
const (
	HighRisk   Risk = "high"
	MediumRisk Risk = "medium"
	LowRisk    Risk = "low"
)

// AddsTo says whether the call tells more of what is sent than one that is on its
// way, so that each is worth a line of its own.
func (c *Call) AddsTo(inner *Call) bool {
	return c.Method.is(Known) && !inner.Method.is(Known) || constants(c.URL) > constants(inner.URL)
}

// constants is the length of what is known of a cell.
func constants(c Cell) int { return len(strings.ReplaceAll(c.Value, unknownPart, "")) }

// Take adds what is known of the same call from further out: the layers around it,
// where these are more, and findings.
func (c *Call) Take(outer *Call) (layers bool) {
	if outer.repeatsMore(c) {
		c.Layers, c.Requests, c.Whole = outer.Layers, outer.Requests, outer.Whole
		layers = true
	}
	if !layers && outer.Requests.is(Partly, Unknown) && c.Requests.is(Known, Partly) && outer.Requests.Why != c.Requests.Why {
		why := outer.Requests.Why
		if c.Requests.Why != "" {
			why = c.Requests.Why + "; " + why
		}
		c.Requests = partlyCell(c.Requests.Value, why)
	}
	for _, v := range outer.Verdicts {
		if !slices.Contains(c.Verdicts, v) {
			c.Verdicts = append(c.Verdicts, v)
		}
	}
	for _, r := range outer.Reasons {
		if !slices.Contains(c.Reasons, r) {
			c.Reasons = append(c.Reasons, r)
		}
	}
	c.Risk = higher(c.Risk, outer.Risk)
	return layers
}

func (c *Call) repeatsMore(than *Call) bool {
	if len(c.Layers) != len(than.Layers) {
		return len(c.Layers) > len(than.Layers)
	}
	a, _ := strconv.Atoi(c.Requests.Value) // 0 where it is not known
	b, _ := strconv.Atoi(than.Requests.Value)
	return a > b && b > 0
}

func higher(a, b Risk) Risk {
	for _, r := range []Risk{HighRisk, MediumRisk} {
		if a == r || b == r {
			return r
		}
	}
	return LowRisk
}
