package eval

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Go evaluates calls from left to right, and the right side of && and || only where it is needed.
// Some operands need statements before the one they are in, see lowerer.pre, and those would run
// before the operands on their left: these are put into variables first.

// then lowers an operand that comes after others, which are lowered already.
func (l *lowerer) then(done []ast.Expr, lower func() ast.Expr) ast.Expr {
	before := len(l.pre)
	x := lower()
	l.holdBefore(before, done)
	return x
}

// readsChanging tells whether statements give variables what they read in those that functions may change.
func (l *lowerer) readsChanging(list []ast.Stmt) bool {
	found := false
	for _, st := range list {
		as, ok := st.(*ast.AssignStmt)
		if !ok || isMark(as) {
			continue
		}
		for _, x := range as.Rhs {
			ast.Inspect(x, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncLit:
					return false
				case *ast.Ident:
					found = found || l.changes(n.Name)
				}
				return !found
			})
		}
	}
	return found
}

// changes tells whether functions may change a variable of the output: of those of the function being lowered only what
// functions or pointers hold on to.
func (l *lowerer) changes(name string) bool {
	if name == rtName || types.Universe.Lookup(name) != nil {
		return false
	}
	for _, o := range l.localOf[name] {
		if l.locals[o] == name {
			return l.captured[o]
		}
	}
	return !strings.Contains(name, "ˑ")
}

// Whether a variable is read before a call on its right that changes it is left open by the language. The compiler makes
// the calls of a statement first, and reads variables when it needs them. So a statement in which it could matter is
// lowered in the same way.

// readsBeforeCalls tells whether expressions of a statement read, before a call, what that may change.
func (l *lowerer) readsBeforeCalls(st ast.Stmt) bool {
	var list []ast.Expr
	switch st := st.(type) {
	case *ast.AssignStmt:
		list = st.Rhs
		if len(st.Lhs) > 1 {
			list = slices.Concat(st.Lhs, st.Rhs)
		}
	case *ast.ExprStmt:
		list = []ast.Expr{st.X}
	case *ast.ReturnStmt:
		list = st.Results
	case *ast.SendStmt:
		list = []ast.Expr{st.Value}
	case *ast.IfStmt:
		list = []ast.Expr{st.Cond}
	case *ast.DeferStmt:
		list = append([]ast.Expr{st.Call.Fun}, st.Call.Args...)
	case *ast.GoStmt:
		list = append([]ast.Expr{st.Call.Fun}, st.Call.Args...)
	}
	return l.readsThenCalls(list)
}

func (l *lowerer) readsThenCalls(list []ast.Expr) bool {
	reads, found := false, false
	for _, e := range list {
		l.inOrder(e, &reads, &found)
	}
	return found
}

// inOrder goes through an expression: reads becomes true at a variable that a call may change, found at a call after one.
func (l *lowerer) inOrder(e ast.Expr, reads, found *bool) {
	if e == nil || *found || l.info.Types[e].Value != nil || l.info.Types[e].IsType() {
		return
	}
	walk := func(list ...ast.Expr) {
		for _, x := range list {
			l.inOrder(x, reads, found)
		}
	}
	switch e := e.(type) {
	case *ast.Ident:
		if o, ok := l.info.Uses[e].(*types.Var); ok {
			*reads = *reads || l.captured[o] || o.Parent() == o.Pkg().Scope()
		}
	case *ast.ParenExpr:
		walk(e.X)
	case *ast.SelectorExpr:
		if sel := l.info.Selections[e]; sel != nil {
			walk(e.X)
			*reads = *reads || sel.Indirect() && sel.Kind() == types.FieldVal
		}
	case *ast.IndexExpr:
		walk(e.X, e.Index)
		switch t := l.typeOf(e.X); {
		case t == nil:
		default:
			switch t.Underlying().(type) {
			case *types.Slice, *types.Map, *types.Pointer:
				*reads = true
			}
		}
	case *ast.StarExpr:
		walk(e.X)
		*reads = true
	case *ast.SliceExpr:
		walk(e.X, e.Low, e.High, e.Max)
	case *ast.TypeAssertExpr:
		walk(e.X)
	case *ast.BinaryExpr:
		walk(e.X, e.Y)
	case *ast.KeyValueExpr:
		walk(e.Key, e.Value)
	case *ast.CompositeLit:
		_, isStruct := l.typeOf(e).Underlying().(*types.Struct)
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok && isStruct {
				x = kv.Value
			}
			walk(x)
		}
	case *ast.UnaryExpr:
		walk(e.X)
		if e.Op == token.ARROW {
			*found = *found || *reads
		}
	case *ast.CallExpr:
		before := *reads // what is read for the call itself comes before it
		walk(append([]ast.Expr{e.Fun}, e.Args...)...)
		if l.isCall(e) {
			*found = *found || before
			*reads = before
		}
	}
}

