package mgrit

import (
	"context"
	"math"
)

// lookEvery is how many steps a worker takes between looks at the context and at whether
// the step left its input alone. A look costs about 30 ns.
const lookEvery = 16

// phi writes to dst what the equation of level l makes of src as point i-1: Φ(src) + g_i.
// dst and src must be apart; dst must not be the worker's c.
func (s *solver) phi(ctx context.Context, w *worker, l *level, i int, dst, src []float64) error {
	from, to := src, dst
	n := l.step.Repeat
	st := Step{From: (i - 1) * l.stride, To: i * l.stride, Scale: l.step.Scale, Level: l.index, Cycle: s.cycle, Worker: w.id}
	if n > 1 && n%2 == 0 {
		to = w.c // so that the last call writes to dst
	}
	for k := range n {
		st.Index = st.From + k*l.stride/n
		if err := s.call(ctx, w, to, from, st); err != nil {
			return err
		}
		from = to
		if &to[0] == &dst[0] {
			to = w.c
		} else {
			to = dst
		}
	}
	if l.index > 0 {
		for k, g := range l.g.at(i) {
			dst[k] += g
		}
	}
	return nil
}

// call is one call of the step function, now and then with a look at what it does.
func (s *solver) call(ctx context.Context, w *worker, dst, src []float64, st Step) error {
	w.now = st
	w.taken[st.Level]++
	w.quiet--
	if w.quiet >= 0 && s.p.Step != nil {
		s.p.Step(dst, src, st)
		return nil
	}
	if err := gate(ctx); err != nil {
		return err
	}
	if !s.o.Check && !s.p.CallsCells {
		w.quiet = lookEvery
	}
	copy(w.input, src)
	if err := s.p.call(dst, src, st); err != nil {
		return err
	}
	if s.p.CallsCells {
		// An interrupted cell's function comes back with its work undone.
		if err := gate(ctx); err != nil {
			return err
		}
	}
	if !same(w.input, src) {
		return &StepError{Step: st, Problem: "wrote to its input: it must leave src as it is and write to dst only"}
	}
	if !s.o.Check {
		return nil
	}
	return s.again(w, dst, src, st)
}

// again takes a step a second time and compares.
func (s *solver) again(w *worker, dst, src []float64, st Step) error {
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
