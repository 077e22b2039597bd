// Package ir is the form of functions that the analysis runs on: go/ssa's
// instructions without what only a compiler needs, so that a function can be
// written into a fact and read again where its package is imported. It knows
// nothing of HTTP.
//
// A compiler's export data carries the bodies of functions that are worth
// inlining; this is the same for functions that are worth analysing.
package ir

import (
	"go/constant"
	"go/token"
	"go/types"
)

// Op says what a node is. The names are go/ssa's.
type Op uint8

// The operations. Those before Alloc are values that no instruction makes.
const (
	Const Op = iota
	Param
	FreeVar
	GlobalAddr
	Func
	Builtin

	Alloc
	FieldAddr
	IndexAddr
	UnOp
	BinOp
	Extract
	ChangeType
	ChangeInterface
	Convert
	MakeInterface
	TypeAssert
	MakeClosure
	Field
	MakeMap
	MakeSlice
	MakeChan
	Slice
	Range
	Next
	Select
	Lookup
	Phi
	Call
	Other // a value of an operation that is not told from others

	Go
	Defer
	RunDefers
	Store
	MapUpdate
	Send
	If
	Jump
	Return
	Panic
)

// IsValue says whether a node of the operation has a value.
func (o Op) IsValue() bool { return o <= Other }

// A Node is a value or an instruction. Nodes do not change once made.
type Node struct {
	Op   Op
	Type types.Type // of the value
	// Place is where an environment keeps the value, -1 if it is no parameter
	// and no instruction's.
	Place int
	// X, Y and Z are operands as in go/ssa: address and value of a Store, map,
	// key and value of a MapUpdate, condition of an If, function or receiver
	// of a call, operand, low and high of a Slice.
	X, Y, Z *Node
	Args    []*Node // of calls and results; edges of a Phi; bindings of a closure
	N       int     // index of a field or result; token of UnOp and BinOp
	Const   constant.Value
	Name    string // of a builtin; comment of a Phi; method of an interface that is called
	Full    string // Name with the interface's package and name
	Fn      *Function
	Global  *Global
	Sig     *types.Signature // of a call
	CommaOk bool
	Pos     token.Pos // in code that is in view
	Line    int       // in imported code
	Block   *Block
}

// IsInvoke says of a call whether it is of an interface's method.
func (n *Node) IsInvoke() bool { return n.Name != "" }

// StaticCallee returns the function that a call runs, nil if a value decides.
func (n *Node) StaticCallee() *Function {
	if n.X != nil && !n.IsInvoke() && (n.X.Op == Func || n.X.Op == MakeClosure) {
		return n.X.Fn
	}
	return nil
}

// Signature returns the signature of a call, without receiver for methods of
// interfaces.
func (n *Node) Signature() *types.Signature { return n.Sig }

// Operands appends the values that a node takes.
func (n *Node) Operands(to []*Node) []*Node {
	for _, x := range [...]*Node{n.X, n.Y, n.Z} {
		if x != nil {
			to = append(to, x)
		}
	}
	return append(to, n.Args...)
}

// A Block is a basic block.
type Block struct {
	Index        int
	Nodes        []*Node
	Preds, Succs []*Block
}

// A Global is a package variable.
type Global struct {
	Path, Name string
	Type       types.Type   // pointer to the variable's
	Obj        types.Object // nil in imported code
}

// Full returns the variable's name with its import path.
func (g *Global) Full() string { return g.Path + "." + g.Name }

// A Function is a function, method, function literal or wrapper.
type Function struct {
	// ID names the function in all packages, instances of a generic function
	// like the function.
	ID        string
	Name      string
	Path      string // import path
	Signature *types.Signature
	Params    []*Node // receiver first
	FreeVars  []*Node
	AnonFuncs []*Function
	Parent    *Function
	Synthetic string
	Local     bool        // in the package that is analysed
	Obj       *types.Func // nil for literals and wrappers, and where it is not in view
	File      string      // base name, of imported code
	Flags     Flags       // of imported code
	Size      int         // of an environment

	blocks []*Block
	load   func(*Function)
}

// Flags are what importers need to know of a function before they read it.
type Flags uint16

// Blocks returns the body, empty if it is not known.
func (f *Function) Blocks() []*Block {
	if l := f.load; l != nil {
		f.load = nil
		l(f)
	}
	return f.blocks
}

// HasBody says whether the body is known.
func (f *Function) HasBody() bool { return len(f.Blocks()) > 0 }

// FullName returns the name of a function with its package, or receiver, as
// types.Func does; empty for literals.
func (f *Function) FullName() string {
	if f.Parent != nil {
		return ""
	}
	return f.ID
}

// Outermost returns the declared function that a literal is written in.
func (f *Function) Outermost() *Function {
	for f.Parent != nil {
		f = f.Parent
	}
	return f
}

// Nodes calls visit for every instruction.
func (f *Function) Nodes(visit func(*Node)) {
	for _, b := range f.Blocks() {
		for _, n := range b.Nodes {
			visit(n)
		}
	}
}
