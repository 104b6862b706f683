package eval

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// A parsed cell: its declarations and its statements, not checked yet.
type parsed struct {
	n       int
	file    string // of its positions
	src     string
	lines   []string
	imports []*ast.ImportSpec
	decls   []ast.Decl
	body    *ast.FuncDecl             // func cell(){ the statements }
	free    []*ast.Ident              // identifiers of the statements that no statement before them declares
	freeTop []*ast.Ident              // identifiers of the declarations that no declaration of the cell declares
	zeroed  map[ast.Stmt][]*ast.Ident // where a variable is declared without a value
	inits   []*ast.FuncDecl           // functions called init, in order
	forward map[string]bool           // variables that are used above their declaration, see init_order.go
	vars    int                       // how many statements at the head declare variables with var
	quiet   bool                      // the last value is not to be shown
	said    map[string]string         // what comments say of the declarations
}

// fileName is how positions name a run of a cell. Cells of one number may run one after the
// other (predeclared names, user expressions, what is not stored in the history), and yaegi
// refuses a second import in a file that it knows.
func fileName(n int, fset *token.FileSet) string {
	return "In[" + strconv.Itoa(n) + "]ʹ" + strconv.Itoa(fset.Base())
}

// cellNumber is the inverse of fileName; 0 for the name of anything else.
func cellNumber(file string) int {
	s, ok := strings.CutPrefix(file, "In[")
	if !ok {
		return 0
	}
	s, _, _ = strings.Cut(s, "]")
	n, _ := strconv.Atoi(s)
	return n
}

// parse parses the declarations of a cell as a file and its statements as a function body.
// A line directive makes the positions of both those of the cell.
func parse(fset *token.FileSet, cell Cell) (*parsed, *CompileError) {
	name := fileName(cell.N, fset)
	p := &parsed{n: cell.N, file: name, src: cell.Source, forward: map[string]bool{}, lines: strings.Split(cell.Source, "\n")}
	chunks, quiet := split(cell.Source)
	p.quiet = quiet
	here := fmt.Sprintf("/*line %s:1:1*/", name)
	file, err := parser.ParseFile(fset, name, "package main;"+here+keep(cell.Source, chunks, true), 0)
	if err != nil {
		return nil, p.syntax(err)
	}
	body, err := parser.ParseFile(fset, name, "package main;func cell(){"+here+keep(cell.Source, chunks, false)+"\n}", 0)
	if err != nil {
		return nil, p.syntax(err)
	}
	if len(body.Decls) != 1 {
		return nil, p.fail(fset, body.Decls[1].Pos(), "syntax error: a } has no { before it")
	}
	p.body = body.Decls[0].(*ast.FuncDecl)
	p.free, p.freeTop = body.Unresolved, file.Unresolved
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			for _, sp := range g.Specs {
				p.imports = append(p.imports, sp.(*ast.ImportSpec))
			}
			continue
		}
		p.decls = append(p.decls, d)
	}
	p.said = comments(cell.Source, p.decls)
	return p, nil
}

// syntax makes diagnostics of the parser's errors.
func (p *parsed) syntax(err error) *CompileError {
	list, ok := err.(scanner.ErrorList)
	if !ok {
		return &CompileError{[]Diagnostic{{Cell: p.n, Line: 1, Col: 1, Text: err.Error()}}}
	}
	list.RemoveMultiples()
	e := &CompileError{}
	for i, x := range list {
		d := p.diagnostic(x.Pos, "syntax error: "+strings.Replace(x.Msg, "'IDENT'", "a name", 1))
		if i > 0 && (strings.Contains(x.Msg, "found 'EOF'") || strings.HasSuffix(x.Msg, "found '}'") && x.Pos.Line > len(p.lines)) {
			break // the parser's confusion about what came before, not the cell's
		}
		if i > 0 && x.Pos.Line <= list[i-1].Pos.Line+1 {
			continue // most likely the same
		}
		if strings.Contains(x.Msg, "found '%'") && strings.HasPrefix(strings.TrimSpace(d.Source), "%") {
			d.Hint = "a line that starts with % is a command: put it above the Go of the cell, or into a cell of its own"
		}
		if d.Line >= len(p.lines) && strings.Contains(x.Msg, "found 'EOF'") {
			d.Hint = "something that was opened is not closed"
		}
		for _, o := range wrongSyntax {
			if d.Hint == "" && o.msg.MatchString(x.Msg) && o.line.MatchString(d.Source) {
				d.Hint = o.hint
			}
		}
		if d.Hint == "" {
			d.Hint = otherLanguage(d.Source)
		}
		if d.Hint == "" && strings.HasSuffix(d.Text, "expected 1 expression") {
			d.Hint = "one value a line, or fmt.Println(a, b) for several"
		}
		e.Diagnostics = append(e.Diagnostics, d)
	}
	return e
}

