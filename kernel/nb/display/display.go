// Package display shows data of given MIME types, with the names that users of gophernotes
// know: each function makes [Data], which is shown when it is the last line of a cell or
// given to [Display].
//
//	display.Markdown("**bold**")
package display

import (
	"fmt"
	"image"
	"maps"
	"slices"
	"strings"

	"trivium/kernel/display"
)

// MIMEMap holds data by MIME type.
type MIMEMap = map[string]any

// Data is something to show, in one or several MIME types. Transient may hold a display_id,
// by which the same place can be shown anew.
type Data struct {
	Data, Metadata, Transient MIMEMap
}

// MIMEBundle makes Data a figure.
func (d Data) MIMEBundle() (data, metadata map[string]any) { return d.Data, d.Metadata }

// String names the MIME types: text that stands for Data is short, whatever it holds.
func (d Data) String() string {
	if text, ok := d.Data[MIMETypeText].(string); ok {
		return text
	}
	return strings.Join(slices.Sorted(maps.Keys(d.Data)), ", ")
}

// MIME types.
const (
	MIMETypeHTML       = display.HTML
	MIMETypeJavaScript = display.JavaScript
	MIMETypeJPEG       = display.JPEG
	MIMETypeJSON       = display.JSON
	MIMETypeLatex      = display.Latex
	MIMETypeMarkdown   = display.Markdown
	MIMETypePNG        = display.PNG
	MIMETypePDF        = display.PDF
	MIMETypeSVG        = display.SVG
	MIMETypeText       = display.Text
)

// Display shows data in the output of the cell. Data with a display_id that was shown
// before replace what stands there.
func Display(v any) error {
	m := display.Current()
	d, ok := v.(Data)
	if !ok {
		return m.Show(v)
	}
	b := display.Bundle{Data: d.Data, Metadata: d.Metadata}
	id, _ := d.Transient["display_id"].(string)
	return m.ShowBundle(b, id)
}

// Update replaces what was shown with a display_id.
func Update(id string, d Data) error {
	return display.Current().Update(id, display.Bundle{Data: d.Data, Metadata: d.Metadata})
}

// ClearOutput removes the output of the cell, now or, with wait, when there is new output.
func ClearOutput(wait bool) error { return display.Current().Clear(wait) }

// MakeData makes Data of one MIME type.
func MakeData(mime string, data any) Data { return MIME(MIMEMap{mime: data}, nil) }

// MakeData3 makes Data of one MIME type with a text that stands in for it.
func MakeData3(mime, plain string, data any) Data {
	return MIME(MIMEMap{mime: data, MIMETypeText: plain}, nil)
}

// MIME makes Data of several MIME types.
func MIME(data, metadata MIMEMap) Data { return Data{Data: data, Metadata: metadata} }

// HTML shows text as HTML.
func HTML(text string) Data { return MakeData(MIMETypeHTML, text) }

// JavaScript runs text in the front end, where that is allowed.
func JavaScript(text string) Data { return MakeData(MIMETypeJavaScript, text) }

// JSON shows a value as a tree.
func JSON(v map[string]any) Data { return MakeData(MIMETypeJSON, v) }

// Markdown shows text as Markdown.
func Markdown(text string) Data { return MakeData3(MIMETypeMarkdown, text, text) }

// Latex shows text as a LaTeX formula within a line.
func Latex(text string) Data { return MakeData3(MIMETypeLatex, text, "$"+text+"$") }

// Math shows text as a LaTeX formula on a line of its own.
func Math(text string) Data { return MakeData3(MIMETypeLatex, text, "$$"+text+"$$") }

// SVG shows an SVG picture.
func SVG(text string) Data { return MakeData(MIMETypeSVG, text) }

// PNG shows an encoded picture.
func PNG(picture []byte) Data { return MakeData(MIMETypePNG, picture) }

// JPEG shows an encoded picture.
func JPEG(picture []byte) Data { return MakeData(MIMETypeJPEG, picture) }

// PDF shows a document.
func PDF(document []byte) Data { return MakeData(MIMETypePDF, document) }

// Image shows a picture, at its size.
func Image(img image.Image) (Data, error) {
	b, err := display.Image(img)
	if err != nil {
		return Data{}, fmt.Errorf("display.Image: %w", err)
	}
	return MIME(b.Data, b.Metadata), nil
}
