package mgrit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"trivium/core/run"
)

func maxAbsDiff(a, b []float64) float64 {
	d := math.Abs(float64(len(a) - len(b)))
	for i := range min(len(a), len(b)) {
		d = math.Max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

func mustSolve(t testing.TB, p Problem, o Options) *Result {
	t.Helper()
	res, err := Solve(context.Background(), p, o)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	return res
}

func mustSerial(t testing.TB, p Problem, steps int) []float64 {
	t.Helper()
	u, err := Serial(p, steps)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func mustPath(t testing.TB, p Problem, steps int) [][]float64 {
	t.Helper()
	path, err := SerialPath(p, steps)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOneLevelIsSerialBitForBit(t *testing.T) {
	for _, storage := range []Storage{StoreC, StoreAll} {
		for _, steps := range []int{1, 2, 3, 100} {
			p := XOR(XOROptions{})
			res := mustSolve(t, p, Options{Steps: steps, MaxLevels: 1, Storage: storage, Workers: 3})
			path := mustPath(t, p, steps)
			if !same(res.Final, path[steps]) {
				t.Errorf("%d steps: %v, serial %v", steps, res.Final, path[steps])
			}
			for i, u := range res.Path {
				if !same(u, path[i*res.Stride]) {
					t.Errorf("%d steps: point %d differs from serial", steps, i*res.Stride)
				}
			}
			if res.Taken != steps || res.Potential != 1 || !res.Converged {
				t.Errorf("%d steps: taken %d, potential %v, converged %v", steps, res.Taken, res.Potential, res.Converged)
			}
		}
	}
}

// A contraction with a nonlinear part, so that no rule is exact on it; cheap.
func contraction(d int) Problem {
	p := Problem{Name: "contraction", Init: make([]float64, d)}
	for k := range p.Init {
		p.Init[k] = 1 + float64(k)/float64(d)
	}
	p.Step = func(dst, src []float64, s Step) {
		for k, u := range src {
			forcing := 0.02 * math.Sin(0.1*float64(s.Index)+float64(k))
			dst[k] = u + s.Scale*(0.02*(0.3-u)-0.01*math.Tanh(3*u)+forcing)
		}
	}
	return p
}

// Every combination must end with the serial solution. The step contracts, so the error of
// the last vector is at most the residual over 1 minus the contraction, here under 100 times.
func TestEveryCombinationEqualsSerial(t *testing.T) {
	const tol = 1e-10
	p := contraction(3)
	rules := []Rule{nil, Same{}, Growing{By: 1.25}, Growing{By: 2, Cap: 8}, Multiplied{Cap: 32}, Chebyshev{},
		Repeated{Rule: Multiplied{Cap: 16}}, Averaged{Most: 4, Rule: Growing{Cap: 16}}, Drawn{Growing{Cap: 8}}, InTurn{Multiplied{Cap: 8}}}
	serial := map[int][][]float64{}
	n, kind := 0, 0
	for _, steps := range []int{1, 5, 16, 63, 100, 257} {
		serial[steps] = mustPath(t, p, steps)
		for _, coarsen := range []int{2, 3, 4, 7} {
			for _, relax := range []Relaxation{F, FCF, FCFCF} {
				for _, cycle := range []Cycle{VCycle, FCycle, WCycle} {
					for r, rule := range rules {
						// The remaining options run through their values, each with each of the above.
						kind++
						if testing.Short() && kind%17 != 0 {
							continue
						}
						o := Options{Steps: steps, Coarsen: coarsen, Relax: relax, Cycle: cycle, Coarse: rule, Tol: tol,
							MaxCycles: 300, MaxLevels: []int{0, 2, 3}[kind%3], Workers: 1 + kind%4, Storage: Storage(kind % 2),
							MinCoarse: 1 + kind%5, SkipFirst: kind%7 == 0, Nested: kind%11 == 0, Weight: []float64{0, 0.9, 1.2}[kind%5%3]}
						if kind%13 == 0 {
							o.Levels = []LevelOptions{{Coarsen: 5}, {Relax: FCFCF, Weight: 1.1}}
						}
						res := mustSolve(t, p, o)
						if !res.Converged {
							t.Fatalf("rule %d (%v), %+v: %s, residuals %.3g", r, rule, o, res.Why, res.Residuals[0])
						}
						for i, u := range res.Path {
							if d := maxAbsDiff(u, serial[steps][i*res.Stride]); d > 100*tol {
								t.Fatalf("rule %d, %+v: point %d is off by %.2g", r, o, i*res.Stride, d)
							}
						}
						if d := maxAbsDiff(res.Final, serial[steps][steps]); d > 100*tol {
							t.Fatalf("rule %d, %+v: the last vector is off by %.2g", r, o, d)
						}
						n++
					}
				}
			}
		}
	}
	t.Logf("%d combinations", n)
}

func TestSameBitsForAnyNumberOfWorkers(t *testing.T) {
	for name, o := range map[string]Options{
		"V, FCF, adaptive": {Steps: 500},
		"F, FCFCF, m=3":    {Steps: 500, Coarsen: 3, Relax: FCFCF, Cycle: FCycle, Coarse: Growing{Cap: 4}},
		"W, F, weighted":   {Steps: 301, Coarsen: 5, Relax: F, Cycle: WCycle, Coarse: Multiplied{Cap: 8}, Weight: 1.2},
		"nested, all":      {Steps: 256, Coarse: Chebyshev{}, Nested: true, Storage: StoreAll, Coarsen: 4},
	} {
		t.Run(name, func(t *testing.T) {
			p := XOR(XOROptions{Rate: 0.5})
			o.MaxCycles, o.Fixed, o.Workers = 6, true, 1
			want := mustSolve(t, p, o)
			for _, workers := range []int{2, 3, 4, 7, 64, 300} {
				o.Workers = workers
				got := mustSolve(t, p, o)
				for k := range want.Residuals {
					if !same(got.Residuals[k], want.Residuals[k]) {
						t.Errorf("%d workers: residuals of level %d are %v, one worker had %v", workers, k, got.Residuals[k], want.Residuals[k])
					}
				}
				for i := range want.Path {
					if !same(got.Path[i], want.Path[i]) {
						t.Fatalf("%d workers: point %d differs", workers, i*want.Stride)
					}
				}
				if !same(got.Final, want.Final) || got.Taken != want.Taken {
					t.Errorf("%d workers: the last vector or the number of steps differs", workers)
				}
			}
		})
	}
}

func TestSerialSolutionHasResidualZero(t *testing.T) {
	p := XOR(XOROptions{})
	path := mustPath(t, p, 256)
	for _, relax := range []Relaxation{F, FCF, FCFCF} {
		res := mustSolve(t, p, Options{Steps: 256, Relax: relax, Coarse: Multiplied{Cap: 8},
			Guess: func(i int) []float64 { return path[i] }})
		if res.Residuals[0][0] != 0 || res.Cycles != 1 {
			t.Errorf("%v: residual %g after %d cycles, expected exactly 0 after 1", relax, res.Residuals[0][0], res.Cycles)
		}
	}
}

// FCF-relaxation carries exact values over two more C-points per cycle, F-relaxation over
// one, whatever the coarse level does; here it does nonsense.
func TestExactPointsPerCycle(t *testing.T) {
	const steps, m = 64, 4
	p := XOR(XOROptions{})
	path := mustPath(t, p, steps)
	nonsense := Custom{Scale: func(level, stride int) float64 { return 7 }}
	for relax, points := range map[Relaxation]int{F: 1, FCF: 2, FCFCF: 3} {
		var exact []int
		o := Options{Steps: steps, Coarsen: m, MaxLevels: 2, Relax: relax, Coarse: nonsense, MaxCycles: (steps/m + points - 1) / points, Fixed: true}
		o.OnCycle = func(c CycleInfo) {
			n := 0
			for i, u := range c.Checkpoint().Path {
				if maxAbsDiff(u, path[i*m]) > 1e-12 {
					break
				}
				n = i
			}
			exact = append(exact, n)
		}
		res := mustSolve(t, p, o)
		for k, n := range exact {
			if n < min(points*(k+1), steps/m) {
				t.Errorf("%v: %d C-points exact after cycle %d, expected at least %d", relax, n, k, points*(k+1))
			}
		}
		if d := maxAbsDiff(res.Final, path[steps]); d > 1e-12 {
			t.Errorf("%v: off by %.2g after N/%dm cycles", relax, d, points)
		}
	}
}

func TestTolerances(t *testing.T) {
	p := XOR(XOROptions{Rate: 0.1})
	base := Options{Steps: 256, Coarse: Multiplied{Cap: 8}}
	last := func(o Options) (last, before, first float64, cycles int) {
		r := mustSolve(t, p, o).Residuals[0]
		return r[len(r)-1], r[max(len(r)-2, 0)], r[0], len(r)
	}
	for _, norm := range []Norm{TwoNorm, OneNorm, MaxNorm} {
		o := base
		o.Norm, o.Tol = norm, 1e-6
		if r, before, _, _ := last(o); r >= 1e-6 || before < 1e-6 {
			t.Errorf("norm %d: stopped at %g after %g, tolerance 1e-6", norm, r, before)
		}
		o.Tol, o.RelTol = 0, 1e-5
		if r, before, first, _ := last(o); r >= 1e-5*first || before < 1e-5*first {
			t.Errorf("norm %d: stopped at %g after %g, relative tolerance 1e-5 of %g", norm, r, before, first)
		}
	}
	o := base
	o.MaxCycles, o.Fixed = 3, true
	if _, _, _, cycles := last(o); cycles != 3 {
		t.Errorf("%d cycles, 3 were fixed", cycles)
	}
	o.Norm = MaxNorm
	inf, _, _, _ := last(o)
	o.Norm = TwoNorm
	two, _, _, _ := last(o)
	o.Norm = OneNorm
	one, _, _, _ := last(o)
	if !(inf < two && two < one && two < inf*math.Sqrt(128)) {
		t.Errorf("norms of the same residual are not in order: max %g, two %g, one %g", inf, two, one)
	}
}

func TestResumeIsExact(t *testing.T) {
	for name, o := range map[string]Options{
		"growing":    {Steps: 300, Coarse: Growing{Cap: 4}, Workers: 2},
		"adaptive":   {Steps: 300, Coarsen: 3, Cycle: FCycle, Workers: 2},
		"all stored": {Steps: 300, Coarse: Multiplied{Cap: 8}, Storage: StoreAll, Nested: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := XOR(XOROptions{})
			var saved *Result
			o.OnCycle = func(c CycleInfo) {
				if c.Cycle == 1 {
					saved = c.Checkpoint()
				}
			}
			want := mustSolve(t, p, o)
			o.OnCycle, o.Resume = nil, saved
			got := mustSolve(t, p, o)
			if !same(got.Final, want.Final) || got.Cycles != want.Cycles || !same(got.Residuals[0], want.Residuals[0]) {
				t.Errorf("resumed: %d cycles, %v; not resumed: %d, %v", got.Cycles, got.Residuals[0], want.Cycles, want.Residuals[0])
			}
			if got.Critical != want.Critical || got.Taken != want.Taken {
				t.Errorf("resumed: %d steps, %d after each other; not resumed: %d, %d", got.Taken, got.Critical, want.Taken, want.Critical)
			}
		})
	}
}

func TestBadOptions(t *testing.T) {
	p := XOR(XOROptions{})
	one := func(o Options) Options { o.Steps = 64; return o }
	other := mustSolve(t, p, Options{Steps: 32})
	for want, c := range map[string]struct {
		p Problem
		o Options
	}{
		"Steps is 0":          {p, Options{}},
		"Steps is -3":         {p, Options{Steps: -3}},
		"Coarsen is 1":        {p, one(Options{Coarsen: 1})},
		"Relax is -5":         {p, one(Options{Relax: -5})},
		"Weight is NaN":       {p, one(Options{Weight: math.NaN()})},
		"Tol is NaN":          {p, one(Options{Tol: math.NaN()})},
		"Cycle is 9":          {p, one(Options{Cycle: 9})},
		"Workers is -1":       {p, one(Options{Workers: -1})},
		"Levels[1].Coarsen":   {p, one(Options{Levels: []LevelOptions{{}, {Coarsen: 1}}})},
		"Growing.By is -1":    {p, one(Options{Coarse: Growing{By: -1}})},
		"Custom.Scale is nil": {p, one(Options{Coarse: Repeated{Rule: Custom{}}})},
		"on level 1, whose steps stand for 2, by -50: it must be a positive number": {p, one(Options{Coarse: Custom{Scale: func(int, int) float64 { return -50 }}})},
		"(mine) multiplies the rate on level 1":                                     {p, one(Options{Coarse: Custom{Name: "mine", Scale: func(int, int) float64 { return math.NaN() }}})},
		"by +Inf":                                                                   {p, one(Options{Coarse: Growing{By: 1e300}})},
		"oh":                                                                        {p, one(Options{Coarse: Custom{Scale: func(int, int) float64 { panic("oh") }}})},
		"100 bytes":                                                                 {p, one(Options{Memory: 100})},
		"Chebyshev.Most is -1":                                                      {p, one(Options{Coarse: Averaged{Rule: Chebyshev{Most: -1}}})},
		"GB of memory":                                                              {p, Options{Steps: 1 << 30}},
		"Options.Memory allows":                                                     {p, one(Options{Memory: 100})},
		"Resume is of another":                                                      {p, one(Options{Resume: other})},
		"Guess(2) has 1":                                                            {p, one(Options{Guess: func(int) []float64 { return []float64{1} }})},
		"Compare has 1 vectors":                                                     {p, one(Options{Compare: [][]float64{p.Init}})},
		"Compare[1] has 0":                                                          {p, one(Options{Compare: append([][]float64{p.Init}, make([][]float64, 64)...)})},
		"Init is empty":                                                             {Problem{Step: p.Step}, one(Options{})},
		"neither Step nor":                                                          {Problem{Init: p.Init}, one(Options{})},
		"both Step and":                                                             {Problem{Init: p.Init, Step: p.Step, Update: func(w []float64, s Step) []float64 { return w }}, one(Options{})},
		"Init[1] is NaN":                                                            {Problem{Init: []float64{0, math.NaN()}, Step: p.Step}, one(Options{})},
	} {
		r := Start(context.Background(), c.p, c.o)
		<-r.Done()
		if r.Err() == nil || !strings.Contains(r.Err().Error(), want) || want != "oh" && !strings.HasPrefix(r.Err().Error(), "mgrit: ") {
			t.Errorf("error is %v, expected it to say %q", r.Err(), want)
		}
		if r.State() != run.StateFailed || r.Result() != nil {
			t.Errorf("%s: state %v with result %v", want, r.State(), r.Result())
		}
	}
}

func TestBadSteps(t *testing.T) {
	calls := 0
	for want, p := range map[string]Problem{
		"wrote to its input":                          {Init: []float64{1, 2}, Step: func(dst, src []float64, s Step) { src[0]++; copy(dst, src) }},
		"panicked: runtime error: index out of range": {Init: []float64{1}, Step: func(dst, src []float64, s Step) { dst[0] = src[len(src)] }},
		"panicked: my own words":                      {Init: []float64{1}, Update: func(w []float64, s Step) []float64 { panic("my own words") }},
		"returned 3 numbers for a vector of 2":        {Init: []float64{1, 2}, Update: func(w []float64, s Step) []float64 { return append(w, 1) }},
		"returned 0 numbers for a vector of 1":        {Init: []float64{1}, Update: func(w []float64, s Step) []float64 { return nil }},
		"gave another result": {Init: []float64{1}, Step: func(dst, src []float64, s Step) {
			calls++
			dst[0] = src[0] + float64(calls)
		}},
	} {
		for _, o := range []Options{{MaxLevels: 1}, {}, {Coarse: Multiplied{}}} {
			o.Steps, o.Workers, o.Check = 64, 1, true
			_, err := Solve(context.Background(), p, o)
			var bad *StepError
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
				t.Errorf("error is %v, expected a StepError that says %q", err, want)
			}
		}
	}
}

// The error names the cycle, the level and the step, also when other workers wait for
// the one that fails.
func TestPanicNamesTheStep(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		p := XOR(XOROptions{})
		inner := p.Step
		p.Step = func(dst, src []float64, s Step) {
			if s.Cycle == 1 && s.Level == 2 && s.From == 24 {
				panic(fmt.Errorf("no more: %w", context.DeadlineExceeded))
			}
			inner(dst, src, s)
		}
		_, err := Solve(context.Background(), p, Options{Steps: 256, Workers: workers, Coarse: Same{}})
		var bad *StepError
		if !errors.As(err, &bad) || bad.Step.Cycle != 1 || bad.Step.Level != 2 || bad.Step.From != 24 || bad.Step.To != 28 {
			t.Errorf("%d workers: error is %v", workers, err)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d workers: the error panicked with is lost: %v", workers, err)
		}
		if _, err := Serial(Problem{Init: []float64{1}, Step: func(dst, src []float64, s Step) { panic("no") }}, 5); err == nil {
			t.Error("serial stepping let a panic pass")
		}
	}
}

func TestDivergence(t *testing.T) {
	grow := Problem{Init: []float64{1}, Step: func(dst, src []float64, s Step) { dst[0] = src[0] - 0.1*s.Scale*src[0] }}
	small := Problem{Init: []float64{1}, Step: func(dst, src []float64, s Step) { dst[0] = math.Sqrt(src[0]*src[0] - 0.001*s.Scale*s.Scale) }}
	root := Problem{Init: []float64{1}, Step: func(dst, src []float64, s Step) { dst[0] = math.Sqrt(src[0] - s.Scale) }}
	for name, c := range map[string]struct {
		p      Problem
		rule   Rule
		advice string
	}{
		"coarse steps grow":    {grow, Custom{Scale: func(level, stride int) float64 { return 300 }}, "put a lower cap"},
		"coarse steps are NaN": {small, Multiplied{}, "put a lower cap"},
		"training itself is":   {root, Same{}, "the step function itself"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, workers := range []int{1, 3} {
				_, err := Solve(context.Background(), c.p, Options{Steps: 256, Coarse: c.rule, Workers: workers})
				var d *DivergenceError
				if !errors.As(err, &d) {
					t.Fatalf("error is %v, expected a DivergenceError", err)
				}
				if d.To <= d.From || d.To > 256 || finite(d.Residual) && d.Residual < 1e8*d.First {
					t.Errorf("%+v: expected a step, and what is wrong with it", d)
				}
				if !strings.Contains(err.Error(), c.advice) {
					t.Errorf("no %q: %v", c.advice, err)
				}
			}
		})
	}
}