// isCall tells whether a call is one of a function that may change something.
func (l *lowerer) isCall(e *ast.CallExpr) bool {
	tv := l.info.Types[e.Fun]
	return !tv.IsType() && !tv.IsBuiltin()
}

// comesFirst tells whether the compiler evaluates an expression before it reads the variables of the statement: a call, what
// ends in one of the compiler's own, and a map.
func (l *lowerer) comesFirst(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		if l.isCall(e) {
			t := l.info.TypeOf(e)
			_, isTuple := t.(*types.Tuple)
			return t != nil && !isTuple
		}
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		return ok && (l.isBuiltin(id, "append") || l.isBuiltin(id, "len") || l.isBuiltin(id, "cap"))
	case *ast.UnaryExpr:
		_, isTuple := l.info.TypeOf(e).(*types.Tuple)
		return e.Op == token.ARROW && !isTuple
	case *ast.TypeAssertExpr:
		_, isTuple := l.info.TypeOf(e).(*types.Tuple)
		return e.Type != nil && !isTuple
	case *ast.BinaryExpr:
		if e.Op == token.EQL || e.Op == token.NEQ {
			return isWhole(l.typeOf(e.X)) && isWhole(l.typeOf(e.Y))
		}
		return e.Op == token.LAND || e.Op == token.LOR
	case *ast.CompositeLit:
		_, isMap := l.typeOf(e).Underlying().(*types.Map)
		return isMap && len(e.Elts) > 0
	}
	return false
}

func isWhole(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// copiedFirst tells whether the compiler makes an interface of an expression before it reads the other variables of the
// statement: where it needs the address of a value that has none.
func (l *lowerer) copiedFirst(e ast.Expr) bool {
	t := types.Default(l.typeOf(e))
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return false
		}
	case *types.Struct, *types.Array:
	default:
		return false
	}
	switch gcSizes.Sizeof(t) {
	case 0, 2, 4, 8:
		return false
	}
	return !l.hasAddress(e)
}

var gcSizes = types.SizesFor("gc", "amd64")

func (l *lowerer) hasAddress(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		sel := l.info.Selections[e]
		return sel == nil || sel.Indirect() || l.hasAddress(e.X)
	case *ast.IndexExpr:
		switch l.typeOf(e.X).Underlying().(type) {
		case *types.Slice, *types.Pointer:
			return true
		case *types.Array:
			return l.hasAddress(e.X)
		}
	}
	return false
}

// isBox matches what makes an interface of a value of a cell's type, or of another interface.
func isBox(c *ast.CallExpr) bool {
	name := runtimeCall(c)
	return name == "Box" || name == "Norm" || strings.HasPrefix(name, "Box_") || strings.HasPrefix(name, "To_")
}

// holdBefore holds operands if what was put before the statement after them does something, or reads what the
// operands' calls may change.
func (l *lowerer) holdBefore(before int, done []ast.Expr) {
	if before > len(l.pre) || !anyEffect(l.pre[before:]) && !l.readsChanging(l.pre[before:]) {
		return
	}
	var held []ast.Stmt
	for i, x := range done {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			if callsAnything(kv.Key) {
				kv.Key = l.hold(kv.Key, &held)
			}
			if callsAnything(kv.Value) {
				kv.Value = l.hold(kv.Value, &held)
			}
		} else if x != nil && callsAnything(x) {
			done[i] = l.hold(x, &held)
		}
	}
	l.pre = slices.Insert(l.pre, before, held...)
}

// logical lowers x && y or x || y, where pre is what y needs done before it.
func (l *lowerer) logical(x ast.Expr, op token.Token, pre []ast.Stmt, y ast.Expr) ast.Expr {
	if !anyEffect(pre) && !startsWrong(x) && !unbranched(x) {
		l.pre = append(l.pre, pre...)
		return l.binary(x, op, y)
	}
	return l.decided(x, op, pre, y)
}

// decided is logical with a variable for the result.
func (l *lowerer) decided(x ast.Expr, op token.Token, pre []ast.Stmt, y ast.Expr) ast.Expr {
	t := l.tmp("b")
	cond := ast.Expr(l.id(t))
	if op == token.LOR {
		cond = l.not(cond)
	}
	l.pre = append(l.pre, l.define(t, x), l.ifs(cond, append(pre, l.set(l.id(t), y))...))
	return l.id(t)
}

// unbranched tells whether yaegi evaluates the right operand after x whatever x gives, and then
// looks at what it had before: an assertion or a conversion does not branch as a call does.
func unbranched(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.TypeAssertExpr:
		return true
	case *ast.CallExpr:
		id, ok := x.Fun.(*ast.Ident)
		return ok && id.Name == "bool" // what named types of cells become
	}
	return false
}

