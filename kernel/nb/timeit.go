package nb

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"trivium/kernel/display"
)

// A Timing is how long a function took. As the last line of a cell it is shown as a sentence
// and a plot of the runs.
type Timing struct {
	Calls int             // per run
	Runs  []time.Duration // mean of a call in each run
}

// Limits of what Timeit does.
const (
	timeitRuns  = 20
	timeitRun   = 20 * time.Millisecond // a run makes as many calls as fit
	timeitTotal = 3 * time.Second       // after which no run begins
)

// Timeit measures how long a call of f takes: up to 20 runs, of as many calls each as fit
// into 20 ms, for at most 3 s and at least one run. First calls, which do not count, tell how
// many these are. The stop button ends the cell.
func Timeit(f func()) *Timing {
	ctx := display.Current().Context()
	began := time.Now()
	measure := func(calls int) time.Duration {
		start := time.Now()
		for range calls {
			f()
		}
		return time.Since(start)
	}
	calls := 1
	took := measure(calls)
	for took < timeitRun/10 && calls < 1e6 { // too short to tell
		calls *= 10
		took = measure(calls)
	}
	each := max(took/time.Duration(calls), 1)
	t := &Timing{Calls: int(max(1, min(timeitRun/each, 1e6)))}
	for len(t.Runs) < timeitRuns && (len(t.Runs) == 0 || time.Since(began) < timeitTotal) {
		t.Runs = append(t.Runs, measure(t.Calls)/time.Duration(t.Calls))
		if ctx.Err() != nil {
			panic(ErrInterrupted)
		}
	}
	return t
}

// Median is the median of the runs.
func (t *Timing) Median() time.Duration {
	s := slices.Sorted(slices.Values(t.Runs))
	if len(s) == 0 {
		return 0
	}
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// String says how long a call takes: the median, and the fastest and the slowest run.
func (t *Timing) String() string {
	if len(t.Runs) == 0 {
		return "nothing measured"
	}
	return fmt.Sprintf("%v per call: median of %s of %s, from %v to %v", figures(t.Median()),
		count(len(t.Runs), "run"), count(t.Calls, "call"), figures(slices.Min(t.Runs)), figures(slices.Max(t.Runs)))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// figures keeps three figures of a duration.
func figures(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

// MIMEBundle draws the runs in their order, in the colour of the text around them.
func (t *Timing) MIMEBundle() (data, metadata map[string]any) {
	text := t.String()
	data = map[string]any{display.Text: text}
	if len(t.Runs) < 2 {
		return data, nil
	}
	const width, height, left, top, bottom = 420, 130, 70, 12, 24
	slowest := float64(slices.Max(t.Runs))
	y := func(d time.Duration) float64 {
		return top + (height-top-bottom)*(1-float64(d)/max(slowest, 1))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<div>%s</div><svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" role="img" aria-label="%s" font-size="11" fill="currentColor" stroke="none">`, text, width, height, text)
	for _, d := range []time.Duration{0, t.Median(), slices.Max(t.Runs)} {
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="currentColor" opacity=".3"/>`, left, width, y(d), y(d))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%.1f" text-anchor="end">%v</text><text x="%d" y="%.1f" text-anchor="end">0</text>`,
		left-6, y(t.Median())+4, figures(t.Median()), left-6, y(0)+4)
	for i, d := range t.Runs {
		x := left + (float64(i)+.5)*(width-left)/float64(len(t.Runs))
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3"><title>run %d: %v</title></circle>`, x, y(d), i+1, figures(d))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">time per call in %d runs</text></svg>`, (left+width)/2, height-6, len(t.Runs))
	data[display.HTML] = b.String()
	return data, nil
}
