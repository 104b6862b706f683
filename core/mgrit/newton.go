package mgrit

import (
	"context"
	"fmt"
	"math"
	"math/bits"
)

// A Method is how the equations of all steps are solved.
type Method int

// The methods. Newton's has no coarse levels: it replaces the training step by its tangent
// at each point of the approximation, u_i ≈ Φ(v_{i-1}) + J_i·(u_{i-1} - v_{i-1}), which makes the steps a
// linear recurrence that is solved exactly. Points and the columns of their Jacobians J, by
// finite differences, do not depend on each other; the recurrence is a scan, about
// log2(Steps) products of matrices deep. It needs few cycles, and for vectors of d numbers
// d+1 calls for each step and cycle and d² numbers of memory for each step, so it is for small networks.
// The idea is old; Lim, Zhu, Selfridge and Kasim (2023) have it for recurrent networks.
const (
	Multigrid   Method = iota
	Newton             // a Jacobian for each step
	QuasiNewton        // one for each Options.Coarsen steps, at the first of them: cheaper, and more cycles
)

func (m Method) String() string {
	if m < Multigrid || m > QuasiNewton {
		return fmt.Sprintf("Method(%d)", int(m))
	}
	return [...]string{"multigrid", "Newton", "quasi-Newton"}[m]
}

// newton is what Newton's method needs beside the approximation.
type newton struct {
	every     int       // steps that share a Jacobian
	jacobians []float64 // d×d by rows, one after the other
	residuals vectors   // Φ(u_{i-1}) - u_i at i-1
	change    []float64 // of the point that the scan is at
	next, sum []float64
}

// newtonNumbers is how many numbers it keeps. A float, as the steps asked for may be absurd.
func newtonNumbers(o *Options, d int) float64 {
	n := float64(o.Steps)
	return 2*(n+1)*float64(d) + math.Ceil(n/float64(o.sharing()))*float64(d)*float64(d)
}

// sharing is how many steps share a Jacobian.
func (o *Options) sharing() int {
	if o.Method == QuasiNewton {
		return o.Coarsen
	}
	return 1
}

func (s *solver) newNewton() *newton {
	n, every := s.levels[0].n, s.o.sharing()
	return &newton{
		every:     every,
		jacobians: make([]float64, (n+every-1)/every*s.d*s.d),
		residuals: newVectors(n, s.d),
		change:    make([]float64, s.d), next: make([]float64, s.d), sum: make([]float64, s.d),
	}
}

// newtonCycle records the residual and solves the linear recurrence.
func (s *solver) newtonCycle(ctx context.Context) error {
	l := s.levels[0]
	active := s.active(l.n, l)
	err := s.pool.run(active, "linearise", func(w *worker) error {
		lo, hi := share(l.n, w.id, active)
		for i := lo + 1; i <= hi; i++ {
			if err := s.linearise(ctx, w, l, i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.record(l)
	return s.pool.run(1, "scan", func(*worker) error { return s.scan(l) })
}

// linearise writes the residual of the step to point i and, where i's turn is, its Jacobian.
func (s *solver) linearise(ctx context.Context, w *worker, l *level, i int) error {
	before, base := l.u.at(i-1), w.a
	if err := s.phi(ctx, w, l, i, base, before); err != nil {
		return err
	}
	r := s.newton.residuals.at(i - 1)
	subtract(r, base, l.u.at(i))
	l.sq[i-1] = dot(r, r)
	if !finite(l.sq[i-1]) {
		return s.diverged(l, i, math.Sqrt(l.sq[i-1]))
	}
	if (i-1)%s.newton.every != 0 {
		return nil
	}
	j := s.newton.jacobian(i, s.d)
	copy(w.b, before)
	for col, x := range before {
		h := 1e-7 * (1 + math.Abs(x)) // balances rounding of the step against its second derivative
		w.b[col] = x + h
		if err := s.phi(ctx, w, l, i, w.c, w.b); err != nil {
			return err
		}
		w.b[col] = x
		for row, y := range w.c {
			j[row*s.d+col] = (y - base[row]) / h
		}
	}
	return nil
}

// jacobian is the one in use for the step to point i.
func (n *newton) jacobian(i, d int) []float64 {
	b := (i - 1) / n.every
	return n.jacobians[b*d*d : (b+1)*d*d]
}

// scan solves the recurrence of the changes, c_i = J_i·c_{i-1} + r_i, and makes them. Where
// a change gets longer than the vector it is of, tangents say nothing any more, and the
// recurrence begins anew with what the step itself says; where that leads out of all
// proportion, a point goes back to where everything began. The first point that is not exact yet depends on no
// tangent and becomes exact, so that each cycle makes at least one more of them.
func (s *solver) scan(l *level) error {
	n := s.newton
	clear(n.change)
	most := proportion * proportion * (1 + dot(s.p.Init, s.p.Init))
	exact := true // so far
	for i := 1; i <= l.n; i++ {
		j, r, u := n.jacobian(i, s.d), n.residuals.at(i-1), l.u.at(i)
		for row := range n.next {
			n.next[row] = r[row] + dot(j[row*s.d:(row+1)*s.d], n.change)
		}
		if c := dot(n.next, n.next); !exact && !(c <= 1+dot(u, u)) {
			copy(n.next, r)
		}
		add(n.sum, u, n.next)
		if !exact && !(dot(n.sum, n.sum) <= most) {
			subtract(n.next, s.p.Init, u)
			copy(n.sum, s.p.Init)
		}
		copy(u, n.sum)
		exact = exact && l.sq[i-1] == 0
		n.change, n.next = n.next, n.change
	}
	return nil
}

const proportion = 100 // of a point's length to that of the first

// newtonPath is the depth of a cycle: a call, one more for all columns at once, and the
// scan's up- and down-sweep, each of whose matrix products is counted as a call.
func (s *solver) newtonPath() int { return 2 + 2*bits.Len(uint(s.levels[0].n-1)) }
