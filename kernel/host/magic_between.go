package host

import (
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
)

// In GoNB special lines may stand between the Go of a cell, and most cells have one: "%%" parts the
// declarations from what is to run. They all act before the Go does. A line that begins with % where
// a statement may begin can be nothing else, since no statement begins so.

// between takes the special lines out of the Go of a cell. The same number of blanks stands in their
// place, so that positions stay what they are.
func between(source string) (special []line, rest string) {
	for from := 0; ; {
		start := percent(source, from)
		if start < 0 {
			return special, source
		}
		end := start + len(source[start:])
		if n := strings.IndexByte(source[start:], '\n'); n >= 0 {
			end = start + n
		}
		special = append(special, line{1 + strings.Count(source[:start], "\n"), strings.TrimSpace(source[start:end])})
		source = source[:start] + strings.Repeat(" ", end-start) + source[end:]
		from = end
	}
}

// line is a special line with its number in the cell.
type line struct {
	at   int
	text string
}

// percent finds the first % at or behind from with which a statement would begin, or gives -1.
func percent(source string, from int) int {
	if !strings.Contains(source[from:], "%") {
		return -1
	}
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, []byte(source), func(token.Position, string) {}, 0)
	depth := 0 // of parentheses and brackets, within which lines go on
	for before := token.SEMICOLON; ; {
		pos, tok, _ := s.Scan()
		switch tok {
		case token.EOF:
			return -1
		case token.LPAREN, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACK:
			depth--
		case token.REM, token.REM_ASSIGN:
			at := file.Offset(pos)
			head := source[strings.LastIndexByte(source[:at], '\n')+1 : at]
			if at >= from && depth <= 0 && (before == token.SEMICOLON || before == token.LBRACE || before == token.RBRACE) && strings.TrimSpace(head) == "" {
				return at
			}
		}
		before = tok
	}
}

// betweenLines does the special lines between the Go of a cell.
func (s *session) betweenLines(source string) (rest string, at line, err error) {
	lines, rest := between(source)
	for _, at := range lines {
		if strings.HasPrefix(at.text, "%%") && strings.Trim(at.text, "%") != "" && at.text[2] != ' ' {
			return rest, at, fmt.Errorf("%s must be the first line of its cell", strings.Fields(at.text)[0])
		}
		if err := s.special(at.text, &rest); err != nil {
			return rest, at, err
		}
	}
	return rest, line{}, nil
}
