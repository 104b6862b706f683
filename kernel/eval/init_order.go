package eval

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// The variables that a cell declares with var before its other statements are initialized as those of a package
// are, as in the programs that are copied into cells: one that uses another, perhaps by a function, comes behind it,
// and those without a value are zero before all. Such a name means what an earlier cell declared if that cell did not use
// it so, else the cell would do something else when it runs again.

// laterVars tells of a name that no variable above it has whether it stands in the declaration of such a variable for
// another one.
func (p *parsed) laterVars() func(id *ast.Ident) bool {
	var specs []*ast.ValueSpec
	declared := map[string]bool{}
	for _, st := range p.body.Body.List {
		d, ok := st.(*ast.DeclStmt)
		if !ok || d.Decl.(*ast.GenDecl).Tok != token.VAR {
			break
		}
		for _, sp := range d.Decl.(*ast.GenDecl).Specs {
			spec := sp.(*ast.ValueSpec)
			specs = append(specs, spec)
			for _, id := range spec.Names {
				declared[id.Name] = true
			}
		}
	}
	return func(id *ast.Ident) bool {
		if !declared[id.Name] {
			return false
		}
		for _, spec := range specs {
			for i, x := range spec.Values {
				if x.Pos() <= id.Pos() && id.Pos() < x.End() {
					of := spec.Names
					if len(of) == len(spec.Values) {
						of = of[i : i+1]
					}
					return !slices.ContainsFunc(of, func(v *ast.Ident) bool { return v.Name == id.Name })
				}
			}
		}
		return false
	}
}

// namesOld tells whether an expression has the name of what an earlier cell declared and this one declares again.
func namesOld(x ast.Expr) bool {
	found := false
	identsIn(x, func(id *ast.Ident) { found = found || strings.HasSuffix(id.Name, old) })
	return found
}

// inOrder gives the statements of a cell in the order in which they run, and how many of them are such declarations.
func (c *checked) inOrder() (list []ast.Stmt, heads int) {
	list = c.body.Body.List
	vars := c.parsed.vars
	of := map[ast.Expr]int{} // by the value, the statement
	var zero, out []ast.Stmt
	todo := 0
	for i, st := range list[:vars] {
		if a, ok := st.(*ast.AssignStmt); ok {
			for _, x := range a.Rhs {
				of[x] = i
			}
			todo += len(a.Rhs)
		} else {
			zero = append(zero, st)
		}
	}
	order := make([]ast.Expr, 0, todo)
	for _, init := range c.info.InitOrder {
		if _, ok := of[init.Rhs]; ok {
			order = append(order, init.Rhs)
		}
	}
	if len(order) < todo { // some are in a cycle by functions
		return list, vars
	}
	for len(order) > 0 {
		st := list[of[order[0]]].(*ast.AssignStmt)
		n := 1
		for n < len(order) && of[order[n]] == of[order[0]] {
			n++
		}
		// var a, b = b, 1 is two initializations, unless it exchanges what earlier cells declared
		if len(st.Lhs) == len(st.Rhs) && (n < len(st.Rhs) || !slices.ContainsFunc(st.Rhs, namesOld)) {
			i := slices.Index(st.Rhs, order[0])
			st, n = &ast.AssignStmt{Lhs: st.Lhs[i : i+1], TokPos: st.TokPos, Tok: st.Tok, Rhs: st.Rhs[i : i+1]}, 1
		}
		out, order = append(out, st), order[n:]
	}
	return slices.Concat(zero, out, list[vars:]), len(zero) + len(out)
}
