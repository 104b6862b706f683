package eval

import (
	"go/ast"
)

// lint refuses what cannot be made right, before anything of the cell has happened. More is
// refused where it is lowered, by [lowerer.refuse].
func (s *Session) lint(l *lowerer, c *checked) {
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body == nil {
				l.refuse(n.Pos(), "missing function body", "")
			}
		}
		return true
	}
	for _, d := range c.decls {
		ast.Inspect(d, visit)
	}
	ast.Inspect(c.body.Body, visit)
}