// A run that ends without a solution says so, and what to do, where more cycles would not help.
func TestWhyNotConverged(t *testing.T) {
	for want, c := range map[string]struct {
		rate float64
		o    Options
	}{
		"was 2.68 at first: the coarse steps (rate × 40^level) are too large": {1, Options{Steps: 4096, Coarse: Growing{By: 40}, MaxCycles: 12}},
		"hardly gets smaller any more: the coarse steps (rate × steps":        {1, Options{Steps: 4096, Coarse: Multiplied{}, MaxCycles: 45}},
		"did the 3 cycles allowed\n":                                          {0.1, Options{Steps: 4096, MaxCycles: 3}},
		"did the 5 cycles allowed\n":                                          {1, Options{Steps: 4096, Coarse: Growing{By: 40}, MaxCycles: 5, Fixed: true}},
	} {
		if res := mustSolve(t, XOR(XOROptions{Rate: c.rate}), c.o); res.Converged || !strings.Contains(res.String(), want) {
			t.Errorf("%v: expected %q", res, want)
		}
	}
}

// Advice is for the rule in use, and thinks of steps that are at fault themselves.
func TestAdviceFits(t *testing.T) {
	grow := Problem{Init: []float64{1}, Update: func(w []float64, s Step) []float64 { w[0] *= -3 * s.Scale; return w }}
	_, err := Solve(context.Background(), grow, Options{Steps: 1000})
	if err == nil || !strings.Contains(err.Error(), "take fewer levels") || !strings.Contains(err.Error(), "mgrit.Serial") || strings.Contains(err.Error(), "use mgrit.Adaptive") {
		t.Errorf("a training that grows, with the usual rule: %v", err)
	}
	calls := 0.0
	other := Problem{Init: []float64{1}, Step: func(dst, src []float64, s Step) { calls++; dst[0] = 0.9*src[0] + math.Sin(calls) }}
	if res := mustSolve(t, other, Options{Steps: 64, Coarse: Same{}, Workers: 1}); !strings.Contains(res.Why, "which Options.Check tells") {
		t.Errorf("a step that is another each time: %s", res.Why)
	}
}

