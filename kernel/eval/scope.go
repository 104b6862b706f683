package eval

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// A scope is what cells have declared so far. All cells share one types.Package, so that an
// unexported field means the same in each; its scope is emptied and filled again for every cell.
//
// A name that is declared again gets a new generation under the interpreter, so a cell that
// failed half-way never leaves a name behind that a later one could meet.
type scope struct {
	pkg     *types.Package
	objs    map[string]types.Object // live names
	emitted map[types.Object]string // what they are called under the interpreter
	gen     map[string]int          // last generation of a name, counting failed ones
	imports map[string]string       // package name -> path; ".Name" for what a dot import gave
}

func newScope() *scope {
	return &scope{
		pkg:     types.NewPackage("main", "main"),
		objs:    map[string]types.Object{},
		emitted: map[types.Object]string{},
		gen:     map[string]int{},
		imports: map[string]string{},
	}
}

// generation gives a name for the interpreter that was never used before. The prime is a
// letter that no keyboard has, so it cannot meet a name of a cell.
func (sc *scope) generation(name string) string {
	sc.gen[name]++
	return name + "ʹ" + itoa(sc.gen[name])
}

// fill makes the package scope hold the live names that occur in a cell, vars being what
// promote took out of it, except those the cell declares itself. Types that are declared as one of them are put
// into parentheses. What it costs does not grow with the session.
func (sc *scope) fill(redeclared map[string]bool, cell *parsed, vars []ast.Decl) {
	*sc.pkg.Scope() = *types.NewScope(types.Universe, token.NoPos, token.NoPos, "package main")
	for _, d := range slices.Concat(vars, cell.decls, []ast.Decl{cell.body}) {
		identsIn(d, func(id *ast.Ident) {
			if o := sc.objs[id.Name]; o != nil && !redeclared[id.Name] && id.Name != "_" {
				sc.pkg.Scope().Insert(o) // does nothing if it is there
			}
		})
	}
	for _, d := range cell.decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, sp := range g.Specs { // type B A: go/types looks for the declaration of A, which is in no file now
			ts := sp.(*ast.TypeSpec)
			if id, ok := ts.Type.(*ast.Ident); ok && sc.pkg.Scope().Lookup(id.Name) != nil {
				ts.Type = &ast.ParenExpr{Lparen: id.Pos(), X: id, Rparen: id.End()}
			}
		}
	}
}

// declared gives the names that a cell declares at its top level, methods aside.
func (p *parsed) declared() map[string]bool {
	m := map[string]bool{}
	for _, d := range p.decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				m[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, sp := range d.Specs {
				switch sp := sp.(type) {
				case *ast.TypeSpec:
					m[sp.Name.Name] = true
				case *ast.ValueSpec:
					for _, id := range sp.Names {
						m[id.Name] = true
					}
				}
			}
		}
	}
	for _, st := range p.body.Body.List {
		for _, id := range defines(st) {
			m[id.Name] = true
		}
	}
	return m
}

// defines gives the names that a statement declares in its own block.
func defines(st ast.Stmt) []*ast.Ident {
	var l []*ast.Ident
	switch st := st.(type) {
	case *ast.LabeledStmt:
		return defines(st.Stmt)
	case *ast.AssignStmt:
		if st.Tok == token.DEFINE {
			for _, x := range st.Lhs {
				if id, ok := x.(*ast.Ident); ok && id.Name != "_" {
					l = append(l, id)
				}
			}
		}
	case *ast.DeclStmt:
		if g := st.Decl.(*ast.GenDecl); g.Tok == token.VAR {
			for _, sp := range g.Specs {
				for _, id := range sp.(*ast.ValueSpec).Names {
					if id.Name != "_" {
						l = append(l, id)
					}
				}
			}
		}
	}
	return l
}

// old marks a name that means what earlier cells declared, in a cell that declares it anew
// further down: x := x + 1.
const old = "ʹold"

// markOld gives the names that stand above their declaration in a cell the mark of what earlier cells declared.
func (s *Session) markOld(p *parsed) {
	own := map[string]bool{}
	for _, st := range p.body.Body.List {
		for _, id := range defines(st) {
			own[id.Name] = true
		}
	}
	if len(own) == 0 {
		return
	}
	keys := map[*ast.Ident]bool{} // field names of literals are not uses
	ast.Inspect(p.body.Body, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				keys[id] = true
			}
		}
		return true
	})
	later := p.laterVars()
	for _, id := range p.free {
		if own[id.Name] && !keys[id] {
			if (s.scope.objs[id.Name] == nil || s.forward[id.Name]) && later(id) {
				p.forward[id.Name] = true
				continue
			}
			if s.scope.objs[id.Name] == nil && types.Universe.Lookup(id.Name) != nil {
				continue // len := len(x)
			}
			id.Name += old
		}
	}
}

