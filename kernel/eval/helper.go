package eval

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
)

// helper gives the name of the helper function with a key, generating its source at the
// first use in the session.
func (l *lowerer) helper(key, prefix string, source func(name string) string) string {
	if n, ok := l.helpers[key]; ok {
		return n
	}
	if n, ok := l.s.helpers[key]; ok {
		return n
	}
	l.s.helperCount++
	n := prefix + "ʹh" + itoa(l.s.helperCount)
	l.helpers[key] = n
	l.src.WriteString(source(n))
	l.src.WriteByte('\n')
	return n
}

// isHelper tells whether a name of the output is that of a helper with a prefix.
func isHelper(name, prefix string) bool { return strings.HasPrefix(name, prefix+"ʹh") }

func (l *lowerer) typeText(t types.Type) string { return l.exprText(l.typ(t)) }

func (l *lowerer) exprText(e ast.Expr) string {
	if el, ok := e.(*ast.Ellipsis); ok {
		return "..." + l.exprText(el.Elt)
	}
	var b strings.Builder
	if err := format.Node(&b, token.NewFileSet(), e); err != nil {
		return "any"
	}
	// a struct of several fields has one on each line
	return strings.NewReplacer("{\n", "{ ", "\n", ";").Replace(b.String())
}

// helperDecls parses the helper functions of the cell.
func (l *lowerer) helperDecls() ([]ast.Decl, error) {
	if l.src.Len() == 0 {
		return nil, nil
	}
	f, err := parser.ParseFile(l.s.fset, l.p.file, "package main\n"+l.src.String(), parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, l.src.String())
	}
	return f.Decls, nil
}
