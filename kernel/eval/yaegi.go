package eval

//lint:file-ignore U1000 the structs have the layout of yaegi's, whoever uses the fields

import (
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// What is used of yaegi beyond what it exports. Yaegi makes a closure of each node of its syntax, by the
// node's generator. Two generators are replaced (see invoke.go and closure.go), and a panic
// is explained by what its nodes and frames hold (see where.go). The structs and functions here
// are yaegi's; that they are as in the version this is written for is checked when a session
// begins.
type (
	// A node is yaegi's syntax of what it runs.
	node struct {
		debug  *struct{}
		child  []*node
		parent *node
		param  []*itype
		start  *node // the first node to run of it
		next   *node // the node to run after it
		other  *node // the node to run after it where its value is false
		in     *interp.Interpreter
		number int64
		findex int // where its value is in the frame
		level  int // how many frames up
		nleft  int
		nright int
		kind   uint
		pos    token.Pos
		sym    *symbol
		typ    *itype
		recv   *struct{}
		types  []reflect.Type // of the variables of a function
		scope  *names
		action uint
		exec   step
		gen    func(*node) // makes exec
		val    any
		rval   reflect.Value // the value of a constant
		ident  string
	}

	// A step runs a node in a frame and gives the next step.
	step func(*frame) step

	symbol struct {
		kind    uint
		typ     *itype
		node    *node
		from    []*node
		recv    *struct{}
		index   int
		rval    reflect.Value
		builtin func(*node)
		global  bool
	}

	names struct {
		outer       *names
		child       []*names
		def         *node
		loop        *node
		loopRestart *node
		pkgID       string
		pkgName     string
		types       []reflect.Type // of the variables
	}

	itype struct {
		cat    uint
		field  []struct{}
		key    *itype
		val    *itype
		recv   *itype
		arg    []*itype
		ret    []*itype
		ptr    *itype
		method []*node
	}

	// A frame holds the variables of one call of an interpreted function.
	frame struct {
		id        uint64
		debug     *struct{}
		root      *frame // of the global variables
		caller    *frame // of a closure: where it was made
		data      []reflect.Value
		mutex     sync.RWMutex
		deferred  [][]reflect.Value
		recovered any
		done      reflect.SelectCase
	}

	// A compiledFile is an interp.Program.
	compiledFile struct {
		pkg  string
		root *node
		init []*node
	}
)

//go:linkname yaegiAST github.com/traefik/yaegi/interp.(*Interpreter).ast
func yaegiAST(in *interp.Interpreter, n ast.Node) (pkg string, root *node, err error)

//go:linkname yaegiTypes github.com/traefik/yaegi/interp.(*Interpreter).gtaRetry
func yaegiTypes(in *interp.Interpreter, nodes []*node, path, pkg string) error

//go:linkname yaegiFlow github.com/traefik/yaegi/interp.(*Interpreter).cfg
func yaegiFlow(in *interp.Interpreter, root *node, sc *names, path, pkg string) ([]*node, error)

//go:linkname yaegiCall github.com/traefik/yaegi/interp.call
func yaegiCall(n *node)

//go:linkname yaegiClosure github.com/traefik/yaegi/interp.getFunc
func yaegiClosure(n *node)

//go:linkname stepOf github.com/traefik/yaegi/interp.getExec
func stepOf(n *node) step

//go:linkname valueOf github.com/traefik/yaegi/interp.genValue
func valueOf(n *node) func(*frame) reflect.Value

//go:linkname funcValueOf github.com/traefik/yaegi/interp.genFuncValue
func funcValueOf(n *node) func(*frame) reflect.Value

//go:linkname interfaceOf github.com/traefik/yaegi/interp.genValueInterface
func interfaceOf(n *node) func(*frame) reflect.Value

//go:linkname wrappedAs github.com/traefik/yaegi/interp.genInterfaceWrapper
func wrappedAs(n *node, t reflect.Type) func(*frame) reflect.Value

//go:linkname wrappedFunc github.com/traefik/yaegi/interp.genFunctionWrapper
func wrappedFunc(n *node) func(*frame) reflect.Value

//go:linkname constantAs github.com/traefik/yaegi/interp.convertLiteralValue
func constantAs(n *node, t reflect.Type)

//go:linkname isCompiledCall github.com/traefik/yaegi/interp.isBinCall
func isCompiledCall(n *node, sc *names) bool

//go:linkname isInterpretedCall github.com/traefik/yaegi/interp.isRegularCall
func isInterpretedCall(n *node) bool

//go:linkname variadicAt github.com/traefik/yaegi/interp.variadicPos
func variadicAt(n *node) int

//go:linkname typeOf github.com/traefik/yaegi/interp.(*itype).TypeOf
func typeOf(t *itype) reflect.Type

//go:linkname isAny github.com/traefik/yaegi/interp.isEmptyInterface
func isAny(t *itype) bool

//go:linkname isFunc github.com/traefik/yaegi/interp.isFuncSrc
func isFunc(t *itype) bool

//go:linkname isInterface github.com/traefik/yaegi/interp.isInterfaceSrc
func isInterface(t *itype) bool

//go:linkname isCompiledInterface github.com/traefik/yaegi/interp.isInterfaceBin
func isCompiledInterface(t *itype) bool

// A layout is what differs between interpreters, or has a number that may differ between versions.
type layout struct {
	node                                     reflect.Type // *interp.node
	frame, universe                          uintptr      // fields of the interpreter
	funcDecl, funcLit, literal, index, slice uint         // kinds of nodes
	returns, defines, assigns, goes, defers  uint
	block                                    uint
	sliceFromZero, call, callSlice, closure  uint // actions
	assign                                   uint
	kinds                                    reckoned
	outgrown                                 func() bool // asked before a call while the stacks are large: see stack.go
	made                                     madeLayout
	closureCode                              atomic.Uintptr // of what valueOf makes functions of
	session                                  *Session
	functions                                functions
	failing                                  atomic.Bool // whether the cell that runs is to end with a panic of another goroutine: see foreign.go
}

// mostNames is more than there are kinds of nodes, or actions.
const mostNames = 400

// layoutOf finds the layout, or says what is not as it was in the version this is written for.
func layoutOf(in *interp.Interpreter) (l *layout, err error) {
	defer func() {
		if v := recover(); v != nil {
			l, err = nil, fmt.Errorf("eval: this is not the version of the interpreter that this package is written for: %v", v)
		}
	}()
	it := reflect.TypeOf(in).Elem()
	field := func(t reflect.Type, name string) reflect.StructField {
		f, ok := t.FieldByName(name)
		if !ok {
			panic(t.String() + " has no field " + name)
		}
		return f
	}
	sc := field(it, "universe").Type.Elem()
	sym := field(sc, "sym").Type.Elem().Elem()
	n := field(sym, "node").Type.Elem()
	same(reflect.TypeFor[frame](), field(it, "frame").Type.Elem(), true)
	same(reflect.TypeFor[names](), sc, false)
	same(reflect.TypeFor[symbol](), sym, true)
	same(reflect.TypeFor[node](), n, false)
	same(reflect.TypeFor[itype](), field(n, "typ").Type.Elem(), false)
	same(reflect.TypeFor[compiledFile](), reflect.TypeFor[interp.Program](), true)
	same(reflect.TypeFor[value](), reflect.TypeFor[reflect.Value](), true)
	name := func(t reflect.Type, want string) uint {
		v := reflect.New(t).Elem()
		for i := range uint64(mostNames) {
			v.SetUint(i)
			if v.Interface().(fmt.Stringer).String() == want {
				return uint(i)
			}
		}
		panic(t.String() + " has no " + want)
	}
	kind, action := field(n, "kind").Type, field(n, "action").Type
	return &layout{
		node: reflect.PointerTo(n), frame: field(it, "frame").Offset, universe: field(it, "universe").Offset,
		funcDecl: name(kind, "funcDecl"), funcLit: name(kind, "funcLit"), literal: name(kind, "basicLit"), index: name(kind, "indexExpr"), slice: name(kind, "sliceExpr"),
		returns: name(kind, "returnStmt"), defines: name(kind, "defineXStmt"), assigns: name(kind, "assignXStmt"), goes: name(kind, "goStmt"), defers: name(kind, "deferStmt"),
		sliceFromZero: name(action, "slice0"), call: name(action, "call"), callSlice: name(action, "callSlice"), closure: name(action, "getFunc"),
		block: name(kind, "blockStmt"), assign: name(action, "="), kinds: reckonedBy(func(want string) uint { return name(kind, want) }, action), made: madeLayoutOf(), functions: functions{named: map[string]*node{}, by: map[*node]*node{}},
	}, nil
}

// same panics unless the fields of ours lie where those of theirs do, in the same order. Where
// ours is not whole it has only the first of them.
func same(ours, theirs reflect.Type, whole bool) {
	if whole && (ours.NumField() != theirs.NumField() || ours.Size() != theirs.Size()) {
		panic(theirs.String() + " has other fields")
	}
	for i := range ours.NumField() {
		a, b := ours.Field(i), theirs.Field(i)
		if a.Offset != b.Offset || a.Type.Kind() != b.Type.Kind() || a.Type.Size() != b.Type.Size() {
			panic(fmt.Sprintf("%v has %v %v at %d", theirs, b.Name, b.Type, b.Offset))
		}
	}
}

// compileFile is CompileAST of yaegi with our generators. The package is known to the interpreter.
func (s *Session) compileFile(f *ast.File) (*interp.Program, error) {
	pkg, root, err := yaegiAST(s.in, f)
	if err != nil {
		return nil, err
	}
	s.layout.replaceGenerators(root)
	if err := yaegiTypes(s.in, []*node{root}, pkg, pkg); err != nil {
		return nil, err
	}
	init, err := yaegiFlow(s.in, root, nil, pkg, pkg)
	if err != nil {
		return nil, err
	}
	return (*interp.Program)(unsafe.Pointer(&compiledFile{pkg, root, init})), nil
}

// replaceGenerators makes calls and function literals ours. What yaegi finds to be a call of compiled
// code, a builtin or a conversion later, it gives another generator.
func (l *layout) replaceGenerators(n *node) {
	switch n.action {
	case l.call, l.callSlice:
		n.gen = l.invoke
	case l.closure:
		n.gen = l.makeClosure
	}
	for _, c := range n.child {
		if c != nil {
			l.replaceGenerators(c)
		}
	}
}
