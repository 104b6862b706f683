package eval

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// A checked cell is well-typed, and nothing of it has run.
type checked struct {
	*parsed
	info     *types.Info
	decls    []ast.Decl        // types, constants, functions and methods of the cell's own types
	late     []lateMethod      // methods of types of earlier cells
	vars     []ast.Decl        // variables that statements declare
	show     ast.Expr          // last expression, nil if there is none to show
	imports  map[string]string // to add to the session
	warnings []Diagnostic

	definitions map[string]*definition // of the cell's types
	undo        []func()               // takes back what the check changed in types of earlier cells
}

// A lateMethod is declared in another cell than its type.
type lateMethod struct {
	decl   *ast.FuncDecl // as a function whose first parameter is the receiver
	named  *types.Named
	method *types.Func
	sig    *types.Signature // of the method, if that is new
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{},
	}
}

// check parses a cell and checks it against the session. Unless it gives an error the
// caller must either commit the result or call its takeBack.
func (s *Session) check(cell Cell) (*checked, *CompileError) {
	p, cerr := parse(s.fset, cell)
	if cerr != nil {
		return nil, cerr
	}
	p.renameSpecial()
	if cerr := p.findInits(s.fset); cerr != nil {
		return nil, cerr
	}
	c := &checked{parsed: p, info: newInfo()}
	s.markOld(p)
	imports, added, cerr := s.imports(p)
	if cerr != nil {
		return nil, cerr
	}
	c.imports = added
	declared := p.declared()
	c.definitions = s.keepTypes(p, declared)
	if c.vars, cerr = s.promote(p); cerr != nil {
		return nil, cerr
	}
	s.scope.fill(c.anew(declared), p, c.vars)
	for _, o := range s.oldUses(p) {
		s.scope.pkg.Scope().Insert(o)
	}
	last := c.lastExpr()

	errs := &errorList{s: s, p: p, seen: map[string]bool{}}
	conf := &types.Config{Importer: s.imp, GoVersion: "go1.26", Error: errs.add}
	if cerr := s.lateMethods(c, declared, imports); cerr != nil {
		c.takeBack()
		return nil, cerr
	}
	file := &ast.File{Package: p.body.Pos(), Name: &ast.Ident{NamePos: p.body.Pos(), Name: "main"}}
	for _, d := range imports {
		file.Imports = append(file.Imports, d.(*ast.GenDecl).Specs[0].(*ast.ImportSpec))
	}
	file.Decls = append(file.Decls, imports...)
	file.Decls = append(file.Decls, c.decls...)
	for _, m := range c.late {
		file.Decls = append(file.Decls, m.decl)
	}
	if len(c.late) > 0 {
		// after the types of the cell and the signatures, before what uses the methods, go/types looks at a number
		conf.Sizes = asked{gcSizes, c.completeLate}
		one := &ast.BasicLit{ValuePos: p.body.Pos(), Kind: token.INT, Value: "1"}
		file.Decls = append(file.Decls, &ast.GenDecl{TokPos: p.body.Pos(), Tok: token.VAR, Specs: []ast.Spec{
			&ast.ValueSpec{Names: []*ast.Ident{{NamePos: p.body.Pos(), Name: "_"}}, Values: []ast.Expr{one}}}})
	}
	file.Decls = append(file.Decls, c.vars...)
	p.body.Name.Name = "cellʹ" + itoa(p.n)
	file.Decls = append(file.Decls, p.body)
	errs.unusedOK = last
	types.NewChecker(conf, s.fset, s.scope.pkg, c.info).Files([]*ast.File{file})
	if len(errs.hard) > 0 {
		c.takeBack()
		return nil, &CompileError{errs.ordered()}
	}
	c.warnings = errs.soft
	c.unrun(s.fset)
	if last != nil {
		if tv := c.info.Types[c.show]; c.quiet || tv.IsVoid() || tv.IsType() || tv.IsBuiltin() || c.prints(c.show) {
			c.show = nil
		}
	}
	return c, nil
}

