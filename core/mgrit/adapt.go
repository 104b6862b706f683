package mgrit

import (
	"context"
	"fmt"
	"math"
	"sort"
)

// An adapting rule chooses the propagator of each coarse step by the sharpness of the loss
// around the training steps that it stands for; see [Adaptive] and [Chebyshev].
type adapting interface {
	adapt(sharpness float64, stride int) choice
}

// A choice is what an adapting rule changes of a level's propagator for one step.
type choice struct {
	scale  float64
	stages int
}

// Adaptive multiplies the learning rate by the number of training steps that a coarse
// step stands for, but keeps it below the stability limit of gradient descent, which is 2
// over the loss's largest curvature. The curvature is estimated along the path by power
// iteration: once on a march over a coarse grid, whose result is also the first guess
// (unless Options.Guess is given), and again after the first cycles.
type Adaptive struct {
	Part float64 // of the stability limit; 0 means 0.7
	Cap  float64 // largest multiple of the training step's rate; 0 means none
}

// Propagator implements Rule: what is used where the curvature is not known.
func (a Adaptive) Propagator(level, stride int) Propagator {
	return Propagator{Scale: capped(float64(stride), a.Cap)}
}

func (a Adaptive) adapt(sharpness float64, stride int) choice {
	part := a.Part
	if part == 0 {
		part = 0.7
	}
	limit := math.Max(1, part*2/sharpness) // a training step itself is never shortened
	return choice{math.Min(capped(float64(stride), a.Cap), limit), 1}
}

func (a Adaptive) String() string { return "rate as large as stable" + capText(a.Cap) }

func (a Adaptive) check() error {
	if !(a.Part >= 0 && a.Part <= 1) {
		return fmt.Errorf("mgrit: Adaptive.Part is %v: it must be above 0 and at most 1 (0 means 0.7)", a.Part)
	}
	return checkGrowth("Adaptive", 1, a.Cap)
}

// A Reading is the sharpness found at one training step: the largest curvature of the
// loss times the learning rate.
type Reading struct {
	At        int
	Sharpness float64
}

const (
	marchSteps    = 16  // at least, of the march
	readings      = 64  // at most, on the finest level
	readingCycles = 3   // cycles before which readings are taken: most paths have settled then
	moreReadings  = 7   // the same, for a path that has not
	firstPower    = 6   // iterations from a fixed direction
	nextPower     = 2   // iterations while marching
	marchTries    = 4   // halvings of a march's step
	leap          = 10  // times flatter than before is a surprise
	settled       = 0.1 // of the first residual
)

// march goes once over a coarse level, step after step, reading the sharpness at each
// point to choose the step. It sets the choices of all levels and the first guess.
func (s *solver) march(ctx context.Context, rule adapting) error {
	l := s.levels[1]
	for _, coarser := range s.levels[2:] {
		if coarser.n >= marchSteps {
			l = coarser
		}
	}
	l.choices = make([]choice, l.n)
	clear(l.g.data)
	path, guessed := l.u, s.o.Guess != nil || s.o.Resume != nil
	if guessed {
		path = newVectors(l.n+1, s.d) // a few: the march's level is a coarse one
	}
	copy(path.at(0), s.p.Init)
	err := s.pool.run(1, "curvature", func(w *worker) error {
		λ, err := s.sharpness(ctx, w, path.at(0), 0, firstPower)
		s.before += firstPower + 1
		for i := 1; i <= l.n && err == nil; i++ {
			s.readings = append(s.readings, Reading{(i - 1) * l.stride, λ})
			λ, err = s.advance(ctx, w, rule, l, i, path, λ)
		}
		return err
	})
	if err != nil {
		return err
	}
	if !guessed {
		s.guessFrom(l)
	}
	s.choose(rule)
	return nil
}

// advance takes the march's step to point i of path, from where the sharpness is λ, and returns
// the sharpness there. Where curvature changes fast, a step that was stable where it began
// may leap over the path into some far and flat region, in which any step seems
// stable. So a step is shortened until what it comes to is no surprise.
func (s *solver) advance(ctx context.Context, w *worker, rule adapting, l *level, i int, path vectors, λ float64) (float64, error) {
	seen := λ
	for try := 0; ; try++ {
		l.choices[i-1] = rule.adapt(seen, l.part())
		s.prepare(l.choices[i-1].stages)
		if err := s.phi(ctx, w, l, i, path.at(i), path.at(i-1)); err != nil {
			return 0, err
		}
		there, err := s.sharpness(ctx, w, path.at(i), i*l.stride, nextPower)
		if err != nil {
			return 0, err
		}
		s.before += nextPower + 1 + l.step.Repeat*l.step.Average*l.choices[i-1].stages
		long := rule.adapt(there, l.part()) // what it would have been, seen from the end
		surprise := long.scale < 0.9*l.choices[i-1].scale || long.stages > l.choices[i-1].stages || there < λ/leap
		if !surprise || try == marchTries || l.choices[i-1].scale <= 1 {
			return there, nil
		}
		seen = math.Max(2*seen, there)
	}
}

// guessFrom draws straight lines between the points of a coarse level.
func (s *solver) guessFrom(l *level) {
	fine := s.levels[0]
	for i := range fine.kept(s.d) {
		at := i * fine.keptStride()
		j := min(at/l.stride, l.n-1)
		part := math.Min(float64(at-j*l.stride)/float64(l.stride), 1)
		u, a, b := fine.u.at(i), l.u.at(j), l.u.at(j+1)
		for k := range u {
			u[k] = a[k] + part*(b[k]-a[k])
		}
	}
}

// read takes readings along the present approximation, all at once, and chooses anew.
func (s *solver) read(ctx context.Context, rule adapting) error {
	fine := s.levels[0]
	n := min(readings, fine.intervals)
	found := make([]Reading, n)
	active := min(s.o.Workers, n)
	err := s.pool.run(active, "curvature", func(w *worker) error {
		lo, hi := share(n, w.id, active)
		for i := lo; i < hi; i++ {
			c := i * fine.intervals / n
			at := c * fine.m
			λ, err := s.sharpness(ctx, w, fine.c(c), at, firstPower)
			if err != nil {
				return err
			}
			found[i] = Reading{at, λ}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.readings = found
	s.before += firstPower + 1
	s.rounds++
	s.choose(rule)
	return nil
}

// part is how many training steps one repetition of a coarse step stands for.
func (l *level) part() int { return max(1, l.stride/l.step.Repeat) }

// choose sets the choices of all coarse levels by the readings.
func (s *solver) choose(rule adapting) {
	for _, l := range s.levels[1:] {
		if l.choices == nil {
			l.choices = make([]choice, l.n)
		}
		l.quick = l.plain
		for i := range l.choices {
			l.choices[i] = rule.adapt(s.sharpest(i*l.stride, (i+1)*l.stride), l.part())
			s.prepare(l.choices[i].stages)
			l.quick = l.quick && l.choices[i].stages == 1
		}
	}
}

// sharpest is the largest reading in the training steps from to to, or next to them.
func (s *solver) sharpest(from, to int) float64 {
	first := sort.Search(len(s.readings), func(k int) bool { return s.readings[k].At > from }) - 1
	λ := 0.0
	for _, r := range s.readings[max(first, 0):] {
		λ = math.Max(λ, r.Sharpness)
		if r.At >= to {
			break
		}
	}
	return λ
}

// unsettled says that the path is still far from where it will be.
func (s *solver) unsettled() bool {
	r := s.history[0]
	return len(r) > 0 && r[len(r)-1] > settled*s.first
}