// both lowers two operands, of which the first is evaluated first.
func (l *lowerer) both(a, b func() ast.Expr) (x, y ast.Expr) {
	left := []ast.Expr{a()}
	y = l.then(left, b)
	return left[0], y
}

// apart lowers something and gives separately what it needs done before it.
func (l *lowerer) apart(lower func() ast.Expr) (pre []ast.Stmt, x ast.Expr) {
	outer := l.pre
	l.pre = nil
	x = lower()
	pre, l.pre = compact(l.pre), outer
	return pre, x
}

// startsWrong tells whether the part of an operand that is evaluated first is a key in a composite
// literal, the type of a struct or function, or something in parentheses: as the left side of && or || yaegi takes that for the condition.
func startsWrong(x ast.Expr) bool {
	leaf := func(x ast.Expr) bool {
		switch x.(type) {
		case *ast.Ident, *ast.BasicLit, *ast.ArrayType, *ast.MapType, *ast.ChanType:
			return true
		}
		return false
	}
	first := func(list ...ast.Expr) bool { // the first that is evaluated by itself
		for _, x := range list {
			if x != nil && !leaf(x) {
				return startsWrong(x)
			}
		}
		return false
	}
	switch x := x.(type) {
	case *ast.KeyValueExpr, *ast.StructType, *ast.FuncType:
		return true
	case *ast.ParenExpr:
		if leaf(x.X) {
			id, ok := x.X.(*ast.Ident)
			return !ok || id.Name != "true" && id.Name != "false"
		}
		return startsWrong(x.X)
	case *ast.CompositeLit:
		return first(append([]ast.Expr{x.Type}, x.Elts...)...)
	case *ast.CallExpr:
		return first(append([]ast.Expr{x.Fun}, x.Args...)...)
	case *ast.BinaryExpr:
		return first(x.X, x.Y)
	case *ast.IndexExpr:
		return first(x.X, x.Index)
	case *ast.SliceExpr:
		return first(x.X, x.Low, x.High, x.Max)
	case *ast.UnaryExpr:
		return first(x.X)
	case *ast.StarExpr:
		return first(x.X)
	case *ast.SelectorExpr:
		return first(x.X)
	case *ast.TypeAssertExpr:
		return first(x.X)
	}
	return false
}

// anyEffect tells whether statements do more than make closures.
func anyEffect(list []ast.Stmt) bool {
	for _, st := range list {
		switch s := st.(type) {
		case *ast.AssignStmt:
			if isMark(s) || len(s.Rhs) == 1 && makesClosure(s.Rhs[0]) {
				continue
			}
			if !slices.ContainsFunc(s.Rhs, callsAnything) && s.Tok == token.DEFINE && !slices.ContainsFunc(s.Rhs, readsMemory) {
				continue
			}
			return true
		case *flat:
			if anyEffect(s.list) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// makesClosure matches a function literal, one made by a function of its own, and a function as a value.
func makesClosure(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.FuncLit:
		return true
	case *ast.TypeAssertExpr:
		return isRT(x.X, "Func")
	case *ast.CallExpr:
		if id, ok := x.Fun.(*ast.Ident); ok && isHelper(id.Name, takenFuncs) {
			return isRT(x.Args[0], "Func")
		}
		f, ok := x.Fun.(*ast.FuncLit)
		if !ok || len(x.Args) > 0 || len(f.Body.List) != 1 {
			return false
		}
		r, ok := f.Body.List[0].(*ast.ReturnStmt)
		return ok && len(r.Results) == 1 && makesClosure(r.Results[0])
	}
	return false
}

// quietCalls are builtins and conversions: their operands matter, they do not.
var quietCalls = map[string]bool{
	"len": true, "cap": true, "bool": true, "string": true, "int": true, "int8": true, "int16": true, "int32": true, "int64": true, "uint": true, "uint8": true,
	"uint16": true, "uint32": true, "uint64": true, "uintptr": true, "float32": true, "float64": true, "complex64": true, "complex128": true, "real": true, "imag": true, "any": true,
}

// callsAnything tells whether evaluating an expression calls a function of the source.
func callsAnything(x ast.Expr) bool {
	found := false
	if x == nil {
		return false
	}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && quietCalls[id.Name] || isBox(n) {
				return true
			}
			if p, ok := n.Fun.(*ast.ParenExpr); ok {
				if _, isType := p.X.(*ast.ArrayType); isType {
					return true
				}
			}
			found = true
		}
		return !found
	})
	return found
}

// readsMemory tells whether evaluating an expression may panic.
func readsMemory(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IndexExpr, *ast.StarExpr, *ast.SelectorExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
			found = true
		case *ast.BinaryExpr:
			found = found || n.Op == token.QUO || n.Op == token.REM
		}
		return !found
	})
	return found
}
