package eval

import (
	"go/ast"
	"go/token"
	"go/types"
)

const eqlToken = token.EQL

// An emitted function of the output, with what it uses: where one of these is declared again with another type, it
// is told that the function goes on with the earlier one.
type emitted struct {
	name string          // in the output
	show string          // as the cell calls it
	refs map[string]bool // names of the output that it uses, and what identity gives of constants and types
}

// funcDecl lowers a function or method declaration under a name of the output.
func (l *lowerer) funcDecl(fd *ast.FuncDecl, sig *types.Signature, name, show string) {
	l.pos = fd.Pos()
	outer := l.refs
	l.refs = map[string]bool{}
	var params []*ast.Field
	if fd.Recv != nil {
		params = append(params, fd.Recv.List...)
	}
	if fd.Type.Params != nil {
		params = append(params, fd.Type.Params.List...)
	}
	sig = l.sub(sig).(*types.Signature)
	if sig.Recv() != nil { // the receiver is the first parameter
		vars := []*types.Var{types.NewVar(sig.Recv().Pos(), sig.Recv().Pkg(), sig.Recv().Name(), l.sub(sig.Recv().Type()))}
		for v := range sig.Params().Variables() {
			vars = append(vars, v)
		}
		sig = types.NewSignatureType(nil, nil, nil, types.NewTuple(vars...), sig.Results(), sig.Variadic())
	}
	ft, body := l.function(sig, params, fd.Type.Results, fd.Body, calls(l, fd.Body))
	d := &ast.FuncDecl{Name: &ast.Ident{NamePos: fd.Name.Pos(), Name: name}, Type: ft, Body: body}
	l.out = append(l.out, d)
	l.refersTo(fd, show)
	l.funcs = append(l.funcs, &emitted{name, show, l.refs})
	l.refs = outer
}

// funcLit lowers a function literal and hoists it: yaegi lets a literal that is the argument of a
// call capture the variables of all iterations of a loop in one, but gets it right where the
// literal is given to a variable.
func (l *lowerer) funcLit(e *ast.FuncLit) ast.Expr {
	sig := l.typeOf(e).(*types.Signature)
	var params []*ast.Field
	if e.Type.Params != nil {
		params = e.Type.Params.List
	}
	pre := l.pre
	l.litDepth++
	ft, body := l.function(sig, params, e.Type.Results, e.Body, true)
	l.litDepth--
	l.pre = pre
	lit := &ast.FuncLit{Type: ft, Body: body}
	return l.hoist(lit)
}

func (l *lowerer) hoist(lit *ast.FuncLit) ast.Expr {
	v := l.tmp("fn")
	l.pre = append(l.pre, l.define(v, lit))
	return l.id(v)
}

// function lowers the type and the body of a function.
func (l *lowerer) function(sig *types.Signature, params []*ast.Field, results *ast.FieldList, body *ast.BlockStmt, poll bool) (*ast.FuncType, *ast.BlockStmt) {
	outer := l.fn
	f := &function{sig: sig, labels: map[string]string{}}
	l.fn = f
	defer func() { l.fn = outer }()
	l.markCaptured(body)

	ft := &ast.FuncType{Func: l.pos, Params: &ast.FieldList{Opening: l.pos}}
	i := 0
	add := func(id *ast.Ident) {
		name := ""
		if id != nil && id.Name != "_" {
			name = l.name(l.info.Defs[id])
		} else {
			name = l.tmp("u")
		}
		ft.Params.List = append(ft.Params.List, l.param(name, l.paramType(sig, i)))
		i++
	}
	for _, p := range params {
		if len(p.Names) == 0 {
			add(nil)
		}
		for _, id := range p.Names {
			add(id)
		}
	}

	scan := scanBody(l, body)
	f.gotos = scan.gotos
	if results != nil {
		for _, r := range results.List {
			for _, id := range r.Names {
				f.named = true
				if id.Name == "_" {
					f.results = append(f.results, l.tmp("r"))
				} else {
					f.results = append(f.results, l.name(l.info.Defs[id]))
				}
			}
		}
	}
	if !f.named && (scan.defers || scan.rangeReturn) {
		for range sig.Results().Len() {
			f.results = append(f.results, l.tmp("r"))
		}
	}
	if sig.Results().Len() > 0 {
		ft.Results = &ast.FieldList{Opening: l.pos}
		for i := range sig.Results().Len() {
			ft.Results.List = append(ft.Results.List, l.param("", l.typ(sig.Results().At(i).Type())))
		}
	}

	// Named results are variables of the body. Those of yaegi share their memory with the
	// variable that the caller assigns the result to, and begin with its value.
	var head []ast.Stmt
	for i, name := range f.results {
		v := l.tmp("zero")
		head = append(head, l.declare(v, l.typ(sig.Results().At(i).Type())), l.define(name, l.id(v)))
	}
	if scan.recovers {
		f.token = l.tmp("rec")
		head = append(head, l.define(f.token, l.rt("Entered")))
	}
	if scan.rangeReturn {
		f.returns = l.tmp("ret")
		head = append(head, l.define(f.returns, l.id("false")))
	}
	if scan.rangeLeave {
		f.leave = l.tmp("leave")
		head = append(head, l.define(f.leave, l.int(0)))
	}
	if scan.defers {
		f.defers = l.tmp(defersName)
	}
	kind := byte('d')
	switch {
	case scan.defers:
		kind = 'b'
	case outer != nil && l.litDepth > 0:
		kind = 'l'
	}
	list := l.marked(l.stmts(body.List), funcPlace{ft.Func, kind})
	if poll {
		list = append([]ast.Stmt{l.poll()}, list...)
	}
	if scan.defers {
		param := l.param(f.defers, l.deref(l.sel(l.id(rtName), "Defers")))
		body := l.tmp("body") // a variable, so that the function is ours: see makeClosure
		list = []ast.Stmt{l.define(body, l.lit([]*ast.Field{param}, nil, list...)), l.do(l.rt("Frame", l.id(body)))}
		if len(f.results) > 0 {
			list = append(list, l.ret(l.ids(f.results)...))
		}
	}
	return ft, l.block(append(head, list...)...)
}

