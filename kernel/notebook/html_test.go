package notebook

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func page(t *testing.T, nb *Notebook, o Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := nb.WriteHTML(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHTMLPage(t *testing.T) {
	nb, err := ReadFile("testdata/page.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	got := page(t, nb, Page{})
	for what, want := range map[string]string{
		"title without markup":      "<title>Training as a system of equations: mgrit</title>",
		"heading with an id":        `<h2 id="Lists-and-tables">`,
		"emphasis":                  "<strong>serial</strong>",
		"money stays text":          "It costs $5 for a run and $6 for two.",
		"formula":                   "<math><semantics>",
		"displayed formula":         `<math display="block">`,
		"unknown TeX stays":         `<code class="tex">\weird{x}_2</code>`,
		"table":                     "<th style=\"text-align:right\">cycles</th>",
		"Go in fences":              `<span class="kw">for</span>`,
		"far picture as a link":     `<a href="https://example.com/x.png">a far picture</a>`,
		"HTML in text":              "<summary>Solution</summary>",
		"code":                      `<span class="num">1024</span>`,
		"raw string over two lines": "<span class=\"str\">`raw\nstring`</span>",
		"command":                   `<span class="cmd">%time</span>`,
		"count":                     "[3]",
		"printed text is escaped":   "one &lt;b&gt;",
		"ANSI colour":               `<span class="ansi-fg1">red</span>`,
		"ANSI bold":                 `<span class="ansi-fg2 ansi-bold">bold green</span>`,
		"progress bar overwritten":  "\n100%</pre>",
		"SVG with size":             `" width="480" height="200" alt="Residual falls from 1 to 1e-8 in 6 cycles">`,
		"traceback":                 `<span class="ansi-fg1">Cell [4], line 1</span>: division by zero`,
		"folded code":               "<details><summary>Code</summary>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q is not in the page", what, want)
		}
	}
	checkSelfContained(t, got)
}

// checkSelfContained looks for anything a browser would fetch. Scripts may stand in outputs; the
// policy keeps them from running, so it has to come before everything else.
func checkSelfContained(t *testing.T, page string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?i)<(?:img|link|script|iframe|source|video|audio|object|embed)\b[^>]*?\b(?:src|href|data)\s*=\s*["']?([^"'\s>]*)`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[1], "data:") {
			t.Errorf("the page would fetch %q", m[1])
		}
	}
	if m := regexp.MustCompile(`(?i)@import|url\(`).FindString(page); m != "" {
		t.Errorf("the page's style has %q", m)
	}
	policy := strings.Index(page, `content="default-src 'none'; img-src data:;`)
	if policy < 0 || policy > strings.Index(page, "<title>") {
		t.Error("the content policy is missing or comes late")
	}
}

// An SVG that asks for the page's colours stands in the page, any other is an image on white.
func TestHTMLPlots(t *testing.T) {
	show := func(svg string) string {
		nb := New(NewCell(Code, "x"))
		raw, err := json.Marshal(svg)
		if err != nil {
			t.Fatal(err)
		}
		nb.Cells[0].Outputs = []*Output{{Kind: DisplayData, Data: map[string]json.RawMessage{"image/svg+xml": raw}}}
		return page(t, nb, Page{})
	}
	const adapts = `<svg xmlns="http://www.w3.org/2000/svg"><text fill="var(--jp-content-font-color1,#777)">a</text>`
	if got := show(`<?xml version="1.0"?>` + adapts + "</svg>"); !strings.Contains(got, `<div class="svg"><svg`) || !strings.Contains(got, "--jp-content-font-color1: var(--ink)") {
		t.Error("a plot that asks for the page's colours is not in the page, or the page has none for it")
	}
	for _, svg := range []string{`<svg xmlns="http://www.w3.org/2000/svg"/>`, adapts + "<style>p{}</style></svg>", adapts + "<script>1</script></svg>"} {
		if got := show(svg); !strings.Contains(got, `<img class="figure" src="data:image/svg+xml;base64,`) {
			t.Errorf("%s is not an image", svg)
		}
	}
}

