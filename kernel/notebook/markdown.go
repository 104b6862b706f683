package notebook

import (
	"bytes"
	"encoding/base64"
	"html"
	"mime"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	gohtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A markdownPage turns the texts of one notebook into HTML: CommonMark with tables, strike-through,
// task lists and formulas, as Jupyter shows them. Pictures become part of the page.
type markdownPage struct {
	md  goldmark.Markdown
	dir string // where relative pictures lie; "" leaves them out
	ids headingIDs
}

func newMarkdownPage(dir string) *markdownPage {
	return &markdownPage{
		md: goldmark.New(
			goldmark.WithExtensions(extension.GFM, mathExtension{}),
			goldmark.WithParserOptions(parser.WithAutoHeadingID()),
			// HTML in texts is a part of Markdown; the page's content policy keeps it from running
			// scripts and from asking other machines for anything.
			goldmark.WithRendererOptions(gohtml.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(fenceRenderer{}, 100))),
		),
		dir: dir, ids: headingIDs{},
	}
}

func (p *markdownPage) render(c *Cell) (string, error) {
	source := []byte(c.Source)
	doc := p.md.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(p.ids))))
	p.embedPictures(doc, c)
	var out bytes.Buffer
	err := p.md.Renderer().Render(&out, source, doc)
	return out.String(), err
}

// embedPictures puts attachments and files into the page; a picture that cannot be had becomes a link.
func (p *markdownPage) embedPictures(doc ast.Node, c *Cell) {
	var pictures []*ast.Image
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // this walker returns no error
		if img, ok := n.(*ast.Image); ok && entering {
			pictures = append(pictures, img)
		}
		return ast.WalkContinue, nil
	})
	for _, img := range pictures {
		if uri, ok := p.dataURI(string(img.Destination), c); ok {
			img.Destination = []byte(uri)
			continue
		}
		link := ast.NewLink()
		link.Destination, link.Title = img.Destination, img.Title
		for img.FirstChild() != nil {
			link.AppendChild(link, img.FirstChild())
		}
		if link.FirstChild() == nil {
			link.AppendChild(link, ast.NewString(img.Destination))
		}
		img.Parent().ReplaceChild(img.Parent(), img, link)
	}
}

const largestPicture = 8 << 20

func (p *markdownPage) dataURI(dest string, c *Cell) (string, bool) {
	if strings.HasPrefix(dest, "data:image/") {
		return dest, true
	}
	if name, ok := strings.CutPrefix(dest, "attachment:"); ok {
		return c.attachment(name)
	}
	kind := mime.TypeByExtension(filepath.Ext(dest))
	if p.dir == "" || !strings.HasPrefix(kind, "image/") || !filepath.IsLocal(filepath.FromSlash(dest)) {
		return "", false
	}
	root, err := os.OpenRoot(p.dir) // a notebook from elsewhere must not read files from anywhere
	if err != nil {
		return "", false
	}
	defer root.Close()
	if info, err := root.Stat(filepath.FromSlash(dest)); err != nil || info.Size() > largestPicture {
		return "", false
	}
	data, err := root.ReadFile(filepath.FromSlash(dest))
	if err != nil {
		return "", false
	}
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data), true
}

// headingIDs names headings as Jupyter does, so that links between headings of a notebook work.
type headingIDs map[string]bool

// Generate implements parser.IDs.
func (ids headingIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	base := strings.ReplaceAll(strings.TrimSpace(string(value)), " ", "-")
	if base == "" {
		base = "heading"
	}
	id := base
	for i := 2; ids[id]; i++ {
		id = base + "-" + strconv.Itoa(i)
	}
	ids[id] = true
	return []byte(id)
}

// Put implements parser.IDs.
func (ids headingIDs) Put(value []byte) { ids[string(value)] = true }

// fenceRenderer colours Go in fenced code.
type fenceRenderer struct{}

func (fenceRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkSkipChildren, nil
		}
		n := node.(*ast.FencedCodeBlock)
		code := string(n.Lines().Value(source))
		if lang := string(n.Language(source)); lang == "go" || lang == "golang" {
			code = highlightGo(code)
		} else {
			code = html.EscapeString(code)
		}
		_, err := w.WriteString(`<pre class="code"><code>` + code + "</code></pre>\n")
		return ast.WalkSkipChildren, err
	})
}