// anew gives the names that mean something new in the cell: also those that it imports.
func (c *checked) anew(declared map[string]bool) map[string]bool {
	names := maps.Clone(declared)
	for name := range c.imports {
		names[name] = true
	}
	return names
}

// takeBack undoes what the check of a refused cell did to earlier types.
func (c *checked) takeBack() {
	for i := len(c.undo) - 1; i >= 0; i-- {
		c.undo[i]()
	}
	c.undo = nil
}

// lastExpr finds the expression to show. Its value is not used as far as go/types can see, so
// it is checked as the right side of an assignment; a call, which may have no value or
// several, stays, and the complaint about it is dropped.
func (c *checked) lastExpr() *ast.ExprStmt {
	list := c.body.Body.List
	if len(list) == 0 {
		return nil
	}
	es, ok := list[len(list)-1].(*ast.ExprStmt)
	if !ok {
		return nil
	}
	c.show = es.X
	if _, isCall := ast.Unparen(es.X).(*ast.CallExpr); !isCall {
		list[len(list)-1] = &ast.AssignStmt{Lhs: []ast.Expr{&ast.Ident{NamePos: es.Pos(), Name: "_"}}, TokPos: es.Pos(), Tok: token.ASSIGN, Rhs: []ast.Expr{es.X}}
	}
	return es
}

// prints tells whether an expression is a call that has printed: its count of bytes is of no
// interest.
func (c *checked) prints(e ast.Expr) bool {
	ce, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	se, ok := ast.Unparen(ce.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := c.info.Uses[se.Sel].(*types.Func)
	return ok && f.Pkg() != nil && f.Pkg().Path() == "fmt" && (strings.HasPrefix(f.Name(), "Print") || strings.HasPrefix(f.Name(), "Fprint"))
}

// lateMethods takes the methods of earlier types out of the declarations, and adds them to
// those types. They are checked as functions: go/types takes methods only in the file of
// their type.
func (s *Session) lateMethods(c *checked, declared map[string]bool, imports []ast.Decl) *CompileError {
	for _, d := range c.parsed.decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Recv == nil || len(fd.Recv.List) == 0 {
			c.decls = append(c.decls, d)
			continue
		}
		name := receiver(fd)
		o := s.scope.objs[name]
		if declared[name] || o == nil {
			c.decls = append(c.decls, d)
			continue
		}
		named, ok := o.Type().(*types.Named)
		if _, isType := o.(*types.TypeName); !ok || !isType {
			return c.fail(s.fset, fd.Recv.List[0].Type.Pos(), "%s is not a type declared in a cell", name)
		}
		if named.TypeParams().Len() > 0 {
			e := c.fail(s.fset, fd.Name.Pos(), "a method of the generic type %s must be declared in the cell of the type", name)
			e.Diagnostics[0].Hint = "move it to the cell that declares " + name + " and run that"
			return e
		}
		if st, ok := named.Underlying().(*types.Struct); ok {
			for f := range st.Fields() {
				if f.Name() == fd.Name.Name {
					return c.fail(s.fset, fd.Name.Pos(), "field and method with the same name %s", f.Name())
				}
			}
		}
		fn := asFunction(fd)
		// the signature first, with nothing but the session's names in scope
		info := newInfo()
		tmp := types.NewPackage("main", "main")
		for _, n := range s.scope.pkg.Scope().Names() {
			tmp.Scope().Insert(s.scope.pkg.Scope().Lookup(n))
		}
		probe := &ast.FuncDecl{Name: fn.Name, Type: fn.Type, Body: &ast.BlockStmt{}}
		decls := append(append([]ast.Decl{}, imports...), probe)
		for _, d := range c.parsed.decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				decls = append(decls, g)
			}
		}
		conf := &types.Config{Importer: s.imp, IgnoreFuncBodies: true, Error: func(error) {}}
		types.NewChecker(conf, s.fset, tmp, info).Files([]*ast.File{{Name: ast.NewIdent("main"), Decls: decls}})
		m, ok := info.Defs[fn.Name].(*types.Func)
		if !ok || m.Signature().Params().Len() == 0 {
			return c.fail(s.fset, fd.Name.Pos(), "cannot make sense of the method %s", fd.Name.Name)
		}
		sig := m.Signature()
		msig := methodOf(sig)
		method := types.NewFunc(fd.Name.Pos(), s.scope.pkg, fd.Name.Name, msig)
		var before, after []*types.Func
		for x := range named.Methods() {
			before = append(before, x)
			if x.Name() == method.Name() {
				if types.Identical(x.Type(), msig) {
					method, msig = x, nil // the same method with a new body
				}
				continue
			}
			after = append(after, x)
		}
		after = append(after, method)
		if !setMethods(named, after) {
			return c.fail(s.fset, fd.Name.Pos(), "method %s.%s is already declared; run the cell that declares %s again", name, fd.Name.Name, name)
		}
		c.undo = append(c.undo, func() { setMethods(named, before) })
		c.late = append(c.late, lateMethod{fn, named, method, msig})
	}
	return nil
}

