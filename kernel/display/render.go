package display

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"

	"trivium/kernel/symbols/box"
)

// A Bundle is one thing in several MIME types. Text is a string, binary data a []byte, JSON
// a json.RawMessage or anything that marshals.
type Bundle struct {
	Data     map[string]any
	Metadata map[string]any
}

// MIME types by the names that Jupyter uses.
const (
	Text       = "text/plain"
	HTML       = "text/html"
	Markdown   = "text/markdown"
	Latex      = "text/latex"
	SVG        = "image/svg+xml"
	PNG        = "image/png"
	JPEG       = "image/jpeg"
	GIF        = "image/gif"
	PDF        = "application/pdf"
	JSON       = "application/json"
	JavaScript = "application/javascript"
)

// A converter makes a bundle of values of some type, or reports false.
type converter func(v any) (Bundle, bool)

var (
	convertersMu sync.RWMutex
	converters   []converter
)

// Register adds a way to show values of types that this package cannot know. Converters are
// asked in the order in which they were registered, before anything else.
func Register(f func(v any) (Bundle, bool)) {
	convertersMu.Lock()
	defer convertersMu.Unlock()
	converters = append(converters, f)
}

var figures []func(v any) (Figure, bool) // guarded by convertersMu

// RegisterFigure adds a way to draw values that do not draw themselves: runs, numbers. A
// figure is made for each time that the value is shown, and is live if it has a Done channel
// that is open. If it gives no text/plain, that is the value's own text.
func RegisterFigure(f func(v any) (Figure, bool)) {
	convertersMu.Lock()
	defer convertersMu.Unlock()
	figures = append(figures, f)
}

// drawn returns a figure of a value that does not draw itself.
func drawn(v any) (Figure, bool) {
	convertersMu.RLock()
	defer convertersMu.RUnlock()
	for _, f := range figures {
		if fig, ok := f(v); ok {
			return fig, true
		}
	}
	return nil, false
}

// Figure is a value that draws itself in several MIME types.
type Figure interface {
	MIMEBundle() (data map[string]any, metadata map[string]any)
}

// Render makes a bundle of a value; rich says whether it is more than text. A value that
// panics while it is drawn gives a text that says so.
func Render(v any) (b Bundle, rich bool) {
	defer func() {
		if p := recover(); p != nil {
			b, rich = Bundle{Data: map[string]any{Text: fmt.Sprintf("drawing a %s panicked: %v", typeName(v), p)}}, false
		}
	}()
	if b, ok := v.(Bundle); ok {
		return complete(b, nil), true
	}
	if b, ok := convert(v); ok {
		return complete(b, v), true
	}
	if f, ok := drawn(v); ok {
		data, metadata := f.MIMEBundle()
		if data[Text] == nil {
			data[Text] = plainText(v)
		}
		return complete(Bundle{Data: data, Metadata: metadata}, v), true
	}
	if o, ok := box.Of(v); ok {
		if b, ok := cellType(o); ok {
			return complete(b, v), true
		}
		return Bundle{Data: map[string]any{Text: plainText(v)}}, false
	}
	if f, ok := v.(Figure); ok {
		data, metadata := f.MIMEBundle()
		return complete(Bundle{Data: data, Metadata: metadata}, v), true
	}
	if m := reflect.ValueOf(v); m.IsValid() {
		if f := m.MethodByName("Render"); f.IsValid() {
			if b, ok := rendered(f); ok {
				return complete(b, v), true
			}
		}
	}
	if b, ok := byMethod(v); ok {
		return complete(b, v), true
	}
	if img, ok := v.(image.Image); ok {
		if b, err := Image(img); err == nil {
			return complete(b, v), true
		}
	}
	if b, ok := byWriting(v); ok {
		return complete(b, v), true
	}
	return Bundle{Data: map[string]any{Text: plainText(v)}}, false
}

// byWriting shows what a value writes of itself. A reader is not asked: it would be empty
// afterwards. Values that are text are shown as their type says.
func byWriting(v any) (Bundle, bool) {
	var b Bundle
	var ok bool
	switch w := v.(type) {
	case *bytes.Buffer:
		if w == nil {
			return b, false
		}
		b, ok = ofBytes(w.Bytes())
	case io.Reader:
		return b, false
	case io.WriterTo:
		b, ok = written(func(out io.Writer) error { _, err := w.WriteTo(out); return err })
	}
	if _, says := v.(fmt.Stringer); says && len(b.Data) == 1 {
		return b, false
	}
	return b, ok
}

