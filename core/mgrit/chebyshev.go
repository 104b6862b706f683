package mgrit

import (
	"fmt"
	"math"
)

// chebyshev holds the coefficients of the first-order Runge-Kutta-Chebyshev method: stages
// s of explicit Euler, combined by the recursion of Chebyshev polynomials, that are stable
// for a step about s² times as long as Euler's. Van der Houwen and Sommeijer, ZAMM 60 (1980), 479.
type chebyshev struct {
	first    float64   // Y1 = Y0 + first·h·f(Y0)
	mu, nu   []float64 // Yj = mu·Y(j-1) + nu·Y(j-2) + euler·h·f(Y(j-1)), j from 2
	euler    []float64
	interval float64 // stable for h·λ up to this; Euler is for 2
}

const damping = 0.05 // shrinks the interval by 3% and keeps the polynomial off ±1 inside it

// newChebyshev computes the coefficients for s ≥ 2 stages.
func newChebyshev(s int) *chebyshev {
	w0 := 1 + damping/float64(s*s)
	t := make([]float64, s+1) // T_j(w0)
	d := make([]float64, s+1) // its derivative
	t[0], t[1], d[1] = 1, w0, 1
	for j := 2; j <= s; j++ {
		t[j] = 2*w0*t[j-1] - t[j-2]
		d[j] = 2*t[j-1] + 2*w0*d[j-1] - d[j-2]
	}
	w1 := t[s] / d[s]
	c := &chebyshev{first: w1 / w0, interval: (w0 + 1) / w1}
	for j := 2; j <= s; j++ {
		c.mu = append(c.mu, 2*w0*t[j-1]/t[j])
		c.nu = append(c.nu, -t[j-2]/t[j])
		c.euler = append(c.euler, 2*w1*t[j-1]/t[j])
	}
	return c
}

// stagesFor is the fewest stages that are stable for a step of hλ, and their coefficients.
func stagesFor(hλ float64) int {
	if hλ <= 2 {
		return 1
	}
	s := max(2, int(math.Sqrt(hλ/2)))
	for newChebyshev(s).interval < hλ {
		s++
	}
	return s
}

// prepare computes the coefficients for so many stages, once.
func (s *solver) prepare(stages int) {
	if stages > 1 && s.chebyshevs[stages] == nil {
		s.chebyshevs[stages] = newChebyshev(stages)
	}
}

// Chebyshev takes a coarse step at its full length, with as many calls of the step
// function as make that stable: about the square root of what the training steps would
// take. It is for gradient descent, or any step of the form dst = src + Scale·f(src)
// whose f pulls back. The curvature is found as for [Adaptive].
type Chebyshev struct {
	// Sharpness is the loss's largest curvature times the learning rate of a training step
	// (below 2 if training is stable); 0 means estimated along the path.
	Sharpness float64
	Most      int // stages; a step that would need more is shortened; 0 means 64
}

// margin is how much larger than the reading the curvature may be before a step is
// unstable: readings are from below, and a step passes between them.
const margin = 1.3

// Propagator implements Rule.
func (c Chebyshev) Propagator(level, stride int) Propagator {
	if c.Sharpness == 0 {
		return Propagator{Scale: float64(stride)}
	}
	ch := c.choose(c.Sharpness, stride)
	return Propagator{Scale: ch.scale, Stages: ch.stages}
}

func (c Chebyshev) adapt(sharpness float64, stride int) choice {
	return c.choose(margin*sharpness, stride)
}

func (c Chebyshev) choose(sharpness float64, stride int) choice {
	most := c.Most
	if most == 0 {
		most = 64
	}
	stages := stagesFor(sharpness * float64(stride))
	if stages <= most {
		return choice{float64(stride), stages}
	}
	limit := 2.0
	if most > 1 {
		limit = newChebyshev(most).interval
	}
	return choice{limit / sharpness, most}
}

func (c Chebyshev) String() string {
	if c.Sharpness > 0 {
		return fmt.Sprintf("full step in Chebyshev stages, sharpness %.3g", c.Sharpness)
	}
	return "full step in Chebyshev stages"
}

func (c Chebyshev) check() error {
	switch {
	case !(c.Sharpness >= 0) || math.IsInf(c.Sharpness, 0):
		return fmt.Errorf("mgrit: Chebyshev.Sharpness is %v: it must be a positive number (0 means estimated)", c.Sharpness)
	case c.Most < 0 || c.Most > 1000:
		return fmt.Errorf("mgrit: Chebyshev.Most is %d: it must be from 1 to 1000 (0 means 64)", c.Most)
	}
	return nil
}
