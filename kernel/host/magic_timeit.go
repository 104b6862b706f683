package host

import (
	"errors"
	"go/ast"
	"go/parser"
	"strings"
)

func init() {
	commands = append(commands, command{"timeit", "[GO]", "run GO, or the rest of the cell, many times, and show how long it takes", timeIt})
}

// timeIt makes of the rest of the cell a function that nb.Timeit measures. It changes no
// line's number.
func timeIt(_ *session, args string, rest *string) error {
	code := *rest
	if args != "" {
		code = args + "\n" + code
	}
	if strings.TrimSpace(code) == "" {
		return errors.New("%timeit needs Go to run, on its line or below")
	}
	if e, err := parser.ParseExpr(code); err == nil && !statement(e) {
		code = "_ = " + code
	}
	*rest = "nb.Timeit(func() { " + code + "\n})"
	return nil
}

// statement reports whether an expression can stand as a statement.
func statement(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		u, ok := e.(*ast.UnaryExpr)
		return ok && u.Op.String() == "<-"
	}
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		switch f.Name {
		case "append", "cap", "complex", "imag", "len", "make", "max", "min", "new", "real",
			"int", "float64", "float32", "string", "byte", "rune", "uint", "int64", "uint64", "int32", "bool":
			return false
		}
	case *ast.ArrayType, *ast.MapType, *ast.FuncType, *ast.ChanType, *ast.InterfaceType, *ast.StarExpr:
		return false
	}
	return true
}