// wrongSyntax are slips that message and line together tell.
var wrongSyntax = []struct {
	msg, line *regexp.Regexp
	hint      string
}{
	{regexp.MustCompile(`U\+003F`), regexp.MustCompile(`\w.*\?.*:`), "there is no ?: in Go: if condition { … } else { … }"},
	{regexp.MustCompile(`illegal rune literal`), regexp.MustCompile(`'`), "a string stands in double quotes, a single character in single ones"},
	{regexp.MustCompile(`^expected ('\{'|';'), found`), regexp.MustCompile(`^\s*(if|for)\b[^{]*$`), "what it does stands in braces: if x > 0 { … }"},
	{regexp.MustCompile(`^expected '\(', found`), regexp.MustCompile(`\bfunc\s+\w+\s*\(`), "a function within a function is a value: name := func() { … }"},
	{regexp.MustCompile(`^expected ';', found`), regexp.MustCompile(`\bstruct\s*\{`), "each field stands on a line of its own, or behind a ;"},
	{regexp.MustCompile(`^expected ';', found`), regexp.MustCompile(`\((int|float64|float32|string|int64|byte|rune)\)\s*\w`), "a conversion is written int(x)"},
	{regexp.MustCompile(`^missing ',' before newline in (argument|parameter)`), regexp.MustCompile(``), "a ) is missing, or a comma at the end of the line"},
	{regexp.MustCompile(`^missing ',' before newline in composite`), regexp.MustCompile(``), "each line ends in a comma, or in the } that closes"},
	{regexp.MustCompile(`found '(\+\+|--)'`), regexp.MustCompile(`^\s*(\+\+|--)\w|[=(]\s*(\+\+|--)?\w+(\+\+|--)?`), "x++ is a statement by itself and has no value"},
}

var otherSyntax = []struct {
	text *regexp.Regexp
	hint string
}{
	{regexp.MustCompile(`^\s*while\b`), "the loop of Go is for: for condition { … }"},
	{regexp.MustCompile(`^\s*(let|var|const|auto)\s+\w+\s*:=|^\s*(let|auto|final)\s`), "x := value declares a variable"},
	{regexp.MustCompile(`^\s*(int|float|double|string|bool|float64|char|long)\s+\w+\s*(=|$)`), "the type comes after the name: var x int = 5, or x := 5"},
	{regexp.MustCompile(`^\s*for\s+\w+(\s*,\s*\w+)?\s+in\b|^\s*foreach\b`), "for i := range 10 { … } counts, for i, x := range list { … } goes through a list"},
	{regexp.MustCompile(`^\s*(def|fn|function|fun)\s`), "a function is declared as func name(x int) int { … }"},
	{regexp.MustCompile(`^\s*(if|for)\s+\w+\s*=[^=]`), "== compares, = assigns"},
	{regexp.MustCompile(`^\s*(try|catch|throw|raise)\b`), "errors are values in Go: x, err := f(); if err != nil { … }"},
	{regexp.MustCompile(`^\s*(class)\s`), "a type is declared as type Name struct { Field int }"},
	{regexp.MustCompile(`^\s*else\s*\{`), "} else { stands on the line of the closing brace"},
	{regexp.MustCompile(`^\s*(elif|else if)\b`), "} else if condition { stands on the line of the closing brace"},
}

// otherLanguage gives a hint about a line that is no Go but looks like another language.
func otherLanguage(line string) string {
	for _, o := range otherSyntax {
		if o.text.MatchString(line) {
			return o.hint
		}
	}
	return ""
}

// diagnostic is a message about a position, which may lie just behind the source.
func (p *parsed) diagnostic(at token.Position, text string) Diagnostic {
	d := Diagnostic{Cell: p.n, Line: at.Line, Col: at.Column, Text: text}
	if d.Line > len(p.lines) {
		d.Line = len(p.lines)
		d.Col = len(p.lines[d.Line-1]) + 1
	}
	if d.Line > 0 {
		d.Source = strings.TrimRight(p.lines[d.Line-1], "\r")
	}
	return d
}

func (p *parsed) fail(fset *token.FileSet, pos token.Pos, format string, args ...any) *CompileError {
	return &CompileError{[]Diagnostic{p.diagnostic(fset.Position(pos), fmt.Sprintf(format, args...))}}
}
