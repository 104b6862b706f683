package main

import (
	"bytes"
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"trivium/kernel/display"
)

// gonumPlot shows a gonum plot as it is: a picture of twice the resolution it is shown at,
// so that it is crisp on dense screens.
func gonumPlot(v any) (display.Bundle, bool) {
	p, ok := v.(*plot.Plot)
	if !ok || p == nil {
		return display.Bundle{}, false
	}
	const (
		width, height = 480, 320 // CSS pixels, of which there are 96 to the inch
		density       = 2
	)
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(
		vgimg.UseWH(vg.Length(width)*vg.Inch/96, vg.Length(height)*vg.Inch/96), vgimg.UseDPI(96*density))}
	p.Draw(draw.New(canvas))
	var buf bytes.Buffer
	if _, err := canvas.WriteTo(&buf); err != nil {
		return display.Bundle{Data: map[string]any{display.Text: fmt.Sprintf("plot that could not be drawn: %v", err)}}, true
	}
	text := "plot"
	if t := p.Title.Text; t != "" {
		text += " “" + t + "”"
	}
	if x, y := p.X.Label.Text, p.Y.Label.Text; x != "" || y != "" {
		text += fmt.Sprintf(" of %s over %s", y, x)
	}
	return display.Bundle{
		Data:     map[string]any{display.PNG: buf.Bytes(), display.Text: text},
		Metadata: map[string]any{display.PNG: map[string]any{"width": width, "height": height}},
	}, true
}
