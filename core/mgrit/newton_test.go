package mgrit

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"trivium/core/run"
)

// A linear training is solved by the first cycle: the second sees it, to what finite
// differences leave over.
func TestNewtonSolvesLinearProblemsAtOnce(t *testing.T) {
	p := Problem{Init: []float64{1, 2, -1}, Step: func(dst, src []float64, s Step) {
		dst[0] = 0.9*src[0] + 0.1*src[1]
		dst[1] = 0.8*src[1] - 0.1*src[2] + 0.1
		dst[2] = 0.9*src[2] + 0.05*src[0]
	}}
	res := mustSolve(t, p, Options{Steps: 500, Method: Newton, Tol: 1e-6})
	if res.Cycles != 2 || !res.Converged {
		t.Errorf("%d cycles, residuals %v", res.Cycles, res.Residuals[0])
	}
	if want := 2 * 500 * (3 + 1); res.Taken != want {
		t.Errorf("%d calls, want %d: one and three columns for each step and cycle", res.Taken, want)
	}
}

// Newton's methods end with the weights of serial training, in any number of workers with the same bits.
func TestNewtonEqualsSerial(t *testing.T) {
	for _, c := range []struct {
		method Method
		rate   float64
		m      int
	}{{Newton, 0.1, 2}, {Newton, 1, 2}, {QuasiNewton, 0.1, 4}, {QuasiNewton, 0.1, 7}, {QuasiNewton, 1, 2}} {
		p := XOR(XOROptions{Rate: c.rate})
		o := Options{Steps: 400, Method: c.method, Coarsen: c.m, Workers: 1, Tol: 1e-11}
		one := mustSolve(t, p, o)
		path := mustPath(t, p, o.Steps)
		if !one.Converged || len(one.Path) != len(path) {
			t.Errorf("%+v: %d cycles, %s, %d points", c, one.Cycles, one.Why, len(one.Path))
			continue
		}
		for i, want := range path {
			if d := maxAbsDiff(one.Path[i], want); d > 1e-8 { // errors of 1e-11 at 400 steps, which grow by e^4 at most
				t.Errorf("%+v: point %d is off by %.2g", c, i, d)
				break
			}
		}
		o.Workers = 3
		if three := mustSolve(t, p, o); !slices.Equal(three.Final, one.Final) || !slices.Equal(three.Residuals[0], one.Residuals[0]) {
			t.Errorf("%+v: other bits with three workers", c)
		}
		t.Logf("%+v: %d cycles, potential %.3g", c, one.Cycles, one.Potential)
	}
}

// Every cycle makes one more point exact, whatever the tangents say.
func TestNewtonIsExactFromTheLeft(t *testing.T) {
	wild := Problem{Init: []float64{0.3}, Step: func(dst, src []float64, s Step) { dst[0] = 4 * src[0] * (1 - src[0]) }}
	res := mustSolve(t, wild, Options{Steps: 30, Method: Newton, MaxCycles: 31})
	if !res.Converged {
		t.Errorf("not converged in %d cycles: %v", res.Cycles, res.Residuals[0])
	}
}

func TestNewtonStopsResumesAndRefuses(t *testing.T) {
	p := XOR(XOROptions{Rate: 1})
	o := Options{Steps: 200, Method: Newton}
	whole := mustSolve(t, p, o)
	var checkpoint *Result
	o.OnCycle = func(c CycleInfo) {
		if c.Cycle == 1 {
			checkpoint = c.Checkpoint()
		}
	}
	mustSolve(t, p, o)
	o.OnCycle, o.Resume = nil, checkpoint
	if rest := mustSolve(t, p, o); !slices.Equal(rest.Final, whole.Final) || rest.Cycles != whole.Cycles || rest.Critical != whole.Critical {
		t.Errorf("resumed: %d cycles, critical %d; whole: %d, %d", rest.Cycles, rest.Critical, whole.Cycles, whole.Critical)
	}

	r := Start(context.Background(), XOR(XOROptions{Rate: 1, Hidden: 32}), Options{Steps: 1 << 12, Method: Newton})
	r.Stop()
	<-r.Done()
	if !errors.Is(r.Err(), run.ErrStopped) {
		t.Errorf("stopped: %v", r.Err())
	}
	if _, err := Solve(context.Background(), XOR(XOROptions{Hidden: 1000}), Options{Steps: 1000, Method: Newton}); err == nil || !strings.Contains(err.Error(), "GB") {
		t.Errorf("16 million numbers for each step: %v", err)
	}
	if _, err := Solve(context.Background(), p, Options{Steps: 10, Method: 7}); err == nil {
		t.Error("a method that there is not was taken")
	}
	nan := Problem{Init: []float64{1}, Step: func(dst, src []float64, s Step) { dst[0] = math.NaN() }}
	var diverged *DivergenceError
	if _, err := Solve(context.Background(), nan, Options{Steps: 10, Method: Newton}); !errors.As(err, &diverged) {
		t.Errorf("a step to NaN: %v", err)
	}
}
