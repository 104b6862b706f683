package eval

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"trivium/kernel/symbols/box"
)

// A lowerer turns checked Go into the Go that yaegi gets right. It reads the cell's syntax
// with the types that go/types found and writes new syntax; what it reads stays as it is, so
// a generic function can be lowered once for every list of type arguments.
//
// What the output has no more of: methods (they are functions), interfaces with methods
// declared in cells (they are any, called through a dispatcher), embedding, generics,
// constants and their conversions, names that shadow others, defer, go, iterators, named
// types that are not structs.
type lowerer struct {
	s     *Session
	p     *parsed // the cell, for messages
	n     int
	info  *types.Info // of the declaration being lowered
	subst substitution
	pos   token.Pos // given to new syntax
	fn    *function

	locals  map[types.Object]string
	localOf map[string][]types.Object // by name
	nlocal  int
	fresh   map[string]types.Object // what this cell declares at package level, by name
	names   map[types.Object]string // package-level names new in this cell
	helpers map[string]string       // helper functions of this cell by what they do
	types   map[string]string       // struct types of this cell by typeKey
	structs map[string]*types.Named // the same by name in the output
	insts   map[string]string       // instances of generic functions
	targs   map[string][]types.Type // their type arguments by name in the output
	renewed map[string]string       // instances of generic functions declared again: earlier name -> new one
	work    []instance              // of them, still to be lowered
	pkgs    map[string]string       // import path -> name in the output
	boxed   map[*box.Desc]bool      // types that become interface values in this cell

	callee0  ast.Expr              // the expression being lowered as what is called
	pre      []ast.Stmt            // to run before the statement being lowered
	captured map[types.Object]bool // variables that function literals or pointers hold on to

	callsFirst bool // the calls of the statement being lowered come before all else of it, see lower_order.go

	generics   map[*types.Func]*generic // declared in this cell
	litDepth   int                      // within so many function literals
	newMethods []string                 // of boxed types, registered by this cell
	described  map[*box.Desc]bool       // boxed types whose methods have been looked at
	onlyLine   map[funcPlace]int        // marks of functions of which one line only can panic

	out      []ast.Decl
	src      bytes.Buffer // helper functions, as source
	prologue []ast.Stmt
	funcs    []*emitted      // functions of this cell, for redefinition
	refs     map[string]bool // names of the output that the function uses
	errs     []Diagnostic
}

// A function is the one whose body is being lowered.
type function struct {
	sig     *types.Signature
	results []string // names of the results where they are variables
	named   bool     // the source names the results
	defers  string   // variable that holds the deferred calls, "" if there are none
	token   string   // variable that tells whether recover may recover here
	returns string   // variable set by a return inside a loop over a function
	line    string   // variable that the line is marked in, "" if it is not yet
	leave   string   // variable that says which loop a branch out of such a loop means
	yield   int      // how many loops over functions we are in
	targets []*target
	nleave  int
	gotos   map[string]bool
	labels  map[string]string
}

func (s *Session) newLowerer(p *parsed, info *types.Info) *lowerer {
	return &lowerer{
		s: s, p: p, n: p.n, info: info,
		locals: map[types.Object]string{}, localOf: map[string][]types.Object{}, fresh: map[string]types.Object{}, names: map[types.Object]string{}, helpers: map[string]string{},
		types: map[string]string{}, structs: map[string]*types.Named{}, insts: map[string]string{}, targs: map[string][]types.Type{}, renewed: map[string]string{}, pkgs: map[string]string{},
		boxed: map[*box.Desc]bool{}, refs: map[string]bool{}, captured: map[types.Object]bool{},
		generics: map[*types.Func]*generic{}, described: map[*box.Desc]bool{}, onlyLine: map[funcPlace]int{},
	}
}

// refuse says why the cell cannot be run, and the way round.
func (l *lowerer) refuse(pos token.Pos, text, hint string) {
	at := l.s.fset.Position(pos)
	d := l.p.diagnostic(at, text)
	if n := cellNumber(at.Filename); n != l.n {
		d = Diagnostic{Cell: n, Line: at.Line, Col: at.Column, Text: text}
	}
	d.Hint = hint
	for _, e := range l.errs {
		if e == d {
			return
		}
	}
	l.errs = append(l.errs, d)
}

// ---- new syntax

func (l *lowerer) id(name string) *ast.Ident { return &ast.Ident{NamePos: l.pos, Name: name} }