func convert(v any) (Bundle, bool) {
	convertersMu.RLock()
	defer convertersMu.RUnlock()
	for _, f := range converters {
		if b, ok := f(v); ok {
			return b, true
		}
	}
	return Bundle{}, false
}

// byMethod asks for the methods with which values show themselves in gophernotes.
func byMethod(v any) (Bundle, bool) {
	data := map[string]any{}
	if m, ok := v.(interface{ SimpleRender() map[string]any }); ok {
		maps.Copy(data, m.SimpleRender())
	}
	if m, ok := v.(interface{ HTML() string }); ok {
		data[HTML] = m.HTML()
	}
	if m, ok := v.(interface{ Markdown() string }); ok {
		data[Markdown] = m.Markdown()
	}
	if m, ok := v.(interface{ Latex() string }); ok {
		data[Latex] = m.Latex()
	}
	if m, ok := v.(interface{ SVG() string }); ok {
		data[SVG] = m.SVG()
	}
	if m, ok := v.(interface{ PNG() []byte }); ok {
		data[PNG] = m.PNG()
	}
	if m, ok := v.(interface{ JPEG() []byte }); ok {
		data[JPEG] = m.JPEG()
	}
	if m, ok := v.(interface{ PDF() []byte }); ok {
		data[PDF] = m.PDF()
	}
	if m, ok := v.(interface{ JSON() map[string]any }); ok {
		data[JSON] = m.JSON()
	}
	if m, ok := v.(interface{ JavaScript() string }); ok {
		data[JavaScript] = m.JavaScript()
	}
	return Bundle{Data: data}, len(data) > 0
}

// Image encodes a picture, with its size for front ends.
func Image(img image.Image) (Bundle, error) {
	size := img.Bounds().Size()
	var buf bytes.Buffer
	// Notebooks are shown far more often than stored: a fast encoder is worth a few bytes.
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&buf, img); err != nil {
		return Bundle{}, fmt.Errorf("display: %d×%d picture: %w", size.X, size.Y, err)
	}
	return Bundle{
		Data:     map[string]any{PNG: buf.Bytes(), Text: fmt.Sprintf("picture, %d×%d", size.X, size.Y)},
		Metadata: map[string]any{PNG: map[string]any{"width": size.X, "height": size.Y}},
	}, nil
}

// complete adds the text/plain that every bundle needs.
func complete(b Bundle, v any) Bundle {
	if b.Data == nil {
		b.Data = map[string]any{}
	}
	if b.Metadata == nil {
		b.Metadata = map[string]any{}
	}
	if _, ok := b.Data[Text]; ok {
		return b
	}
	switch {
	case b.Data[Markdown] != nil:
		b.Data[Text] = b.Data[Markdown]
	case b.Data[Latex] != nil:
		b.Data[Text] = b.Data[Latex]
	default:
		b.Data[Text] = summary(b, v)
	}
	return b
}

// summary says what a bundle holds, for those who cannot see it.
func summary(b Bundle, v any) string {
	if s, ok := v.(fmt.Stringer); ok {
		return shorten(s.String())
	}
	for _, mime := range []string{PNG, JPEG, GIF, PDF, SVG, HTML, JSON, JavaScript} {
		switch d := b.Data[mime].(type) {
		case []byte:
			return fmt.Sprintf("%s, %d bytes", mime, len(d))
		case string:
			return fmt.Sprintf("%s, %d bytes", mime, len(d))
		case nil:
		default:
			return mime
		}
	}
	return typeName(v)
}

// typeName names the type of a value, as a cell calls it.
func typeName(v any) string {
	if o, ok := box.Of(v); ok {
		return o.D.Name
	}
	return fmt.Sprintf("%T", v)
}

// textLimit is the length of text/plain beyond which it is cut. Figures say what they show
// in a sentence; a value is not a place to read a file.
const textLimit = 4000

func shorten(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= textLimit {
		return s
	}
	n := textLimit
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s… (%d bytes in all)", s[:n], len(s))
}

// plainText is the text of a value of which no static type is known.
func plainText(v any) string {
	if b, ok := v.([]byte); ok && len(b) > 64 {
		return fmt.Sprintf("[]byte of length %d: % x …", len(b), b[:16])
	}
	switch v.(type) {
	case nil, string, error, fmt.Stringer, bool, int, float64:
		return shorten(fmt.Sprint(v))
	}
	return shorten(fmt.Sprintf("%+v", v))
}
