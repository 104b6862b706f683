package eval

import "go/ast"

// lint refuses what cannot be made right, before anything of the cell has happened. More is
// refused where it is lowered, by [lowerer.refuse].
func (l *lowerer) lint(c *checked) {
	for _, d := range c.decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body == nil {
			l.refuse(fd.Pos(), "missing function body", "")
		}
	}
}
