package viz

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestThinKeepsPeaks compares with the plain way: sort all points into the parts of the
// axis and look for the extremes of each. Whatever is drawn must reach at least as far in
// every part, within the column that a point may be off.
func TestThinKeepsPeaks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "n")
		limit := rapid.IntRange(16, 300).Draw(t, "limit")
		logX := rapid.Bool().Draw(t, "logX")
		shuffled := rapid.Bool().Draw(t, "shuffled")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
		xs := make([]float64, n)
		ys := make([]float64, n)
		for i := range xs {
			xs[i], ys[i] = float64(i+1), rng.NormFloat64()
			if rng.IntN(50) == 0 {
				ys[i] *= 100
			}
		}
		if shuffled {
			rng.Shuffle(n, func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
		}
		th := newThinner(limit, logX, false)
		for i := range xs {
			th.add(xs[i], ys[i])
		}
		if len(th.cols) > th.limit {
			t.Fatalf("%d columns, limit %d", len(th.cols), th.limit)
		}
		if !logX && n > 2*th.limit && len(th.cols) < th.limit/2 {
			t.Fatalf("%d columns of %d points, want at least %d", len(th.cols), n, th.limit/2)
		}
		at := func(x float64) float64 {
			if logX {
				return math.Log10(x)
			}
			return x
		}
		lo, hi := at(1), at(float64(n))
		parts := th.limit / 4
		lines := th.lines(parts, lo, hi)
		drawn := map[xy]bool{}
		total := 0
		for _, l := range lines {
			for _, p := range l {
				drawn[p] = true
				total++
			}
		}
		if total > 2*(parts+1) && n > th.limit {
			t.Fatalf("%d points drawn for %d parts", total, parts)
		}
		for i := range xs { // each point is enclosed by drawn ones nearby
			near := (hi-lo)/float64(parts) + 2*th.width
			above, below := false, false
			for p := range drawn {
				if math.Abs(at(p.x)-at(xs[i])) <= near*(1+1e-9) {
					above, below = above || p.y >= ys[i], below || p.y <= ys[i]
				}
			}
			if !above || !below {
				t.Fatalf("point %v of value %v sticks out of what is drawn", xs[i], ys[i])
			}
		}
		for p := range drawn { // nothing is invented
			found := false
			for i := range xs {
				found = found || (xy{xs[i], ys[i]}) == p
			}
			if !found {
				t.Fatalf("%v is drawn and was never given", p)
			}
		}
	})
}

func TestThinGaps(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		y      []float64
		logY   bool
		pieces []int // points in each piece
		notFin int
		notPos int
	}{
		"none":          {[]float64{1, 2, 3}, false, []int{3}, 0, 0},
		"in the middle": {[]float64{1, 2, nan, 4}, false, []int{2, 1}, 1, 0},
		"several":       {[]float64{nan, 1, nan, nan, 2, math.Inf(1)}, false, []int{1, 1}, 4, 0},
		"zero on log":   {[]float64{1, 0, -1, 2, math.Inf(-1), 3}, true, []int{1, 1, 1}, 1, 2},
		"zero":          {[]float64{1, 0, -1, 2}, false, []int{4}, 0, 0},
		"all":           {[]float64{nan, nan}, false, nil, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			th := newThinner(100, false, c.logY)
			for i, y := range c.y {
				th.add(float64(i), y)
			}
			lines := th.lines(100, 0, 5)
			if len(lines) != len(c.pieces) || th.notFin != c.notFin || th.notPos != c.notPos {
				t.Fatalf("pieces %v, %d not finite, %d not positive", lines, th.notFin, th.notPos)
			}
			for i, l := range lines {
				if len(l) != c.pieces[i] {
					t.Errorf("piece %d is %v", i, l)
				}
			}
		})
	}
}

// TestThinWideGap: a gap wider than columns stays one when there are many points.
func TestThinWideGap(t *testing.T) {
	th := newThinner(100, false, false)
	for i := range 100000 {
		y := 1.0
		if i >= 40000 && i < 60000 {
			y = math.NaN()
		}
		th.add(float64(i), y)
	}
	lines := th.lines(100, 0, 1e5)
	if len(lines) != 2 || lines[0][len(lines[0])-1].x > 40000 || lines[1][0].x < 60000-2000 {
		t.Errorf("pieces %d: %v", len(lines), lines)
	}
}

func TestThinExtremes(t *testing.T) {
	for name, xs := range map[string][]float64{
		"one place":    {5, 5, 5},
		"huge":         {-math.MaxFloat64, 0, math.MaxFloat64},
		"tiny":         {0, math.SmallestNonzeroFloat64},
		"far jumps":    {0, 1e-300, 1, 1e300},
		"growing left": {0, -1, -1e10, 1e10},
		"no numbers":   {math.NaN(), math.Inf(1), math.Inf(-1)},
	} {
		t.Run(name, func(t *testing.T) {
			th := newThinner(16, false, false)
			for range 20 {
				for i, x := range xs {
					th.add(x, float64(i))
				}
			}
			if len(th.cols) > th.limit || th.seen != 20*len(xs) {
				t.Errorf("%d columns, %d seen", len(th.cols), th.seen)
			}
			th.lines(10, -1, 1)
			th.lines(10, math.Inf(-1), math.NaN())
		})
	}
}
