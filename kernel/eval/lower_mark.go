package eval

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// Names of the interpreter's global variables.
const (
	rtName    = "rtʹ"        // package of the run-time support
	flagName  = "interruptʹ" // an interrupt is wanted
	trueName  = "trueʹ"
	falseName = "falseʹ"
)

// Beginnings of the names of local variables by which a trace knows them.
const (
	lineName   = "ʹline"   // the mark of the statement being executed
	defersName = "ʹdefers" // the parameter of the body of a function that defers
	yieldName  = "ʹyield"  // parameters of the body of a loop over a function
)

// poll is the check for an interrupt, at the head of every loop and of every function that
// can recurse. It is a global variable of the interpreter because yaegi takes a condition
// that is a compiled variable for a constant.
func (l *lowerer) poll() ast.Stmt { return l.ifs(l.id(flagName), l.do(l.rt("Stop"))) }

// A mark says where in the source a statement is: that is the line of a panic in it, and where the
// index is that was out of range.
type mark struct {
	from, to token.Pos
	indexes  bool // so that it is to be told from others of its line that do
}

const markLength = 1<<16 - 1

func (m mark) number() int {
	return int(m.from)<<17 | b2i(m.indexes)<<16 | min(int(m.to-m.from), markLength)
}

func markOfNumber(n int) mark {
	from := token.Pos(n >> 17)
	return mark{from, from + token.Pos(n&markLength), n>>16&1 == 1}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mark records which statement it is that can panic: yaegi does not know where a panic
// happened, only in which function. Each function has a variable of its own for it, so that the
// marks of all that are on the stack are known, and goroutines do not meet in it.
func (l *lowerer) mark(of ast.Node) ast.Stmt {
	if l.fn.line == "" {
		l.fn.line = l.tmp(lineName)
	}
	m := mark{l.pos, l.pos, false}
	if of != nil {
		m = mark{of.Pos(), of.End(), false}
		if body := blockOfHeader(of); body != nil {
			m.to = body.Pos()
		}
		m.indexes = indexes(of)
	}
	return &ast.AssignStmt{Lhs: []ast.Expr{l.id(l.fn.line)}, TokPos: l.pos, Tok: token.ASSIGN, Rhs: []ast.Expr{l.int(m.number())}}
}

// blockOfHeader gives the block of a statement, which has marks of its own.
func blockOfHeader(n ast.Node) *ast.BlockStmt {
	switch n := n.(type) {
	case *ast.IfStmt:
		return n.Body
	case *ast.ForStmt:
		return n.Body
	case *ast.RangeStmt:
		return n.Body
	case *ast.SwitchStmt:
		return n.Body
	case *ast.TypeSwitchStmt:
		return n.Body
	}
	return nil
}

// indexes tells whether a statement indexes or slices something, but for what is in its block and
// in function literals.
func indexes(st ast.Node) bool {
	found := false
	body := blockOfHeader(st)
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return n != body
		case *ast.FuncLit:
			return false
		case *ast.IndexExpr, *ast.SliceExpr:
			found = true
		}
		return !found
	})
	return found
}

