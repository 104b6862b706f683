package viz

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"

	"trivium/core/run"
)

// A Sheet is a table of runs; see [Table].
type Sheet struct {
	src []Source
	end ending
}

// mostColumns is how many series a table shows.
const mostColumns = 6

// Table lists runs with the settings in which they differ, how they ended, how long they
// ran, and the last value of each series that they share. In a notebook it is kept up to
// date until all runs have ended.
//
//	viz.Table(exact, half)
func Table(sources ...Source) *Sheet { return &Sheet{src: present(sources)} }

// Done returns a channel that is closed when all runs of the table have ended.
func (s *Sheet) Done() <-chan struct{} { return s.end.of(s.src) }

// Version returns a number that is larger whenever the table would look different.
func (s *Sheet) Version() uint64 { return versions(s.src) }

// MIMEBundle returns the table as HTML and as text.
func (s *Sheet) MIMEBundle() (data map[string]any, metadata map[string]any) {
	rows := s.rows()
	return map[string]any{"text/plain": textTable(rows), "text/html": htmlTable(rows, s.src)}, map[string]any{}
}

// String returns the table as text.
func (s *Sheet) String() string { return textTable(s.rows()) }

// rows returns the table with its head.
func (s *Sheet) rows() [][]string {
	settings := make([]map[string]string, len(s.src))
	values := map[string]map[string]bool{} // of each setting
	var names []string
	for i, r := range s.src {
		settings[i] = map[string]string{}
		with, ok := r.(interface{ Settings() []run.Setting })
		if !ok {
			continue
		}
		for _, v := range with.Settings() {
			if values[v.Name] == nil {
				values[v.Name] = map[string]bool{}
				names = append(names, v.Name)
			}
			settings[i][v.Name] = v.Value
			values[v.Name][v.Value] = true
		}
	}
	var differ []string
	for _, n := range names {
		for _, of := range settings {
			if _, has := of[n]; !has {
				values[n]["\x00absent"] = true
			}
		}
		if len(values[n]) > 1 || len(s.src) == 1 {
			differ = append(differ, n)
		}
	}
	series := slices.DeleteFunc(shared(s.src), func(n string) bool { return strings.Contains(n, "/") || strings.HasPrefix(n, "worker ") }) // details of others
	series = series[:min(len(series), mostColumns)]
	head := append(append([]string{"run"}, differ...), "state", "seconds")
	out := [][]string{append(head, series...)}
	for i, r := range s.src {
		row := []string{r.Name()}
		for _, n := range differ {
			row = append(row, settings[i][n])
		}
		row = append(row, r.State().String(), short(r.Trace().Now().Seconds()))
		for _, n := range series {
			cell := ""
			if k := r.Trace().Len(n); k > 0 {
				cell = short(r.Trace().Since(n, k-1)[0].Value)
			}
			row = append(row, cell)
		}
		out = append(out, row)
	}
	return out
}

// tellingSeries are those that tell how good a run is.
var tellingSeries = []string{"loss", "test loss", "accuracy", "residual"}

// shared lists the series of the runs, those of most runs first, and among these the main ones.
func shared(sources []Source) []string {
	count := map[string]int{}
	var names []string
	for _, r := range sources {
		for _, n := range r.Trace().Series() {
			if count[n] == 0 {
				names = append(names, n)
			}
			count[n]++
		}
	}
	rank := func(name string) int {
		if i := slices.Index(tellingSeries, name); i >= 0 {
			return i
		}
		return len(tellingSeries)
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(rank(a), rank(b)))
	})
	return names
}

func textTable(rows [][]string) string {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		line := ""
		for i, c := range r {
			line += c + strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// htmlTable leaves the look to the page: notebooks have a style for tables. Before the name
// of a run stands a dot of the colour that it has in figures.
func htmlTable(rows [][]string, runs []Source) string {
	var b strings.Builder
	b.WriteString("<table>\n")
	for i, r := range rows {
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		b.WriteString("<tr>")
		for j, c := range r {
			if i > 0 && j == 0 {
				fmt.Fprintf(&b, `<td><span style="color:%s">●</span> %s</td>`, hex(lookOf(slotOf(runs[i-1].ID())).color.NRGBA), html.EscapeString(c))
				continue
			}
			fmt.Fprintf(&b, "<%s>%s</%[1]s>", tag, html.EscapeString(c))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
	return b.String()
}
