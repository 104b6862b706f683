package mgrit

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"trivium/core/crs"
	"trivium/core/nn"
	"trivium/core/train"
)

// Every optimiser with every kind of coarse step, cycle and relaxation: the weights of serial
// training, the same bits on one worker and on three, and the same bits when the
// run goes on from its first cycle's checkpoint. With 24 steps and m = 3, FCF makes two
// C-points exact in each cycle, so that even a coarse step of no use ends after four.
func TestTrainingCombinations(t *testing.T) {
	const steps = 24
	data := few()
	rules := []Rule{nil, Same{}, Growing{Cap: 4}, Pooled{Rule: Adaptive{}}, Averaged{Most: 3}, Drawn{Growing{Cap: 2}},
		InTurn{Same{}}, Repeated{}, Sampled{Product: crs.TopK{Keep: 0.5}}, Pooled{Most: 2, Rule: Sampled{Product: crs.Bernoulli{Keep: 0.5}}}}
	n, kind := 0, 0
	for _, opt := range optimisers {
		for _, rule := range rules {
			for _, cycle := range []Cycle{VCycle, FCycle, WCycle} {
				for _, relax := range []Relaxation{F, FCF} {
					kind++
					if every := 5; kind%every != 0 && os.Getenv("TRIVIUM_REPRODUCE") != "1" || testing.Short() && kind%(7*every) != 0 {
						continue
					}
					n++
					net := nn.New(nn.Vector(64), nn.Dense{Out: 3}, nn.Tanh{}, nn.Dense{Out: 10}).Float64()
					p := TrainingOf64(net, data, train.Options{Batch: 8, Optimizer: opt.o, Rate: opt.rate})
					p.Loss = nil
					o := Options{Steps: steps, Coarsen: 2 + kind%2, Cycle: cycle, Relax: relax, Coarse: rule, MinCoarse: 2,
						Storage: Storage(kind % 2), SkipFirst: kind%3 == 0, Nested: kind%7 == 0, Workers: 1, Tol: 1e-12}
					name := fmt.Sprintf("%v, %v, %v, %v", opt.o, rule, cycle, relax)
					if rule == nil {
						name = fmt.Sprintf("%v, usual rule, %v, %v", opt.o, cycle, relax)
					}
					combination(t, name, p, o)
				}
			}
		}
	}
	t.Logf("%d of %d combinations", n, kind)
}

func combination(t *testing.T, name string, p Problem, o Options) {
	t.Helper()
	var saved *Result
	o.OnCycle = func(c CycleInfo) {
		if c.Cycle == 0 {
			saved = c.Checkpoint()
		}
	}
	one := mustSolve(t, p, o)
	if d := maxAbsDiff(one.Final, mustSerial(t, p, o.Steps)); !one.Converged || d > 1e-9 {
		t.Errorf("%s: off by %.2g, %s, residuals %.2g", name, d, one.Why, one.Residuals[0])
		return
	}
	o.OnCycle, o.Workers = nil, 3
	if three := mustSolve(t, p, o); !slices.Equal(three.Final, one.Final) || !slices.Equal(three.Residuals[0], one.Residuals[0]) || three.Flops != one.Flops {
		t.Errorf("%s: other bits, or other work, on three workers", name)
	}
	if one.Cycles < 2 {
		return
	}
	o.Resume = saved
	if rest := mustSolve(t, p, o); !slices.Equal(rest.Final, one.Final) || rest.Cycles != one.Cycles || rest.Taken != one.Taken || rest.Flops != one.Flops {
		t.Errorf("%s: %d cycles, %d steps, %g flops; resumed after the first %d, %d, %g", name, one.Cycles, one.Taken, one.Flops, rest.Cycles, rest.Taken, rest.Flops)
	}
}
