package eval

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// The functions called init of a cell run when the cell does, in their order, as those of a
// package do: after the variables that the cell's first statements declare with var, before
// its other statements. There may be several in one cell, and the first can also be called.

// findInits finds them and gives each a name of its own.
func (p *parsed) findInits(fset *token.FileSet) *CompileError {
	for _, d := range p.decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Recv != nil || fd.Name.Name != "init"+special {
			continue
		}
		if fd.Type.Params.NumFields() > 0 || fd.Type.Results.NumFields() > 0 {
			return p.fail(fset, fd.Name.Pos(), "func init must have no arguments and no return values")
		}
		fd.Name.Name += strings.Repeat(special, len(p.inits))
		p.inits = append(p.inits, fd)
	}
	return nil
}

// inits calls them.
func (l *lowerer) inits(c *checked) (out []ast.Stmt) {
	for _, fd := range c.inits {
		if fn, ok := c.info.Defs[fd.Name].(*types.Func); ok && fd.Body != nil {
			l.pos = fd.Name.Pos()
			out = append(out, l.mark(nil), l.do(l.call(l.funcName(fn, nil))))
		}
	}
	return out
}
