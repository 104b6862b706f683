package mgrit

import (
	"fmt"
	"math"
	"testing"
)

// A deltaTrial is multigrid with V-cycles, FCF and coarsening by m, whose coarse steps are corrected to first order:
// where v is what the coarse level was given,
//
//	u_i = Φc(u_{i-1}) + Δ_i·(u_{i-1} - v_{i-1}) + g_i,  Δ_i ≈ J(m fine steps) - J(Φc) at v_{i-1}
//
// (Delta correction, Vargas, Falgout, Günther and Schroder 2023, who project Δ_i on Lyapunov vectors: carried.) Otherwise
// Δ_i is the best of its rank there is, by its singular vectors, from Jacobians of all steps by differences.
// That costs far more than it can save; but what this saves in cycles no cheaper choice can beat.
type deltaTrial struct {
	p         Problem
	m, d      int
	rank      int
	carried   bool    // project on vectors carried along the path, not on the best
	threshold float64 // Δ from this part of the first residual on
	levels    []*deltaLevel
	residuals []float64
}

type deltaLevel struct {
	n       int
	scale   float64
	u, v, g vectors   // v and g of coarse levels only
	delta   []float64 // d×d by rows for each step; nil for none
}

func newDeltaTrial(rate, most float64, steps, m, rank int, threshold float64) *deltaTrial {
	t := &deltaTrial{p: XOR(XOROptions{Rate: rate}), m: m, rank: rank, threshold: threshold}
	t.d = len(t.p.Init)
	for n, stride := steps, 1; ; n, stride = n/m, stride*m {
		l := &deltaLevel{n: n, scale: math.Min(float64(stride), most), u: newVectors(n+1, t.d), v: newVectors(n+1, t.d), g: newVectors(n+1, t.d)}
		t.levels = append(t.levels, l)
		if n/m < 4 {
			break
		}
	}
	for i := range steps + 1 {
		copy(t.levels[0].u.at(i), t.p.Init)
	}
	return t
}

// step writes to dst what the level's equation makes of src as point i-1; dst and src are apart.
func (t *deltaTrial) step(l *deltaLevel, i int, dst, src []float64) {
	t.p.Step(dst, src, Step{Scale: l.scale})
	add(dst, dst, l.g.at(i))
	if l.delta == nil {
		return
	}
	off := make([]float64, t.d)
	subtract(off, src, l.v.at(i-1))
	for row := range dst {
		dst[row] += dot(l.delta[(i*t.d+row)*t.d:(i*t.d+row+1)*t.d], off)
	}
}

func (t *deltaTrial) next(l *deltaLevel, i int) { t.step(l, i, l.u.at(i), l.u.at(i-1)) }

func (t *deltaTrial) jacobian(l *deltaLevel, i int, u []float64) []float64 {
	j := make([]float64, t.d*t.d)
	w, up, down := append([]float64(nil), u...), make([]float64, t.d), make([]float64, t.d)
	const h = 1e-6
	for col := range w {
		w[col] = u[col] + h
		t.step(l, i, up, w)
		w[col] = u[col] - h
		t.step(l, i, down, w)
		w[col] = u[col]
		for row := range up {
			j[row*t.d+col] = (up[row] - down[row]) / (2 * h)
		}
	}
	return j
}

