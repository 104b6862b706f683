package mgrit

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// The phases that are planned are those that a run goes through.
func TestPlannedPhases(t *testing.T) {
	for _, cycle := range []Cycle{VCycle, FCycle, WCycle} {
		o := Options{Steps: 200, Cycle: cycle, UpCycles: 2, MaxCycles: 2, Fixed: true, Coarse: Same{}}
		res := mustSolve(t, contraction(2), o)
		filled, err := o.filled(&Problem{})
		if err != nil {
			t.Fatal(err)
		}
		if plan := planFor(filled); !slices.Equal(plan.Phases, res.Plan.Phases) || plan.path(100) != res.Plan.path(100) {
			t.Errorf("%v: planned %v, done %v", cycle, plan.Phases, res.Plan.Phases)
		}
	}
}

// What is proposed from short trainings holds on the long one: it converges, in about the
// cycles expected, and is no slower than what the options' zero values give.
func TestTune(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("takes seconds")
	}
	const steps = 2048
	for _, rate := range []float64{0.01, 1} {
		p := XOR(XOROptions{Rate: rate})
		tuned, err := Tune(context.Background(), p, TuneOptions{Options: Options{Steps: steps}})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("rate %g: %v", rate, tuned)
		res, usual := mustSolve(t, p, tuned.Options), mustSolve(t, p, Options{Steps: steps})
		t.Logf("%d cycles, speed-up %.2g; as usual %d, %.2g", res.Cycles, res.Potential, usual.Cycles, usual.Potential)
		if !res.Converged || usual.Converged && res.Potential < usual.Potential {
			t.Errorf("rate %g: converged %v, speed-up %.2g, with the usual options %.2g", rate, res.Converged, res.Potential, usual.Potential)
		}
		if rate < 1 && (res.Cycles > 2*tuned.Cycles || tuned.Cycles > 2*res.Cycles) {
			t.Errorf("rate %g: %d cycles, %d were expected", rate, res.Cycles, tuned.Cycles)
		}
		if len(tuned.Why) != 4 && !strings.Contains(tuned.String(), "serial") {
			t.Errorf("reasons: %v", tuned)
		}
	}
}

func TestTuneOfWhatCannotBe(t *testing.T) {
	for name, o := range map[string]TuneOptions{
		"no steps":            {},
		"too short to divide": {Options: Options{Steps: 4}},
		"processors below 0":  {Options: Options{Steps: 64}, Processors: -1},
	} {
		if _, err := Tune(context.Background(), contraction(2), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Tune(ctx, contraction(2), TuneOptions{Options: Options{Steps: 64}}); err == nil {
		t.Error("a cancelled context: no error")
	}
}
