package eval

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A program is a lowered cell.
type program struct {
	file    *ast.File
	l       *lowerer
	again   *redefinition
	objs    map[string]types.Object // new live names
	show    []types.Type            // static types of what the last expression gives
	showing bool
	nodes   map[string]*node // of the functions in the file, when it has been compiled
}

// lower turns a checked cell into a file for yaegi.
func (s *Session) lower(c *checked) (*program, *CompileError) {
	l := s.newLowerer(c.parsed, c.info)
	l.pos = c.body.Pos()
	p := &program{l: l, objs: l.fresh}
	newVars := l.nameObjects(c, p)
	l.lint(c)
	if len(l.errs) > 0 {
		return nil, &CompileError{l.errs}
	}
	for _, d := range c.decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		fn, ok := c.info.Defs[fd.Name].(*types.Func)
		if !ok || fd.Body == nil || l.generics[fn] != nil || fd.Name.Name == "_" {
			continue
		}
		l.funcDecl(fd, fn.Signature(), l.names[fn], show(fn))
	}
	for _, m := range c.late {
		fn := c.info.Defs[m.decl.Name].(*types.Func)
		l.funcDecl(m.decl, fn.Signature(), l.names[m.method], show(m.method))
	}
	body := l.cell(c, p)
	l.renewInstances()
	l.lowerInstances()
	l.boxLate(c)
	for l.registerMethods() { // a method may be an instance, and box further types
		l.lowerInstances()
	}
	p.again = l.redefine(c)
	if len(l.errs) > 0 {
		return nil, &CompileError{l.errs}
	}
	for _, v := range newVars {
		l.out = append(l.out, l.varDecl(l.names[v], l.typ(v.Type())))
	}
	if len(l.errs) > 0 {
		return nil, &CompileError{l.errs}
	}
	helpers, err := l.helperDecls()
	if err != nil {
		return nil, &CompileError{[]Diagnostic{c.diagnostic(token.Position{Line: 1, Column: 1}, "internal error: "+err.Error())}}
	}

	start := "startʹ" + itoa(c.n) + "ʹ" + itoa(s.runs)
	name := "cellʹ" + itoa(c.n) + "ʹ" + itoa(s.runs)
	l.pos = c.body.Pos()
	fn := &ast.FuncDecl{Name: l.id(name), Type: &ast.FuncType{Func: l.pos, Params: &ast.FieldList{}}, Body: l.block(append(l.prologue, body...)...)}
	l.out = append(l.out, fn)
	f := &ast.File{Package: c.body.Pos(), Name: l.id("main")}
	imp := func(name, path string) {
		f.Decls = append(f.Decls, &ast.GenDecl{TokPos: l.pos, Tok: token.IMPORT, Specs: []ast.Spec{&ast.ImportSpec{Name: l.id(name), Path: &ast.BasicLit{ValuePos: l.pos, Kind: token.STRING, Value: strconv.Quote(path)}}}})
	}
	imp(rtName, rtPath)
	for _, path := range slices.Sorted(maps.Keys(l.pkgs)) {
		imp(l.pkgs[path], path)
	}
	f.Decls = append(f.Decls, helpers...)
	f.Decls = append(f.Decls, l.out...)
	run := l.lit(nil, nil, l.do(l.call(name))) // called by ours, which looks in each step whether the goroutine unwinds
	f.Decls = append(f.Decls, &ast.GenDecl{TokPos: l.pos, Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{l.id(start)}, Values: []ast.Expr{l.rt("Start", run)}}}})
	l.settle(f.Decls)
	p.file = f
	return p, nil
}

// settle puts the names of packages into this cell's file, in which yaegi looks for them when they stand in a
// type: what an earlier cell declared and is lowered here has positions of that cell.
func (l *lowerer) settle(decls []ast.Decl) {
	pkgs := map[string]bool{}
	for _, n := range l.pkgs {
		pkgs[n] = true
	}
	for _, d := range decls {
		identsIn(d, func(id *ast.Ident) {
			if pkgs[id.Name] {
				id.NamePos = l.pos
			}
		})
	}
}

// show is how messages call a function.
func show(fn *types.Func) string {
	name := strings.TrimSuffix(fn.Name(), special)
	if r := fn.Signature().Recv(); r != nil {
		t := typeString(r.Type())
		if i := strings.IndexByte(t, '['); i > 0 {
			t = t[:i]
		}
		if strings.HasPrefix(t, "*") {
			return "(" + t + ")." + name
		}
		return t + "." + name
	}
	return name
}

// nameObjects gives the declarations of the cell their names in the output, and returns the
// variables that are new. A variable declared again with the type it had is the same variable.
func (l *lowerer) nameObjects(c *checked, p *program) (newVars []*types.Var) {
	sc := l.s.scope
	ids := slices.SortedFunc(maps.Keys(c.info.Defs), func(a, b *ast.Ident) int { return int(a.Pos() - b.Pos()) })
	for _, id := range ids {
		o := c.info.Defs[id]
		if o == nil || o.Name() == "_" || strings.HasPrefix(o.Name(), "cellʹ") {
			continue
		}
		fn, isFunc := o.(*types.Func)
		if isFunc && fn.Signature().Recv() != nil && isMain(fn.Pkg()) && fn.Name() == id.Name {
			l.nameMethod(fn, c)
			continue
		}
		if o.Parent() != sc.pkg.Scope() {
			continue
		}
		name := o.Name()
		if strings.Contains(name, "ʹ") && !strings.HasSuffix(name, special) {
			continue // a late method as a function
		}
		p.objs[name] = o
		switch o := o.(type) {
		case *types.Var:
			if was, ok := sc.objs[name].(*types.Var); ok && types.Identical(was.Type(), o.Type()) {
				l.names[o] = sc.emitted[was]
				continue
			}
			newVars = append(newVars, o)
		case *types.Func:
			if o.Signature().TypeParams().Len() > 0 {
				l.addGeneric(o, c)
				continue
			}
		case *types.TypeName, *types.Const:
			continue
		}
		l.names[o] = sc.generation(name)
	}
	for _, m := range c.late {
		l.names[m.method] = sc.generation(m.method.Name())
	}
	return newVars
}