func (l *lowerer) ids(names []string) (list []ast.Expr) {
	for _, n := range names {
		list = append(list, l.id(n))
	}
	return list
}

// returnStmt lowers a return, which may be inside a function of its own: the body of a
// function that defers, or of a loop over a function.
func (l *lowerer) returnStmt(st *ast.ReturnStmt) []ast.Stmt {
	f := l.fn
	vars := len(f.results) > 0
	inside := f.defers != "" || f.yield > 0
	var out []ast.Stmt
	switch res := f.sig.Results(); {
	case len(st.Results) == 0 || res.Len() == 0:
		if !inside && vars {
			return []ast.Stmt{l.ret(l.ids(f.results)...)}
		}
	case len(st.Results) == res.Len():
		var values []ast.Expr
		for i, e := range st.Results {
			values = append(values, l.then(values, func() ast.Expr { return l.conv(e, l.sub(res.At(i).Type())) }))
		}
		for i, x := range values { // after the calls of all
			want := l.sub(res.At(i).Type())
			values[i] = l.then(values[:i], func() ast.Expr {
				if l.mislaid(st.Results[i], x, want, res.Len() > 1) {
					return l.hold(x, &l.pre)
				}
				return l.whole(x, want)
			})
		}
		if !inside {
			return []ast.Stmt{l.ret(values...)}
		}
		out = append(out, l.setResults(values)...)
	default: // return f()
		tup := l.typeOf(st.Results[0]).(*types.Tuple)
		call := l.expr(ast.Unparen(st.Results[0]))
		same := true
		for i := range tup.Len() {
			from, to := l.sub(tup.At(i).Type()), l.sub(res.At(i).Type())
			same = same && !l.converts(from, to) && (types.IsInterface(from) || !types.IsInterface(to))
		}
		if c, ok := call.(*ast.CallExpr); same && !inside && !(ok && inField(c)) {
			return []ast.Stmt{l.ret(call)}
		}
		tmps, values := l.spread(tup, res)
		out = append(out, &ast.AssignStmt{Lhs: l.ids(tmps), TokPos: l.pos, Tok: token.DEFINE, Rhs: []ast.Expr{call}})
		if !inside {
			return append(out, l.ret(values...))
		}
		out = append(out, l.setResults(values)...)
	}
	if f.yield > 0 {
		return append(out, l.set(l.id(f.returns), l.id("true")), l.ret(l.id("false")))
	}
	return append(out, l.ret())
}

// setResults gives the results that are variables their values, all of which are evaluated first. An
// interface among several that are assigned at once yaegi gives what it does not hold.
func (l *lowerer) setResults(values []ast.Expr) []ast.Stmt {
	var out []ast.Stmt
	if len(values) > 1 {
		for i, v := range values {
			values[i] = l.hold(v, &out)
		}
	}
	for i, v := range values {
		out = append(out, l.set(l.id(l.fn.results[i]), v))
	}
	return out
}

// mislaid tells whether yaegi loses x, which e is lowered to, as a result of the type want or one of several.
// An element it takes for the declaration of a function of its type. A call it puts into the place of the
// result, for an interface as if that were of the call's type; where the function is in a field it
// does not, but takes it from there if there are several; and what builtins give it has all in the
// first. Calls of functions of ours are right.
func (l *lowerer) mislaid(e, x ast.Expr, want types.Type, several bool) bool {
	t := l.typeOf(e)
	if t != nil && !isValue(x) {
		if _, isFunc := t.Underlying().(*types.Signature); isFunc {
			return true
		}
	}
	c, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	if s, ok := c.Fun.(*ast.SelectorExpr); ok {
		if id, ok := s.X.(*ast.Ident); ok && id.Name == rtName {
			return false
		}
	}
	return several && (inField(c) || l.isBuiltinCall(c)) || types.IsInterface(want) && !types.Identical(t, want)
}