func TestHTMLPictures(t *testing.T) {
	dir := t.TempDir()
	png := []byte("\x89PNG not really")
	if err := os.WriteFile(filepath.Join(dir, "a.png"), png, 0o600); err != nil {
		t.Fatal(err)
	}
	want := "data:image/png;base64," + base64.StdEncoding.EncodeToString(png)
	nb, err := Read(strings.NewReader(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[
		{"cell_type":"markdown","id":"a","metadata":{},"source":"![file](a.png) ![out](../a.png) ![none](b.png)"},
		{"cell_type":"markdown","id":"b","metadata":{},"source":"![pasted](attachment:p.png)",
			"attachments":{"p.png":{"image/png":"iVBORw0KGgo="}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := page(t, nb, Page{Dir: dir})
	for _, w := range []string{`<img src="` + want + `" alt="file">`, `<a href="../a.png">out</a>`, `<a href="b.png">none</a>`, `<img src="data:image/png;base64,iVBORw0KGgo=" alt="pasted">`} {
		if !strings.Contains(got, w) {
			t.Errorf("%q is not in the page", w)
		}
	}
	if strings.Contains(page(t, nb, Page{}), want) {
		t.Error("a file was read without being allowed to")
	}
}

func TestMathML(t *testing.T) {
	for tex, want := range map[string]string{
		`x^2`:            "<msup><mi>x</mi><mrow><mn>2</mn></mrow></msup>",
		`x_i^2`:          "<msubsup><mi>x</mi><mrow><mi>i</mi></mrow><mrow><mn>2</mn></mrow></msubsup>",
		`x^12`:           "<mrow><msup><mi>x</mi><mrow><mn>1</mn></mrow></msup><mn>2</mn></mrow>",
		`\frac12`:        "<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>",
		`\frac{a}{b}`:    "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>",
		`\sqrt[3]{x}`:    "<mroot><mrow><mi>x</mi></mrow><mn>3</mn></mroot>",
		`-1.5`:           "<mrow><mo>−</mo><mn>1.5</mn></mrow>",
		`\mathbb{R}`:     "<mi>ℝ</mi>",
		`\mathbf{W}`:     "<mi>𝐖</mi>",
		`\text{if } x`:   "<mrow><mtext>if\u00a0</mtext><mi>x</mi></mrow>",
		`a < b`:          "<mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>",
		`\left(x\right]`: `<mrow><mo stretchy="true">(</mo><mi>x</mi><mo stretchy="true">]</mo></mrow>`,
	} {
		got, err := mathML(tex, false)
		if err != nil || !strings.HasPrefix(got, "<math><semantics>"+want+"<annotation") {
			t.Errorf("%s: error %v, got\n%s, want\n%s", tex, err, got, want)
		}
	}
	for _, tex := range []string{`\foo`, `{x`, `x}`, `\frac{a}`, `x^`, `a_b_c`, `\left( x`, `\begin{pmatrix} a`, `\begin{tikz}\end{tikz}`, `\begin{cases} a \end{matrix}`, strings.Repeat("{", 1000)} {
		if got, err := mathML(tex, false); err == nil {
			t.Errorf("%.30s: no error, got %s", tex, got)
		}
	}
}

// Whatever stands between dollars gives well-formed XML or an error, and keeps the source.
func TestMathMLIsWellFormed(t *testing.T) {
	pieces := []string{`\frac`, `{`, `}`, `x`, `12.5`, `^`, `_`, `&`, `\\`, `\left(`, `\right)`, `[`, `]`, `\sqrt`, `\sum`, `\begin{pmatrix}`,
		`\end{pmatrix}`, `\text{a b}`, `<`, `"`, `'`, ` `, `\alpha`, `\|`, `%`, `$`, `é`, "\x00", `\`}
	rapid.Check(t, func(t *rapid.T) {
		tex := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		got, err := mathML(tex, rapid.Bool().Draw(t, "display"))
		if err != nil || strings.Contains(tex, "\x00") { // no XML can hold it, HTML drops it
			return
		}
		dec := xml.NewDecoder(strings.NewReader(got))
		for {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s\n%v", got, err)
			}
		}
	})
}

var anyTag = regexp.MustCompile(`<[^>]*>`)

// Colouring adds tags and nothing else.
func TestHighlightKeepsTheText(t *testing.T) {
	pieces := []string{"x := 1", "\n", "\"s\"", "`raw\r\n`", "// c\r\n", "/* open", "%cmd\n", "!ls\n", "é", "'", "<&>", "\t", "for", "\\", "\x00", "0x", "\ufeff"}
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 10).Draw(t, "pieces"), "")
		if got := html.UnescapeString(anyTag.ReplaceAllString(highlightGo(src), "")); got != src {
			t.Fatalf("%q became %q", src, got)
		}
	})
}

func TestANSI(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[1;31mb\x1b[0mc":         `a<span class="ansi-fg1 ansi-bold">b</span>c`,
		"\x1b[38;2;1;2;3mx":            `<span style="color:rgb(1,2,3)">x</span>`,
		"\x1b[38;5;196mx\x1b[39my":     `<span style="color:rgb(255,0,0)">x</span>y`,
		"\x1b[7mx":                     `<span class="ansi-invert">x</span>`,
		"\x1b[2J\x1b]0;title\x07x":     "x",
		"\x1b[38;5mx\x1b[99999999999m": "x",
		"10%\r20%\r\ndone\r":           "20%\ndone",
		"abc\rX":                       "Xbc",
		"ab\b\bc":                      "c",
		"<\x1b":                        "&lt;\x1b",
	} {
		if got := ansiHTML(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}
