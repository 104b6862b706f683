// Package gonbui shows things with the names that users of GoNB know. Cells import it by the
// path that it has there:
//
//	import "github.com/janpfeifer/gonb/gonbui"
//
//	gonbui.DisplayHTML("<b>bold</b>")
//
// Packages dom, plotly and cache are there too. Packages comms and widgets are not: sliders and
// buttons that call back are those of nb.Interact, which work in more front ends.
// New cells are better served by package trivium/kernel/nb.
package gonbui

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"sync"

	"trivium/kernel/display"
	"trivium/kernel/nb"
)

// IsNotebook tells that the program runs in a notebook, which cells do.
var IsNotebook = true

// DisplayHTML shows text as HTML.
func DisplayHTML(html string) { show(display.HTML, html) }

// DisplayHtml is DisplayHTML.
func DisplayHtml(html string) { DisplayHTML(html) }

// DisplayHTMLF shows a formatted text as HTML.
func DisplayHTMLF(format string, args ...any) { DisplayHTML(fmt.Sprintf(format, args...)) }

// DisplayHtmlf is DisplayHTMLF.
func DisplayHtmlf(format string, args ...any) { DisplayHTML(fmt.Sprintf(format, args...)) }

// DisplayMarkdown shows text as Markdown, with formulas between dollar signs.
func DisplayMarkdown(markdown string) { show(display.Markdown, markdown) }

// DisplaySvg shows an SVG picture.
func DisplaySvg(svg string) { show(display.SVG, svg) }

// DisplaySVG is DisplaySvg.
func DisplaySVG(svg string) { DisplaySvg(svg) }

// DisplayPng shows an encoded PNG picture.
func DisplayPng(png []byte) { show(display.PNG, png) }

// DisplayPNG is DisplayPng.
func DisplayPNG(png []byte) { DisplayPng(png) }

// DisplayImage shows a picture at its size.
func DisplayImage(img image.Image) error {
	b, err := display.Image(img)
	if err != nil {
		return err
	}
	return display.Current().ShowBundle(b, "")
}

// EmbedImageAsPNGSrc makes of a picture what can stand as the src of an HTML img.
func EmbedImageAsPNGSrc(img image.Image) (string, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return "", fmt.Errorf("gonbui.EmbedImageAsPNGSrc: %w", err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// ScriptJavascript runs a script in the front end.
func ScriptJavascript(js string) { DisplayHTML("<script charset=\"utf-8\">" + js + "</script>") }

// UpdateHTML shows HTML in the place with the given id. The first call makes the place, in
// the output of its cell.
func UpdateHTML(id, html string) { update(id, display.HTML, html) }

// UpdateHtml is UpdateHTML.
func UpdateHtml(id, html string) { UpdateHTML(id, html) }

// UpdateMarkdown shows Markdown in the place with the given id, as UpdateHTML does.
func UpdateMarkdown(id, markdown string) { update(id, display.Markdown, markdown) }

// UniqueID returns an id that no other call returns.
func UniqueID() string { return "gonb_id_" + rand.Text() }

// UniqueId is UniqueID.
func UniqueId() string { return UniqueID() }

// RequestInput sets how the user is asked for the line that the cell reads next from standard
// input, as with fmt.Scanln(&name).
func RequestInput(prompt string, password bool) { nb.NextRead(prompt, password) }

// Sync waits until everything is shown. Everything is, when a call that shows it returns.
func Sync() {}

// Error is why nothing can be shown, which has no reason here.
func Error() error { return nil }

func show(mime string, data any) {
	must(display.Current().ShowBundle(bundle(mime, data), ""))
}

func bundle(mime string, data any) display.Bundle {
	return display.Bundle{Data: map[string]any{mime: data}}
}

// places are the ids that were shown.
var (
	placesMu sync.Mutex
	places   = map[string]bool{}
)

func update(id, mime, text string) {
	placesMu.Lock()
	defer placesMu.Unlock()
	m := display.Current()
	if !places[id] {
		must(m.ShowBundle(bundle(mime, text), id))
		places[id] = true
		return
	}
	must(m.Update(id, bundle(mime, text)))
}

// must ends the cell where something could not be shown.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
