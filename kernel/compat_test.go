package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestValuesShowThemselves shows values as cells for gophernotes do: by methods of types that
// are written in cells, and by what they are.
func TestValuesShowThemselves(t *testing.T) {
	k := startKernel(t)
	for name, c := range map[string]struct{ code, mime, want string }{
		"HTML":                   {"type A struct{ N int }\nfunc (a A) HTML() string { return fmt.Sprint(\"<b>\", a.N) }\nA{3}", "text/html", "<b>3"},
		"pointer":                {"type B struct{ s string }\nfunc (b *B) SVG() string { return b.s }\n&B{\"<svg/>\"}", "image/svg+xml", "<svg/>"},
		"PNG":                    {"type P struct{}\nfunc (P) PNG() []byte { return []byte{1, 2, 3} }\nP{}", "image/png", "AQID"},
		"Latex":                  {"type L struct{}\nfunc (L) Latex() string { return \"$x$\" }\nL{}", "text/latex", "$x$"},
		"Markdown":               {"type M struct{}\nfunc (M) Markdown() string { return \"*x*\" }\nM{}", "text/markdown", "*x*"},
		"JSON":                   {"type J struct{}\nfunc (J) JSON() map[string]any { return map[string]any{\"a\": 1} }\nJ{}", "application/json", "map[a:1]"},
		"Render":                 {"type R struct{}\nfunc (R) Render() display.Data { return display.HTML(\"r\") }\nR{}", "text/html", "r"},
		"SimpleRender":           {"type S struct{}\nfunc (S) SimpleRender() display.MIMEMap { return display.MIMEMap{\"text/html\": \"s\"} }\nS{}", "text/html", "s"},
		"WriterTo":               {"type W struct{}\nfunc (W) WriteTo(w io.Writer) (int64, error) { n, err := io.WriteString(w, \"<html>w\"); return int64(n), err }\nW{}", "text/html", "<html>w"},
		"picture":                {"type Im struct{}\nfunc (Im) ColorModel() color.Model { return color.GrayModel }\nfunc (Im) Bounds() image.Rectangle { return image.Rect(0, 0, 2, 2) }\nfunc (Im) At(x, y int) color.Color { return color.Gray{9} }\nIm{}", "image/png", "iVBOR"},
		"embedded":               {"type E0 struct{}\nfunc (E0) HTML() string { return \"inner\" }\ntype E struct{ E0 }\nE{}", "text/html", "inner"},
		"interface":              {"type H struct{}\nfunc (H) HTML() string { return \"h\" }\nvar h interface{ HTML() string } = H{}\nh", "text/html", "h"},
		"nb.Show":                {"type Sh struct{}\nfunc (Sh) HTML() string { return \"shown\" }\nnb.Show(Sh{})", "text/html", "shown"},
		"image.Image":            {"image.NewGray(image.Rect(0, 0, 2, 2))", "image/png", "iVBOR"},
		"buffer":                 {"buf := bytes.NewBufferString(\"%PDF-1.4\")\nbuf", "application/pdf", "JVBERi0xLjQ="},
		"plot":                   {"import \"gonum.org/v1/plot\"\nplot.New()", "image/png", "iVBOR"},
		"plot as SVG":            {"import \"gonum.org/v1/plot\"\npl := plot.New()\nw, err := pl.WriterTo(200, 100, \"svg\")\nw", "image/svg+xml", "<svg"},
		"gophernotes":            {"import display \"github.com/gopherdata/gophernotes\"\ntype G struct{}\nfunc (G) Render() display.Data { return display.MakeData(display.MIMETypeHTML, \"g\") }\nG{}", "text/html", "g"},
		"Display":                {"import display \"github.com/gopherdata/gophernotes\"\nDisplay(display.Math(\"x\"))", "text/latex", "$$x$$"},
		"gonbui":                 {"import \"github.com/janpfeifer/gonb/gonbui\"\ngonbui.DisplayHTML(\"ui\")", "text/html", "ui"},
		"gonbui place":           {"import \"github.com/janpfeifer/gonb/gonbui\"\nid := gonbui.UniqueID()\nfor i := 0; i < 3; i++ { gonbui.UpdateHTML(id, fmt.Sprint(\"n\", i)) }", "text/html", "n2"},
		"gonbui place by script": {"import \"github.com/janpfeifer/gonb/gonbui/dom\"\ndom.InsertAdjacent(\"x\", dom.AfterEnd, \"y\")", "text/html", "afterend"},
		"gonb plotly":            {"import \"github.com/janpfeifer/gonb/gonbui/plotly\"\nplotly.DisplayFig(map[string]any{\"data\": []any{}})", "application/vnd.plotly.v1+json", "map[data:[]]"},
		"gonb cache":             {"import \"github.com/janpfeifer/gonb/cache\"\ntype Row struct{ N int; s string }\ncache.ResetKey(\"trivium test\")\nfor range 2 {\n\tr := cache.Cache(\"trivium test\", func() []Row { return []Row{{N: 7}} })\n\tnb.ShowHTML(fmt.Sprint(\"got\", r[0].N))\n}\ncache.ResetKey(\"trivium test\")", "text/html", "got7"},
	} {
		got := k.run(c.code, nil)
		if got.Status != "ok" || len(got.shown) == 0 {
			t.Errorf("%s: %s, %d shown\n%s", name, got.Status, len(got.shown), got.trace)
			continue
		}
		last := got.shown[len(got.shown)-1]
		if data := fmt.Sprint(last[c.mime]); !strings.Contains(data, c.want) {
			t.Errorf("%s: %.200s, want %s with %q", name, fmt.Sprint(last), c.mime, c.want)
		}
		if text, _ := last["text/plain"].(string); text == "" || len(text) > 200 {
			t.Errorf("%s: the text that stands in is %.300q", name, text)
		}
	}
}

// TestUnknownImport gives a hint where a path is nearly right.
func TestUnknownImport(t *testing.T) {
	k := startKernel(t)
	c := k.run("import \"github.com/gopherdata/gophernote\"", nil)
	if !strings.Contains(c.trace, "github.com/gopherdata/gophernotes") {
		t.Errorf("no hint:\n%s", c.trace)
	}
}
