package viz

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// An axis is a range with its scale and the number of ticks there is room for.
type axis struct {
	min, max float64
	log      bool
	whole    bool     // only whole numbers have ticks: cycles, steps
	names    []string // ticks at 0, 1, 2, … with these names instead of numbers
	room     int      // how many labels are wished for; 0 means 5
	hide     bool     // no ticks, no line
	flip     bool     // from top to bottom: rows of a matrix
	unit     float64  // what one on the labels means, such as 60 for minutes; 0 means 1
}

// widen makes the axis cover v, if it can be shown.
func (a *axis) widen(v float64) {
	if !finite(v) || (a.log && v <= 0) {
		return
	}
	a.min, a.max = min(a.min, v), max(a.max, v)
}

func emptyAxis(log bool) axis { return axis{min: math.Inf(1), max: math.Inf(-1), log: log} }

// settle makes a range that can be drawn of one that may be empty or a single value,
// with a margin of a fraction at both ends.
func (a *axis) settle(margin float64) {
	if a.min > a.max {
		a.min, a.max = 0, 1
		if a.log {
			a.min, a.max = 0.1, 10
		}
	}
	if a.log {
		lo, hi := math.Log10(a.min), math.Log10(a.max)
		if hi-lo < 0.05 {
			lo, hi = lo-0.5, hi+0.5
		}
		m := (hi - lo) * margin
		a.min = max(math.Pow(10, lo-m), math.SmallestNonzeroFloat64)
		a.max = min(math.Pow(10, hi+m), math.MaxFloat64)
		return
	}
	const most = math.MaxFloat64 / 8 // the width of the range must be a number too
	a.min, a.max = min(max(a.min, -most), most), min(max(a.max, -most), most)
	if size := max(math.Abs(a.min), math.Abs(a.max)); a.max-a.min <= size*1e-12 {
		d := size * 0.1
		if d == 0 {
			d = 1
		}
		a.min, a.max = a.min-d, a.max+d
		return
	}
	m := (a.max - a.min) * margin
	a.min, a.max = a.min-m, a.max+m
}

// Normalize makes axis a plot.Normalizer that, unlike gonum's log scale, takes any value.
func (a axis) Normalize(lo, hi, v float64) float64 {
	f := (v - lo) / (hi - lo)
	if a.log {
		f = (math.Log10(v) - math.Log10(lo)) / (math.Log10(hi) - math.Log10(lo))
	}
	if math.IsNaN(f) {
		return 0
	}
	if a.flip {
		f = 1 - f
	}
	return min(max(f, -1e3), 1e3)
}

// Ticks makes axis a plot.Ticker.
func (a axis) Ticks(lo, hi float64) []plot.Tick {
	switch {
	case a.hide || !(lo < hi):
		return nil
	case a.names != nil:
		return a.nameTicks(lo, hi)
	case a.log && math.Log10(hi/lo) >= 1:
		return a.logTicks(lo, hi)
	}
	return a.linearTicks(lo, hi)
}

func (a axis) per() float64 {
	if a.unit > 0 {
		return a.unit
	}
	return 1
}

func (a axis) labels() float64 {
	if a.room > 0 {
		return float64(a.room)
	}
	return 5
}

func (a axis) nameTicks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	every := int(math.Ceil(float64(len(a.names)) / max(a.labels(), 1)))
	for i, name := range a.names {
		if v := float64(i); v >= lo && v <= hi && i%max(every, 1) == 0 {
			ticks = append(ticks, plot.Tick{Value: v, Label: name})
		}
	}
	return ticks
}

// linearTicks has labels at multiples of 1, 2 or 5 times a power of ten.
func (a axis) linearTicks(lo, hi float64) []plot.Tick {
	lo, hi = lo/a.per(), hi/a.per()
	step := niceStep((hi - lo) / a.labels())
	if a.whole {
		step = max(step, 1)
	}
	first := math.Ceil(lo/step - 1e-9)
	var values []float64
	for k := first; k*step-hi <= step*1e-9 && len(values) < 100; k++ {
		values = append(values, k*step)
	}
	var ticks []plot.Tick
	for i, s := range formatTicks(values, step) {
		ticks = append(ticks, plot.Tick{Value: values[i] * a.per(), Label: s})
	}
	return ticks
}