func (l *lowerer) nameMethod(fn *types.Func, c *checked) {
	if types.IsInterface(fn.Signature().Recv().Type()) {
		return
	}
	if fn.Signature().RecvTypeParams().Len() > 0 {
		l.addGeneric(fn, c)
		return
	}
	l.names[fn] = l.s.scope.generation(fn.Name())
}

func (l *lowerer) addGeneric(fn *types.Func, c *checked) {
	for _, d := range c.decls {
		if fd, ok := d.(*ast.FuncDecl); ok && c.info.Defs[fd.Name] == fn {
			l.generics[fn] = &generic{fd, c.info, c.parsed}
		}
	}
}

// cell lowers the statements of the cell.
func (l *lowerer) cell(c *checked, p *program) []ast.Stmt {
	sig := types.NewSignatureType(nil, nil, nil, nil, nil, false)
	f := &function{sig: sig, labels: map[string]string{}}
	l.fn = f
	l.markCaptured(c.body.Body)
	scan := scanBody(l, c.body.Body)
	f.gotos = scan.gotos
	var head, out []ast.Stmt
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
	list, vars := c.inOrder()
	called := false // the statement before may have waited in compiled code past an interrupt
	for i, st := range list {
		l.pos = st.Pos()
		if i == vars {
			out = append(out, l.inits(c)...)
		}
		if called {
			out = append(out, l.poll())
		}
		called = hasCall(st)
		switch {
		case i == len(list)-1 && c.show != nil:
			out = append(out, l.show(c.show, p)...)
		case c.zeroed[st] != nil:
			for _, id := range c.zeroed[st] {
				if o := c.info.Defs[id]; o != nil && id.Name != "_" {
					out = append(out, l.set(l.id(l.name(o)), l.zero(o.Type())))
				}
			}
		default:
			out = append(out, l.one(st, "")...)
		}
	}
	if vars >= len(list) {
		out = append(out, l.inits(c)...)
	}
	if called {
		out = append(out, l.poll())
	}
	kind := byte('d')
	if scan.defers {
		kind = 'b'
	}
	l.pos = c.body.Pos()
	out = l.marked(out, funcPlace{l.pos, kind})
	if scan.defers {
		param := l.param(f.defers, l.deref(l.sel(l.id(rtName), "Defers")))
		out = []ast.Stmt{l.do(l.rt("Frame", l.lit([]*ast.Field{param}, nil, out...)))}
	}
	for _, v := range slices.SortedFunc(maps.Keys(l.names), func(a, b types.Object) int { return int(a.Pos() - b.Pos()) }) {
		if v, ok := v.(*types.Var); ok && !l.s.vars[l.names[v]].IsValid() {
			l.prologue = append(l.prologue, l.do(l.rt("Var", l.str(l.names[v]), l.addr(l.id(l.names[v])))))
		}
	}
	return append(head, out...)
}

func hasCall(st ast.Stmt) bool {
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		_, ok := n.(*ast.CallExpr)
		found = found || ok
		return !found
	})
	return found
}

// show lowers the last expression: its values go to the session.
func (l *lowerer) show(e ast.Expr, p *program) []ast.Stmt {
	outer := l.pre
	defer func() { l.pre = outer }()
	l.pre = nil
	l.pos = e.Pos()
	var out []ast.Stmt
	if canPanic(&ast.ExprStmt{X: e}) {
		out = append(out, l.mark(e))
	}
	p.showing = true
	if tup, ok := l.typeOf(e).(*types.Tuple); ok {
		call := l.expr(e)
		out = append(out, l.take())
		var tmps, vals []ast.Expr
		for i := range tup.Len() {
			t := tup.At(i).Type()
			p.show = append(p.show, t)
			v := l.id(l.tmp("t"))
			tmps, vals = append(tmps, v), append(vals, l.convert(v, t, anyType))
		}
		out = append(out, &ast.AssignStmt{Lhs: tmps, TokPos: l.pos, Tok: token.DEFINE, Rhs: []ast.Expr{call}}, l.do(l.rt("Show", vals...)))
		return compact(out)
	}
	t := l.typeOf(e)
	if b, ok := t.(*types.Basic); ok {
		if b.Kind() == types.UntypedNil {
			p.showing = false
			return nil
		}
		t = types.Default(b)
	}
	p.show = append(p.show, t)
	v := l.conv(e, anyType)
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Array:
		if !isCellType(t) {
			v = l.callx(l.id("any"), v)
		}
	}
	return compact(append(out, l.take(), l.do(l.rt("Show", v))))
}
