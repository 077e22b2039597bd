package ir

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A Program holds the functions of one package in view, and those of its
// imports as far as they are asked for. It is not safe for concurrent use.
type Program struct {
	// Imported finds the archive that holds a function of another package, by
	// its ID; nil if none does.
	Imported func(id string) *Archive
	// Root is the package in view: types are looked up in what it imports.
	Root *types.Package

	funcs    map[*ssa.Function]*Function
	external map[string]*Function
	globals  map[string]*Global
	universe map[string]*types.Package
	ghosts   map[string]*types.Named
	defined  map[string]bool // of the ghosts, those whose definition was read
	params   map[string]*types.TypeParam
}

// NewProgram returns a program without functions.
func NewProgram(root *types.Package, imported func(id string) *Archive) *Program {
	return &Program{
		Root: root, Imported: imported,
		funcs: map[*ssa.Function]*Function{}, external: map[string]*Function{}, globals: map[string]*Global{},
		ghosts: map[string]*types.Named{}, defined: map[string]bool{}, params: map[string]*types.TypeParam{},
	}
}

// idOf names a function in all packages.
func idOf(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if obj, ok := fn.Object().(*types.Func); ok && fn.Synthetic == "" {
		return obj.Origin().FullName()
	}
	return fn.RelString(nil)
}

// Of returns the function for one in SSA form.
func (p *Program) Of(fn *ssa.Function) *Function {
	if f := p.funcs[fn]; f != nil {
		return f
	}
	path := ""
	if o, ok := fn.Object().(*types.Func); ok && o.Pkg() != nil {
		path = o.Pkg().Path()
	} else if fn.Pkg != nil {
		path = fn.Pkg.Pkg.Path()
	}
	if fn.Parent() == nil && len(fn.Blocks) == 0 && path != p.Root.Path() {
		f := p.External(idOf(fn), path)
		if f.Obj == nil {
			f.Obj, _ = fn.Object().(*types.Func)
		}
		if f.Signature == nil {
			f.Signature = fn.Signature
		}
		if f.Name == "" {
			f.Name = fn.Name()
		}
		if o := fn.Origin(); o != nil {
			f.Name = o.Name()
		}
		p.funcs[fn] = f
		return f
	}
	f := &Function{ID: idOf(fn), Name: fn.Name(), Path: path, Signature: fn.Signature, Synthetic: fn.Synthetic, Local: true}
	p.funcs[fn] = f
	if fn.Parent() == nil && fn.Origin() != nil {
		f.Name = fn.Origin().Name()
		f.Synthetic = "" // an instance is written out in the source
	}
	f.Obj, _ = fn.Object().(*types.Func)
	if fn.Parent() != nil {
		f.Parent = p.Of(fn.Parent())
	}
	for _, x := range fn.Params {
		f.Params = append(f.Params, &Node{Op: Param, Type: x.Type(), Place: f.Size, Name: x.Name(), Pos: x.Pos()})
		f.Size++
	}
	for _, x := range fn.FreeVars {
		f.FreeVars = append(f.FreeVars, &Node{Op: FreeVar, Type: x.Type(), Place: f.Size, Name: x.Name(), Pos: x.Pos()})
		f.Size++
	}
	for _, a := range fn.AnonFuncs {
		f.AnonFuncs = append(f.AnonFuncs, p.Of(a))
	}
	f.load = func(f *Function) { (&converter{p: p, f: f, nodes: map[ssa.Value]*Node{}}).convert(fn) }
	return f
}

// External returns the function of that ID of another package.
func (p *Program) External(id, path string) *Function {
	f := p.external[id]
	if f == nil {
		f = &Function{ID: id, Path: path}
		p.external[id] = f
		if p.Imported != nil {
			if a := p.Imported(id); a != nil {
				a.declare(p, f)
			}
		}
	}
	return f
}

func (p *Program) global(path, name string, t types.Type, obj types.Object) *Global {
	g := p.globals[path+"."+name]
	if g == nil {
		g = &Global{Path: path, Name: name, Type: t, Obj: obj}
		p.globals[path+"."+name] = g
	}
	return g
}

type converter struct {
	p     *Program
	f     *Function
	nodes map[ssa.Value]*Node
}

func (c *converter) convert(fn *ssa.Function) {
	f := c.f
	for i, x := range fn.Params {
		c.nodes[x] = f.Params[i]
	}
	for i, x := range fn.FreeVars {
		c.nodes[x] = f.FreeVars[i]
	}
	blocks := make([]*Block, len(fn.Blocks))
	made := make([][]*Node, len(fn.Blocks))
	for i, b := range fn.Blocks {
		blocks[i] = &Block{Index: i}
		for _, in := range b.Instrs {
			if _, ok := in.(*ssa.DebugRef); ok {
				made[i] = append(made[i], nil)
				continue
			}
			n := &Node{Place: -1, Pos: in.Pos(), Block: blocks[i]}
			if v, ok := in.(ssa.Value); ok {
				n.Type, n.Place = v.Type(), f.Size
				f.Size++
				c.nodes[v] = n
			}
			made[i] = append(made[i], n)
		}
	}
	for i, b := range fn.Blocks {
		for _, s := range b.Succs {
			blocks[i].Succs = append(blocks[i].Succs, blocks[s.Index])
		}
		for _, s := range b.Preds {
			blocks[i].Preds = append(blocks[i].Preds, blocks[s.Index])
		}
		for j, in := range b.Instrs {
			if n := made[i][j]; n != nil {
				c.fill(n, in)
				blocks[i].Nodes = append(blocks[i].Nodes, n)
			}
		}
	}
	f.blocks = blocks
}

