package optim

import (
	"math"
	"strings"
	"testing"

	"trivium/core/random"
)

// A plain optimiser changes one weight, as the papers write it. It keeps two numbers.
type plain func(w, a, b, g, rate float64, step int) (w2, a2, b2 float64)

func momentum(mu, decay float64, nesterov bool) plain {
	return func(w, v, b, g, rate float64, _ int) (float64, float64, float64) {
		g += decay * w
		v = mu*v + g
		if nesterov {
			return w - rate*(g+mu*v), v, b
		}
		return w - rate*v, v, b
	}
}

func plainAdam(b1, b2, eps, decay, apart float64) plain {
	return func(w, m, v, g, rate float64, step int) (float64, float64, float64) {
		g += decay * w
		w -= rate * apart * w
		m = b1*m + (1-b1)*g
		v = b2*v + (1-b2)*g*g
		mh, vh := m/(1-math.Pow(b1, float64(step))), v/(1-math.Pow(b2, float64(step)))
		return w - rate*mh/(math.Sqrt(vh)+eps), m, v
	}
}

var cases = []struct {
	o     Optimizer
	plain plain
}{
	{SGD{}, momentum(0, 0, false)},
	{SGD{Decay: 0.01}, momentum(0, 0.01, false)},
	{SGD{Momentum: 0.9, Decay: 0.01}, momentum(0.9, 0.01, false)},
	{SGD{Momentum: 0.8, Nesterov: true}, momentum(0.8, 0, true)},
	{Adam{}, plainAdam(0.9, 0.999, 1e-8, 0, 0)},
	{Adam{Beta1: 0.5, Beta2: 0.9, Eps: 1e-3, Decay: 0.1}, plainAdam(0.5, 0.9, 1e-3, 0.1, 0)},
	{AdamW{}, plainAdam(0.9, 0.999, 1e-8, 0, 0.01)},
	{AdamW{Decay: 0.2}, plainAdam(0.9, 0.999, 1e-8, 0, 0.2)},
	{Adagrad{Decay: 0.01}, func(w, s, b, g, rate float64, _ int) (float64, float64, float64) {
		g += 0.01 * w
		s += g * g
		return w - rate*g/(math.Sqrt(s)+1e-10), s, b
	}},
	{RMSProp{Rho: 0.9}, func(w, s, b, g, rate float64, _ int) (float64, float64, float64) {
		s = 0.9*s + 0.1*g*g
		return w - rate*g/(math.Sqrt(s)+1e-8), s, b
	}},
}

func TestStepsAreThosePlainlyWritten(t *testing.T) {
	const n, steps, rate = 37, 20, 0.03 // 37: not a multiple of a vector register
	for _, c := range cases {
		r := random.New(4)
		w := make([]float64, n)
		random.FillNormal(r, w, 0, 1)
		w32, g32 := make([]float32, n), make([]float32, n)
		want, a, b := append([]float64(nil), w...), make([]float64, n), make([]float64, n)
		for i := range w {
			w32[i] = float32(w[i])
		}
		g, memory := make([]float64, n), make([]float64, n*c.o.Memory())
		memory32 := make([]float32, n*c.o.Memory())
		for step := 1; step <= steps; step++ {
			random.FillNormal(r, g, 0.5, 1)
			for i := range w {
				want[i], a[i], b[i] = c.plain(want[i], a[i], b[i], g[i], rate, step)
				g32[i] = float32(g[i])
			}
			Step(c.o, w, g, memory, rate, step)
			Step(c.o, w32, g32, memory32, rate, step)
		}
		for i := range w {
			// Some 20 steps of some 10 roundings each; float32 forgives 2²⁹ times as much.
			if d := math.Abs(w[i] - want[i]); d > 1e-13 {
				t.Errorf("%v: weight %d is off by %g", c.o, i, d)
			}
			if d := math.Abs(float64(w32[i]) - want[i]); d > 5e-5 {
				t.Errorf("%v in float32: weight %d is off by %g", c.o, i, d)
			}
		}
		if err := c.o.Check(); err != nil || c.o.UsualRate() <= 0 || c.o.String() == "" {
			t.Errorf("%v: %v, usual rate %g", c.o, err, c.o.UsualRate())
		}
	}
}

func TestStepsAllocateNothing(t *testing.T) {
	for _, c := range cases {
		w, g, m := make([]float32, 8), make([]float32, 8), make([]float32, 16)[:8*c.o.Memory()]
		if n := testing.AllocsPerRun(10, func() { Step(c.o, w, g, m, 0.1, 1) }); n > 0 {
			t.Errorf("%v: %v allocations", c.o, n)
		}
	}
}

func TestBadSettingsAreNamed(t *testing.T) {
	for want, o := range map[string]Optimizer{
		"Momentum is 1":    SGD{Momentum: 1},
		"Decay is -1":      SGD{Decay: -1},
		"needs a Momentum": SGD{Nesterov: true},
		"Beta1 is NaN":     Adam{Beta1: math.NaN()},
		"Beta2 is 2":       AdamW{Beta2: 2},
		"Eps is -1":        Adagrad{Eps: -1},
		"Rho is 1":         RMSProp{Rho: 1},
	} {
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", o, err, want)
		}
	}
}

func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		s             Schedule
		epoch, epochs float64
		want          float64
	}{
		{Drop{By: 0.2, At: []float64{60, 120, 160}}, 59.9, 200, 1},
		{Drop{By: 0.2, At: []float64{60, 120, 160}}, 60, 200, 0.2},
		{Drop{By: 0.2, At: []float64{60, 120, 160}}, 199, 200, 0.008},
		{Every{}, 29.99, 90, 1},
		{Every{}, 60, 90, 0.01},
		{Every{By: 0.5, Epochs: 2}, 5, 8, 0.25},
		{Cosine{}, 0, 8, 1},
		{Cosine{To: 0.1}, 4, 8, 0.55},
		{Cosine{To: 0.1}, 8, 8, 0.1},
		{WarmUp{}, 0.25, 8, 0.25},
		{WarmUp{From: 0.5}, 0.5, 8, 0.75},
		{WarmUp{}, 3, 8, 1},
		{WarmUp{Epochs: 2, Then: Cosine{}}, 5, 8, 0.5},
	} {
		if f := c.s.Factor(c.epoch, c.epochs); math.Abs(f-c.want) > 1e-15 {
			t.Errorf("%v at %g of %g: %g, want %g", c.s, c.epoch, c.epochs, f, c.want)
		}
	}
}

func TestClipping(t *testing.T) {
	g := []float64{3, 4}
	if n := ClipNorm(g, 10); n != 5 || g[0] != 3 {
		t.Errorf("norm %g, %v: nothing to clip", n, g)
	}
	if n := ClipNorm(g, 1); n != 5 || math.Abs(g[0]-0.6) > 1e-15 || math.Abs(g[1]-0.8) > 1e-15 {
		t.Errorf("norm %g, clipped to %v", n, g)
	}
	bad := []float64{1, math.Inf(1)}
	if n := ClipNorm(bad, 1); !math.IsInf(n, 1) || bad[0] != 1 {
		t.Errorf("norm %g, %v", n, bad)
	}
	v := []float32{-3, 0.5, 2}
	ClipValue(v, 1)
	if v[0] != -1 || v[1] != 0.5 || v[2] != 1 {
		t.Errorf("clipped to %v", v)
	}
}
