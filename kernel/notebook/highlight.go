package notebook

import (
	"go/scanner"
	"go/token"
	"html"
	"strings"
)

// highlightGo colours Go lightly: keywords, texts, numbers, comments and the names that every
// Go program knows. Source that is no Go, a cell's %command for one, keeps its text.
func highlightGo(src string) string {
	var b strings.Builder
	for line := range strings.Lines(src) { // commands of the kernel come first in a cell
		if !strings.HasPrefix(line, "%") && !strings.HasPrefix(line, "!") {
			break
		}
		b.WriteString(`<span class="cmd">` + html.EscapeString(strings.TrimSuffix(line, "\n")) + "</span>")
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
		src = src[len(line):]
	}

	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(token.Position, string) {}, scanner.ScanComments)
	at := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		start := file.Offset(pos)
		if tok == token.SEMICOLON && lit == "\n" || start < at {
			continue // put in by the scanner
		}
		if lit == "" {
			lit = tok.String()
		}
		// The scanner takes carriage returns out of comments and raw strings, so the end is
		// found in the source and not counted.
		end := min(start+len(lit), len(src))
		if src[start:end] != lit {
			end = start + lengthWithReturns(src[start:], lit)
		}
		b.WriteString(html.EscapeString(src[at:start]))
		text := html.EscapeString(src[start:end])
		if class := tokenClass(tok, lit); class != "" {
			text = `<span class="` + class + `">` + text + "</span>"
		}
		b.WriteString(text)
		at = end
	}
	b.WriteString(html.EscapeString(src[at:]))
	return b.String()
}

func lengthWithReturns(src, lit string) int {
	i := 0
	for j := 0; j < len(lit) && i < len(src); i++ {
		if src[i] == lit[j] {
			j++
		}
	}
	return i
}

func tokenClass(tok token.Token, lit string) string {
	switch {
	case tok.IsKeyword():
		return "kw"
	case tok == token.STRING || tok == token.CHAR:
		return "str"
	case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
		return "num"
	case tok == token.COMMENT:
		return "com"
	case tok == token.IDENT && predeclared[lit]:
		return "pre"
	}
	return ""
}

var predeclared = set(`any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune
	string uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy delete imag len
	make max min new panic print println real recover`)
