package eval

import (
	"go/scanner"
	"go/token"
	"strings"
)

// IsComplete tells whether a console should run what has been typed so far: "complete",
// "incomplete" with the indentation of the next line, or "invalid".
func (s *Session) IsComplete(src string) (status, indent string) {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	open := ""
	var sc scanner.Scanner
	bad := ""
	sc.Init(file, []byte(src), func(_ token.Position, msg string) { bad = msg }, 0)
	var last token.Token
	depth := 0
	for {
		_, tok, lit := sc.Scan()
		if tok == token.EOF {
			break
		}
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if depth--; depth < 0 { // what comes later cannot mend it
				return "invalid", ""
			}
		}
		if tok != token.SEMICOLON || lit == ";" {
			last = tok
		}
	}
	switch {
	case strings.Contains(bad, "raw string literal not terminated"), strings.Contains(bad, "comment not terminated"):
		return "incomplete", ""
	case bad != "" || depth < 0:
		return "invalid", ""
	case depth > 0:
		open = strings.Repeat("\t", depth)
		return "incomplete", open
	}
	if last.IsOperator() {
		switch last {
		case token.RPAREN, token.RBRACK, token.RBRACE, token.SEMICOLON, token.INC, token.DEC, token.ELLIPSIS:
		default:
			return "incomplete", "\t"
		}
	}
	switch last {
	case token.FUNC, token.TYPE, token.VAR, token.CONST, token.IMPORT, token.IF, token.FOR, token.SWITCH, token.GO, token.DEFER:
		return "incomplete", "\t"
	}
	// the head of a function or a loop whose body is still to come, and the like
	if _, err := parse(token.NewFileSet(), Cell{1, src}); err != nil {
		// Only the first message counts: the others may follow from it. A brace that is found
		// and not expected is the one that ends the cell, for those of the source are paired.
		d := err.Diagnostics[0]
		for _, end := range []string{"EOF", "found '}'", "expected '{'"} {
			if strings.Contains(d.Text, end) {
				return "incomplete", ""
			}
		}
		return "invalid", ""
	}
	return "complete", ""
}