func (l *lowerer) call(f string, args ...ast.Expr) *ast.CallExpr { return l.callx(l.id(f), args...) }

func (l *lowerer) callx(f ast.Expr, args ...ast.Expr) *ast.CallExpr {
	return &ast.CallExpr{Fun: f, Lparen: l.pos, Args: args, Rparen: l.pos}
}

func (l *lowerer) sel(x ast.Expr, name string) *ast.SelectorExpr {
	return &ast.SelectorExpr{X: x, Sel: l.id(name)}
}

// rt calls a function of the run-time support, see runtime.go.
func (l *lowerer) rt(name string, args ...ast.Expr) *ast.CallExpr {
	return l.callx(l.sel(l.id(rtName), name), args...)
}

// isRT tells whether a lowered expression is a call of one of them.
func isRT(x ast.Expr, name string) bool { return runtimeCall(x) == name }

// runtimeCall gives the name of the function of the run-time support that a lowered expression calls, "" if it is no
// such call.
func runtimeCall(x ast.Expr) string {
	c, ok := x.(*ast.CallExpr)
	if !ok {
		return ""
	}
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if id, ok := s.X.(*ast.Ident); !ok || id.Name != rtName {
		return ""
	}
	return s.Sel.Name
}

func (l *lowerer) int(n int) ast.Expr {
	return &ast.BasicLit{ValuePos: l.pos, Kind: token.INT, Value: itoa(n)}
}

func (l *lowerer) str(s string) ast.Expr {
	return &ast.BasicLit{ValuePos: l.pos, Kind: token.STRING, Value: fmt.Sprintf("%q", s)}
}

func (l *lowerer) define(name string, v ast.Expr) ast.Stmt {
	return &ast.AssignStmt{Lhs: []ast.Expr{l.id(name)}, TokPos: l.pos, Tok: token.DEFINE, Rhs: []ast.Expr{v}}
}

// set assigns. A struct that is made in the assignment, or a function that compiled code returns in it, yaegi puts
// in the place of the variable, where functions and pointers that hold on to that do not see it; in parentheses
// it is made before.
func (l *lowerer) set(x, v ast.Expr) ast.Stmt {
	switch e := v.(type) {
	case *ast.CompositeLit:
		v = l.paren(v)
	case *ast.CallExpr:
		if _, ok := e.Fun.(*ast.SelectorExpr); ok && runtimeCall(e) == "" {
			v = l.paren(v)
		}
	}
	return &ast.AssignStmt{Lhs: []ast.Expr{x}, TokPos: l.pos, Tok: token.ASSIGN, Rhs: []ast.Expr{v}}
}

func (l *lowerer) declare(name string, typ ast.Expr) ast.Stmt {
	return &ast.DeclStmt{Decl: l.varDecl(name, typ)}
}

func (l *lowerer) varDecl(name string, typ ast.Expr) *ast.GenDecl {
	return &ast.GenDecl{TokPos: l.pos, Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{l.id(name)}, Type: typ}}}
}

func (l *lowerer) block(list ...ast.Stmt) *ast.BlockStmt {
	return &ast.BlockStmt{Lbrace: l.pos, List: list, Rbrace: l.pos}
}

func (l *lowerer) do(x ast.Expr) ast.Stmt { return &ast.ExprStmt{X: x} }

func (l *lowerer) not(x ast.Expr) ast.Expr {
	return &ast.UnaryExpr{OpPos: l.pos, Op: token.NOT, X: &ast.ParenExpr{Lparen: l.pos, X: x, Rparen: l.pos}}
}

func (l *lowerer) binary(x ast.Expr, op token.Token, y ast.Expr) ast.Expr {
	return &ast.BinaryExpr{X: x, OpPos: l.pos, Op: op, Y: y}
}

// addr is &x. &*p is p once that is not nil: yaegi takes no address of what a call, an assertion or a channel points
// to, and has another text for nil.
func (l *lowerer) addr(x ast.Expr) ast.Expr {
	if star, ok := ast.Unparen(x).(*ast.StarExpr); ok {
		p := l.hold(star.X, &l.pre)
		l.pre = append(l.pre, l.ifs(l.binary(p, eqlToken, l.id("nil")), l.do(l.rt("NilMethod"))))
		return p
	}
	return &ast.UnaryExpr{OpPos: l.pos, Op: token.AND, X: x}
}

