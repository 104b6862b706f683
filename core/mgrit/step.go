package mgrit

import (
	"context"
	"math"
	"time"

	"trivium/core/run"
)

// A worker looks at the context after so much time or so many steps, and now and then at
// whether the step left its input alone. A look costs about 200 ns, and one at the
// input two passes over the vector.
const (
	lookAfter  = 200 * time.Microsecond
	lookEvery  = 1024
	inputEvery = 16 // looks, after the first few
)

// phi writes to dst what the equation of level l makes of src as point i-1: Φ(src) + g_i.
// dst and src must be apart; neither may be the worker's c or e.
func (s *solver) phi(ctx context.Context, w *worker, l *level, i int, dst, src []float64) error {
	err := s.propagate(ctx, w, l, i, dst, src)
	if err == nil && l.index > 0 {
		accumulate(dst, l.g.at(i))
	}
	return err
}

// quickInterval takes the steps of interval i of level l from u: over its F-points, which are not kept, into
// target. Without a target, it keeps the F-points and stops there. It does so only if each step is one call of the
// step function and nothing is to be looked at meanwhile; otherwise it does nothing and returns false. It has
// no more arguments than fit in registers, and little to do beside the calls: steps may be as short as that counts.
func (w *worker) quickInterval(l *level, i int, u, target []float64) bool {
	j := i * l.m
	end := j + l.m
	keep := target == nil
	if keep {
		end = min(end-1, l.n)
	}
	if w.quiet < end-j || !l.quick {
		return false
	}
	w.quiet -= end - j
	w.taken[l.index] += end - j
	w.at = l.index
	st := &w.steps[l.index]
	if st.To != (j+1)*l.stride {
		w.expect(l, i)
	}
	next, other := w.a, w.b
	for j < end {
		if l.choices != nil {
			st.Scale = l.choices[j].scale
		}
		j++
		switch {
		case keep:
			next = l.u.at(j)
		case j == end:
			next = target
		}
		step := w.step // before *st is read, which is copied twice otherwise
		step(next, u, *st)
		st.From, st.Index = st.To, st.To
		st.To += l.stride
		if l.index > 0 {
			accumulate(next, l.g.at(j))
		}
		u, next, other = next, other, next
	}
	return true
}

// quickStep is quickInterval for the one step to point i of level l, without the right-hand side. It expects the one
// before it as the next.
func (w *worker) quickStep(l *level, i int, dst, src []float64) bool {
	if w.quiet < 1 || !l.quick {
		return false
	}
	w.quiet--
	w.taken[l.index]++
	st := &w.steps[l.index]
	if st.To != i*l.stride {
		w.turnTo(l, i)
	}
	w.at = l.index
	if l.choices != nil {
		st.Scale = l.choices[i-1].scale
	}
	step := w.step
	step(dst, src, *st)
	st.To = st.From
	st.From -= l.stride
	st.Index = st.From
	return true
}

// expect sets the level's Step to the first of interval i, which is the next to be taken nearly always: a
// processor reads what was just written in smaller parts late.
func (w *worker) expect(l *level, i int) {
	st := &w.steps[l.index]
	st.From = i * l.m * l.stride
	st.Index = st.From
	st.To = st.From + l.stride
}

// turnTo is the step to point i of level l, which is what w is at from here on.
func (w *worker) turnTo(l *level, i int) *Step {
	w.at = l.index
	st := &w.steps[l.index]
	st.To = i * l.stride
	st.From = st.To - l.stride
	st.Index = st.From
	return st
}

// propagate writes Φ(src) of level l.
func (s *solver) propagate(ctx context.Context, w *worker, l *level, i int, dst, src []float64) error {
	st := w.turnTo(l, i)
	if l.plain && l.choices == nil {
		return s.call(ctx, w, dst, src)
	}
	st.Scale = l.step.Scale
	stages := l.step.Stages
	if l.choices != nil {
		st.Scale, stages = l.choices[i-1].scale, l.choices[i-1].stages
	}
	switch {
	case l.step.Draw:
		st.Index += drawn(l.index, i, l.stride)
	case l.step.Turn:
		st.Index += (i - 1) % l.stride
	}
	if stages == 1 && l.step.Repeat == 1 && l.step.Average == 1 {
		return s.call(ctx, w, dst, src)
	}
	return s.repeat(ctx, w, &l.step, stages, dst, src)
}

