package widget

import (
	"fmt"
	"html"
	"reflect"
	"strings"

	"trivium/kernel/display"
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
		size += len(pictureOf(b))
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
		b, _ := display.Render(v)
		return b, fmt.Sprint(i + 1), nil
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
	b, _ := display.Render(results[0])
	return b, fmt.Sprint(v), nil
}

// MIMEBundle makes one HTML output of all frames.
func (p *Player) MIMEBundle() (data, metadata map[string]any) {
	var b strings.Builder
	start := 0
	b.WriteString(`<div class="trivium-play">`)
	if n := len(p.frames); n > 1 {
		const show = `var r=this.closest('.trivium-play'),f=r.querySelectorAll('.trivium-frame'),i;` +
			`for(i=0;i&lt;f.length;i++)f[i].style.display=i==this.value?'':'none';` +
			`r.querySelector('output').textContent=f[this.value].getAttribute('data-label')`
		const play = `var b=this,s=b.parentNode.querySelector('input');` +
			`if(b.timer){clearInterval(b.timer);b.timer=0;b.textContent='▶'}else{b.textContent='⏸';` +
			`b.timer=setInterval(function(){if(!b.isConnected)return clearInterval(b.timer);s.value=(+s.value+1)%(+s.max+1);s.oninput()},250)}`
		fmt.Fprintf(&b, `<div style="display:flex;align-items:center;gap:.6em;margin:2px 0"><button type="button" aria-label="play" style="font:inherit;width:2.5em" onclick="%s">▶</button>`+
			`<label>%s <input type="range" min="0" max="%d" step="1" value="%d" style="width:20em;vertical-align:middle" oninput="%s"></label> <output>%s</output></div>`,
			play, html.EscapeString(p.name), n-1, start, show, html.EscapeString(p.labels[start]))
	}
	for i, f := range p.frames {
		hide := ""
		if i != start {
			hide = ` style="display:none"`
		}
		fmt.Fprintf(&b, `<div class="trivium-frame" data-label="%s"%s>%s</div>`, html.EscapeString(p.labels[i]), hide, pictureOf(f))
	}
	b.WriteString("</div>")
	text := fmt.Sprintf("%d frames over %s, from %s to %s; the first: %v",
		len(p.frames), p.name, p.labels[0], p.labels[len(p.labels)-1], p.frames[0].Data[display.Text])
	return map[string]any{display.HTML: b.String(), display.Text: text}, nil
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
