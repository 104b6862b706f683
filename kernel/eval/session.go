package eval

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"reflect"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/traefik/yaegi/interp"
	"trivium/kernel/symbols/box"
)

// A Session holds the names and values of the cells that ran. It implements [Evaluator].
type Session struct {
	opt  Options
	in   *interp.Interpreter
	fset *token.FileSet
	imp  *importer
	mu   sync.Mutex // guards what checking and lowering use, held for all of Run but the statements

	scope       *scope
	typeContext *types.Context
	objMu       sync.Mutex
	objID       map[types.Object]int

	// what is in the output of earlier cells
	types       map[string]string // struct types by typeKey
	cycles      map[string]bool   // whether a type contains itself, by typeKey
	shapes      map[string]reflect.Type
	shapeMu     sync.Mutex // of shapes, for which running goroutines ask too
	cyclesMu    sync.Mutex // of cycles
	mirrors     mirrors
	heard       sync.Map       // what unheard has found, by heardKey
	redeclared  map[string]int // types that were declared again, and functions as variables: the last cell that did
	helpers     map[string]string
	helperCount int
	insts       map[string]string
	instArgs    map[string][]types.Type // of instances, by name in the output
	generics    map[*types.Func]*generic
	aliases     map[string]string // import path -> name
	funcs       map[string]*emitted
	registered  map[string]bool
	forward     map[string]bool   // variables that are used above their declaration, by name
	sources     map[string]string // source of the cell that declared a name
	said        map[string]string // what comments say of names, and of members as Type.Name
	definitions map[*types.TypeName]*definition
	successors  map[types.Object]types.Object // variables and functions that were declared again with their type

	loadedMu sync.RWMutex
	loaded   map[string]map[string]reflect.Value
	exported map[string]bool

	tableMu   sync.RWMutex // the tables below are read by running goroutines
	descs     []*box.Desc
	descID    map[string]int
	matchers  []*matcher
	matcherID map[string]int
	switches  [][]int

	methodFuncs sync.Map
	vars        map[string]reflect.Value // pointers to the variables of the output
	start       func()
	shown       []any

	runs     int
	owners   owners
	frames   frames
	current  atomic.Pointer[running]
	tracer   *tracer
	flagMu   sync.Mutex
	flag     *bool
	wanted   int // who wants the flag to be set
	stacks   stackGuard
	logDepth sync.Map // of goroutine to the depth that it calls Output of a logger with: see caller.go
	lent     sync.Map // of label to *running: see lend.go
	layout   *layout

	linesMu  sync.Mutex        // guards what panicking goroutines read
	onlyLine map[funcPlace]int // marks of functions of which one line only can panic
	calledAs map[string]string // functions of the output as cells call them
}