// repeat takes a propagator's step as often as it says, each time for the training steps
// that are next.
func (s *solver) repeat(ctx context.Context, w *worker, p *Propagator, stages int, dst, src []float64) error {
	st := &w.steps[w.at]
	for k := range p.Repeat {
		if k > 0 {
			src = w.d
			copy(src, dst)
			st.Index = st.From + k*(st.To-st.From)/p.Repeat
		}
		var err error
		switch {
		case stages > 1:
			err = s.chebyshev(ctx, w, stages, dst, src)
		case p.Average > 1:
			err = s.average(ctx, w, p.Average, dst, src)
		default:
			err = s.call(ctx, w, dst, src)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// chebyshev takes a step of the worker's Scale in stages: the explicit Euler steps that the problem
// can do, combined.
func (s *solver) chebyshev(ctx context.Context, w *worker, stages int, dst, src []float64) error {
	st := &w.steps[w.at]
	c := s.chebyshevs[stages]
	h := st.Scale
	var y [3][]float64 // stage j is in y[j%3]; the last in dst
	y[stages%3], y[(stages+1)%3], y[(stages+2)%3] = dst, w.c, w.e
	st.Scale = c.first * h
	if err := s.call(ctx, w, y[1], src); err != nil {
		return err
	}
	before := src
	for j := 2; j <= stages; j++ {
		st.Scale = c.euler[j-2] * h
		st.Index = st.From + (j-1)*(st.To-st.From)/stages
		last, next := y[(j-1)%3], y[j%3]
		if err := s.call(ctx, w, next, last); err != nil {
			return err
		}
		mu, nu := c.mu[j-2]-1, c.nu[j-2] // next is last + euler·h·f(last) already
		for k := range next {
			next[k] += mu*last[k] + nu*before[k]
		}
		before = last
	}
	st.Scale, st.Index = h, st.From
	return nil
}

// average takes n of the training steps that a coarse step stands for, each from src.
func (s *solver) average(ctx context.Context, w *worker, n int, dst, src []float64) error {
	st := &w.steps[w.at]
	copy(dst, src)
	for k := range n {
		lo, hi := st.From+k*(st.To-st.From)/n, st.From+(k+1)*(st.To-st.From)/n
		st.Index = lo + drawn(st.Level, lo, hi-lo)
		if err := s.call(ctx, w, w.c, src); err != nil {
			return err
		}
		for j, x := range w.c {
			dst[j] += (x - src[j]) / float64(n)
		}
	}
	return nil
}

// drawn is a number below n that looks random and is the same in every cycle.
func drawn(level, i, n int) int {
	x := uint64(level)<<32 + uint64(i)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9 // splitmix64
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((x ^ x>>31) % uint64(n))
}

// call is one call of the step function, for what w is at, now and then with a look at what it does.
func (s *solver) call(ctx context.Context, w *worker, dst, src []float64) error {
	st := &w.steps[w.at]
	w.taken[st.Level]++
	if w.quiet > 0 {
		w.quiet--
		s.p.Step(dst, src, *st)
		return nil
	}
	return s.watchedCall(ctx, w, *st, dst, src)
}

// watchedCall is a call before which the run may pause or stop, and after which the input
// may be compared with what it was. It says how many calls the next look is away: none for
// problems with Update, and where each call is to be checked or may be interrupted.
func (s *solver) watchedCall(ctx context.Context, w *worker, st Step, dst, src []float64) error {
	if err := run.Gate(ctx); err != nil {
		return err
	}
	each := s.o.Check || s.p.CallsCells
	compare := each || w.looks < inputEvery || w.looks%inputEvery == 0
	w.looks++
	if compare {
		copy(w.input, src)
	}
	began := time.Now()
	if err := s.p.call(dst, src, st); err != nil {
		return err
	}
	if !each && s.p.Step != nil {
		w.quiet = int(min(lookEvery, lookAfter/(time.Since(began)+1)))
	}
	if s.p.CallsCells {
		// An interrupted cell's function comes back with its work undone.
		if err := run.Gate(ctx); err != nil {
			return err
		}
	}
	if compare && !same(w.input, src) {
		return &StepError{Step: st, Problem: "wrote to its input: it must leave src as it is and write to dst only"}
	}
	if !s.o.Check {
		return nil
	}
	st.flops = nil // the second time is no part of the work
	if err := s.p.call(w.input, src, st); err != nil {
		return err
	}
	if !same(w.input, dst) {
		return &StepError{Step: st, Problem: "gave another result when it was called again: it must depend on its arguments only (draw random numbers by s.Index)"}
	}
	return nil
}

// same compares bit for bit, so that NaN equals itself.
func same(a, b []float64) bool {
	for i, x := range a {
		if math.Float64bits(x) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}
