package eval

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// parseProgram gives a program the syntax that reduce cuts: one declaration after another, main last.
func (p *genProgram) parseProgram() (*token.FileSet, *ast.File, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", "package main\n"+p.function("main"), parser.SkipObjectResolution)
	return fset, f, err
}

// unparse makes a program of syntax.
func (p *genProgram) unparse(fset *token.FileSet, f *ast.File) *genProgram {
	q := &genProgram{seed: p.seed}
	text := func(n any) string {
		var b strings.Builder
		format.Node(&b, fset, n)
		return b.String()
	}
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Name.Name == "main" && fd.Recv == nil {
			for _, st := range fd.Body.List {
				q.stmts = append(q.stmts, text(st))
			}
			continue
		}
		q.decls = append(q.decls, text(d))
	}
	return q
}

// edits counts the ways to make a program smaller by one step, and makes the k-th: it leaves out a
// declaration or a statement, puts the body of a statement in its place, or one operand in the place of an expression.
func (p *genProgram) edit(k int) (q *genProgram, n int) {
	fset, f, err := p.parseProgram()
	if err != nil {
		return nil, 0
	}
	at := func() bool { n++; return n-1 == k }
	list := func(l []ast.Stmt) []ast.Stmt {
		for i := 0; i < len(l); i++ {
			if at() { // with the line that uses what it declares
				j := i + 1
				for j < len(l) && isBlankUse(l[j]) {
					j++
				}
				return append(append([]ast.Stmt{}, l[:i]...), l[j:]...)
			}
			if b := bodyOf(l[i]); b != nil && at() {
				return append(append(append([]ast.Stmt{}, l[:i]...), b...), l[i+1:]...)
			}
		}
		return l
	}
	var decls []ast.Decl
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Name.Name == "main" || !at() {
			decls = append(decls, d)
		}
	}
	f.Decls = decls
	ast.Inspect(f, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.BlockStmt:
			x.List = list(x.List)
		case *ast.CaseClause:
			x.Body = list(x.Body)
		case *ast.CallExpr:
			for i, a := range x.Args {
				x.Args[i] = smaller(a, at)
			}
		case *ast.BinaryExpr:
			x.X, x.Y = smaller(x.X, at), smaller(x.Y, at)
		case *ast.AssignStmt:
			for i, a := range x.Rhs {
				x.Rhs[i] = smaller(a, at)
			}
		case *ast.ReturnStmt:
			for i, a := range x.Results {
				x.Results[i] = smaller(a, at)
			}
		case *ast.CompositeLit:
			for i, a := range x.Elts {
				x.Elts[i] = smaller(a, at)
			}
		case *ast.ParenExpr:
			x.X = smaller(x.X, at)
		case *ast.KeyValueExpr:
			x.Value = smaller(x.Value, at)
		}
		return true
	})
	return p.unparse(fset, f), n
}

func isBlankUse(st ast.Stmt) bool {
	as, ok := st.(*ast.AssignStmt)
	if !ok {
		return false
	}
	id, ok := as.Lhs[0].(*ast.Ident)
	return ok && id.Name == "_"
}

// bodyOf gives the statements inside a statement.
func bodyOf(st ast.Stmt) []ast.Stmt {
	switch st := st.(type) {
	case *ast.BlockStmt:
		return st.List
	case *ast.IfStmt:
		return st.Body.List
	case *ast.ForStmt:
		return st.Body.List
	case *ast.LabeledStmt:
		return []ast.Stmt{st.Stmt}
	case *ast.ExprStmt:
		if c, ok := st.X.(*ast.CallExpr); ok {
			if f, ok := c.Fun.(*ast.FuncLit); ok {
				return f.Body.List
			}
			if len(c.Args) == 2 {
				if f, ok := c.Args[1].(*ast.FuncLit); ok {
					return f.Body.List
				}
			}
		}
	}
	return nil
}

