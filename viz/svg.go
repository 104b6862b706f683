package viz

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// An svgCanvas is a vg.Canvas that writes SVG in pixels, y down. Against gonum's own it
// writes coordinates as steps of tenths of a pixel, which halves the size of curves,
// gathers what has the same colour in groups, and lets an ink ask for the page's colour.
type svgCanvas struct {
	w, h  float64 // pixels
	body  bytes.Buffer
	group string // attributes of the open group; empty if none is open
	state svgState
	stack []svgState
}

type svgState struct {
	color color.Color
	width vg.Length
	dash  []vg.Length
	off   vg.Length
	m     matrix
}

// matrix is x ↦ (a·x+c·y+e, b·x+d·y+f), in points.
type matrix struct{ a, b, c, d, e, f float64 }

// usualBytes is what most figures have.
const usualBytes = 32 << 10

func newSVG(w, h float64) *svgCanvas {
	c := &svgCanvas{w: w, h: h, state: svgState{m: matrix{a: 1, d: 1}}}
	c.body.Grow(usualBytes)
	vg.Initialize(c)
	return c
}

func (c *svgCanvas) Size() (w, h vg.Length) { return px(c.w), px(c.h) }

func (c *svgCanvas) SetLineWidth(w vg.Length) { c.state.width = w }

func (c *svgCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	c.state.dash, c.state.off = pattern, offset
}

func (c *svgCanvas) SetColor(k color.Color) {
	if k == nil {
		k = color.Black
	}
	c.state.color = k
}

func (c *svgCanvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	m := c.state.m
	c.state.m = matrix{m.a*cos + m.c*sin, m.b*cos + m.d*sin, m.c*cos - m.a*sin, m.d*cos - m.b*sin, m.e, m.f}
}

func (c *svgCanvas) Translate(p vg.Point) {
	c.state.m.e, c.state.m.f = c.state.m.apply(p)
}

func (c *svgCanvas) Scale(x, y float64) {
	m := &c.state.m
	m.a, m.b, m.c, m.d = m.a*x, m.b*x, m.c*y, m.d*y
}

func (m matrix) apply(p vg.Point) (x, y float64) {
	px, py := float64(p.X), float64(p.Y)
	return m.a*px + m.c*py + m.e, m.b*px + m.d*py + m.f
}

func (c *svgCanvas) Push() { c.stack = append(c.stack, c.state) }

func (c *svgCanvas) Pop() {
	if n := len(c.stack); n > 0 {
		c.state, c.stack = c.stack[n-1], c.stack[:n-1]
	}
}

// tenths returns where a point is on the page, in tenths of a pixel.
func (c *svgCanvas) tenths(p vg.Point) (x, y int) {
	fx, fy := c.state.m.apply(p)
	return tenth(fx / 0.75), tenth(c.h - fy/0.75)
}

// tenth rounds; what is far outside of any page, or nowhere, is put within bounds.
func tenth(v float64) int {
	if math.IsNaN(v) {
		return 0
	}
	return int(math.Round(10 * min(max(v, -1e5), 1e5)))
}

func (c *svgCanvas) Stroke(path vg.Path) {
	if c.state.width <= 0 || len(path) == 0 {
		return
	}
	attr := paint("stroke", c.state.color) + ` fill="none" stroke-width="` + number(inPx(c.state.width)) + `"`
	if len(c.state.dash) > 0 {
		var d []string
		for _, l := range c.state.dash {
			d = append(d, number(inPx(l)))
		}
		attr += ` stroke-dasharray="` + strings.Join(d, " ") + `"`
	}
	c.in(attr)
	c.path(path)
}

func (c *svgCanvas) Fill(path vg.Path) {
	if len(path) == 0 {
		return
	}
	c.in(paint("fill", c.state.color))
	c.path(path)
}

// in makes the open group the one with these attributes.
func (c *svgCanvas) in(attr string) {
	if c.group == attr {
		return
	}
	c.closeGroup()
	c.group = attr
	c.body.WriteString("<g " + attr + ">\n")
}

func (c *svgCanvas) closeGroup() {
	if c.group != "" {
		c.body.WriteString("</g>\n")
		c.group = ""
	}
}

// paint writes a colour as an attribute, which every program reads, and the page's own
// colour as a style, which wins where it is understood.
func paint(what string, k color.Color) string {
	css := ""
	var n color.NRGBA
	if i, ok := k.(ink); ok {
		n, css = i.NRGBA, i.css
	} else {
		n = color.NRGBAModel.Convert(k).(color.NRGBA)
	}
	s := what + `="` + hex(n) + `"`
	if n.A < 255 {
		s += " " + what + `-opacity="` + number(float64(n.A)/255) + `"`
	}
	if css != "" {
		s += ` style="` + what + ":" + css + `"`
	}
	return s
}

func number(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }

