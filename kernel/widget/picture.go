package widget

import (
	"context"
	"fmt"
	"html"
	"strings"
	"sync"
	"time"

	"trivium/kernel/display"
)

// A picture is what a panel shows: some values below each other, as HTML. Values that are
// still changing are drawn again until others take their place.
type picture struct {
	tell func(page string) // there is a new one; called by one goroutine at a time

	mu   sync.Mutex // held while a picture is drawn
	page string
	text string
	last []any              // values that it is of
	stop context.CancelFunc // ends the drawing of values that change
}

// every is how often values that change are drawn, at most.
const every = 300 * time.Millisecond

// set shows values.
func (p *picture) set(values []any) {
	p.end()
	ctx, stop := context.WithCancel(context.Background())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop = stop
	p.draw(values)
	done := changing(values)
	if len(done) == 0 {
		return
	}
	go func() {
		for _, d := range done {
			for open := true; open; {
				select {
				case <-ctx.Done():
					return
				case <-d:
					open = false
				case <-time.After(every):
				}
				p.again(ctx, values)
			}
		}
	}()
}

func (p *picture) again(ctx context.Context, values []any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() == nil {
		p.draw(values)
	}
}

// draw makes the page, and tells of it if it is another one.
func (p *picture) draw(values []any) {
	var page, text strings.Builder
	for _, v := range values {
		b := render(v)
		page.WriteString("<div>" + pictureOf(b) + "</div>")
		fmt.Fprintln(&text, b.Data[display.Text])
	}
	if page.String() == p.page {
		return
	}
	p.last = values
	p.page, p.text = page.String(), strings.TrimSuffix(text.String(), "\n")
	p.tell(p.page)
}

// now is the picture as HTML and as text.
func (p *picture) now() (page, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.page, p.text
}

// still is the picture as HTML that viewers show which clean it.
func (p *picture) still() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var page strings.Builder
	for _, v := range p.last {
		b, _ := display.Render(v)
		page.WriteString("<div>" + imageOf(b) + "</div>")
	}
	return page.String()
}

// end ends the drawing of values that change. What is shown stays.
func (p *picture) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil {
		p.stop()
	}
}

// changing are the channels by which values that change say that they are done.
func changing(values []any) (out []<-chan struct{}) {
	for _, v := range values {
		if done := display.Changing(v); done != nil {
			out = append(out, done)
		}
	}
	return out
}

// ansiPage is text with the colours of terminals, as in a traceback, as HTML.
func ansiPage(text string) string {
	var b strings.Builder
	b.WriteString(`<pre style="white-space:pre-wrap">`)
	open := false
	for {
		before, after, found := strings.Cut(text, "\x1b[")
		b.WriteString(html.EscapeString(before))
		if !found {
			break
		}
		code, rest, ended := strings.Cut(after, "m")
		if !ended {
			break
		}
		if open {
			b.WriteString("</span>")
			open = false
		}
		if style := ansiStyles[code]; style != "" {
			b.WriteString(`<span style="` + style + `">`)
			open = true
		}
		text = rest
	}
	if open {
		b.WriteString("</span>")
	}
	b.WriteString("</pre>")
	return b.String()
}

// ansiStyles are those that tracebacks use.
var ansiStyles = map[string]string{
	"1;31": "color:#e6003d;font-weight:bold", "32": "color:#009952", "1": "font-weight:bold", "33": "color:#b07d00",
}