// markOf gives the variable and the value of a mark.
func markOf(st ast.Stmt) (name, value string) {
	a, ok := st.(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 || a.Tok != token.ASSIGN {
		return "", ""
	}
	id, ok := a.Lhs[0].(*ast.Ident)
	if !ok || !strings.HasPrefix(id.Name, lineName) {
		return "", ""
	}
	return id.Name, a.Rhs[0].(*ast.BasicLit).Value
}

func isMark(st ast.Stmt) bool { name, _ := markOf(st); return name != "" }

// marked completes a body that was lowered with marks: it declares their variable, or, if they are
// all of one line, takes them out and notes the line by the position of the function.
func (l *lowerer) marked(list []ast.Stmt, place funcPlace) []ast.Stmt {
	name := l.fn.line
	if name == "" {
		return list
	}
	body := &ast.BlockStmt{List: list}
	var marks []*ast.BasicLit
	eachList(body, func(list *[]ast.Stmt) {
		for _, st := range *list {
			if n, _ := markOf(st); n == name {
				marks = append(marks, st.(*ast.AssignStmt).Rhs[0].(*ast.BasicLit))
			}
		}
	})
	l.joinMarks(marks)
	values := map[string]bool{}
	for _, m := range marks {
		values[m.Value] = true
	}
	if len(values) == 0 {
		return list
	}
	if len(values) > 1 {
		if n, _ := markOf(list[0]); n == name {
			list[0].(*ast.AssignStmt).Tok = token.DEFINE
			return list
		}
		return append([]ast.Stmt{l.define(name, l.int(0))}, list...)
	}
	for v := range values {
		n, _ := strconv.Atoi(v)
		l.onlyLine[place] = n
	}
	eachList(body, func(list *[]ast.Stmt) {
		*list = slices.DeleteFunc(*list, func(st ast.Stmt) bool { n, _ := markOf(st); return n == name })
	})
	return body.List
}

// joinMarks makes one mark of those of a line, unless several statements of it index something.
func (l *lowerer) joinMarks(list []*ast.BasicLit) {
	type place struct {
		file string
		line int
	}
	ofLine := map[place]map[mark][]*ast.BasicLit{}
	for _, x := range list {
		n, _ := strconv.Atoi(x.Value)
		m := markOfNumber(n)
		at := l.s.fset.Position(m.from)
		p := place{at.Filename, at.Line}
		if ofLine[p] == nil {
			ofLine[p] = map[mark][]*ast.BasicLit{}
		}
		ofLine[p][m] = append(ofLine[p][m], x)
	}
	for _, marks := range ofLine {
		joined, indexing := mark{}, 0
		for m := range marks {
			indexing += b2i(m.indexes)
			if joined.from == 0 || m.from < joined.from {
				joined.from = m.from
			}
			joined.to = max(joined.to, m.to)
		}
		if indexing > 1 {
			continue
		}
		for _, same := range marks {
			for _, x := range same {
				x.Value = strconv.Itoa(joined.number())
			}
		}
	}
}

// A funcPlace tells functions of the output apart. A literal may begin where its function does.
type funcPlace struct {
	pos  token.Pos
	kind byte // 'd' for a declared function, 'b' for the body of one that defers, 'l' for a literal
}

// eachList calls f for the lists of statements below a block.
func eachList(b *ast.BlockStmt, f func(*[]ast.Stmt)) {
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			f(&n.List)
		case *ast.CaseClause:
			f(&n.Body)
		case *ast.CommClause:
			f(&n.Body)
		}
		return true
	})
}

// canPanic tells whether executing the statement itself, not those inside it, may panic.
func canPanic(st ast.Stmt) bool {
	var parts []ast.Node
	add := func(n ast.Node, ok bool) {
		if ok {
			parts = append(parts, n)
		}
	}
	switch st := st.(type) {
	case *ast.IfStmt:
		add(st.Cond, true)
	case *ast.ForStmt:
		add(st.Cond, st.Cond != nil)
	case *ast.RangeStmt:
		add(st.X, true)
	case *ast.SwitchStmt:
		add(st.Tag, st.Tag != nil)
	case *ast.TypeSwitchStmt:
		add(st.Assign, true)
	case *ast.BlockStmt, *ast.LabeledStmt, *ast.BranchStmt, *ast.EmptyStmt, *ast.SelectStmt, *ast.DeclStmt: // their parts have marks of their own
	default:
		add(st, true)
	}
	found := false
	for _, p := range parts {
		ast.Inspect(p, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.SelectorExpr, *ast.SendStmt:
				found = true
			case *ast.BinaryExpr:
				if n.Op == token.QUO || n.Op == token.REM || n.Op == token.SHL || n.Op == token.SHR || n.Op == token.EQL || n.Op == token.NEQ {
					found = true
				}
			case *ast.AssignStmt:
				if n.Tok == token.QUO_ASSIGN || n.Tok == token.REM_ASSIGN {
					found = true
				}
			}
			return !found
		})
	}
	return found
}

func (l *lowerer) unmarked(list []ast.Stmt) []ast.Stmt {
	var out []ast.Stmt
	for _, st := range list {
		if !isMark(st) {
			out = append(out, st)
		}
	}
	return out
}

// hoistMark takes the mark out of the body of a loop that has only one and calls nothing that
// has marks of its own, so that the innermost loops do not pay for it.
func (l *lowerer) hoistMark(body *[]ast.Stmt) []ast.Stmt {
	marks, bad := 0, false
	for _, st := range *body {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				bad = true
			case *ast.AssignStmt:
				if isMark(n) {
					marks++
				}
			case *ast.CallExpr:
				if se, ok := n.Fun.(*ast.SelectorExpr); ok {
					if _, ok := se.X.(*ast.Ident); ok {
						return true // compiled
					}
				}
				if id, ok := n.Fun.(*ast.Ident); ok {
					switch id.Name {
					case "len", "cap", "append", "int", "float64", "string", "copy", "new", "make", "delete":
						return true
					}
				}
				if _, ok := n.Fun.(*ast.Ident); ok {
					bad = true
				}
			}
			return !bad
		})
	}
	if marks != 1 || bad {
		return nil
	}
	for i, st := range *body {
		if isMark(st) {
			*body = append(append([]ast.Stmt{}, (*body)[:i]...), (*body)[i+1:]...)
			return []ast.Stmt{st}
		}
	}
	return nil
}