func (c *converter) all(vs []ssa.Value) []*Node {
	out := make([]*Node, len(vs))
	for i, v := range vs {
		out[i] = c.node(v)
	}
	return out
}

// node returns the node of an operand, nil for none.
func (c *converter) node(v ssa.Value) *Node {
	if v == nil {
		return nil
	}
	if n := c.nodes[v]; n != nil {
		return n
	}
	n := &Node{Place: -1, Type: v.Type()}
	switch v := v.(type) {
	case *ssa.Const:
		n.Op, n.Const = Const, v.Value
	case *ssa.Global:
		n.Op, n.Global = GlobalAddr, c.p.global(v.Pkg.Pkg.Path(), v.Name(), v.Type(), v.Object())
	case *ssa.Function:
		n.Op, n.Fn = Func, c.p.Of(v)
	case *ssa.Builtin:
		n.Op, n.Name = Builtin, v.Name()
	default:
		n.Op = Other
	}
	c.nodes[v] = n
	return n
}

func (c *converter) fill(n *Node, in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Alloc:
		n.Op = Alloc
	case *ssa.FieldAddr:
		n.Op, n.X, n.N = FieldAddr, c.node(in.X), in.Field
	case *ssa.IndexAddr:
		n.Op, n.X, n.Y = IndexAddr, c.node(in.X), c.node(in.Index)
	case *ssa.UnOp:
		n.Op, n.X, n.N, n.CommaOk = UnOp, c.node(in.X), int(in.Op), in.CommaOk
	case *ssa.BinOp:
		n.Op, n.X, n.Y, n.N = BinOp, c.node(in.X), c.node(in.Y), int(in.Op)
	case *ssa.Extract:
		n.Op, n.X, n.N = Extract, c.node(in.Tuple), in.Index
	case *ssa.ChangeType:
		n.Op, n.X = ChangeType, c.node(in.X)
	case *ssa.ChangeInterface:
		n.Op, n.X = ChangeInterface, c.node(in.X)
	case *ssa.Convert:
		n.Op, n.X = Convert, c.node(in.X)
	case *ssa.MultiConvert:
		n.Op, n.X = Convert, c.node(in.X)
	case *ssa.MakeInterface:
		n.Op, n.X = MakeInterface, c.node(in.X)
	case *ssa.TypeAssert:
		n.Op, n.X, n.CommaOk = TypeAssert, c.node(in.X), in.CommaOk
		if in.CommaOk {
			n.Type = in.AssertedType
		}
	case *ssa.MakeClosure:
		n.Op, n.Fn, n.Args = MakeClosure, c.p.Of(in.Fn.(*ssa.Function)), c.all(in.Bindings)
	case *ssa.Field:
		n.Op, n.X, n.N = Field, c.node(in.X), in.Field
	case *ssa.MakeMap:
		n.Op, n.X = MakeMap, c.node(in.Reserve)
	case *ssa.MakeSlice:
		n.Op, n.X, n.Y = MakeSlice, c.node(in.Len), c.node(in.Cap)
	case *ssa.MakeChan:
		n.Op, n.X = MakeChan, c.node(in.Size)
	case *ssa.Slice:
		n.Op, n.X, n.Y, n.Z = Slice, c.node(in.X), c.node(in.Low), c.node(in.High)
	case *ssa.Range:
		n.Op, n.X = Range, c.node(in.X)
	case *ssa.Next:
		n.Op, n.X = Next, c.node(in.Iter)
	case *ssa.Select:
		n.Op = Select
		for _, s := range in.States {
			n.Args = append(n.Args, c.node(s.Chan))
			if s.Send != nil {
				n.Args = append(n.Args, c.node(s.Send))
			}
		}
	case *ssa.Lookup:
		n.Op, n.X, n.Y, n.CommaOk = Lookup, c.node(in.X), c.node(in.Index), in.CommaOk
	case *ssa.Phi:
		n.Op, n.Args, n.Name = Phi, c.all(in.Edges), in.Comment
	case *ssa.Call:
		n.Op = Call
		c.call(n, &in.Call)
	case *ssa.Go:
		n.Op = Go
		c.call(n, &in.Call)
	case *ssa.Defer:
		n.Op = Defer
		c.call(n, &in.Call)
	case *ssa.RunDefers:
		n.Op = RunDefers
	case *ssa.Store:
		n.Op, n.X, n.Y = Store, c.node(in.Addr), c.node(in.Val)
	case *ssa.MapUpdate:
		n.Op, n.X, n.Y, n.Z = MapUpdate, c.node(in.Map), c.node(in.Key), c.node(in.Value)
	case *ssa.Send:
		n.Op, n.X, n.Y = Send, c.node(in.Chan), c.node(in.X)
	case *ssa.If:
		n.Op, n.X = If, c.node(in.Cond)
	case *ssa.Jump:
		n.Op = Jump
	case *ssa.Return:
		n.Op, n.Args = Return, c.all(in.Results)
	case *ssa.Panic:
		n.Op, n.X = Panic, c.node(in.X)
	default:
		n.Op = Other
		for _, op := range in.Operands(nil) {
			if *op != nil {
				n.Args = append(n.Args, c.node(*op))
			}
		}
	}
}

func (c *converter) call(n *Node, common *ssa.CallCommon) {
	n.X, n.Args, n.Sig = c.node(common.Value), c.all(common.Args), common.Signature()
	if common.IsInvoke() {
		n.Name, n.Full = common.Method.Name(), common.Method.Origin().FullName()
	}
}