func (c *svgCanvas) path(path vg.Path) {
	c.body.WriteString(`<path d="`)
	c.body.Grow(8 * len(path))
	b := c.body.AvailableBuffer()
	x, y := 0, 0
	step := func(kind byte, points ...vg.Point) { // relative to where the pen is
		b = append(b, kind)
		x0, y0 := x, y
		for _, p := range points {
			x, y = c.tenths(p)
			b = appendTenth(appendTenth(b, x-x0), y-y0)
		}
	}
	for _, e := range path {
		switch e.Type {
		case vg.MoveComp:
			b = append(b, 'M')
			x, y = c.tenths(e.Pos)
			b = appendTenth(appendTenth(b, x), y)
		case vg.LineComp:
			step('l', e.Pos)
		case vg.CurveComp:
			switch len(e.Control) {
			case 1:
				step('q', e.Control[0], e.Pos)
			case 2:
				step('c', e.Control[0], e.Control[1], e.Pos)
			}
		case vg.ArcComp:
			for _, part := range arcCurves(e) {
				if x2, y2 := c.tenths(part[0]); x2 != x || y2 != y {
					step('l', part[0])
				}
				step('c', part[1], part[2], part[3])
			}
		case vg.CloseComp:
			b = append(b, 'z')
		}
	}
	c.body.Write(b)
	c.body.WriteString("\"/>\n")
}

// appendTenth writes a number of tenths: " 1.5" and "-3", as short as SVG reads it.
func appendTenth(b []byte, v int) []byte {
	if v < 0 {
		b = append(b, '-')
		v = -v
	} else if last := b[len(b)-1]; last >= '0' && last <= '9' {
		b = append(b, ' ')
	}
	if v >= 10 || v == 0 {
		b = strconv.AppendInt(b, int64(v/10), 10)
	}
	if v%10 != 0 {
		b = append(b, '.', byte('0'+v%10))
	}
	return b
}

// arcCurves gives an arc as cubic curves of at most a quarter of a circle, each with its
// start; the error of such a curve is below 0.03 % of the radius.
func arcCurves(e vg.PathComp) [][4]vg.Point {
	n := max(1, int(math.Ceil(math.Abs(e.Angle)/(math.Pi/2)-1e-9)))
	n = min(n, 64)
	part := e.Angle / float64(n)
	k := 4.0 / 3 * math.Tan(part/4)
	at := func(a, along float64) vg.Point {
		sin, cos := math.Sincos(a)
		r := float64(e.Radius)
		return e.Pos.Add(vg.Point{X: vg.Length(r * (cos - along*sin)), Y: vg.Length(r * (sin + along*cos))})
	}
	var out [][4]vg.Point
	for i := range n {
		a := e.Start + float64(i)*part
		out = append(out, [4]vg.Point{at(a, 0), at(a, k), at(a+part, -k), at(a+part, 0)})
	}
	return out
}

func (c *svgCanvas) FillString(f font.Face, p vg.Point, s string) {
	if f.Font.Size <= 0 || s == "" {
		return
	}
	attr := paint("fill", c.state.color) + ` font-size="` + number(inPx(f.Font.Size)) + `"`
	if f.Font.Weight >= xfont.WeightSemiBold {
		attr += ` font-weight="bold"`
	}
	c.in(attr)
	x, y := c.tenths(p)
	fmt.Fprintf(&c.body, `<text x="%s" y="%s" textLength="%s" lengthAdjust="spacingAndGlyphs"`,
		number(float64(x)/10), number(float64(y)/10), number(inPx(f.Width(s))))
	if m := c.state.m; m.b != 0 || m.c != 0 {
		angle := -math.Atan2(m.b, m.a) * 180 / math.Pi
		fmt.Fprintf(&c.body, ` transform="rotate(%s %s %s)"`, number(angle), number(float64(x)/10), number(float64(y)/10))
	}
	c.body.WriteString(">" + escape(s) + "</text>\n")
}

func (c *svgCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		return // only for images of no size, of which nothing is seen anyway
	}
	c.closeGroup()
	x0, y1 := c.tenths(r.Min)
	x1, y0 := c.tenths(r.Max)
	fmt.Fprintf(&c.body, `<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" style="image-rendering:pixelated" href="data:image/png;base64,%s"/>`+"\n",
		number(float64(x0)/10), number(float64(y0)/10), number(float64(x1-x0)/10), number(float64(y1-y0)/10),
		base64.StdEncoding.EncodeToString(data.Bytes()))
}

// document returns the whole SVG. Its ids begin with id, which no other figure on the
// page must have. Letters are named rather than drawn, so that text can be selected and
// searched and the file stays small. Arial, Liberation Sans and Helvetica have the same
// widths; where none of them is there, textLength makes another font fit what was measured.
func (c *svgCanvas) document(id, title, description string) []byte {
	c.closeGroup()
	var b bytes.Buffer
	b.Grow(c.body.Len() + 2<<10)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" role="img" aria-labelledby="%[3]s-t %[3]s-d" font-family="Arial,'Liberation Sans',Helvetica,sans-serif" stroke-linejoin="round">`+"\n",
		number(c.w), number(c.h), id)
	fmt.Fprintf(&b, "<title id=\"%s-t\">%s</title>\n<desc id=\"%[1]s-d\">%[3]s</desc>\n", id, escape(title), escape(description))
	b.Write(c.body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// escape makes text safe in XML, which has no way to write control characters at all.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '"':
			b.WriteString("&quot;")
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r < 0x20, r == 0xfffe, r == 0xffff:
			b.WriteRune('\ufffd')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
