package mgrit

import "fmt"

// vectors is a row of vectors of d numbers in one piece of memory, each pitch numbers
// after the one before.
type vectors struct {
	data     []float64
	d, pitch int
}

func newVectors(n, d int) vectors { return vectors{make([]float64, n*d), d, d} }

func (v vectors) at(i int) []float64 {
	from := i * v.pitch
	return v.data[from : from+v.d : from+v.d]
}

// every is the first of v and every m-th after it, in the same memory.
func (v vectors) every(m int) vectors { return vectors{v.data, v.d, v.pitch * m} }

// A level is one grid: points 0 to n, joined by n steps, each of which stands for stride
// training steps. Every m-th point is a C-point and is a point of the next coarser grid.
type level struct {
	index     int
	n         int
	stride    int
	m         int // coarsening to the next grid; 0 on the coarsest
	intervals int // n/m: pairs of neighbouring C-points; 0 on the coarsest
	sweeps    int
	weight    float64
	step      Propagator
	coarse    *Propagator // it, on coarse levels
	span      int         // training steps that a call stands for
	plain     bool        // a step is one call, as step says but for choices
	choices   []choice    // changes step for the step to point i by choices[i-1]; nil: for none
	quick     bool        // each step is one call, as step and choices say

	// C-points are the next level's points, in the same memory: where a coarse level changes its
	// points, it has corrected the finer one.
	all    bool      // u holds all points, not only C-points
	keepsF bool      // relaxation keeps F-points; on coarser levels only what completes them does
	u      vectors   // the approximation
	cs     vectors   // its C-points
	g      vectors   // the right-hand side: u_i = Φ(u_{i-1}) + g_i; coarse levels only
	sq     []float64 // squared 2-norm of the residual at C-point i+1
}

// c is C-point i.
func (l *level) c(i int) []float64 { return l.cs.at(i) }

// last is the last C-point, or the last point where there are none.
func (l *level) last() []float64 {
	if l.all && l.m == 0 {
		return l.u.at(l.n)
	}
	return l.c(l.intervals)
}

// kept is how many vectors u holds, at every keptStride-th point.
func (l *level) kept(d int) int { return len(l.u.data) / d }

func (l *level) keptStride() int {
	if l.all {
		return 1
	}
	return max(l.m, 1)
}

// LevelInfo describes one level to a reader.
type LevelInfo struct {
	Steps   int     // on this level
	Stride  int     // training steps that each stands for
	Coarsen int     // steps per step of the next level; 0 on the coarsest
	Scale   float64 // learning rate of its steps, as a multiple of the training step's
	Taken   int     // calls of the step function so far
}

// plan lays out the levels without taking memory for them.
func plan(o *Options) []*level {
	var levels []*level
	for n, stride := o.Steps, 1; ; {
		k := len(levels)
		l := &level{index: k, n: n, stride: stride, sweeps: o.Relax.sweeps(), weight: o.Weight, step: Propagator{}.filled()}
		if k > 0 {
			l.step = o.Coarse.Propagator(k, stride).filled()
			l.coarse = &l.step
		}
		l.plain = l.step.calls() == 1 && !l.step.Draw && !l.step.Turn
		l.span = max(1, stride/l.step.Repeat)
		l.all = k > 0 || o.Storage == StoreAll
		l.keepsF = k == 0 && l.all
		l.quick = l.plain
		m := o.Coarsen
		if k < len(o.Levels) {
			m = l.override(o.Levels[k], m)
		}
		levels = append(levels, l)
		if len(levels) == o.MaxLevels || n/m < o.MinCoarse {
			return levels
		}
		l.m, l.intervals = m, n/m
		n, stride = n/m, stride*m
	}
}

func (l *level) override(o LevelOptions, m int) int {
	if o.Coarsen != 0 {
		m = o.Coarsen
	}
	if o.Relax != FCF {
		l.sweeps = o.Relax.sweeps()
	}
	if o.Weight != 0 {
		l.weight = o.Weight
	}
	return m
}

// stored is how many vectors a level keeps of its own.
func (l *level) stored() int {
	switch {
	case l.index > 0:
		return l.n + 1
	case l.all:
		return l.n + 1
	case l.m == 0:
		return 2
	}
	return l.intervals + 1
}

// memoryNeeded is the bytes that the vectors of all levels and workers take. It is a
// float because the numbers of steps and levels asked for may be absurd.
func memoryNeeded(levels []*level, o *Options, d int) float64 {
	sum := float64(o.Workers) * float64(scratchVectors+levels[0].sweeps+1) * float64(d)
	for _, l := range levels {
		sum += float64(l.stored())*float64(d) + float64(l.intervals)
		if l.index > 0 && adapts(o.Coarse) != nil {
			sum += 2 * float64(l.n) // its choices
		}
	}
	return 8 * sum
}

// allocate takes the memory of a level below finer, which is nil for the finest.
func (l *level) allocate(finer *level, d int) {
	l.sq = make([]float64, l.intervals)
	if finer == nil {
		l.u = newVectors(l.stored(), d)
	} else {
		l.u, l.g = finer.cs, newVectors(l.stored(), d)
	}
	l.cs = l.u
	if l.all {
		l.cs = l.u.every(max(l.m, 1))
	}
}

// memoryError says that a problem does not fit, with the number.
func memoryError(need float64, o *Options) error {
	advice := "coarsen faster or take fewer steps"
	if o.Storage == StoreAll {
		advice = "use StoreC, " + advice
	}
	return fmt.Errorf("mgrit: %d steps need %s of memory, Options.Memory allows %s: %s", o.Steps, bytesText(need), bytesText(float64(o.Memory)), advice)
}

func bytesText(n float64) string {
	for _, unit := range []string{"bytes", "kB", "MB"} {
		if n < 1000 {
			return fmt.Sprintf("%.3g %s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.4g GB", n)
}
