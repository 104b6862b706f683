package mgrit

import (
	"math"
	"testing"

	"trivium/core/run"
)

// rows cuts a series where Step does not grow.
func rows(points []run.Point) (all [][]run.Point) {
	for i, p := range points {
		if i == 0 || p.Step <= points[i-1].Step {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], p)
	}
	return all
}

// What figures are drawn from says what the result says.
func TestRecordedSeries(t *testing.T) {
	const steps, m = 180, 3 // fewer C-points than parts
	p := XOR(XOROptions{Rate: 0.2})
	path := mustPath(t, p, steps)
	for _, cycle := range []Cycle{VCycle, FCycle, WCycle} {
		r := Start(t.Context(), p, Options{Steps: steps, Coarsen: m, Cycle: cycle, Compare: path, Coarse: Growing{Cap: 4}})
		<-r.Done()
		res := r.Result()
		if res == nil {
			t.Fatal(r.Err())
		}
		trace := r.Trace()
		grid := trace.Points(GridSeries)
		if len(grid) != len(res.Levels) {
			t.Fatalf("%d levels, %d in the trace", len(res.Levels), len(grid))
		}
		for k, l := range res.Levels {
			if grid[k].Step != float64(l.Stride) || grid[k].Value != float64(l.Steps) {
				t.Errorf("level %d is %+v, in the trace %v", k, l, grid[k])
			}
		}
		// The levels visited are neighbours, from the finest to the finest in each cycle.
		visits := trace.Points(VisitSeries)
		for i, v := range visits {
			begins := i == 0 || visits[i-1].Step < v.Step
			if d := v.Value; begins && d != 0 || !begins && math.Abs(d-visits[i-1].Value) > 1 {
				t.Errorf("%v: visit %d is of level %g in cycle %g", cycle, i, d, v.Step)
			}
		}
		if last := visits[len(visits)-1]; last.Value != 0 || int(last.Step) != res.Cycles-2 && int(last.Step) != res.Cycles-1 {
			t.Errorf("%v: the last visit is %+v of %d cycles", cycle, last, res.Cycles)
		}
		profiles := rows(trace.Points(ProfileSeries))
		if len(profiles) != res.Cycles {
			t.Errorf("%d profiles of %d cycles", len(profiles), res.Cycles)
		}
		for k, row := range profiles {
			sum := 0.0
			for _, pt := range row {
				sum += pt.Value * pt.Value
			}
			if r := res.Residuals[0][k]; len(row) != steps/m || math.Abs(math.Sqrt(sum)-r) > 1e-12*r {
				t.Errorf("profile %d has %d parts and norm %g, the residual is %g", k, len(row), math.Sqrt(sum), r)
			}
		}
		errors, spectra := rows(trace.Points(ErrorSeries)), rows(trace.Points(SpectrumSeries))
		if len(errors) != res.Cycles+1 || len(spectra) != len(errors) {
			t.Fatalf("%d rows of errors and %d spectra of %d cycles", len(errors), len(spectra), res.Cycles)
		}
		for i, pt := range errors[0] { // the guess is the first weights everywhere
			if want := math.Sqrt(distance2(p.Init, path[(i+1)*m])); pt.Step != float64((i+1)*m) || math.Abs(pt.Value-want) > 1e-12 {
				t.Errorf("guess at step %g: error %g, expected %g", pt.Step, pt.Value, want)
			}
		}
		if e := errors[res.Cycles][steps/m-1].Value; e > 1e-7 {
			t.Errorf("at the end the error is %g", e)
		}
	}
}

// The trace counts work as the problem says: on every worker, all calls.
func TestWorkIsRecorded(t *testing.T) {
	p := XOR(XOROptions{Rate: 0.2})
	for _, o := range []Options{{Steps: 300, Workers: 3}, {Steps: 300, MaxLevels: 1}, {Steps: 60, Method: Newton}, {Steps: 300, Cycle: FCycle, Coarse: Repeated{}}} {
		r := Start(t.Context(), p, o)
		<-r.Done()
		res := r.Result()
		if want := p.Flops * float64(res.Taken); res.Flops != want || want == 0 {
			t.Errorf("%+v: %g flops, %d calls of %g", o, res.Flops, res.Taken, p.Flops)
		}
		loss := r.Trace().Points("loss")
		for k, pt := range loss {
			if k > 0 && pt.Work <= loss[k-1].Work {
				t.Errorf("%+v: %g flops at cycle %d, %g before", o, pt.Work, k, loss[k-1].Work)
			}
		}
		if n := len(loss); n > 0 && (loss[n-1].Work > res.Flops || loss[n-1].Work < 0.8*res.Flops) {
			t.Errorf("%+v: %g flops at the last cycle, %g in all", o, loss[n-1].Work, res.Flops)
		}
	}
	if _, err := Solve(t.Context(), Problem{Init: p.Init, Step: p.Step, Flops: -1}, Options{Steps: 9}); err == nil {
		t.Error("flops below 0 were taken")
	}
}

// An error that is one wave has a spectrum of one line.
func TestSpectrumOfOneWave(t *testing.T) {
	const n, k = 40, 3
	e := newVectors(n, 1)
	for i := range n {
		e.data[i] = 2 * math.Cos(math.Pi*k*(float64(i)+0.5)/n)
	}
	s := &solver{d: 1, trace: run.NewTrace()}
	s.spectrum(e)
	for _, p := range s.trace.Points(SpectrumSeries) {
		want := 0.0
		if p.Step == k {
			want = math.Sqrt(dot(e.data, e.data)) // orthonormal: all of it is there
		}
		if math.Abs(p.Value-want) > 1e-12 {
			t.Errorf("frequency %g: %g, expected %g", p.Step, p.Value, want)
		}
	}
}