// How long a step takes is measured by those workers that took part: otherwise a run that is better on one worker
// would be given to all of them in the next cycle.
func TestGrainIsOfTheWorkersThatTookPart(t *testing.T) {
	s, err := newSolver(XOR(XOROptions{}), Options{Steps: 64, Workers: 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		grain  float64
		active int
	}{{0, 4}, {1e-7, 1}, {1, 4}} {
		if s.grain = c.grain; s.active(32, s.levels[0]) != c.active {
			t.Errorf("%d workers for steps of %g s, expected %d", s.active(32, s.levels[0]), c.grain, c.active)
		}
		s.measureGrain(time.Second, 1000)
		if want := 1e-3 * float64(c.active); math.Abs(s.grain-want) > 1e-9 {
			t.Errorf("%d workers took 1000 steps in a second, each %g s, expected %g", c.active, s.grain, want)
		}
	}
}

// More cycles done than are allowed now: nothing is left to do, and the result says how many there were.
func TestResumeOfMoreCyclesThanAllowed(t *testing.T) {
	p := XOR(XOROptions{})
	before := mustSolve(t, p, Options{Steps: 64, Fixed: true, MaxCycles: 6})
	res := mustSolve(t, p, Options{Steps: 64, Resume: before, MaxCycles: 4})
	if res.Cycles != 6 || len(res.Residuals[0]) != 6 || res.Converged {
		t.Errorf("%v, with %d residuals", res, len(res.Residuals[0]))
	}
}