// New returns a session in which nothing has run.
func New(o Options) (*Session, error) {
	if o.Symbols == nil {
		return nil, errors.New("eval: no symbols: Options.Symbols says what cells can import")
	}
	s := &Session{
		opt: o, imp: newImporter(o.Symbols), scope: newScope(), typeContext: types.NewContext(),
		objID: map[types.Object]int{}, types: map[string]string{}, cycles: map[string]bool{}, shapes: map[string]reflect.Type{}, redeclared: map[string]int{}, helpers: map[string]string{}, insts: map[string]string{}, instArgs: map[string][]types.Type{},
		generics: map[*types.Func]*generic{}, aliases: map[string]string{}, funcs: map[string]*emitted{},
		registered: map[string]bool{}, forward: map[string]bool{}, sources: map[string]string{}, said: map[string]string{}, definitions: map[*types.TypeName]*definition{}, successors: map[types.Object]types.Object{},
		loaded: map[string]map[string]reflect.Value{}, exported: map[string]bool{},
		descID: map[string]int{}, matcherID: map[string]int{}, vars: map[string]reflect.Value{},
		owners: owners{runOf: map[uintptr]*running{}}, stacks: stackGuard{tooDeep: map[uintptr]*traced{}}, onlyLine: map[funcPlace]int{}, calledAs: map[string]string{},
	}
	s.tracer = &tracer{s: s, trace: map[uintptr]*traced{}}
	s.in = interp.New(interp.Options{Stdin: s.stdin(), Stdout: os.Stdout, Stderr: s.tracer})
	s.fset = s.in.FileSet()
	if err := s.in.Use(interp.Exports{rtPath + "/rt": s.support()}); err != nil {
		return nil, fmt.Errorf("eval: %w", err)
	}
	l, err := layoutOf(s.in)
	if err != nil {
		return nil, err
	}
	s.layout = l
	l.outgrown, l.session = s.outgrown, s
	_, err = s.in.Eval(fmt.Sprintf("package main\nimport %s %q\nvar %s bool\nvar %s = %[1]s.Eq(1, 1)\nvar %[5]s = %[1]s.Eq(1, 2)\nfunc preludeʹ() { %[1]s.Var(\"flag\", &%[3]s) }", rtName, rtPath, flagName, trueName, falseName))
	if err == nil {
		_, err = s.in.Eval("preludeʹ()")
	}
	if err != nil {
		return nil, fmt.Errorf("eval: prelude: %w", err)
	}
	s.flag = s.vars["flag"].Interface().(*bool)
	for _, p := range o.Predeclared {
		if err := s.predeclare(p); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// predeclare makes a variable by a cell that declares it, and sets it.
func (s *Session) predeclare(p Predeclared) error {
	if out := s.Run(context.Background(), Cell{Source: "var " + p.Name + " " + p.Type}); out.Err != nil {
		return fmt.Errorf("eval: predeclared %s: %w", p.Name, out.Err)
	}
	v := s.vars[s.scope.emitted[s.scope.objs[p.Name]]]
	val := reflect.ValueOf(p.Value)
	if !val.IsValid() || !val.Type().AssignableTo(v.Type().Elem()) {
		return fmt.Errorf("eval: predeclared %s: a %T is not a %s", p.Name, p.Value, p.Type)
	}
	v.Elem().Set(val)
	return nil
}

func (s *Session) stdin() io.Reader {
	if s.opt.Stdin != nil {
		return s.opt.Stdin
	}
	return os.Stdin
}

// Run runs a cell.
func (s *Session) Run(ctx context.Context, cell Cell) (out Outcome) {
	s.mu.Lock()
	locked := true
	defer func() {
		if r := recover(); r != nil {
			out.Err = &InternalError{fmt.Sprintf("%v\n%s", r, debug.Stack())}
		}
		if locked {
			s.mu.Unlock()
		}
	}()
	if err := ctx.Err(); err != nil {
		return Outcome{Err: ErrInterrupted}
	}
	c, cerr := s.check(cell)
	if cerr != nil {
		return Outcome{Err: cerr}
	}
	out.Warnings = c.warnings
	s.runs++
	p, cerr := s.lower(c)
	if cerr != nil {
		c.takeBack()
		out.Err = cerr
		return out
	}
	if err := s.compile(p); err != nil {
		c.takeBack()
		out.Err = &InternalError{err.Error()}
		return out
	}
	s.commit(c, p)
	out.Warnings = c.warnings // also of what was declared before and is used still
	start := s.start
	s.start, s.shown = nil, nil
	s.mu.Unlock()
	locked = false
	at := &traced{}
	failed := s.execute(ctx, cell.N, func() {
		defer func() {
			if v := recover(); v != nil {
				s.tracer.note()
				v = s.goValue(v)
				at = s.tracer.take()
				panic(v)
			}
		}()
		start()
	})
	out.Err = s.outcomeOf(failed, cell.N, at)
	if out.Err == nil && p.showing {
		out.Values, out.Err = s.values(p, s.shown)
	}
	return out
}

// compile gives the lowered cell to yaegi. Nothing of it runs but the declaration of its
// names, which no other cell has.
func (s *Session) compile(p *program) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if first := p.splitTypes(s); first != nil {
		if _, err := s.compileFile(first); err != nil {
			return err
		}
		if err := s.teach(p.l.structs); err != nil {
			return err
		}
	}
	prog, err := s.compileFile(p.file)
	if err != nil {
		return err
	}
	s.start = nil
	s.layout.grow(s.in)
	if _, err := s.in.Execute(prog); err != nil {
		return err
	}
	p.nodes = s.layout.declared((*compiledFile)(unsafe.Pointer(prog)).root)
	if s.start == nil {
		return errors.New("the cell did not start")
	}
	if n := s.layout.unfinished((*compiledFile)(unsafe.Pointer(prog)).root); n != nil {
		return fmt.Errorf("line %d of a cell holds what the interpreter makes nothing of", s.fset.Position(n.pos).Line)
	}
	return nil
}

// commit makes the names of a cell those of the session.
func (s *Session) commit(c *checked, p *program) {
	l := p.l
	for name, o := range p.objs {
		if was, ok := s.scope.objs[name]; ok && was != o {
			delete(s.funcs, s.scope.emitted[was])
			if succeeds(was, o) {
				s.successors[was] = o
			}
			if _, isVar := o.(*types.Var); isVar {
				if _, isFunc := was.(*types.Func); isFunc {
					s.redeclared[name] = c.n
				}
			}
			if t, isType := was.(*types.TypeName); isType {
				s.redeclared[name] = c.n
				delete(s.definitions, t)
			}
		}
		s.scope.objs[name] = o
		delete(s.scope.imports, name)
		s.sources[name] = c.src
		s.forward[name] = c.forward[name]
	}
	addAll(s.said, c.said)
	for o, n := range l.names {
		if was := s.scope.emitted[o]; was != "" && was != n {
			delete(s.funcs, was)
		}
		s.scope.emitted[o] = n
	}
	for name, path := range c.imports {
		s.scope.imports[name] = path
		if _, isObj := p.objs[name]; !isObj {
			delete(s.scope.objs, name)
		}
	}
	addAll(s.types, l.types)
	addAll(s.helpers, l.helpers)
	addAll(s.insts, l.insts)
	maps.Copy(s.instArgs, l.targs)
	for fn, g := range l.generics {
		s.generics[fn] = g
	}
	for _, key := range l.newMethods {
		s.registered[key] = true
	}
	s.linesMu.Lock()
	maps.Copy(s.onlyLine, l.onlyLine)
	for _, f := range l.funcs {
		s.calledAs[f.name] = f.show
	}
	s.linesMu.Unlock()
	for _, f := range l.funcs {
		s.layout.functions.declare(f.name, p.nodes[f.name])
		s.funcs[f.name] = f
	}
	s.redefine(c, p.again)
	s.define(c)
}

// redefine has calls of the functions that the cell declared again call the new ones.
func (s *Session) redefine(c *checked, again *redefinition) {
	for was, now := range again.names {
		s.layout.functions.replace(was, now)
	}
	if len(again.names) > 0 {
		for _, f := range s.funcs {
			renameRefs(f.refs, again.names)
		}
	}
	for _, u := range again.stale {
		c.warnings = append(c.warnings, Diagnostic{Cell: c.n, Line: 1, Text: u.function + " still uses " + u.what, Hint: "run the cell of " + u.function + " again"})
	}
}

func addAll(dst, src map[string]string) {
	for k, v := range src {
		dst[k] = v
	}
}

var _ Evaluator = (*Session)(nil)
