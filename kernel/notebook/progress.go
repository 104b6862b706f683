package notebook

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// progress writes what a person who waits wants to see: under each heading of the notebook a
// line per code cell, begun when the cell starts and ended with its time.
type progress struct {
	w     io.Writer
	total int
	start time.Time
	told  time.Time // when bars were last written in this cell; zero if they were not
	bar   string    // what was written
}

// Bars of runs are told of a cell that takes long, and again after so much more time.
const (
	barsAfter = 2 * time.Second
	barsEvery = 10 * time.Second
)

func newProgress(w io.Writer, nb *Notebook) *progress {
	p := &progress{w: w}
	for _, c := range nb.Cells {
		if c.Kind == Code {
			p.total++
		}
	}
	if w == nil {
		p.w = io.Discard
	}
	return p
}

const labelWidth = 58 // with the number before and the time after it a line fits 80 columns

func (p *progress) heading(c *Cell) {
	if h := c.heading(); h != "" {
		fmt.Fprintf(p.w, "%s\n", h)
	}
}

func (p *progress) begin(n int, c *Cell) {
	p.start, p.told, p.bar = time.Now(), time.Time{}, ""
	width := len(fmt.Sprint(p.total))
	fmt.Fprintf(p.w, "  [%*d/%d] %s ", width, n, p.total, padded(label(c)))
}

// bars writes the progress bars of a cell below it, a line each, while it goes on.
func (p *progress) bars(text string) {
	now := time.Now()
	if text == "" || text == p.bar || now.Sub(p.start) < barsAfter || now.Sub(p.told) < barsEvery {
		return
	}
	if p.told.IsZero() {
		fmt.Fprintln(p.w)
	}
	p.told, p.bar = now, text
	for line := range strings.Lines(text) {
		fmt.Fprintf(p.w, "      %s\n", strings.TrimRight(line, "\n"))
	}
}

func (p *progress) waiting(figures int) {
	p.start, p.told = time.Now(), time.Time{}
	fmt.Fprintf(p.w, "  %s ", padded(fmt.Sprintf("waiting for the last frame of %d live figure(s)", figures)))
}

func (p *progress) skipped(n int, c *Cell) {
	p.begin(n, c)
	fmt.Fprintln(p.w, " skipped")
}

func (p *progress) unsettled(figures int) {
	fmt.Fprintf(p.w, "still growing (%d); the notebook holds the latest frame ", figures)
}

func (p *progress) end(err error) {
	if !p.told.IsZero() { // the line of the cell has ended already
		fmt.Fprintf(p.w, "  %*s %s ", 2*len(fmt.Sprint(p.total))+3, "", padded("ended"))
	}
	fmt.Fprintf(p.w, "%7.2f s", time.Since(p.start).Seconds())
	var failed *CellError
	switch {
	case errors.As(err, &failed):
		fmt.Fprint(p.w, "  error")
	case err != nil:
		fmt.Fprint(p.w, "  stopped")
	}
	fmt.Fprintln(p.w)
}

// label is the first line of a cell that says something.
func label(c *Cell) string {
	for line := range strings.Lines(c.Source) {
		line = strings.TrimSpace(line)
		if text := strings.TrimSpace(strings.TrimLeft(line, "/")); text != "" && text != "import (" {
			return text
		}
	}
	return ""
}

func padded(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	if n := utf8.RuneCountInString(s); n < labelWidth {
		return s + strings.Repeat(" ", labelWidth-n)
	} else if n > labelWidth {
		return string([]rune(s)[:labelWidth-1]) + "…"
	}
	return s
}
