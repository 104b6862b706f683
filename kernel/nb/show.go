package nb

import (
	"crypto/rand"
	"fmt"

	"trivium/kernel/display"
)

// Show shows values in the output of the cell, one below the other, each as richly as it
// can be. A figure that is still changing goes on changing there while other cells run.
func Show(values ...any) {
	for _, v := range values {
		report(display.Current().Show(v))
	}
}

// ShowHTML shows text as HTML. Scripts in it run in most front ends.
func ShowHTML(text string) { show(display.HTML, text, "HTML") }

// ShowMarkdown shows text as Markdown.
func ShowMarkdown(text string) { show(display.Markdown, text, text) }

// ShowLatex shows text as LaTeX: formulas stand between dollar signs.
func ShowLatex(text string) { show(display.Latex, text, text) }

// ShowSVG shows an SVG picture.
func ShowSVG(text string) { show(display.SVG, text, "SVG picture") }

// ShowPNG shows a PNG picture.
func ShowPNG(picture []byte) {
	show(display.PNG, picture, fmt.Sprintf("PNG picture, %d bytes", len(picture)))
}

// ShowMIME shows data as the given MIME type. Text is a string, binary data a []byte, and
// JSON anything that encoding/json takes; text stands in where data cannot be shown.
func ShowMIME(mime string, data any, text string) { show(mime, data, text) }

func show(mime string, data any, text string) {
	b := display.Bundle{Data: map[string]any{mime: data, display.Text: text}}
	report(display.Current().ShowBundle(b, ""))
}

// A Shown is a place in a cell's output whose content can be replaced later.
type Shown struct{ id string }

// ShowLater shows a value and returns its place, for Update.
func ShowLater(v any) *Shown {
	s := &Shown{"nb-" + rand.Text()}
	b, _ := display.Render(v)
	report(display.Current().ShowBundle(b, s.id))
	return s
}

// Update replaces what stands in the place by v. It works from later cells too.
func (s *Shown) Update(v any) {
	b, _ := display.Render(v)
	report(display.Current().Update(s.id, b))
}

// Clear removes what the cell has shown and printed, now or, with wait, when it shows
// something new: then nothing flickers.
func Clear(wait bool) { report(display.Current().Clear(wait)) }

// report ends the cell if something could not be shown; a value that cannot be encoded is
// a mistake in the cell.
func report(err error) {
	if err != nil {
		panic(err)
	}
}