func niceStep(raw float64) float64 {
	if !(raw > 0) || math.IsInf(raw, 0) {
		return 1
	}
	base := math.Pow(10, math.Floor(math.Log10(raw)))
	if base == 0 {
		return raw
	}
	switch f := raw / base; {
	case f < math.Sqrt2: // the nearest, by ratio
		return base
	case f < math.Sqrt(10):
		return 2 * base
	case f < math.Sqrt(50):
		return 5 * base
	}
	return 10 * base
}

// formatTicks writes numbers a step apart in one manner: 0.25, 20k, or 3×10^-7.
func formatTicks(values []float64, step float64) []string {
	top := 0.0
	for _, v := range values {
		top = max(top, math.Abs(v))
	}
	out := make([]string, len(values))
	unit, suffix := 1.0, ""
	switch {
	case top >= 1e15 || (top < 1e-3 && top > 0):
		e := math.Floor(math.Log10(top) + 1e-9)
		unit, suffix = math.Pow(10, e), "×10^"+strconv.Itoa(int(e))
	case top >= 1e12:
		unit, suffix = 1e12, "T"
	case top >= 1e9:
		unit, suffix = 1e9, "G"
	case top >= 1e6:
		unit, suffix = 1e6, "M"
	case top >= 1e4:
		unit, suffix = 1e3, "k"
	}
	digits := min(max(0, int(math.Ceil(-math.Log10(step/unit)-1e-9))), 12)
	for i, v := range values {
		if v == 0 {
			out[i] = "0"
			continue
		}
		out[i] = minus(strconv.FormatFloat(v/unit, 'f', digits, 64)) + suffix
	}
	return out
}

// minus writes a true minus sign, which is as wide as a plus.
func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

// logTicks has labels at powers of ten, at every second, third, … of them where there
// are many, and small ticks at 2 to 9 times each where there are few.
func (a axis) logTicks(lo, hi float64) []plot.Tick {
	lo, hi = lo/a.per(), hi/a.per()
	from, to := int(math.Ceil(math.Log10(lo)-1e-9)), int(math.Floor(math.Log10(hi)+1e-9))
	every := max(1, int(math.Ceil(float64(to-from+1)/(a.labels()+2))))
	few := math.Log10(hi/lo) < 2.2 // then 2 and 5 have labels too
	plain := from >= -2 && to <= 3 // 0.01 to 1000 are read faster as they are
	var ticks []plot.Tick
	for e := from - 1; e <= to; e++ {
		v := math.Pow(10, float64(e))
		if e >= from {
			t := plot.Tick{Value: v * a.per()}
			if mod(e, every) == 0 {
				t.Label = "10^" + strconv.Itoa(e)
				if plain {
					t.Label = strconv.FormatFloat(v, 'f', -1, 64)
				}
			}
			ticks = append(ticks, t)
		}
		for f := 2.0; f < 10 && every == 1 && to-from <= 5; f++ {
			m := f * v
			if m < lo || m > hi || (a.whole && m < 1) {
				continue
			}
			t := plot.Tick{Value: m * a.per()}
			if few && (f == 2 || f == 5) {
				t.Label = fmt.Sprintf("%v×10^%d", f, e)
				if plain {
					t.Label = strconv.FormatFloat(m, 'g', 1, 64)
				}
				if plain && m >= 10 {
					t.Label = strconv.FormatFloat(m, 'f', 0, 64)
				}
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

func mod(a, b int) int { return ((a % b) + b) % b }

// short writes a number for sentences and labels, with three digits that count.
func short(v float64) string {
	switch size := math.Abs(v); {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 0):
		return minus(strconv.FormatFloat(v, 'g', 3, 64))
	case size >= 1e15 || (size < 1e-3 && size > 0):
		return minus(strconv.FormatFloat(v, 'e', 2, 64))
	case size >= 1e4:
		return minus(commas(strconv.FormatFloat(v, 'f', 0, 64)))
	case v == math.Trunc(v):
		return minus(strconv.FormatFloat(v, 'f', 0, 64))
	case size >= 100:
		return minus(strconv.FormatFloat(v, 'f', 1, 64))
	}
	return minus(strconv.FormatFloat(v, 'g', 3, 64))
}

// commas groups the digits of a whole number by thousands.
func commas(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}
