package widget

import (
	"fmt"
	"html"
	"reflect"
	"strings"

	"trivium/kernel/display"
	"trivium/kernel/player"
	"trivium/kernel/symbols/box"
)

// Limits of a player: frames of one, and the bytes of all together. A Jupyter server drops
// messages beyond a megabyte a second, over three seconds.
const (
	usualFrames = 24
	mostFrames  = 200
	mostBytes   = 2_500_000
)

// A Player shows one of several pictures, chosen by a slider that needs no kernel: it works
// in an exported page too.
type Player struct {
	name   string
	labels []string
	frames []display.Bundle
}

// Play calls f for each frame and keeps the pictures. The frames are values for f's
// parameter, a slice of them, or one control, whose values are gone through. Without f the
// values are the pictures themselves.
func Play(f any, frames ...any) (*Player, error) {
	p := &Player{name: "frame"}
	values := frames
	if len(frames) == 1 {
		if c, ok := frames[0].(*Control); ok {
			values, p.name = c.values(usualFrames), c.name
		} else if v := reflect.ValueOf(frames[0]); v.Kind() == reflect.Slice && !isBoxed(frames[0]) {
			values = nil
			for i := range v.Len() {
				values = append(values, v.Index(i).Interface())
			}
		}
	}
	if len(values) == 0 || len(values) > mostFrames {
		return nil, fmt.Errorf("%d frames, where 1 to %d can be played; a few dozen are enough", len(values), mostFrames)
	}
	size := 0
	for i, v := range values {
		b, label, err := frame(f, i, v)
		if err != nil {
			return nil, fmt.Errorf("frame %d: %w", i+1, err)
		}
		size += len(imageOf(b))
		if size > mostBytes {
			return nil, fmt.Errorf("%d of %d frames hold %.1f MB, and %.1f MB is the most that a notebook's server lets through at once; play fewer frames or smaller figures",
				i+1, len(values), float64(size)/1e6, mostBytes/1e6)
		}
		p.frames, p.labels = append(p.frames, b), append(p.labels, label)
	}
	return p, nil
}

func isBoxed(v any) bool { _, ok := box.Of(v); return ok }

// frame makes one picture and says what it is of.
func frame(f any, i int, v any) (display.Bundle, string, error) {
	if f == nil {
		return renderFrame(i, v), fmt.Sprint(i + 1), nil
	}
	fn, err := functionOf(f)
	if err != nil {
		return display.Bundle{}, "", err
	}
	if t := fn.v.Type(); t.NumIn() != 1 || t.IsVariadic() {
		return display.Bundle{}, "", fmt.Errorf("the function %v has %d parameters, and a frame sets one", t, t.NumIn())
	}
	results, err := fn.call([]any{v})
	if err != nil {
		return display.Bundle{}, "", err
	}
	if len(results) != 1 {
		return display.Bundle{}, "", fmt.Errorf("the function returns %d values, and one picture is shown", len(results))
	}
	return renderFrame(i, results[0]), fmt.Sprint(v), nil
}

// renderFrame draws frame number i. The first one has a PNG too, for viewers that show no SVG.
func renderFrame(i int, v any) display.Bundle {
	if i > 0 {
		return render(v)
	}
	b, _ := display.Render(v)
	return b
}

// MIMEBundle makes one HTML output of all frames.
func (p *Player) MIMEBundle() (data, metadata map[string]any) {
	pictures := make([]string, len(p.frames))
	for i, f := range p.frames {
		pictures[i] = imageOf(f)
	}
	text := fmt.Sprintf("%d frames over %s, from %s to %s; the first: %v",
		len(p.frames), p.name, p.labels[0], p.labels[len(p.labels)-1], p.frames[0].Data[display.Text])
	return map[string]any{display.HTML: player.HTML(p.name, p.labels, pictures), display.Text: text}, nil
}

// render draws a value for a page. A figure gives its SVG alone: a PNG takes ten times as long.
func render(v any) display.Bundle {
	if f, ok := v.(interface {
		SVG() ([]byte, error)
		String() string
	}); ok {
		if svg, err := f.SVG(); err == nil {
			return display.Bundle{Data: map[string]any{display.SVG: string(svg), display.Text: f.String()}}
		}
	}
	b, _ := display.Render(v)
	return b
}

// imageOf is a bundle as HTML in which an SVG is an image of its own, so that several may stand in
// one page and each is there for viewers that clean the page.
func imageOf(b display.Bundle) string {
	svg, ok := b.Data[display.SVG].(string)
	if !ok || b.Data[display.HTML] != nil {
		return pictureOf(b)
	}
	picture, _ := b.Data[display.PNG].([]byte)
	return display.SVGHTML(svg, picture, b.Metadata[display.SVG], fmt.Sprint(b.Data[display.Text]))
}

// pictureOf is a bundle as HTML.
func pictureOf(b display.Bundle) string {
	if s, ok := b.Data[display.HTML].(string); ok {
		return s
	}
	if s, ok := b.Data[display.SVG].(string); ok {
		if at := strings.Index(s, "<svg"); at > 0 {
			s = s[at:] // a declaration of XML has no place in HTML
		}
		return s
	}
	for _, mime := range []string{display.PNG, display.JPEG, display.GIF} {
		if raw, ok := b.Data[mime].([]byte); ok {
			return display.ImageHTML(mime, raw, b.Metadata[mime], fmt.Sprint(b.Data[display.Text]))
		}
	}
	return "<pre>" + html.EscapeString(fmt.Sprint(b.Data[display.Text])) + "</pre>"
}