func (l *lowerer) deref(x ast.Expr) ast.Expr { return &ast.StarExpr{Star: l.pos, X: x} }

func (l *lowerer) paren(x ast.Expr) ast.Expr {
	return &ast.ParenExpr{Lparen: l.pos, X: x, Rparen: l.pos}
}

func (l *lowerer) ifs(cond ast.Expr, body ...ast.Stmt) *ast.IfStmt {
	return &ast.IfStmt{If: l.pos, Cond: cond, Body: l.block(body...)}
}

func (l *lowerer) ret(x ...ast.Expr) ast.Stmt { return &ast.ReturnStmt{Return: l.pos, Results: x} }

// lit is a function literal without results whose parameters are given as name, type pairs.
func (l *lowerer) lit(params []*ast.Field, results []*ast.Field, body ...ast.Stmt) *ast.FuncLit {
	ft := &ast.FuncType{Func: l.pos, Params: &ast.FieldList{Opening: l.pos, List: params}}
	if len(results) > 0 {
		ft.Results = &ast.FieldList{Opening: l.pos, List: results}
	}
	return &ast.FuncLit{Type: ft, Body: l.block(body...)}
}

func (l *lowerer) param(name string, typ ast.Expr) *ast.Field {
	f := &ast.Field{Type: typ}
	if name != "" {
		f.Names = []*ast.Ident{l.id(name)}
	}
	return f
}

// tmp names a variable that no other has the name of.
func (l *lowerer) tmp(prefix string) string {
	l.nlocal++
	return prefix + "ˑ" + itoa(l.nlocal)
}

// ---- names

// typeOf is the type of an expression in the instance being lowered.
func (l *lowerer) typeOf(e ast.Expr) types.Type {
	t := l.info.TypeOf(e)
	if t == nil {
		return nil
	}
	return l.sub(t)
}

func isMain(p *types.Package) bool { return p != nil && p.Path() == "main" }

// name is what an object that is not generic is called in the output. Every local variable
// gets a name of its own: nothing shadows anything under yaegi.
func (l *lowerer) name(o types.Object) string {
	if n, ok := l.names[o]; ok {
		l.refs[n] = true
		return n
	}
	if n, ok := l.s.scope.emitted[o]; ok {
		if n2, ok := l.current(o); ok {
			n = n2
		}
		l.refs[n] = true
		return n
	}
	if n, ok := l.locals[o]; ok {
		return n
	}
	n := l.tmp(strings.TrimRight(o.Name(), "ʹ"))
	l.setLocal(o, n)
	return n
}

func (l *lowerer) setLocal(o types.Object, name string) {
	l.locals[o] = name
	l.localOf[name] = append(l.localOf[name], o)
}

// current finds the latest variable or function of a name, for instances of generic
// functions that were checked before it was declared again with the same type.
func (l *lowerer) current(o types.Object) (string, bool) {
	if l.subst == nil {
		return "", false
	}
	now := l.again(o)
	if now == nil {
		return "", false
	}
	if n, ok := l.names[now]; ok {
		return n, true
	}
	n, ok := l.s.scope.emitted[now]
	return n, ok
}

// again gives what a variable or function of the package has been declared again as, with the type it had; nil if it has not.
func (l *lowerer) again(o types.Object) types.Object {
	last := o
	for next := o; next != nil; next = l.s.successors[last] {
		last = next
	}
	if now := l.fresh[o.Name()]; now != nil && l.s.scope.objs[o.Name()] == last && succeeds(last, now) {
		last = now
	}
	if last == o {
		return nil
	}
	return last
}

// succeeds tells whether what uses a variable or function uses the one that is declared later under its name.
func succeeds(was, now types.Object) bool {
	switch was.(type) {
	case *types.Var:
		_, ok := now.(*types.Var)
		return ok && types.Identical(was.Type(), now.Type())
	case *types.Func:
		_, ok := now.(*types.Func)
		return ok && types.Identical(was.Type(), now.Type())
	}
	return false
}

// pkg names a compiled package in the output and loads it.
func (l *lowerer) pkg(p *types.Package) string {
	path := p.Path()
	if n, ok := l.pkgs[path]; ok {
		return n
	}
	n, ok := l.s.aliases[path]
	if !ok {
		n = p.Name() + "ʹp" + itoa(len(l.s.aliases))
		l.s.aliases[path] = n
	}
	l.s.use(path)
	l.pkgs[path] = n
	return n
}
