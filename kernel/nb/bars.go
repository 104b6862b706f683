package nb

import (
	"fmt"
	"html"
	"strings"
	"sync"

	"trivium/kernel/display"
)

// bars are the progress bars of some runs. They are a live figure: done when all runs are,
// or when nobody waits any more.
type bars struct {
	runs []Run
	done chan struct{}
	once sync.Once
}

func newBars(runs []Run) *bars {
	return &bars{runs: runs, done: make(chan struct{})}
}

func (b *bars) close() { b.once.Do(func() { close(b.done) }) }

// Done makes the bars a live figure.
func (b *bars) Done() <-chan struct{} { return b.done }

// MIMEBundle draws one bar per run.
func (b *bars) MIMEBundle() (data, metadata map[string]any) { return table(b.runs), nil }

// table is a table of runs with their progress, as HTML and as text.
func table(runs []Run) map[string]any {
	var page, text strings.Builder
	page.WriteString(`<table style="border-collapse:collapse">`)
	for _, r := range runs {
		row := newRow(r)
		row.html(&page)
		row.text(&text)
	}
	page.WriteString("</table>")
	if len(runs) == 0 {
		return map[string]any{display.Text: "no runs"}
	}
	return map[string]any{display.HTML: page.String(), display.Text: strings.TrimSuffix(text.String(), "\n")}
}

// row is what is said of one run.
type row struct {
	name  string
	part  float64 // from 0 to 1; below 0 if unknown
	words string
	color string // of the bar
}

func newRow(r Run) row {
	p, ok := notebook.Progress(r)
	if !ok {
		p = Progress{Left: -1, State: stateOf(r)}
	}
	out := row{name: r.Name(), part: -1, color: barGoing}
	if p.Total > 0 {
		out.part = min(max(p.Done/p.Total, 0), 1)
	}
	var words []string
	if finished(p.State) {
		// Fewer steps than were allowed are no less of a run that has done its work.
		out.part, out.color = 1, barDone
		words = append(words, ending(p))
		if p.Seconds > 0 {
			words = append(words, seconds(p.Seconds))
		}
		if p.Last != "" {
			words = append(words, p.Last)
		}
		out.words = strings.Join(words, ", ")
		return out
	}
	switch {
	case p.Total > 0:
		words = append(words, counted(p, fmt.Sprintf("%.0f of %.0f", p.Done, p.Total)))
	case p.Done > 0:
		words = append(words, counted(p, fmt.Sprintf("%.0f", p.Done)))
	}
	if p.Seconds > 0 {
		words = append(words, seconds(p.Seconds))
		if p.Done > 0 {
			words = append(words, fmt.Sprintf("%.3g/s", p.Done/p.Seconds))
		}
	}
	if p.State == "running" && p.Left >= 0 {
		words = append(words, seconds(p.Left)+" left")
	}
	if p.Last != "" {
		words = append(words, p.Last)
	}
	if p.State != "running" {
		words = append(words, p.State)
	}
	if err := r.Err(); err != nil {
		if p.State == "failed" {
			out.color = barFailed
		}
		if err.Error() != p.State { // which says it already
			words = append(words, err.Error())
		}
	}
	out.words = strings.Join(words, ", ")
	return out
}

// finished reports whether a run has done its work: it has ended, and neither stopped nor failed.
func finished(state string) bool { return state == "done" || state == "converged" }

// ending says in words how a run finished.
func ending(p Progress) string {
	word := "finished"
	if p.State == "converged" {
		word = p.State
	}
	switch {
	case p.Done <= 0:
		return word
	case p.Total > 0 && p.Done < p.Total:
		return counted(p, fmt.Sprintf("%s at %.0f of at most %.0f", word, p.Done, p.Total))
	}
	return counted(p, fmt.Sprintf("%s after %.0f", word, p.Done))
}

// counted adds what words count.
func counted(p Progress, words string) string {
	if p.Unit == "" {
		return words
	}
	return words + " " + p.Unit
}

func stateOf(r Run) string {
	select {
	case <-r.Done():
		if r.Err() != nil {
			return "failed"
		}
		return "done"
	default:
		return "running"
	}
}

// Colours of bars, which read on light pages and on dark ones.
const (
	barGoing  = "#2f78d8"
	barDone   = "#009952"
	barFailed = "#e6003d"
)

// html draws the bar on a track in the colour of the text around it, so that it suits any theme.
func (r row) html(b *strings.Builder) {
	fmt.Fprintf(b, `<tr style="background:none"><td style="text-align:left;white-space:nowrap;max-width:20em;overflow:hidden;text-overflow:ellipsis;padding:2px 8px 2px 0">%s</td>`, html.EscapeString(r.name))
	if r.part >= 0 {
		fmt.Fprintf(b, `<td style="padding:2px 8px;vertical-align:middle"><div role="progressbar" aria-label="%s" aria-valuenow="%.0f" aria-valuemin="0" aria-valuemax="100" `+
			`style="position:relative;width:160px;height:8px;border-radius:4px;overflow:hidden">`+
			`<div style="position:absolute;inset:0;background:currentColor;opacity:.15"></div>`+
			`<div style="position:relative;width:%.1f%%;height:100%%;background:%s"></div></div></td>`, html.EscapeString(r.name), 100*r.part, 100*r.part, r.color)
	} else {
		b.WriteString("<td></td>")
	}
	fmt.Fprintf(b, `<td style="text-align:left;padding:2px 0">%s</td></tr>`, html.EscapeString(r.words))
}

func (r row) text(b *strings.Builder) {
	b.WriteString(r.name)
	if r.part >= 0 {
		const width = 20
		full := int(r.part * width)
		fmt.Fprintf(b, " [%s%s] %3.0f%%", strings.Repeat("#", full), strings.Repeat(".", width-full), 100*r.part)
	}
	if r.words != "" {
		b.WriteString(" " + r.words)
	}
	b.WriteString("\n")
}

// seconds writes a duration as people say it.
func seconds(s float64) string {
	switch {
	case s < 10:
		return fmt.Sprintf("%.1f s", s)
	case s < 60:
		return fmt.Sprintf("%.0f s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", int(s)/60, int(s)%60)
	}
	return fmt.Sprintf("%d h %02d min", int(s)/3600, int(s)%3600/60)
}
