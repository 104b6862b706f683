package notebook

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mathML translates the TeX of a formula to MathML, which browsers set without fonts or scripts
// from elsewhere. It knows what lessons use: scripts, fractions, roots, Greek, operators, accents,
// alphabets, fences, matrices, cases and aligned equations. Anything else is an error, and the
// page then shows the source.
func mathML(tex string, display bool) (string, error) {
	p := &texParser{tokens: texTokens(tex), display: display}
	body := p.rows("")
	if p.err == nil && p.peek() != "" {
		p.fail("unexpected %s", p.peek())
	}
	if p.err != nil {
		return "", p.err
	}
	attr := ""
	if display {
		attr = ` display="block"`
	}
	return fmt.Sprintf(`<math%s><semantics>%s<annotation encoding="application/x-tex">%s</annotation></semantics></math>`,
		attr, body, html.EscapeString(strings.TrimSpace(tex))), nil
}

// texTokens splits TeX into commands ("\frac", "\,"), numbers, single characters, and " " for any
// white space, which matters only inside \text.
func texTokens(s string) []string {
	var tokens []string
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case unicode.IsSpace(r):
			n = len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
			tokens, s = append(tokens, " "), s[n:]
			continue
		case r == '%': // a comment
			_, s, _ = strings.Cut(s, "\n")
			continue
		case r == '\\' && len(s) > 1:
			n = 1 + letters(s[1:])
			if n == 1 {
				_, w := utf8.DecodeRuneInString(s[1:])
				n += w
			}
		case r >= '0' && r <= '9':
			n = strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
			if n < 0 {
				n = len(s)
			}
			n = len(strings.TrimRight(s[:n], "."))
		}
		tokens, s = append(tokens, s[:n]), s[n:]
	}
	return tokens
}

func letters(s string) int {
	n := strings.IndexFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
	if n < 0 {
		return len(s)
	}
	return n
}

type texParser struct {
	tokens  []string
	display bool
	depth   int
	err     error
}

func (p *texParser) fail(format string, args ...any) string {
	if p.err == nil {
		p.err = fmt.Errorf("TeX: "+format, args...)
	}
	p.tokens = nil // ends all loops
	return ""
}

func (p *texParser) raw() string {
	if len(p.tokens) == 0 {
		return ""
	}
	t := p.tokens[0]
	p.tokens = p.tokens[1:]
	return t
}

// peek and next pass over white space.
func (p *texParser) peek() string {
	for len(p.tokens) > 0 && p.tokens[0] == " " {
		p.tokens = p.tokens[1:]
	}
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *texParser) next() string { p.peek(); return p.raw() }

func (p *texParser) expect(t string) {
	if got := p.next(); got != t {
		if got == "" {
			got = "the end"
		}
		p.fail("want %s, found %s", t, got)
	}
}

// list reads atoms until a token that ends a list, which stays. Each of stop ends this list too.
func (p *texParser) list(stop ...string) string {
	stop = append(stop, "", "}", "&", `\\`, `\right`, `\end`)
	var b strings.Builder
	n := 0
	for !slices.Contains(stop, p.peek()) {
		b.WriteString(p.atom())
		n++
	}
	if n == 1 {
		return b.String()
	}
	return "<mrow>" + b.String() + "</mrow>"
}

// atom reads one thing with its sub- and superscripts.
func (p *texParser) atom() string {
	if p.depth++; p.depth > 100 {
		return p.fail("nested too deeply")
	}
	defer func() { p.depth-- }()
	limits := p.display && underOver[p.peek()]
	base := "<mrow></mrow>"
	if t := p.peek(); t != "^" && t != "_" {
		base = p.nucleus()
	}
	if t := p.peek(); t == `\limits` || t == `\nolimits` {
		limits = t == `\limits`
		p.next()
	}
	var sub, sup string
	for {
		switch p.peek() {
		case "_":
			p.next()
			if sub != "" {
				return p.fail("two subscripts")
			}
			sub = p.argument()
		case "^":
			p.next()
			sup += p.argument()
		case "'":
			p.next()
			sup += "<mo>′</mo>"
		default:
			return scripts(base, sub, sup, limits)
		}
	}
}

func scripts(base, sub, sup string, limits bool) string {
	tag := "m"
	switch {
	case sub == "" && sup == "":
		return base
	case limits && sub != "" && sup != "":
		tag = "munderover"
	case limits && sub != "":
		tag = "munder"
	case limits:
		tag = "mover"
	case sub != "" && sup != "":
		tag = "msubsup"
	case sub != "":
		tag = "msub"
	default:
		tag = "msup"
	}
	for _, s := range []string{sub, sup} {
		if s != "" {
			base += "<mrow>" + s + "</mrow>"
		}
	}
	return "<" + tag + ">" + base + "</" + tag + ">"
}

// argument reads what a command or a script takes: a group, or one token.
func (p *texParser) argument() string {
	if p.peek() == "" {
		return p.fail("an argument is missing")
	}
	if t := p.peek(); len(t) > 1 && t[0] >= '0' && t[0] <= '9' { // x^12 is x¹2
		p.tokens[0] = t[1:]
		return "<mn>" + t[:1] + "</mn>"
	}
	return p.nucleus()
}

func (p *texParser) group() string {
	p.expect("{")
	s := p.list()
	p.expect("}")
	return s
}

