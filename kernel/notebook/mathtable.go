package notebook

import (
	"fmt"
	"html"
	"strings"
)

// fence reads a delimiter that grows with what it encloses.
func (p *texParser) fence() string {
	t := p.next()
	switch {
	case t == ".":
		return ""
	case t == `\|`:
		return "<mo>‖</mo>"
	case texOperators[t] != "":
		return `<mo stretchy="true">` + html.EscapeString(texOperators[t]) + "</mo>"
	case len(t) == 1 && strings.Contains("()[]|/<>", t):
		return `<mo stretchy="true">` + html.EscapeString(strings.NewReplacer("<", "⟨", ">", "⟩").Replace(t)) + "</mo>"
	}
	return p.fail("%q is no delimiter", t)
}

func (p *texParser) fenced() string {
	open := p.fence()
	body := p.list()
	p.expect(`\right`)
	return "<mrow>" + open + body + p.fence() + "</mrow>"
}

var environments = map[string][2]string{
	"matrix": {"", ""}, "pmatrix": {"(", ")"}, "bmatrix": {"[", "]"}, "vmatrix": {"|", "|"}, "Vmatrix": {"‖", "‖"},
	"cases": {"{", ""}, "array": {"", ""}, "smallmatrix": {"", ""},
	"aligned": {"", ""}, "align": {"", ""}, "align*": {"", ""}, "split": {"", ""}, "gathered": {"", ""},
	"equation": {"", ""}, "equation*": {"", ""},
}

func (p *texParser) environment() string {
	name := p.plain()
	fences, ok := environments[name]
	if !ok {
		return p.fail("environment %q is not known here", name)
	}
	if name == "array" {
		p.plain() // column alignment
	}
	body := p.rows(name)
	p.expect(`\end`)
	if end := p.plain(); p.err == nil && end != name {
		return p.fail("\\begin{%s} ends with \\end{%s}", name, end)
	}
	for i, f := range fences {
		if f != "" {
			fences[i] = `<mo stretchy="true">` + f + "</mo>"
		}
	}
	return "<mrow>" + fences[0] + body + fences[1] + "</mrow>"
}

// rows reads cells between & and \\ into a table; one cell alone is no table.
func (p *texParser) rows(env string) string {
	var rows [][]string
	row := []string{}
	for {
		row = append(row, p.list())
		switch p.peek() {
		case "&":
			p.next()
			continue
		case `\\`:
			p.next()
			rows, row = append(rows, row), nil
			continue
		}
		break
	}
	if len(row) > 1 || len(rows) == 0 || row[0] != "<mrow></mrow>" { // a trailing \\ makes no row
		rows = append(rows, row)
	}
	if len(rows) == 1 && len(rows[0]) == 1 {
		return rows[0][0]
	}
	class := "matrix"
	if env == "" || strings.HasPrefix(env, "align") || env == "split" {
		class = "aligned"
	} else if env == "cases" || env == "array" {
		class = "cases"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<mtable class="%s"`, class)
	if p.display && class != "matrix" {
		b.WriteString(` displaystyle="true"`)
	}
	b.WriteString(">")
	for _, r := range rows {
		b.WriteString("<mtr>")
		for _, c := range r {
			b.WriteString("<mtd>" + c + "</mtd>")
		}
		b.WriteString("</mtr>")
	}
	return b.String() + "</mtable>"
}
