package notebook

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
)

// ansiHTML turns terminal output into HTML: colours, bold, italic, underline and reverse become
// spans with classes of the page's style, carriage returns and backspaces overwrite as in a
// terminal, other escape sequences vanish.
func ansiHTML(s string) string {
	var b strings.Builder
	var pen ansiPen
	for _, part := range ansiParts(overwrite(s)) {
		if part.escape {
			pen.set(part.text)
			continue
		}
		class, style := pen.attributes()
		text := html.EscapeString(part.text)
		if class == "" && style == "" {
			b.WriteString(text)
			continue
		}
		b.WriteString("<span")
		if class != "" {
			fmt.Fprintf(&b, ` class="%s"`, class)
		}
		if style != "" {
			fmt.Fprintf(&b, ` style="%s"`, style)
		}
		b.WriteString(">" + text + "</span>")
	}
	return b.String()
}

// PlainText is terminal output without its escape sequences.
func PlainText(s string) string {
	var b strings.Builder
	for _, p := range ansiParts(s) {
		if !p.escape {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

var ansiEscape = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\^_])")

type ansiPart struct {
	text   string
	escape bool
}

func ansiParts(s string) []ansiPart {
	var parts []ansiPart
	at := 0
	for _, m := range ansiEscape.FindAllStringIndex(s, -1) {
		if m[0] > at {
			parts = append(parts, ansiPart{s[at:m[0]], false})
		}
		parts = append(parts, ansiPart{s[m[0]:m[1]], true})
		at = m[1]
	}
	if at < len(s) {
		parts = append(parts, ansiPart{s[at:], false})
	}
	return parts
}

// overwrite applies carriage returns and backspaces within each line. A line that is rewritten
// is taken whole, as progress bars do it; what sticks out of a longer older one is kept.
func overwrite(s string) string {
	if !strings.ContainsAny(s, "\r\b") {
		return s
	}
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, line := range lines {
		for strings.Contains(line, "\b") {
			at := strings.IndexByte(line, '\b')
			before := []rune(line[:at])
			line = string(before[:max(len(before)-1, 0)]) + line[at+1:]
		}
		old := ""
		for _, piece := range strings.Split(line, "\r") {
			if piece == "" {
				continue // a return at the end shows what is there
			}
			if n, have := len([]rune(PlainText(piece))), []rune(PlainText(old)); len(have) > n && !strings.Contains(old, "\x1b") {
				piece += string(have[n:])
			}
			old = piece
		}
		lines[i] = old
	}
	return strings.Join(lines, "\n")
}

// An ansiPen is the state that "select graphic rendition" sequences change.
type ansiPen struct {
	fg, bg                           string // a class number, or a CSS colour
	bold, dim, italic, under, invert bool
}

func (p *ansiPen) set(escape string) {
	body, ok := strings.CutPrefix(escape, "\x1b[")
	if !ok || !strings.HasSuffix(body, "m") {
		return
	}
	var codes []int
	for _, f := range strings.FieldsFunc(strings.TrimSuffix(body, "m"), func(r rune) bool { return r == ';' || r == ':' }) {
		n, err := strconv.Atoi(f)
		if err != nil {
			return
		}
		codes = append(codes, n)
	}
	if len(codes) == 0 {
		*p = ansiPen{}
	}
	for i := 0; i < len(codes); i++ {
		switch c := codes[i]; {
		case c == 0:
			*p = ansiPen{}
		case c == 1:
			p.bold = true
		case c == 2:
			p.dim = true
		case c == 3:
			p.italic = true
		case c == 4:
			p.under = true
		case c == 7:
			p.invert = true
		case c == 22:
			p.bold, p.dim = false, false
		case c == 23:
			p.italic = false
		case c == 24:
			p.under = false
		case c == 27:
			p.invert = false
		case c >= 30 && c <= 37, c >= 90 && c <= 97:
			p.fg = ansiIndex(c, 30, 90)
		case c >= 40 && c <= 47, c >= 100 && c <= 107:
			p.bg = ansiIndex(c, 40, 100)
		case c == 39:
			p.fg = ""
		case c == 49:
			p.bg = ""
		case c == 38 || c == 48:
			colour, used := ansiColour(codes[i+1:])
			i += used
			if c == 38 {
				p.fg = colour
			} else {
				p.bg = colour
			}
		}
	}
}

func ansiIndex(code, normal, bright int) string {
	if code >= bright {
		return strconv.Itoa(8 + code - bright)
	}
	return strconv.Itoa(code - normal)
}

// ansiColour reads the arguments of 38 and 48: "5;n" of 256 colours or "2;r;g;b".
func ansiColour(args []int) (colour string, used int) {
	switch {
	case len(args) >= 2 && args[0] == 5:
		switch n := args[1]; {
		case n >= 0 && n < 16:
			return strconv.Itoa(n), 2
		case n >= 16 && n < 232:
			level := func(v int) int { // of a 6×6×6 cube
				if v == 0 {
					return 0
				}
				return 55 + 40*v
			}
			n -= 16
			return fmt.Sprintf("rgb(%d,%d,%d)", level(n/36), level(n/6%6), level(n%6)), 2
		case n >= 232 && n < 256:
			grey := 8 + 10*(n-232)
			return fmt.Sprintf("rgb(%d,%d,%d)", grey, grey, grey), 2
		}
		return "", 2
	case len(args) >= 4 && args[0] == 2:
		return fmt.Sprintf("rgb(%d,%d,%d)", args[1]&255, args[2]&255, args[3]&255), 4
	}
	return "", len(args)
}

func (p *ansiPen) attributes() (class, style string) {
	fg, bg := p.fg, p.bg
	var classes, styles []string
	if p.invert {
		fg, bg = bg, fg
		if fg == "" && bg == "" {
			classes = append(classes, "ansi-invert")
		}
	}
	for _, c := range []struct{ value, class, property string }{{fg, "ansi-fg", "color"}, {bg, "ansi-bg", "background-color"}} {
		if strings.HasPrefix(c.value, "rgb") {
			styles = append(styles, c.property+":"+c.value)
		} else if c.value != "" {
			classes = append(classes, c.class+c.value)
		}
	}
	for _, c := range []struct {
		on    bool
		class string
	}{{p.bold, "ansi-bold"}, {p.dim, "ansi-dim"}, {p.italic, "ansi-italic"}, {p.under, "ansi-underline"}} {
		if c.on {
			classes = append(classes, c.class)
		}
	}
	return strings.Join(classes, " "), strings.Join(styles, ";")
}