// plain reads {text} as it stands.
func (p *texParser) plain() string {
	p.expect("{")
	var b strings.Builder
	for depth := 1; ; {
		switch t := p.raw(); t {
		case "":
			return p.fail("a } is missing")
		case "{":
			depth++
		case "}":
			if depth--; depth == 0 {
				return b.String()
			}
		default:
			if len(t) == 2 && t[0] == '\\' {
				t = strings.NewReplacer(`\ `, " ", `\,`, " ", `\_`, "_", `\%`, "%", `\$`, "$", `\&`, "&", `\#`, "#").Replace(t)
			}
			if strings.HasPrefix(t, `\`) || t == "$" {
				return p.fail("%s inside text", t)
			}
			b.WriteString(t)
		}
	}
}

// nucleus reads one thing without scripts.
func (p *texParser) nucleus() string {
	t := p.next()
	r, _ := utf8.DecodeRuneInString(t)
	switch {
	case t == "{":
		p.tokens = slices.Insert(p.tokens, 0, "{")
		return p.group()
	case t == "-":
		return "<mo>−</mo>"
	case t == "~":
		return space("0.33em")
	case t == "$":
		return p.fail("$ inside a formula")
	case strings.HasPrefix(t, `\`):
		return p.command(t)
	case r >= '0' && r <= '9':
		return "<mn>" + t + "</mn>"
	case unicode.IsLetter(r):
		return "<mi>" + t + "</mi>"
	case t == "/":
		return `<mo lspace="0" rspace="0">/</mo>`
	case strings.ContainsRune("()[]|", r):
		return `<mo stretchy="false">` + t + "</mo>"
	}
	return "<mo>" + html.EscapeString(t) + "</mo>"
}

func space(width string) string { return `<mspace width="` + width + `"></mspace>` }

func (p *texParser) command(t string) string {
	if s, ok := texOperators[t]; ok {
		if strings.Contains("‖|⟨⟩⌊⌋⌈⌉", s) { // grows only after \left and \right
			return `<mo stretchy="false">` + s + "</mo>"
		}
		return "<mo>" + html.EscapeString(s) + "</mo>"
	}
	if s, ok := texLetters[t]; ok {
		return "<mi>" + s + "</mi>"
	}
	if s, ok := texCapitals[t]; ok {
		return `<mi mathvariant="normal">` + s + "</mi>"
	}
	if slices.Contains(texFunctions, t) {
		return `<mo lspace="0.17em" rspace="0.17em">` + texFunctionNames.Replace(t[1:]) + "</mo>"
	}
	if w, ok := texSpaces[t]; ok {
		return space(w)
	}
	if s, ok := texAccents[t]; ok {
		return `<mover accent="true"><mrow>` + p.argument() + "</mrow><mo>" + s + "</mo></mover>"
	}
	switch t {
	case `\frac`, `\dfrac`, `\tfrac`, `\cfrac`:
		return "<mfrac><mrow>" + p.argument() + "</mrow><mrow>" + p.argument() + "</mrow></mfrac>"
	case `\binom`:
		return `<mrow><mo>(</mo><mfrac linethickness="0"><mrow>` + p.argument() + "</mrow><mrow>" + p.argument() + "</mrow></mfrac><mo>)</mo></mrow>"
	case `\sqrt`:
		return p.root()
	case `\text`, `\textrm`, `\textit`, `\textbf`, `\mbox`, `\texttt`:
		return "<mtext>" + html.EscapeString(nonBreaking(p.plain())) + "</mtext>"
	case `\mathrm`, `\operatorname`, `\mathsf`, `\mathtt`, `\mathit`:
		return `<mi mathvariant="normal">` + html.EscapeString(strings.TrimSpace(p.plain())) + "</mi>"
	case `\mathbb`, `\mathcal`, `\mathbf`:
		return "<mi>" + html.EscapeString(alphabet(t, p.plainArgument())) + "</mi>"
	case `\boldsymbol`, `\bm`:
		return `<mrow style="font-weight:bold">` + p.argument() + "</mrow>"
	case `\underline`:
		return "<munder><mrow>" + p.argument() + "</mrow><mo>_</mo></munder>"
	case `\underbrace`, `\overbrace`:
		return p.brace(t)
	case `\left`:
		return p.fenced()
	case `\middle`:
		return p.fence()
	case `\big`, `\Big`, `\bigg`, `\Bigg`, `\bigl`, `\bigr`, `\Bigl`, `\Bigr`:
		return p.fence()
	case `\begin`:
		return p.environment()
	case `\displaystyle`, `\textstyle`, `\nonumber`, `\notag`:
		return ""
	}
	return p.fail("%s is not known here", t)
}

func (p *texParser) plainArgument() string {
	if p.peek() == "{" {
		return strings.TrimSpace(p.plain())
	}
	return p.next()
}

func nonBreaking(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") } // MathML trims spaces

func (p *texParser) root() string {
	if p.peek() != "[" {
		return "<msqrt>" + p.argument() + "</msqrt>"
	}
	p.next()
	index := p.list("]")
	p.expect("]")
	return "<mroot><mrow>" + p.argument() + "</mrow>" + index + "</mroot>"
}

func (p *texParser) brace(t string) string {
	body := p.argument()
	tag, mark, script := "munder", "⏟", "_"
	if t == `\overbrace` {
		tag, mark, script = "mover", "⏞", "^"
	}
	s := "<" + tag + "><mrow>" + body + "</mrow><mo>" + mark + "</mo></" + tag + ">"
	if p.peek() != script {
		return s
	}
	p.next()
	return "<" + tag + ">" + s + "<mrow>" + p.argument() + "</mrow></" + tag + ">"
}
