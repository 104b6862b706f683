package notebook

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"trivium/kernel/player"
)

//go:embed page.css
var pageCSS string

// Page sets how WriteHTML works.
type Page struct {
	Title string // "" means the first heading of the notebook
	Dir   string // the folder relative pictures of the texts are taken from; "" leaves them out
}

// WriteHTML writes the notebook as one HTML page for people: texts, code, and outputs as they
// are in nb. Pictures are inside and formulas are MathML, so the page can be mailed, put on any server
// and read without a network. Its content policy forbids all requests and all scripts but the two
// handlers of sliders made by nb.Play.
func (nb *Notebook) WriteHTML(w io.Writer, o Page) error {
	if o.Title == "" {
		o.Title = nb.Title()
	}
	if o.Title == "" {
		o.Title = "Notebook"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; media-src data:%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Trivium">
<title>%s</title>
<style>
%s</style>
</head>
<body>
<main>
`, nb.scripts(), html.EscapeString(o.Title), pageCSS)
	md := newMarkdownPage(o.Dir)
	for _, c := range nb.Cells {
		if err := writeCell(&b, md, c); err != nil {
			return fmt.Errorf("notebook: page: %w", err)
		}
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// scripts is what the page's policy allows of scripts: the handlers of players, if there is one.
func (nb *Notebook) scripts() string {
	for _, c := range nb.Cells {
		for _, out := range c.Outputs {
			if strings.Contains(out.Form("text/html"), player.Class) {
				return "; script-src " + player.Policy()
			}
		}
	}
	return ""
}

// WriteHTMLFile writes the page to a file.
func (nb *Notebook) WriteHTMLFile(name string, o Page) error {
	var b bytes.Buffer
	if err := nb.WriteHTML(&b, o); err != nil {
		return err
	}
	return replaceFile(name, b.Bytes())
}

func writeCell(b *bytes.Buffer, md *markdownPage, c *Cell) error {
	switch c.Kind {
	case Markdown:
		text, err := md.render(c)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "<section class=\"text\">\n%s</section>\n", text)
		return nil
	case Raw:
		fmt.Fprintf(b, "<section class=\"raw\"><pre>%s</pre></section>\n", html.EscapeString(c.Source))
		return nil
	}
	hideSource, hideOutputs := c.hidden()
	fmt.Fprint(b, "<section class=\"cell\">\n")
	count := " "
	if c.Count > 0 {
		count = fmt.Sprint(c.Count)
	}
	if c.Source != "" {
		fmt.Fprintf(b, "<div class=\"prompt\" aria-hidden=\"true\">[%s]</div>\n", count)
		folded(b, hideSource, "Code", `<pre class="code"><code>`+highlightGo(strings.TrimRight(c.Source, "\n"))+"</code></pre>\n")
	}
	if len(c.Outputs) > 0 {
		var outputs bytes.Buffer
		for _, out := range c.Outputs {
			writeOutput(&outputs, md, out)
		}
		folded(b, hideOutputs, "Outputs", "<div class=\"outputs\">\n"+outputs.String()+"</div>\n")
	}
	fmt.Fprint(b, "</section>\n")
	return nil
}

// hidden reports what a front end would show folded.
func (c *Cell) hidden() (source, outputs bool) {
	var meta struct {
		Collapsed bool
		Jupyter   struct {
			Source  bool `json:"source_hidden"`
			Outputs bool `json:"outputs_hidden"`
		}
	}
	c.fields.decode("metadata", &meta)
	return meta.Jupyter.Source || c.HasTag("hide-input"), meta.Jupyter.Outputs || meta.Collapsed || c.HasTag("hide-output")
}

func folded(b *bytes.Buffer, hide bool, name, content string) {
	if hide {
		content = "<details><summary>" + name + "</summary>\n" + content + "</details>\n"
	}
	b.WriteString(content)
}

func writeOutput(b *bytes.Buffer, md *markdownPage, out *Output) {
	switch out.Kind {
	case Stream:
		class := "stdout"
		if out.Name == "stderr" {
			class = "stderr"
		}
		fmt.Fprintf(b, "<pre class=\"%s\">%s</pre>\n", class, ansiHTML(strings.TrimSuffix(out.Text, "\n")))
	case Error:
		text := strings.Join(out.Traceback, "\n")
		if strings.TrimSpace(text) == "" {
			text = out.EName + ": " + out.EValue
		}
		fmt.Fprintf(b, "<pre class=\"error\">%s</pre>\n", ansiHTML(strings.TrimSuffix(text, "\n")))
	default:
		writeBundle(b, md, out)
	}
}

// writeBundle shows the richest representation that a page without scripts can.
func writeBundle(b *bytes.Buffer, md *markdownPage, out *Output) {
	has := func(mime string) bool { return out.Data[mime] != nil }
	svg := out.Form("image/svg+xml")
	switch {
	case has("text/html") && (svg == "" || has("image/svg+xml")): // unless the HTML is a picture that is an SVG
		fmt.Fprintf(b, "<div class=\"html\">%s</div>\n", out.Form("text/html"))
		return
	case has("text/markdown"):
		if text, err := md.render(NewCell(Markdown, out.Form("text/markdown"))); err == nil {
			fmt.Fprintf(b, "<div class=\"text\">%s</div>\n", text)
			return
		}
	case svg != "":
		if start := strings.Index(svg, "<svg"); start >= 0 && takesPageColours(svg) {
			fmt.Fprintf(b, "<div class=\"svg\">%s</div>\n", svg[start:])
			return
		}
		writePicture(b, out, "image/svg+xml", base64.StdEncoding.EncodeToString([]byte(svg)))
		return
	case has("text/latex"):
		tex := strings.TrimSpace(out.Form("text/latex"))
		display := !strings.HasPrefix(tex, "$") || strings.HasPrefix(tex, "$$")
		fmt.Fprintf(b, "<div class=\"formula\">%s</div>\n", formula(strings.Trim(tex, "$"), display))
		return
	}
	for _, mime := range []string{"image/png", "image/jpeg", "image/gif", "image/webp"} {
		if has(mime) {
			writePicture(b, out, mime, strings.Join(strings.Fields(out.Form(mime)), ""))
			return
		}
	}
	if has("application/json") && !has("text/plain") {
		var indented bytes.Buffer
		if json.Indent(&indented, out.Data["application/json"], "", "  ") == nil {
			fmt.Fprintf(b, "<pre class=\"result\">%s</pre>\n", html.EscapeString(indented.String()))
			return
		}
	}
	if text := out.Form("text/plain"); text != "" {
		fmt.Fprintf(b, "<pre class=\"result\">%s</pre>\n", ansiHTML(strings.TrimSuffix(text, "\n")))
	}
}

// takesPageColours reports whether an SVG is made to stand inside a page: it has no background
// and asks for the page's text colour by the name that JupyterLab gives it, and brings no style or
// script that would act on the page.
func takesPageColours(svg string) bool {
	return strings.Contains(svg, "var(--jp-content-font-color1") && !strings.Contains(svg, "<style") && !strings.Contains(svg, "<script")
}

// writePicture shows a picture as an image of its own, on white, as most plots are made for
// paper; so the ids and styles of several SVGs do not meet. What text/plain says of it is the
// alternative text.
func writePicture(b *bytes.Buffer, out *Output, mime, encoded string) {
	size := ""
	w, h := out.size(mime)
	if w == 0 { // an SVG within HTML, with the PNG beside
		w, h = out.size("image/png")
	}
	if w > 0 && h > 0 {
		size = fmt.Sprintf(` width="%g" height="%g"`, w, h)
	}
	fmt.Fprintf(b, "<img class=\"figure\" src=\"data:%s;base64,%s\"%s alt=\"%s\">\n",
		mime, html.EscapeString(encoded), size, html.EscapeString(strings.TrimSpace(PlainText(out.Form("text/plain")))))
}
