package viz

import (
	"fmt"
	"math"
	"strings"
)

// heading is the shortest answer to "what is this?".
func (s *scene) heading() string {
	if s.title != "" {
		return s.title
	}
	return s.summary
}

// text says in words and numbers what the picture shows: for terminals, for readers who
// do not see it, for the search in a saved notebook.
func (s *scene) text() string {
	lines := []string{s.summary}
	if s.title != "" {
		lines = []string{s.title, s.summary}
	}
	if s.empty != "" && s.empty != s.summary {
		lines = append(lines, s.empty)
	}
	lines = append(lines, s.details...)
	if s.empty == "" {
		lines = append(lines, s.notes...)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// sparkline draws values as a row of blocks, for text.
func sparkline(lines [][]xy, log bool, n int) string {
	var all []xy
	for _, l := range lines {
		all = append(all, l...)
	}
	if len(all) < 2 {
		return ""
	}
	of := func(p xy) float64 {
		if log {
			return math.Log10(p.y)
		}
		return p.y
	}
	lo, hi := of(all[0]), of(all[0])
	for _, p := range all {
		lo, hi = min(lo, of(p)), max(hi, of(p))
	}
	n = min(n, len(all))
	var b strings.Builder
	const blocks = "▁▂▃▄▅▆▇█"
	for i := range n {
		p := all[i*(len(all)-1)/(n-1)]
		k := 0
		if hi > lo {
			k = int((of(p) - lo) / (hi - lo) * 7.999)
		}
		b.WriteRune([]rune(blocks)[min(max(k, 0), 7)])
	}
	return b.String()
}

// plural writes "1 point" and "1,200 points".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return commas(fmt.Sprint(n)) + " " + what + "s"
}

// list writes "a, b and c", at most a few of them.
func list(names []string) string {
	const most = 6
	switch n := len(names); {
	case n == 0:
		return "none"
	case n == 1:
		return names[0]
	case n > most:
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", n-most)
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}
