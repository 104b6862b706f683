package viz

import (
	"math"
	"strings"

	"trivium/core/run"
)

// A reach follows how good a run has been by when: the samples at which its series, or the
// moving average of it, was better than ever before.
type reach struct {
	up      bool // larger is better
	w       float64
	seen    int
	average float64 // running sum of the mean
	weight  float64
	records []run.Point // ever better; Value is that of the mean
}

// mostRecords is where every second record is dropped, for series of millions.
const mostRecords = 1 << 15

func (r *reach) update(t *run.Trace, series string) {
	r.seen += t.Visit(series, r.seen, func(part []run.Point) {
		for _, p := range part {
			if !finite(p.Value) {
				continue
			}
			r.average = r.w*r.average + (1-r.w)*p.Value
			r.weight = r.w*r.weight + (1 - r.w)
			p.Value = r.average / r.weight
			if n := len(r.records); n > 0 && !r.better(p.Value, r.records[n-1].Value) {
				continue
			}
			r.records = append(r.records, p)
			if len(r.records) > mostRecords {
				kept := r.records[:0]
				for i := 1; i < len(r.records); i += 2 {
					kept = append(kept, r.records[i])
				}
				r.records = kept
			}
		}
	})
}

func (r *reach) better(a, b float64) bool {
	if r.up {
		return a > b
	}
	return a < b
}

// best is the best value so far; NaN without any.
func (r *reach) best() float64 {
	if n := len(r.records); n > 0 {
		return r.records[n-1].Value
	}
	return math.NaN()
}

// at returns the first sample at which target was reached.
func (r *reach) at(target float64) (run.Point, bool) {
	lo, hi := 0, len(r.records) // records become better and better: halving finds the first
	for lo < hi {
		mid := (lo + hi) / 2
		if r.better(target, r.records[mid].Value) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(r.records) {
		return run.Point{}, false
	}
	return r.records[lo], true
}

// goesUp reports whether larger values of a series are better, by its name.
func goesUp(series string) bool {
	s := strings.ToLower(series)
	for _, word := range []string{"accuracy", "acc", "f1", "score", "reward", "speed", "utilisation"} {
		if s == word || strings.HasPrefix(s, word+" ") || strings.HasSuffix(s, " "+word) {
			return true
		}
	}
	return false
}
