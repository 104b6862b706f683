package mgrit

import (
	"context"
	"encoding/gob"
	"fmt"
	"math"
	"runtime"
	"time"

	"trivium/core/run"
)

func init() { gob.Register(&Scaling{}) } // so that run.Save keeps it

// A Scaling is what this machine's cores bring, measured, beside what is computed.
type Scaling struct {
	Serial   float64 // seconds of serial training
	Points   []ScalingPoint
	Forecast []Forecast // from the measured time of a training step, for up to a processor per interval
	Even     int        // processors at which the simulated run is as fast as serial training; 0 for none
}

// A ScalingPoint is the time of one number of workers.
type ScalingPoint struct {
	Workers int
	Seconds float64
	SpeedUp float64 // over serial training; below 1 is a loss

	// Step is the seconds of a training step when so many cores take steps at once, each among its
	// part of the vectors that the run keeps: more than serial training's, which has the nearest caches
	// and the machine to itself. Expected is the speed-up in the simulation with steps of that time.
	Step     float64
	Expected float64
}

func (s *Scaling) String() string {
	text := fmt.Sprintf("serial training takes %.3g s", s.Serial)
	for _, p := range s.Points {
		text += fmt.Sprintf("; %s %.3g s, %.3gx", count(p.Workers, "worker"), p.Seconds, p.SpeedUp)
		if p.Expected > 0 {
			text += fmt.Sprintf(" (expected %.3gx)", p.Expected)
		}
	}
	if s.Even == 0 {
		return text + "; no number of processors would be as fast by the simulation"
	}
	return text + fmt.Sprintf("; %d processors would be as fast by the simulation", s.Even)
}

// A Measurement is a scaling on its way.
type Measurement struct{ *run.Run }

// Result is nil until the measurement has ended, and if it failed or was stopped.
func (m *Measurement) Result() *Scaling {
	s, _ := m.Run.Result().(*Scaling)
	return s
}

const rounds = 3 // of each timing, of which the fastest counts: other work on the machine only adds

// Measure times serial training and the solution of p by o on 1, 2, ... workers, up to the
// cores there are, and returns at once. Its trace has the series [MeasuredSeries] with the
// speed-up on each, and [ModelSeries] and [SimulatedSeries] for the same run on as many
// processors as could be used.
func Measure(ctx context.Context, p Problem, o Options) *Measurement {
	about := run.Options{Name: p.Name, Kind: "mgrit scaling", Unit: "solutions", CallsCells: p.CallsCells}
	cores := runtime.GOMAXPROCS(0)
	if p.CallsCells {
		cores = 1
	}
	about.Total = float64(rounds * (1 + 2*cores))
	p.Loss, o.OnCycle = nil, nil // they are no part of the work
	if _, err := newSolver(p, o, nil); err != nil {
		return &Measurement{run.Failed(about, err)}
	}
	return &Measurement{run.Start(ctx, about, func(ctx context.Context, t *run.Trace) (any, error) {
		s := &Scaling{}
		if err := s.measure(ctx, t, p, o, cores); err != nil {
			return nil, err
		}
		return s, nil
	})}
}

func (s *Scaling) measure(ctx context.Context, t *run.Trace, p Problem, o Options, cores int) error {
	done, all := 0.0, float64(rounds*(1+2*cores))
	best := func(work func() error) (float64, error) {
		seconds := math.Inf(1)
		for range rounds {
			if err := run.Gate(ctx); err != nil {
				return 0, err
			}
			began := time.Now()
			if err := work(); err != nil {
				return 0, err
			}
			seconds = math.Min(seconds, time.Since(began).Seconds())
			done++
			t.Progress(done, all)
		}
		return seconds, nil
	}
	var err error
	if s.Serial, err = best(func() error { _, err := Serial(p, o.Steps); return err }); err != nil {
		return err
	}
	m := Machine{Step: s.Serial / float64(o.Steps)}
	var res *Result
	for w := 1; w <= cores; w++ {
		o.Workers = w
		at := ScalingPoint{Workers: w}
		vectors := 0
		at.Seconds, err = best(func() error {
			solver, err := newSolver(p, o, nil)
			if err == nil {
				vectors = vectorsOf(solver.levels)
				res, err = solver.solve(ctx)
			}
			return err
		})
		if err != nil {
			return err
		}
		at.SpeedUp = s.Serial / at.Seconds
		t.Sample(MeasuredSeries, float64(w), at.SpeedUp)
		if res.Plan != nil {
			side := newSideBySide(p, o.Steps, w, vectors)
			if at.Step, err = best(side.steps); err != nil {
				return err
			}
			at.Step /= float64(side.each)
			f, err := res.Forecast(Machine{Step: at.Step, Serial: m.Step}, w)
			if err != nil {
				return err
			}
			at.Expected = f[0].SpeedUp
		}
		s.Points = append(s.Points, at)
	}
	if res.Plan == nil {
		return nil // one level: nothing to forecast
	}
	if s.Forecast, err = res.Forecast(m, doublings(res.Plan.unlimited())...); err != nil {
		return err
	}
	for _, f := range s.Forecast {
		t.Sample(ModelSeries, float64(f.Processors), f.Model)
		t.Sample(SimulatedSeries, float64(f.Processors), f.SpeedUp)
	}
	s.Even, err = res.BreakEven(m)
	return err
}

// vectorsOf is how many vectors levels keep.
func vectorsOf(levels []*level) int {
	n := 0
	for _, l := range levels {
		n += l.stored()
	}
	return n
}
