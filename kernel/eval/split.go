package eval

import (
	"go/scanner"
	"go/token"
)

// A chunk is a declaration or a statement at the top level of a cell.
type chunk struct {
	decl       bool // import, type, const, func: what a file may hold and a function body may not
	drop       bool // a package clause, of no use in a cell
	start, end int  // byte offsets, the semicolon not included
}

// split cuts a cell at the semicolons, written or implied, that are within no bracket. A
// Go file takes declarations and a function body takes statements, and a cell mixes them. The
// second result tells whether the last statement ends in a written semicolon, which means
// that its value is not to be shown.
//
// Source with errors is cut in some way; the parser then says what is wrong with it. A
// package clause is dropped, so that a whole program can be pasted into a cell.
func split(src string) (chunks []chunk, quiet bool) {
	type word struct {
		off int
		tok token.Token
		lit string
	}
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var sc scanner.Scanner
	sc.Init(file, []byte(src), func(token.Position, string) {}, 0)
	var words []word
	for {
		pos, tok, lit := sc.Scan()
		off := min(file.Offset(pos), len(src))
		words = append(words, word{off, tok, lit})
		if tok == token.EOF {
			break
		}
	}
	isDecl := func(l []word) bool {
		switch l[0].tok {
		case token.IMPORT, token.TYPE, token.CONST:
			return true
		case token.FUNC:
		default:
			return false
		}
		if len(l) > 1 && l[1].tok == token.IDENT {
			return true
		}
		// func (r T) name( declares a method; anything else that starts so is a literal
		depth := 0
		for i := 1; i < len(l); i++ {
			switch l[i].tok {
			case token.LPAREN:
				depth++
			case token.RPAREN:
				if depth--; depth == 0 {
					return i+2 < len(l) && l[i+1].tok == token.IDENT && (l[i+2].tok == token.LPAREN || l[i+2].tok == token.LBRACK)
				}
			}
		}
		return false
	}
	depth, begin := 0, 0
	for i, w := range words {
		switch w.tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		case token.SEMICOLON, token.EOF:
			if depth > 0 && w.tok != token.EOF {
				continue
			}
			if begin < i {
				first := words[begin]
				chunks = append(chunks, chunk{
					decl: isDecl(words[begin:i]), drop: first.tok == token.PACKAGE, start: first.off, end: w.off,
				})
				quiet = w.tok == token.SEMICOLON && w.lit == ";"
			} else if w.lit == ";" {
				quiet = true
			}
			begin = i + 1
		}
	}
	return chunks, quiet
}

// keep blanks out of src what is not of the kind asked for. Every byte that stays keeps its place,
// so positions in the result are positions in the cell. Statements are all that no declaration
// takes, semicolons too: those in the header of a for loop may have nothing between them.
func keep(src string, chunks []chunk, decl bool) string {
	b := []byte(src)
	if decl {
		blank(b, 0, len(b))
	}
	for _, c := range chunks {
		switch {
		case c.drop:
			blank(b, c.start, c.end)
		case decl && c.decl:
			copy(b[c.start:], src[c.start:min(c.end+1, len(src))])
		case !decl && c.decl:
			blank(b, c.start, c.end)
		}
	}
	return string(b)
}

// blank overwrites b[start:end] with spaces, line ends excepted.
func blank(b []byte, start, end int) {
	for i := start; i < end; i++ {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
}
