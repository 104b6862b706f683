// Package page makes what a notebook shows of a set of data: HTML tables and PNG pictures in them.
package page

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/png"
	"strings"
)

// PNG encodes a picture. The encoder fails for pictures without pixels alone, which give nil.
func PNG(m image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return nil
	}
	return b.Bytes()
}

// Img is an HTML picture, enlarged so that its pixels stay squares.
func Img(m image.Image, scale float64, alt string) string {
	data := PNG(m)
	if data == nil {
		return ""
	}
	size := m.Bounds().Size()
	return fmt.Sprintf(`<img src="data:image/png;base64,%s" width="%.0f" height="%.0f" alt="%s" style="image-rendering:pixelated">`,
		base64.StdEncoding.EncodeToString(data), float64(size.X)*scale, float64(size.Y)*scale, html.EscapeString(alt))
}

// A Table is rows of HTML under heads of plain text.
type Table struct {
	b    strings.Builder
	Wide bool // cells of text to the left instead of numbers to the right
}

// Head adds a line in bold over the whole table.
func (t *Table) Head(text string, columns int) {
	fmt.Fprintf(&t.b, `<tr><th colspan="%d" style="text-align:left">%s</th></tr>`, columns, html.EscapeString(text))
}

// Row adds cells, which are HTML already.
func (t *Table) Row(cells ...string) {
	align := "right"
	if t.Wide {
		align = "left"
	}
	t.b.WriteString("<tr>")
	for _, c := range cells {
		fmt.Fprintf(&t.b, `<td style="text-align:%s">%s</td>`, align, c)
	}
	t.b.WriteString("</tr>")
}

// Columns adds a row of heads.
func (t *Table) Columns(names ...string) {
	t.b.WriteString("<tr>")
	for _, n := range names {
		fmt.Fprintf(&t.b, "<th>%s</th>", html.EscapeString(n))
	}
	t.b.WriteString("</tr>")
}

// HTML returns the table.
func (t *Table) HTML() string { return "<table>" + t.b.String() + "</table>" }

// Text escapes plain text for a cell.
func Text(s string) string { return html.EscapeString(s) }