// smaller gives one of the parts of an expression in its place, if at says so.
func smaller(e ast.Expr, at func() bool) ast.Expr {
	var parts []ast.Expr
	switch e := e.(type) {
	case *ast.CallExpr:
		parts = append(parts, e.Args...)
		if f, ok := e.Fun.(*ast.FuncLit); ok && len(f.Body.List) == 1 {
			if r, ok := f.Body.List[0].(*ast.ReturnStmt); ok {
				parts = append(parts, r.Results...)
			}
		}
	case *ast.BinaryExpr:
		parts = append(parts, e.X, e.Y)
	case *ast.ParenExpr:
		parts = append(parts, e.X)
	case *ast.UnaryExpr:
		parts = append(parts, e.X)
	case *ast.IndexExpr:
		if c, ok := e.X.(*ast.CompositeLit); ok {
			parts = append(parts, c.Elts...)
		}
	case *ast.SelectorExpr:
		if c, ok := e.X.(*ast.CallExpr); ok {
			parts = append(parts, c.Args...)
		}
	case *ast.TypeAssertExpr:
		if c, ok := e.X.(*ast.CallExpr); ok {
			parts = append(parts, c.Args...)
		}
	}
	for _, p := range parts {
		if kv, ok := p.(*ast.KeyValueExpr); ok {
			p = kv.Value
		}
		if at() {
			return p
		}
	}
	return e
}

// renamed gives the program another prefix.
func (p *genProgram) renamed(seed uint64) *genProgram {
	q := &genProgram{seed: seed}
	name := regexp.MustCompile(`\bP\d+`)
	for _, d := range p.decls {
		q.decls = append(q.decls, name.ReplaceAllString(d, q.prefix()))
	}
	for _, st := range p.stmts {
		q.stmts = append(q.stmts, name.ReplaceAllString(st, q.prefix()))
	}
	return q
}

// reduce makes a finding as small as single edits can. Where the cells end in an error that Go does not
// have, the same error is enough; else the compiler is asked again about a few dozen candidates at a time.
func reduce(t *testing.T, s *Session, p *genProgram, unlike func([]*genProgram) []bool) *genProgram {
	p.cuts = nil
	for round := 0; round < 60; round++ {
		_, n := p.edit(-1)
		found := false
		var batch []*genProgram
		try := func() bool {
			for i, bad := range unlike(batch) {
				if bad {
					p, found = batch[i], true
					break
				}
			}
			batch = nil
			return found
		}
		for k := range n {
			q, _ := p.edit(k)
			if q == nil || q.typeChecks(s) != nil || len(q.function("f")) >= len(p.function("f")) {
				continue
			}
			if batch = append(batch, q); len(batch) == 24 && try() {
				break
			}
		}
		if len(batch) > 0 && !found {
			try()
		}
		if !found {
			break
		}
	}
	return p
}

// TestReduce makes the finding of the seeds TRIVIUM_REDUCE small.
func TestReduce(t *testing.T) {
	if os.Getenv("TRIVIUM_REDUCE") == "" {
		t.Skip("TRIVIUM_REDUCE is not set")
	}
	s := newSession(t)
	for _, field := range strings.Split(os.Getenv("TRIVIUM_REDUCE"), ",") {
		seed, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		p := generate(seed)
		out, refused := p.evaluated(t)
		own := ""
		for _, text := range []string{"internal error of the interpreter: ", "reflect: ", "reflect.", "cannot use type"} {
			if i := strings.Index(out, text); i >= 0 && own == "" {
				own = out[i:min(len(out), i+len(text)+40)]
				if i := strings.Index(own, "In["); i >= 0 {
					own = own[:i]
				}
			}
		}
		unlike := func(list []*genProgram) (bad []bool) {
			for i, q := range list { // names of its own for each
				list[i] = q.renamed(seed*100 + uint64(i))
			}
			all, err := compiled(t, list)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range all {
				got, err := list[len(bad)].evaluated(t)
				bad = append(bad, err == nil && !sameOutput(got, want))
			}
			return
		}
		if refused != nil || own != "" {
			unlike = func(list []*genProgram) (bad []bool) {
				for _, q := range list {
					got, err := q.evaluated(t)
					bad = append(bad, refused != nil && err != nil || own != "" && strings.Contains(got, own))
				}
				return
			}
		}
		q := reduce(t, s, p, unlike)
		got, err := q.evaluated(t)
		fmt.Fprintf(os.Stderr, "== seed %d\n%s\ngives %s %v\n", seed, strings.Join(q.cells(), "\n---\n"), got, err)
	}
}
