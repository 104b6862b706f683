package viz

import (
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// fonts holds Liberation Sans, whose letters are as wide as those of Arial and Helvetica:
// a layout measured with one fits the others.
var fonts = font.NewCache(liberation.Collection())

// px is a length in CSS pixels, of which there are 96 to the inch.
func px(v float64) vg.Length { return vg.Length(v * 0.75) }

func inPx(l vg.Length) float64 { return float64(l) / 0.75 }

// style is the style of text of a size in pixels.
func style(c ink, size float64, bold bool, x, y float64) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: px(size)}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: c, Font: f, XAlign: text.XAlignment(x), YAlign: text.YAlignment(y), Handler: powers{text.Plain{Fonts: fonts}}}
}

// powers draws plain text, and 10^-3 with a raised exponent: the font lacks some of the
// superscript digits.
type powers struct{ text.Plain }

const raised = 0.75 // size of an exponent

// splitPower cuts "2×10^-3" into "2×10" and "−3".
func splitPower(s string) (base, exponent string, ok bool) {
	base, exponent, ok = strings.Cut(s, "10^")
	if !ok {
		return s, "", false
	}
	return base + "10", strings.Replace(exponent, "-", "−", 1), true
}

func (h powers) Box(s string, f font.Font) (width, height, depth vg.Length) {
	base, exponent, ok := splitPower(s)
	width, height, depth = h.Plain.Box(base, f)
	if ok {
		w, _, _ := h.Plain.Box(exponent, font.From(f, f.Size*raised))
		width += w
	}
	return width, height, depth
}

func (h powers) Draw(c vg.Canvas, s string, sty text.Style, at vg.Point) {
	base, exponent, ok := splitPower(s)
	if !ok {
		h.Plain.Draw(c, s, sty, at)
		return
	}
	whole, _, _ := h.Box(s, sty.Font)
	left, _, _ := h.Plain.Box(base, sty.Font)
	at.X += whole * vg.Length(sty.XAlign)
	sty.XAlign = 0
	h.Plain.Draw(c, base, sty, at)
	small := sty
	small.Font.Size *= raised
	at.X += left
	at.Y += sty.Font.Size * 0.3
	h.Plain.Draw(c, exponent, small, at)
}

// widthOf measures one line, in pixels.
func widthOf(s string, size float64, bold bool) float64 {
	sty := style(ink{}, size, bold, 0, 0)
	w, _, _ := sty.Handler.Box(s, sty.Font)
	return inPx(w)
}

// cut shortens s to a width in pixels, with an ellipsis.
func cut(s string, width, size float64, bold bool) string {
	if widthOf(s, size, bold) <= width {
		return s
	}
	r := []rune(s)
	lo, hi := 0, len(r) // the longest prefix that fits, by halving
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if widthOf(string(r[:mid])+"…", size, bold) <= width {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return strings.TrimRight(string(r[:lo]), " ") + "…"
}

// wrap breaks s at spaces into at most limit lines of a width in pixels; what does not
// fit ends in an ellipsis.
func wrap(s string, width, size float64, limit int) []string {
	var lines []string
	line := ""
	words := strings.Fields(s)
	for i, w := range words {
		longer := strings.TrimPrefix(line+" "+w, " ")
		if line == "" || widthOf(longer, size, false) <= width {
			line = longer
			continue
		}
		if len(lines) == limit-1 {
			return append(lines, cut(line+" "+strings.Join(words[i:], " "), width, size, false))
		}
		lines, line = append(lines, cut(line, width, size, false)), w
	}
	if line != "" {
		lines = append(lines, cut(line, width, size, false))
	}
	return lines
}