func (t *deltaTrial) cycle(k int) {
	l := t.levels[k]
	if k == len(t.levels)-1 {
		for i := 1; i <= l.n; i++ {
			t.next(l, i)
		}
		return
	}
	c := t.levels[k+1]
	relaxF := func() {
		for i := 1; i <= c.n*t.m; i++ {
			if i%t.m != 0 {
				t.next(l, i)
			}
		}
	}
	relaxF()
	for i := range c.n {
		t.next(l, (i+1)*t.m)
	}
	relaxF()
	stepped, sum := make([]float64, t.d), 0.0
	for i := range c.n + 1 {
		copy(c.v.at(i), l.u.at(i*t.m))
		copy(c.u.at(i), l.u.at(i*t.m))
	}
	for i := range c.n {
		t.step(l, (i+1)*t.m, stepped, l.u.at((i+1)*t.m-1))
		sum += distance2(stepped, c.v.at(i+1))
		t.p.Step(c.g.at(i+1), c.v.at(i), Step{Scale: c.scale})
		subtract(c.g.at(i+1), stepped, c.g.at(i+1))
	}
	if k == 0 {
		t.residuals = append(t.residuals, math.Sqrt(sum))
	}
	if t.rank > 0 && t.residuals[len(t.residuals)-1] < t.threshold*t.residuals[0] {
		t.correct(l, c)
	}
	t.cycle(k + 1)
	for i := range c.n + 1 {
		copy(l.u.at(i*t.m), c.u.at(i))
	}
	if k > 0 {
		relaxF()
		for i := c.n*t.m + 1; i <= l.n; i++ {
			t.next(l, i)
		}
	}
}

// correct finds Δ for all steps of level c below l.
func (t *deltaTrial) correct(l, c *deltaLevel) {
	delta := make([]float64, (c.n+1)*t.d*t.d)
	plain := &deltaLevel{scale: c.scale, g: c.g}
	basis := newVectors(t.rank, t.d)
	copy(basis.data, lcgWeights(len(basis.data), 99))
	orthonormal(basis)
	for i := range c.n {
		j := t.jacobian(l, i*t.m+1, l.u.at(i*t.m))
		for at := i*t.m + 2; at <= (i+1)*t.m; at++ {
			j = t.times(t.jacobian(l, at, l.u.at(at-1)), j)
		}
		fine := j
		j = make([]float64, len(j))
		subtract(j, fine, t.jacobian(plain, i+1, c.v.at(i)))
		switch {
		case t.carried:
			j = t.times(j, onto(basis))
			for k := range t.rank {
				v := append([]float64(nil), basis.at(k)...)
				for row := range t.d {
					basis.at(k)[row] = dot(fine[row*t.d:(row+1)*t.d], v)
				}
			}
			orthonormal(basis)
		case t.rank < t.d:
			j = t.times(j, t.projection(j))
		}
		copy(delta[(i+1)*t.d*t.d:], j)
	}
	c.delta = delta
}

func (t *deltaTrial) times(a, b []float64) []float64 {
	c := make([]float64, t.d*t.d)
	for i := range t.d {
		for k := range t.d {
			for j := range t.d {
				c[i*t.d+j] += a[i*t.d+k] * b[k*t.d+j]
			}
		}
	}
	return c
}

// orthonormal makes vectors so, by Gram and Schmidt.
func orthonormal(v vectors) {
	for k := range len(v.data) / v.d {
		for range 2 { // the second time for what rounding left
			for before := range k {
				addScaled(v.at(k), v.at(k), -dot(v.at(k), v.at(before)), v.at(before))
			}
		}
		scaleTo1(v.at(k))
	}
}

// onto is the projection on orthonormal vectors, by rows.
func onto(v vectors) []float64 {
	p := make([]float64, v.d*v.d)
	for k := range len(v.data) / v.d {
		for i, x := range v.at(k) {
			for j, y := range v.at(k) {
				p[i*v.d+j] += x * y
			}
		}
	}
	return p
}