// methodOf gives the signature of a method from that of the function that its receiver is the first parameter of.
func methodOf(sig *types.Signature) *types.Signature {
	var params []*types.Var
	for i := 1; i < sig.Params().Len(); i++ {
		params = append(params, sig.Params().At(i))
	}
	return types.NewSignatureType(sig.Params().At(0), nil, nil, types.NewTuple(params...), sig.Results(), sig.Variadic())
}

// completeLate gives the methods the types of the cell, which is being checked, that their signatures mention. What
// lateMethods knew were others of the same names.
func (c *checked) completeLate() {
	for _, m := range c.late {
		f, ok := c.info.Defs[m.decl.Name].(*types.Func)
		if !ok || f.Type() == nil || m.sig == nil || f.Signature().Params().Len() == 0 {
			continue
		}
		*m.sig = *methodOf(f.Signature())
	}
}

// asked says when go/types asks for the size of a type.
type asked struct {
	types.Sizes
	f func()
}

func (a asked) Sizeof(t types.Type) int64 {
	a.f()
	return a.Sizes.Sizeof(t)
}

// asFunction gives a method as a function with the receiver in front of its parameters.
func asFunction(fd *ast.FuncDecl) *ast.FuncDecl {
	blank := func(l []*ast.Field) []*ast.Field { // all parameters have names or none has
		var out []*ast.Field
		for _, f := range l {
			if len(f.Names) == 0 {
				f = &ast.Field{Names: []*ast.Ident{{NamePos: f.Type.Pos(), Name: "_"}}, Type: f.Type}
			}
			out = append(out, f)
		}
		return out
	}
	params := blank(fd.Recv.List)
	if fd.Type.Params != nil {
		params = append(params, blank(fd.Type.Params.List)...)
	}
	return &ast.FuncDecl{
		Name: &ast.Ident{NamePos: fd.Name.NamePos, Name: receiver(fd) + "ʹ" + fd.Name.Name},
		Type: &ast.FuncType{Func: fd.Type.Func, Params: &ast.FieldList{List: params}, Results: fd.Type.Results},
		Body: fd.Body,
	}
}

// special ends the name of a function called main or init while go/types looks at it, to
// which the two are not ordinary functions. In a cell main is one: it can have parameters, and
// does not run by itself. An init does, see init.go.
const special = "ʹf"

func (p *parsed) renameSpecial() {
	isSpecial := func(id *ast.Ident) bool {
		return (id.Name == "main" || id.Name == "init") && (id.Obj == nil || id.Obj.Kind == ast.Fun)
	}
	for _, d := range p.decls {
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				ast.Inspect(n.X, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && isSpecial(id) {
						id.Name += special
					}
					return true
				})
				return false
			case *ast.FuncDecl:
				if n.Recv != nil && isSpecial(n.Name) { // methods may have these names
					//lint:ignore SA1019 the parser resolves identifiers by such objects
					n.Name.Obj = &ast.Object{Kind: ast.Var, Name: n.Name.Name}
				}
			case *ast.Ident:
				if isSpecial(n) {
					n.Name += special
				}
			}
			return true
		})
	}
	for _, id := range p.free {
		if isSpecial(id) {
			id.Name += special
		}
	}
	identsIn(p.body.Body, func(id *ast.Ident) { // main := func(args []string) { … }
		if (id.Name == "main" || id.Name == "init") && id.Obj != nil && id.Obj.Kind == ast.Var {
			id.Name += special
		}
	})
}

