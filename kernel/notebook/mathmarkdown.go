package notebook

import (
	"bytes"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// mathExtension makes Markdown know formulas as Jupyter does: $a$ in a line, $$a$$ and
// \begin{...}...\end{...} set apart. They have to be found by the parser, as _ and \\ in them would
// else become emphasis and line breaks.
type mathExtension struct{}

func (mathExtension) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithInlineParsers(util.Prioritized(inlineMath{}, 150)), // code spans come first, at 100
		parser.WithBlockParsers(util.Prioritized(blockMath{}, 690)),   // just before fenced code
	)
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(mathRenderer{}, 100)))
}

var kindMath = ast.NewNodeKind("Math")

type mathSpan struct {
	ast.BaseInline
	tex     string
	display bool
}

func (n *mathSpan) Kind() ast.NodeKind            { return kindMath }
func (n *mathSpan) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

type inlineMath struct{}

func (inlineMath) Trigger() []byte { return []byte{'$'} }

// Parse takes $x$ if no white space is inside next to the signs and no digit follows, so that
// sums of money stay text, and $$x$$.
func (inlineMath) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, pos := block.Position()
	first, _ := block.PeekLine()
	sign := "$"
	if bytes.HasPrefix(first, []byte("$$")) {
		sign = "$$"
	}
	block.Advance(len(sign))
	var tex strings.Builder
	for {
		rest, _ := block.PeekLine()
		if rest == nil {
			block.SetPosition(line, pos)
			return nil
		}
		at := closing(rest, sign)
		if at < 0 {
			tex.Write(rest)
			block.AdvanceLine()
			continue
		}
		tex.Write(rest[:at])
		s := tex.String()
		after := rest[at+len(sign):]
		money := sign == "$" && (strings.TrimSpace(s) != s || len(after) > 0 && after[0] >= '0' && after[0] <= '9')
		if strings.TrimSpace(s) == "" || money {
			block.SetPosition(line, pos)
			return nil
		}
		block.Advance(at + len(sign))
		return &mathSpan{tex: s, display: sign == "$$"}
	}
}

// closing finds the sign where no backslash stands before it.
func closing(line []byte, sign string) int {
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
		} else if bytes.HasPrefix(line[i:], []byte(sign)) {
			return i
		}
	}
	return -1
}

var kindMathBlock = ast.NewNodeKind("MathBlock")

type mathBlock struct {
	ast.BaseBlock
	end  string // what the last line holds: "$$" or "\end{...}"
	done bool   // closed on its first line
}

func (n *mathBlock) Kind() ast.NodeKind            { return kindMathBlock }
func (n *mathBlock) IsRaw() bool                   { return true }
func (n *mathBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

type blockMath struct{}

func (blockMath) Trigger() []byte             { return []byte{'$', '\\'} }
func (blockMath) CanInterruptParagraph() bool { return true }
func (blockMath) CanAcceptIndentedLine() bool { return false }

func (blockMath) Close(ast.Node, text.Reader, parser.Context) {}

func (blockMath) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 {
		return nil, parser.NoChildren
	}
	n := &mathBlock{end: "$$"}
	rest := line[at:]
	from := at + 2
	if name, ok := bytes.CutPrefix(rest, []byte(`\begin{`)); ok {
		env, _, closed := bytes.Cut(name, []byte("}"))
		if !closed {
			return nil, parser.NoChildren
		}
		n.end = `\end{` + string(env) + "}"
	} else if !bytes.HasPrefix(rest, []byte("$$")) {
		return nil, parser.NoChildren
	}
	// It is a block only if it is closed at the end of a line.
	source := reader.Source()
	_, tail, closed := bytes.Cut(source[min(segment.Start+from, len(source)):], []byte(n.end))
	tail, _, _ = bytes.Cut(tail, []byte("\n"))
	if !closed || len(bytes.TrimSpace(tail)) > 0 {
		return nil, parser.NoChildren
	}
	n.Lines().Append(segment)
	reader.AdvanceToEOL()
	n.done = bytes.Contains(line[from:], []byte(n.end))
	return n, parser.NoChildren
}

func (blockMath) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n := node.(*mathBlock)
	if n.done {
		return parser.Close
	}
	line, segment := reader.PeekLine()
	n.Lines().Append(segment)
	reader.AdvanceToEOL()
	if bytes.Contains(line, []byte(n.end)) {
		return parser.Close
	}
	return parser.Continue | parser.NoChildren
}

func (n *mathBlock) text(source []byte) string { return string(n.Lines().Value(source)) }

type mathRenderer struct{}

func (mathRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(kindMath, func(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if n := node.(*mathSpan); entering {
			_, _ = w.WriteString(formula(n.tex, n.display)) // the buffer keeps its first error
		}
		return ast.WalkSkipChildren, nil
	})
	reg.Register(kindMathBlock, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if n := node.(*mathBlock); entering {
			tex := strings.TrimSpace(n.text(source))
			if n.end == "$$" {
				tex = strings.TrimSuffix(strings.TrimPrefix(tex, "$$"), "$$")
			}
			_, _ = w.WriteString(`<div class="formula">` + formula(tex, true) + "</div>\n")
		}
		return ast.WalkSkipChildren, nil
	})
}

// formula sets TeX as MathML, or shows it as it is where it needs more than is known here.
func formula(tex string, display bool) string {
	if s, err := mathML(tex, display); err == nil {
		return s
	}
	class := "tex"
	if display {
		class = "tex display"
	}
	return `<code class="` + class + `">` + html.EscapeString(strings.TrimSpace(tex)) + "</code>"
}
