package viz

import (
	"image/color"
	"math"
	"testing"
)

// linear returns the light of a colour's channels, from 0 to 1 (IEC 61966-2-1).
func linear(c color.NRGBA) [3]float64 {
	var out [3]float64
	for i, v := range [3]uint8{c.R, c.G, c.B} {
		f := float64(v) / 255
		if f <= 0.04045 {
			out[i] = f / 12.92
		} else {
			out[i] = math.Pow((f+0.055)/1.055, 2.4)
		}
	}
	return out
}

// contrast is that of WCAG 2: 3 is asked for parts of figures, 4.5 for text.
func contrast(a, b color.NRGBA) float64 {
	l := func(c color.NRGBA) float64 {
		x := linear(c)
		return 0.2126*x[0] + 0.7152*x[1] + 0.0722*x[2] + 0.05
	}
	return max(l(a), l(b)) / min(l(a), l(b))
}

// sight is what a reader without one kind of cones sees, as a matrix on linear light
// (Machado, Oliveira, Fernandes, IEEE TVCG 15 (2009), 1291, severity 1).
var sight = map[string][3][3]float64{
	"all cones":    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab is a colour in CIE L*a*b*, in which distance is about difference as seen.
func lab(c color.NRGBA, m [3][3]float64) [3]float64 {
	l := linear(c)
	var s [3]float64
	for i := range 3 {
		s[i] = min(max(m[i][0]*l[0]+m[i][1]*l[1]+m[i][2]*l[2], 0), 1)
	}
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x := f((0.4124*s[0] + 0.3576*s[1] + 0.1805*s[2]) / 0.9505)
	y := f(0.2126*s[0] + 0.7152*s[1] + 0.0722*s[2])
	z := f((0.0193*s[0] + 0.1192*s[1] + 0.9505*s[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func TestPalette(t *testing.T) {
	white, dark := color.NRGBA{255, 255, 255, 255}, color.NRGBA{0x11, 0x11, 0x11, 255}
	for i, c := range palette {
		if a, b := contrast(c, white), contrast(c, dark); a < 3 || b < 3 {
			t.Errorf("colour %d (%s): contrast %.2f on white, %.2f on dark, want 3", i, hex(c), a, b)
		}
	}
	for who, m := range sight {
		for i, a := range palette {
			for _, b := range palette[:i] {
				x, y := lab(a, m), lab(b, m)
				d := math.Sqrt(math.Pow(x[0]-y[0], 2) + math.Pow(x[1]-y[1], 2) + math.Pow(x[2]-y[2], 2))
				// 2.3 is just noticed side by side; lines apart from each other need several
				// times that.
				if want := 15.0; d < want {
					t.Errorf("%s: %s and %s differ by %.1f, want %v", who, hex(a), hex(b), d, want)
				}
			}
		}
	}
}

func TestTextReadsOnBothBackgrounds(t *testing.T) {
	white, dark := color.NRGBA{255, 255, 255, 255}, color.NRGBA{0x11, 0x11, 0x11, 255}
	for name, c := range map[string]struct {
		ink  ink
		on   color.NRGBA
		want float64
	}{
		"auto on white":       {Auto.inks().text, white, 4.5},
		"auto on dark":        {Auto.inks().text, dark, 4}, // no grey has 4.5 on both
		"auto, muted":         {Auto.inks().muted, dark, 4},
		"light":               {Light.inks().text, Light.inks().page.NRGBA, 7},
		"light, muted":        {Light.inks().muted, Light.inks().page.NRGBA, 4.5},
		"dark":                {Dark.inks().text, Dark.inks().page.NRGBA, 7},
		"dark, muted":         {Dark.inks().muted, Dark.inks().page.NRGBA, 4.5},
		"auto, muted on page": {Auto.inks().muted, white, 4.5},
	} {
		if got := contrast(c.ink.NRGBA, c.on); got < c.want {
			t.Errorf("%s: contrast %.2f, want %v", name, got, c.want)
		}
	}
}