// An errorList turns the errors of go/types into diagnostics.
type errorList struct {
	s          *Session
	p          *parsed
	hard, soft []Diagnostic
	seen       map[string]bool
	unusedOK   *ast.ExprStmt
}

func (l *errorList) add(err error) {
	e, ok := err.(types.Error)
	if !ok {
		return
	}
	if strings.HasPrefix(e.Msg, "\t") { // goes on with the error before
		if n := len(l.hard); n > 0 && strings.HasSuffix(l.hard[n-1].Text, ":") {
			l.hard[n-1].Text += " " + plain(strings.TrimSpace(e.Msg))
		}
		return
	}
	at := l.s.fset.Position(e.Pos)
	msg := plain(e.Msg)
	key := at.String() + msg
	if strings.HasPrefix(msg, "cannot use ") { // a variable is declared and assigned to
		key, _, _ = strings.Cut(key, " value in ")
	}
	if l.seen[key] {
		return
	}
	l.seen[key] = true
	switch {
	case strings.Contains(msg, "initialization cycle") && len(l.p.forward) == 0, // the statements run in order
		strings.Contains(msg, "imported and not used"), // kept for later cells
		l.unusedOK != nil && strings.Contains(msg, "is not used") && e.Pos >= l.unusedOK.Pos() && e.Pos < l.unusedOK.End():
		return
	}
	d := l.p.diagnostic(at, msg)
	if e.Soft && strings.Contains(msg, "declared and not used") && !strings.HasPrefix(msg, "label ") { // what else is soft is no Go either
		l.soft = append(l.soft, d)
		return
	}
	d.Hint = l.s.hint(l.p, msg)
	l.hard = append(l.hard, d)
}

// ordered gives the errors from top to bottom, without those that go/types has from looking at the values of
// a := once more after it said that their number is wrong.
func (l *errorList) ordered() []Diagnostic {
	mismatch := map[int]bool{} // lines
	for _, d := range l.hard {
		if strings.HasPrefix(d.Text, "assignment mismatch: ") {
			mismatch[d.Line] = true
		}
	}
	list := slices.DeleteFunc(l.hard, func(d Diagnostic) bool {
		return mismatch[d.Line] && (strings.HasSuffix(d.Text, " in single-value context") || strings.HasPrefix(d.Text, "extra init expr "))
	})
	slices.SortStableFunc(list, func(a, b Diagnostic) int { return cmp.Or(a.Line-b.Line, a.Col-b.Col) })
	return list
}

// ourPackage and ourPlace are what go/types calls the package of all cells, and a place in one.
var (
	ourPackage = regexp.MustCompile(`\bmain\.`)
	ourPlace   = regexp.MustCompile(`In\[(\d+)\]ʹ\d+:(\d+):\d+`)
)

// plain takes out of a message what only we put into names.
func plain(msg string) string {
	msg = strings.NewReplacer(old, "", special, "", " in assignment to _ identifier", "").Replace(msg)
	return ourPlace.ReplaceAllString(ourPackage.ReplaceAllString(msg, ""), "Cell [$1], line $2")
}

// unrun warns of a main that waits to be called, as whole programs have one that were copied into a cell.
func (c *checked) unrun(fset *token.FileSet) {
	for _, d := range c.decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Name.Name == "main"+special && len(c.body.Body.List) == 0 {
			at := c.diagnostic(fset.Position(fd.Name.Pos()), "main does not run by itself in a cell")
			at.Hint = "main() on a line below runs it"
			c.warnings = append(c.warnings, at)
		}
	}
}