// projection is V·Vᵀ of the first right singular vectors of a, by Jacobi's rotations of its columns
// to orthogonal ones.
func (t *deltaTrial) projection(a []float64) []float64 {
	d := t.d
	b, v := append([]float64(nil), a...), make([]float64, d*d)
	for i := range d {
		v[i*d+i] = 1
	}
	norm2 := func(q int) (s float64) {
		for row := range d {
			s += b[row*d+q] * b[row*d+q]
		}
		return s
	}
	for range 12 {
		for p := range d {
			for q := p + 1; q < d; q++ {
				pp, qq, pq := norm2(p), norm2(q), 0.0
				for row := range d {
					pq += b[row*d+p] * b[row*d+q]
				}
				if math.Abs(pq) <= 1e-15*math.Sqrt(pp*qq) {
					continue
				}
				θ := math.Atan2(2*pq, pp-qq) / 2
				sin, cos := math.Sincos(θ)
				for row := range d {
					for _, m := range [][]float64{b, v} {
						x, y := m[row*d+p], m[row*d+q]
						m[row*d+p], m[row*d+q] = cos*x+sin*y, cos*y-sin*x
					}
				}
			}
		}
	}
	first := newVectors(t.rank, d)
	used := make([]bool, d)
	for k := range t.rank {
		best := -1
		for q := range d {
			if !used[q] && (best < 0 || norm2(q) > norm2(best)) {
				best = q
			}
		}
		used[best] = true
		for i := range d {
			first.at(k)[i] = v[i*d+best]
		}
	}
	return onto(first)
}

// solve returns the cycles to the tolerance of the other tables; 0 if it diverges or needs more than 50.
func (t *deltaTrial) solve() int {
	for range 50 {
		t.cycle(0)
		r := t.residuals[len(t.residuals)-1]
		switch {
		case r < 1e-9*math.Sqrt(float64(t.levels[0].n)):
			return len(t.residuals)
		case !(r < 1e8*t.residuals[0]):
			return 0
		}
	}
	return 0
}

// Without a correction, the trial is what the package does; with all directions it needs fewer cycles.
func TestDeltaTrialIsMultigrid(t *testing.T) {
	const steps, m = 128, 4
	res := mustSolve(t, XOR(XOROptions{Rate: 0.1}), Options{Steps: steps, Coarsen: m, Coarse: Multiplied{Cap: 32}, Tol: 1e-9 * math.Sqrt(steps)})
	trial := newDeltaTrial(0.1, 32, steps, m, 0, 1)
	if cycles := trial.solve(); cycles != res.Cycles {
		t.Errorf("%d cycles, the package needs %d", cycles, res.Cycles)
	}
	for k, r := range res.Residuals[0] {
		if math.Abs(trial.residuals[k]-r) > 1e-9*r+1e-13 {
			t.Errorf("residual %d is %g, the package has %g", k, trial.residuals[k], r)
		}
	}
	if all := newDeltaTrial(0.1, 32, steps, m, 16, 1).solve(); all == 0 || all >= res.Cycles {
		t.Errorf("%d cycles with all directions corrected, %d without", all, res.Cycles)
	}
}

// Delta correction is not worth an option: directions carried along the path save nothing, and the best there are,
// which cost as much as Newton's method, save a cycle or two.
func TestReproduceDelta(t *testing.T) {
	reproduce(t)
	for _, c := range []struct {
		rate, most float64
		steps, m   int
	}{
		{1, 4, 400, 4}, {1, 4, 1600, 4}, {1, 4, 3200, 4},
		{0.1, 32, 400, 4}, {0.1, 32, 1600, 4}, {0.1, 32, 3200, 4},
		{0.01, 64, 400, 4}, {0.01, 64, 1600, 4}, {0.01, 64, 3200, 4},
	} {
		row := fmt.Sprintf("| %g | %g | %d |", c.rate, c.most, c.steps)
		var cycles []int
		for _, how := range []struct {
			rank    int
			carried bool
		}{{0, false}, {1, true}, {4, true}, {1, false}, {4, false}, {16, false}} {
			trial := newDeltaTrial(c.rate, c.most, c.steps, c.m, how.rank, 1)
			trial.carried = how.carried
			n := trial.solve()
			cycles = append(cycles, n)
			row += fmt.Sprintf(" %d |", n)
		}
		t.Log(row)
		if saved := cycles[0] - cycles[1]; saved > 2 {
			t.Errorf("one direction carried along the path saves %d of %d cycles: it should be an option", saved, cycles[0])
		}
	}
}
