package mgrit

import (
	"context"
	"math"
	"testing"
)

// Exponents that are known: linear maps have the logarithm of their largest factor, the
// logistic map at 4 has ln 2 for almost every path.
func TestLyapunovIsTheKnownOne(t *testing.T) {
	linear := func(factors ...float64) Problem {
		return Problem{Init: make([]float64, len(factors)), Step: func(dst, src []float64, s Step) {
			for k, f := range factors {
				dst[k] = f*src[k] + 1
			}
		}}
	}
	logistic := Problem{Init: []float64{0.3}, Step: func(dst, src []float64, s Step) { dst[0] = 4 * src[0] * (1 - src[0]) }}
	for name, c := range map[string]struct {
		p      Problem
		want   float64
		within float64
	}{
		"shrinking": {linear(0.9, 0.5), math.Log(0.9), 0.01}, // the first steps turn to the slower direction: O(1/steps)
		"growing":   {linear(0.5, 1.01), math.Log(1.01), 0.01},
		"chaotic":   {logistic, math.Ln2, 0.05}, // a mean of 1000 with deviation about 1 at first, and shrinking as 1/n after
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Lyapunov(context.Background(), c.p, 1000)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(e.PerStep-c.want) > c.within {
				t.Errorf("%v: want %.4g", e, c.want)
			}
			if grows := c.want > 0; grows != (e.Most > 5) {
				t.Errorf("%v: grows %v", e, grows)
			}
		})
	}
}

// Training that settles shrinks differences; far past the stability limit it is chaotic.
func TestLyapunovOfTraining(t *testing.T) {
	calm, err := Lyapunov(context.Background(), XOR(XOROptions{Rate: 0.1}), 4000)
	if err != nil {
		t.Fatal(err)
	}
	wild, err := Lyapunov(context.Background(), XOR(XOROptions{Rate: 100, Seed: 3}), 400)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(calm)
	t.Log(wild)
	if calm.Most > roundingGrowth/4 {
		t.Errorf("training at a tenth of the usual rate: %v", calm)
	}
	if wild.PerStep < calm.PerStep {
		t.Errorf("rate 100: %v", wild)
	}
}

func TestLyapunovOfWhatCannotBe(t *testing.T) {
	if _, err := Lyapunov(context.Background(), contraction(2), 0); err == nil {
		t.Error("no steps: no error")
	}
	if _, err := Lyapunov(context.Background(), Problem{}, 4); err == nil {
		t.Error("no problem: no error")
	}
	panics := Problem{Init: []float64{1}, Step: func(dst, src []float64, s Step) { panic("no") }}
	if _, err := Lyapunov(context.Background(), panics, 4); err == nil {
		t.Error("a panic: no error")
	}
	doubles := Problem{Init: []float64{1}, Step: func(dst, src []float64, s Step) { dst[0] = math.Exp(10 * src[0]) }}
	if _, err := Lyapunov(context.Background(), doubles, 400); err == nil {
		t.Error("numbers that overflow: no error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Lyapunov(ctx, contraction(2), 4); err == nil {
		t.Error("a cancelled context: no error")
	}
}
