package mgrit

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func mustForecast(t testing.TB, r *Result, m Machine, processors ...int) []Forecast {
	t.Helper()
	f, err := r.Forecast(m, processors...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// free is a machine whose messages take no time and whose steps take a second.
var free = Machine{Step: 1, Latency: -1, Bandwidth: 1e300}

// On one processor the simulation takes as many steps as the run did, which counted them.
func TestForecastOfOneProcessorIsTheStepsTaken(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := drawnOptions(rt)
		res, err := Solve(context.Background(), contraction(3), o)
		if err != nil {
			rt.Fatal(err)
		}
		if res.Plan == nil {
			return
		}
		last := o.Steps % o.Coarsen // steps of the F-relaxation that finds the last vector
		if o.Storage == StoreAll {
			last = o.Steps - o.Steps/o.Coarsen // of that which finds them all
		}
		f := mustForecast(t, res, free, 1)[0]
		if want := float64(res.Taken - last); f.Seconds != want {
			rt.Errorf("%+v: %g steps simulated, %g taken", o, f.Seconds, want)
		}
		if f.Messages != 0 || math.Abs(f.Busy-1) > 1e-12 {
			rt.Errorf("one processor sent %d messages and was busy for %g of the time", f.Messages, f.Busy)
		}
	})
}

func drawnOptions(t *rapid.T) Options {
	return Options{
		Steps:     rapid.IntRange(10, 300).Draw(t, "steps"),
		Coarsen:   rapid.IntRange(2, 5).Draw(t, "coarsen"),
		MaxLevels: rapid.IntRange(2, 6).Draw(t, "levels"),
		Relax:     Sweeps(rapid.IntRange(0, 3).Draw(t, "sweeps")),
		Cycle:     Cycle(rapid.IntRange(0, 2).Draw(t, "cycle")),
		Storage:   Storage(rapid.IntRange(0, 1).Draw(t, "storage")),
		Coarse:    Repeated{Times: rapid.IntRange(1, 2).Draw(t, "repeated")},
		MaxCycles: 3, Fixed: true, Workers: 1,
	}
}

// What can be counted by hand: two levels, one interval on each processor, free messages.
// A cycle is ν+1 times over an interval of m steps, a coarse step, and n/m coarse steps.
func TestForecastByHand(t *testing.T) {
	for _, c := range []struct{ n, m, sweeps int }{{64, 2, 1}, {64, 4, 1}, {60, 3, 0}, {128, 8, 3}} {
		o := Options{Steps: c.n, Coarsen: c.m, MaxLevels: 2, Relax: Sweeps(c.sweeps), Coarse: Same{}, MaxCycles: 5, Fixed: true}
		res := mustSolve(t, contraction(2), o)
		intervals := c.n / c.m
		f := mustForecast(t, res, free, intervals)[0]
		if want := float64(5 * ((c.sweeps+1)*c.m + 1 + intervals)); f.Seconds != want {
			t.Errorf("%+v: %g steps after each other, want %g", c, f.Seconds, want)
		}
		// Each neighbour gets ν+1 values; all but the first processor send a C-point and get a correction.
		if want := 5*((intervals-1)*(c.sweeps+1)+intervals-1) + 4*(intervals-1); f.Messages != want {
			t.Errorf("%+v: %d messages, want %d", c, f.Messages, want)
		}
	}
}

// More processors never take longer if messages are free, latency never helps, and the
// model, which counts what waits for nothing, lies within a factor that the interpolation
// it counts twice explains.
func TestForecastIsMonotone(t *testing.T) {
	res := mustSolve(t, XOR(XOROptions{Rate: 0.1}), Options{Steps: 1024, Coarsen: 4})
	before := 0.0
	for _, p := range doublings(256) {
		f := mustForecast(t, res, free, p)[0]
		slow := mustForecast(t, res, Machine{Step: 1, Latency: 3}, p)[0]
		if f.SpeedUp < before {
			t.Errorf("%d processors: speed-up %g, half as many had %g", p, f.SpeedUp, before)
		}
		if p > 1 && slow.SpeedUp >= f.SpeedUp {
			t.Errorf("%d processors: speed-up %g with latency, %g without", p, slow.SpeedUp, f.SpeedUp)
		}
		if q := f.SpeedUp / f.Model; q < 0.95 || q > 1.5 {
			t.Errorf("%d processors: simulated %g, model %g", p, f.SpeedUp, f.Model)
		}
		before = f.SpeedUp
	}
	if f := mustForecast(t, res, free, 256)[0]; f.Model != res.Potential {
		t.Errorf("the model's speed-up on unlimited processors is %g, the result's potential %g", f.Model, res.Potential)
	}
}

// Enough processors are enough, and one fewer is not.
func TestBreakEven(t *testing.T) {
	res := mustSolve(t, XOR(XOROptions{Rate: 0.01}), Options{Steps: 4096, Coarsen: 4})
	p, err := res.BreakEven(free)
	if err != nil || p < 2 {
		t.Fatalf("breaks even at %d, %v", p, err)
	}
	if f := mustForecast(t, res, free, p, p-1); f[0].SpeedUp < 1 || f[1].SpeedUp >= 1 {
		t.Errorf("said to break even at %d: speed-up %g there, %g with one fewer", p, f[0].SpeedUp, f[1].SpeedUp)
	}
	if p, _ := res.BreakEven(Machine{Step: 1e-9, Latency: 1}); p != 0 {
		t.Errorf("breaks even with %d processors that are a second apart", p)
	}
}

func TestForecastOfBadMachines(t *testing.T) {
	res := mustSolve(t, contraction(2), Options{Steps: 64})
	for _, m := range []Machine{{Step: -1}, {Step: math.NaN()}, {Bandwidth: -1}, {Latency: math.Inf(1)}} {
		if _, err := res.Forecast(m, 4); err == nil {
			t.Errorf("%+v was taken", m)
		}
	}
	if _, err := res.Forecast(Machine{}, 0); err == nil {
		t.Error("no processors were taken")
	}
	if _, err := mustSolve(t, contraction(2), Options{Steps: 5, MaxLevels: 1}).Forecast(Machine{}, 1); err == nil {
		t.Error("a serial run was forecast")
	}
}

// A run ends with the curves that a figure draws, and a saved result can still be forecast.
func TestRunRecordsItsForecast(t *testing.T) {
	r := Start(context.Background(), contraction(4), Options{Steps: 200, Workers: 2})
	<-r.Done()
	model, simulated := r.Trace().Points(ModelSeries), r.Trace().Points(SimulatedSeries)
	if len(model) != 8 || len(simulated) != 8 { // 1, 2, ..., 64, 100
		t.Fatalf("%d points of the model and %d of the simulation, want 8", len(model), len(simulated))
	}
	if last := model[7]; last.Step != 100 || last.Value != r.Result().Potential {
		t.Errorf("the model's last point is %g on %g processors, want %g on 100", last.Value, last.Step, r.Result().Potential)
	}
	text, err := json.Marshal(r.Result())
	if err != nil {
		t.Fatal(err)
	}
	var back Result
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	a, b := mustForecast(t, r.Result(), Machine{}, 7)[0], mustForecast(t, &back, Machine{}, 7)[0]
	if a != b {
		t.Errorf("forecast of the result %v, and after it was saved %v", a, b)
	}
}