// promote turns the variables that statements at the top level declare into variables of the
// package, so that functions of the cell and later cells can use them. It returns their
// declarations; the statements become assignments.
func (s *Session) promote(p *parsed) (vars []ast.Decl, cerr *CompileError) {
	seen := map[string]bool{}
	var body []ast.Stmt
	head := true
	for _, st := range p.body.Body.List {
		if g, ok := st.(*ast.DeclStmt); head && (!ok || g.Decl.(*ast.GenDecl).Tok == token.VAR) {
			head = ok
			p.vars = len(body)
		}
		switch st := st.(type) {
		case *ast.AssignStmt:
			if st.Tok != token.DEFINE {
				break
			}
			spec := &ast.ValueSpec{Values: st.Rhs}
			fresh := false
			for _, x := range st.Lhs {
				id, ok := x.(*ast.Ident)
				if !ok {
					return nil, p.fail(s.fset, x.Pos(), "non-name on left side of :=")
				}
				name := id.Name
				if name != "_" && seen[name] {
					name = "_"
				} else if name != "_" {
					seen[name], fresh = true, true
				}
				spec.Names = append(spec.Names, &ast.Ident{NamePos: id.NamePos, Name: name})
			}
			if !fresh {
				e := p.fail(s.fset, st.TokPos, "no new variables on left side of :=")
				e.Diagnostics[0].Hint = s.hint(p, e.Diagnostics[0].Text)
				return nil, e
			}
			vars = append(vars, &ast.GenDecl{TokPos: st.Pos(), Tok: token.VAR, Specs: []ast.Spec{spec}})
			st.Tok = token.ASSIGN
		case *ast.DeclStmt:
			g := st.Decl.(*ast.GenDecl)
			if g.Tok != token.VAR {
				break
			}
			vars = append(vars, g)
			for _, sp := range g.Specs {
				spec := sp.(*ast.ValueSpec)
				var lhs []ast.Expr
				for _, id := range spec.Names {
					seen[id.Name] = true
					lhs = append(lhs, &ast.Ident{NamePos: id.NamePos, Name: id.Name})
				}
				if len(spec.Values) > 0 {
					body = append(body, &ast.AssignStmt{Lhs: lhs, TokPos: spec.Pos(), Tok: token.ASSIGN, Rhs: spec.Values})
				} else {
					here := &ast.EmptyStmt{Semicolon: spec.Pos()}
					if p.zeroed == nil {
						p.zeroed = map[ast.Stmt][]*ast.Ident{}
					}
					p.zeroed[here] = spec.Names
					body = append(body, here)
				}
			}
			continue
		}
		body = append(body, st)
	}
	if head {
		p.vars = len(body)
	}
	p.body.Body.List = body
	return vars, nil
}

// oldUses gives the earlier declarations of names that the cell uses before it declares them.
func (s *Session) oldUses(p *parsed) (l []types.Object) {
	seen := map[string]bool{}
	for _, id := range p.free {
		if name, ok := strings.CutSuffix(id.Name, old); ok && !seen[name] {
			seen[name] = true
			var o types.Object
			switch was := s.scope.objs[name].(type) {
			case *types.Var:
				o = types.NewVar(was.Pos(), s.scope.pkg, id.Name, was.Type())
			case *types.Func:
				fn := types.NewFunc(was.Pos(), s.scope.pkg, id.Name, was.Signature())
				if g := s.generics[was]; g != nil {
					s.generics[fn] = g
				}
				o = fn
			case *types.Const:
				o = types.NewConst(was.Pos(), s.scope.pkg, id.Name, was.Type(), was.Val())
			case *types.TypeName:
				o = types.NewTypeName(was.Pos(), s.scope.pkg, id.Name, was.Type())
			default:
				continue
			}
			if n := s.scope.emitted[s.scope.objs[name]]; n != "" {
				s.scope.emitted[o] = n
			}
			l = append(l, o)
		}
	}
	return l
}

// receiver gives the name of the type that a method is declared on.
func receiver(fd *ast.FuncDecl) string {
	e := fd.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// setMethods replaces the methods of a named type. go/types only lets methods be added, and a
// notebook also needs them changed, and taken back when the cell turns out not to compile.
// It tells whether it could.
func setMethods(named *types.Named, methods []*types.Func) bool {
	f := reflect.ValueOf(named).Elem().FieldByName("methods")
	if !f.IsValid() || f.Type() != reflect.TypeFor[[]*types.Func]() {
		return false
	}
	*(*[]*types.Func)(unsafe.Pointer(f.UnsafeAddr())) = methods
	return true
}

func identsIn(n ast.Node, f func(id *ast.Ident)) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			f(id)
		}
		return true
	})
}
