package viz

import (
	"fmt"
	"image/color"
	"sync"
)

// A Theme says on which background a figure will be read.
type Theme int

// The themes. Auto has no background and colours that read on white and on near-black
// alike; it is the one for notebooks, where the front end's theme is not known and may
// change. Light and Dark paint their own background, for pages and slides.
const (
	Auto Theme = iota
	Light
	Dark
)

// An ink is a colour that a page may replace by its own: css is what the SVG asks for
// first, where the picture is part of a page that has such a thing.
type ink struct {
	color.NRGBA
	css string
}

// fade returns the ink at a fraction of its opacity.
func (k ink) fade(f float64) ink {
	k.A = uint8(float64(k.A)*f + 0.5)
	return k
}

type inks struct {
	page             ink // A = 0: none
	text, muted      ink
	grid, axis, halo ink
}

func grey(v, a uint8) ink { return ink{NRGBA: color.NRGBA{v, v, v, a}} }

// inks of Auto: #767676 has a contrast of 4.5 on white and of 4.2 on JupyterLab's dark
// background. A media query (prefers-color-scheme) would be wrong as often as right: it
// tells of the browser, and a light notebook in a dark browser is common. An SVG that a
// page shows inline takes the page's text colour by its custom property; one shown as an
// image, as JupyterLab does, cannot see the page and keeps the grey.
func (t Theme) inks() inks {
	switch t {
	case Light:
		return inks{page: grey(255, 255), text: grey(0x22, 255), muted: grey(0x5c, 255), grid: grey(0, 26), axis: grey(0, 110), halo: grey(255, 200)}
	case Dark:
		return inks{page: grey(0x11, 255), text: grey(0xe6, 255), muted: grey(0xa0, 255), grid: grey(255, 30), axis: grey(255, 110), halo: grey(0x11, 200)}
	}
	text := grey(0x76, 255)
	text.css = "var(--jp-content-font-color1,var(--vscode-editor-foreground,#767676))"
	muted := grey(0x76, 255)
	muted.css = "var(--jp-content-font-color2,var(--vscode-descriptionForeground,#767676))"
	return inks{text: text, muted: muted, grid: grey(0x80, 56), axis: grey(0x80, 150)}
}

// palette has colours of a contrast of at least 3 on white and on #111 that stay apart
// for readers with each of the three colour blindnesses (see TestPalette).
var palette = [...]color.NRGBA{
	{0x2f, 0x78, 0xd8, 255}, // blue
	{0xd5, 0x5e, 0x00, 255}, // vermilion
	{0x00, 0x99, 0x52, 255}, // green
	{0x99, 0x00, 0xe6, 255}, // violet
	{0xe6, 0x00, 0x3d, 255}, // crimson
	{0xb2, 0x74, 0x95, 255}, // mauve
	{0x99, 0x3d, 0x87, 255}, // plum
	{0xab, 0x85, 0xcc, 255}, // lilac
}

// dashes tell curves apart that share a colour, in pixels of line and gap.
var dashes = [...][]float64{nil, {6, 3}, {2, 2.5}, {8, 3, 2, 3}}

// A look is how a curve is drawn.
type look struct {
	color ink
	dash  []float64
}

// lookOf gives number i its colour. When the colours are used up they begin anew; curves
// of one figure that share one get different dashes (see [apart]).
func lookOf(i int) look { return look{color: ink{NRGBA: palette[i%len(palette)]}} }

// apart gives curves of different runs that have the same colour different dashes.
func apart(specs []spec) {
	users := map[ink][]int64{}
	for i, s := range specs {
		if s.look.dash != nil {
			continue // a level, which its dash belongs to
		}
		runs := users[s.look.color]
		n := 0
		for n < len(runs) && runs[n] != s.id {
			n++
		}
		if n == len(runs) {
			users[s.look.color] = append(runs, s.id)
		}
		specs[i].look.dash = dashes[n%len(dashes)]
	}
}

// slots remembers which run got which look, so that a run has the same in every figure
// of the process. Numbers go to runs as they are first shown, not by ID: a notebook that
// made a hundred runs and shows three has three different colours.
var slots struct {
	sync.Mutex
	byID map[int64]int
}

func slotOf(id int64) int {
	slots.Lock()
	defer slots.Unlock()
	i, known := slots.byID[id]
	if !known {
		if slots.byID == nil {
			slots.byID = map[int64]int{}
		}
		i = len(slots.byID)
		slots.byID[id] = i
	}
	return i
}

// hex returns the colour as SVG writes it, without its opacity.
func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