// inField tells whether what a lowered call calls may be in a field or an element.
func inField(c *ast.CallExpr) bool {
	_, isName := c.Fun.(*ast.Ident)
	return !isName
}

// isBuiltinCall tells whether lowered syntax calls a builtin function.
func (l *lowerer) isBuiltinCall(c *ast.CallExpr) bool {
	id, ok := c.Fun.(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = types.Universe.Lookup(id.Name).(*types.Builtin)
	return ok
}

// spread gives variables for the results of a call and those converted to other types.
func (l *lowerer) spread(from *types.Tuple, to *types.Tuple) (tmps []string, values []ast.Expr) {
	for i := range from.Len() {
		t := l.tmp("t")
		tmps = append(tmps, t)
		values = append(values, l.convert(l.id(t), from.At(i).Type(), l.sub(to.At(i).Type())))
	}
	return tmps, values
}

// leaveFunc is a return from within whatever function of its own the statement is in, once the
// results are set.
func (l *lowerer) leaveFunc() ast.Stmt {
	f := l.fn
	switch {
	case f.yield > 0:
		return l.ret(l.id("false"))
	case f.defers != "" || f.sig.Results().Len() == 0:
		return l.ret()
	}
	return l.ret(l.ids(f.results)...)
}

// bodyScan is what has to be known of a body before it is lowered. Function literals within
// are not looked into.
type bodyScan struct {
	defers, recovers        bool
	rangeReturn, rangeLeave bool // return, or a branch to a label, inside a loop over a function
	gotos                   map[string]bool
}

func scanBody(l *lowerer, body *ast.BlockStmt) bodyScan {
	s := bodyScan{gotos: map[string]bool{}}
	var walk func(n ast.Node, inRange bool)
	walk = func(n ast.Node, inRange bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.DeferStmt:
				s.defers = true
			case *ast.CallExpr:
				if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && l.isBuiltin(id, "recover") {
					s.recovers = true
				}
			case *ast.ReturnStmt:
				s.rangeReturn = s.rangeReturn || inRange
			case *ast.BranchStmt:
				if n.Tok == token.GOTO {
					s.gotos[n.Label.Name] = true
				} else if n.Label != nil && inRange {
					s.rangeLeave = true
				}
			case *ast.RangeStmt:
				if t := l.typeOf(n.X); t != nil {
					if _, ok := t.Underlying().(*types.Signature); ok && !inRange {
						walk(n.Body, true)
						walk(n.X, false)
						return false
					}
				}
			}
			return true
		})
	}
	walk(body, false)
	return s
}

func (l *lowerer) isBuiltin(id *ast.Ident, name string) bool {
	b, ok := l.info.Uses[id].(*types.Builtin)
	return ok && b.Name() == name
}

// calls tells whether a body calls functions of cells or function values: only such a function
// can recurse, so only it looks at the interrupt flag when it is entered.
func calls(l *lowerer, body *ast.BlockStmt) bool {
	found := false
	if body == nil {
		return false
	}
	ast.Inspect(body, func(n ast.Node) bool {
		ce, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		if tv := l.info.Types[ce.Fun]; tv.IsType() || tv.IsBuiltin() {
			return true
		}
		fun := ast.Unparen(ce.Fun)
		if ix, ok := fun.(*ast.IndexExpr); ok {
			fun = ix.X
		}
		switch f := fun.(type) {
		case *ast.SelectorExpr:
			if o := l.info.Uses[f.Sel]; o != nil && o.Pkg() != nil && !isMain(o.Pkg()) && !types.IsInterface(l.typeOfRecv(f)) {
				return true
			}
		}
		found = true
		return false
	})
	return found
}

func (l *lowerer) typeOfRecv(f *ast.SelectorExpr) types.Type {
	if t := l.typeOf(f.X); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// markCaptured finds the variables that outlive an iteration or whose address is taken: those
// used in a function literal below their own function, under &, as the receiver of a pointer
// method, or sliced.
func (l *lowerer) markCaptured(body *ast.BlockStmt) {
	if body == nil {
		return
	}
	var root func(e ast.Expr)
	root = func(e ast.Expr) {
		switch e := ast.Unparen(e).(type) {
		case *ast.Ident:
			if o := l.info.Uses[e]; o != nil {
				l.captured[o] = true
			}
		case *ast.SelectorExpr:
			root(e.X)
		case *ast.IndexExpr:
			root(e.X)
		}
	}
	var walk func(n ast.Node, depth int)
	walk = func(n ast.Node, depth int) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				walk(n.Body, depth+1)
				return false
			case *ast.Ident:
				if o, ok := l.info.Uses[n].(*types.Var); ok && depth > 0 {
					l.captured[o] = true
				}
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					root(n.X)
				}
			case *ast.SliceExpr:
				root(n.X)
			case *ast.SelectorExpr:
				if sel := l.info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal {
					root(n.X)
				}
			}
			return true
		})
	}
	walk(body, 0)
}
