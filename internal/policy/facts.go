package policy

import "fmt"

// FuncFact is what a caller in another package must know of a function without
// its source: a summary over its parameters.
type FuncFact struct {
	// Sends are the requests that a call of the function makes.
	Sends []Send
	// Retries are the regions that the function runs again after a failure.
	Retries []Region
	// Incomplete is set when there was more than the summary holds.
	Incomplete bool
}

// AFact marks FuncFact as a fact.
func (*FuncFact) AFact() {}

// String is short, for tests.
func (f *FuncFact) String() string {
	s := ""
	for _, x := range f.Sends {
		s += fmt.Sprintf("sends(%s)", x.Method)
	}
	for _, r := range f.Retries {
		s += fmt.Sprintf("retries(%s)", r.After)
	}
	if f.Incomplete {
		s += "…"
	}
	return s
}

// A Send is one request that a function makes.
type Send struct {
	Method Origin
	Where  string // file:line:col
}

// A Region is what a function runs again.
type Region struct {
	What  Origin // the parameter or field that is called again; Const for its own sends
	After string // outcomes after which it does, as in messages
	Where string
}

// OriginKind says where a value comes from.
type OriginKind uint8

// The origins of values in summaries.
const (
	OriginUnknown OriginKind = iota
	OriginConst
	OriginParam
	OriginReceiver
)

// An Origin is where a value comes from, seen from the function's caller.
type Origin struct {
	Kind  OriginKind
	Param int    // index, for OriginParam
	Value string // for OriginConst
	Why   string // for OriginUnknown
}

// String is short, for tests and messages.
func (o Origin) String() string {
	switch o.Kind {
	case OriginConst:
		return o.Value
	case OriginParam:
		return fmt.Sprintf("param %d", o.Param)
	case OriginReceiver:
		return "receiver"
	}
	return "unknown"
}

// IncompleteFact says that the model of a package could not be made, so that
// packages that import it learn why they know less.
type IncompleteFact struct{ Reason string }

// AFact marks IncompleteFact as a fact.
func (*IncompleteFact) AFact() {}

func (f *IncompleteFact) String() string { return "incomplete: " + f.Reason }
