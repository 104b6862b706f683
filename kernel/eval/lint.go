package eval

import (
	"go/ast"
	"go/types"
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
			generic := n.Type.TypeParams != nil
			if fn, ok := c.info.Defs[n.Name].(*types.Func); ok && fn.Signature().RecvTypeParams().Len() > 0 {
				generic = true
			}
			if generic && n.Body != nil {
				ast.Inspect(n.Body, func(m ast.Node) bool {
					if ts, ok := m.(*ast.TypeSpec); ok {
						l.refuse(ts.Pos(), "a type declared in a generic function is not available in cells", "declare it outside the function, with type parameters of its own")
					}
					return true
				})
			}
		}
		return true
	}
	for _, d := range c.decls {
		ast.Inspect(d, visit)
	}
	ast.Inspect(c.body.Body, visit)
}
