package mgrit

import (
	"context"
	"encoding/gob"
	"fmt"
)

func init() { gob.Register(&Result{}) } // so that run.Save keeps it

// A Result is what Solve found. It can be written as gob or JSON.
type Result struct {
	Final     []float64   // the vector after the last step
	Path      [][]float64 // the vectors after 0, Stride, 2·Stride, ... steps
	Stride    int         // the coarsening factor with StoreC, 1 with StoreAll
	Cycles    int         // cycles done; 0 with one level
	Converged bool
	Why       string      // it stopped
	Residual  float64     // the last of Residuals[0]
	Residuals [][]float64 // by level, coarsest left out, and cycle, as the cycle began
	Levels    []LevelInfo
	Taken     int       // calls of the step function, on all levels; serial training takes Steps
	Critical  int       // those of them that come after each other; see [Options.Coarse]
	Plan      *Plan     // the work, for Forecast; nil with one level
	Sharpness []Reading // what an adapting rule found
	Flops     float64   // arithmetic, as far as the problem says how much a step takes
	Potential float64   // Steps/Critical: speed-up over serial training with unlimited processors and no communication
}

// serial solves a hierarchy of one level: one step after the other, the same bits as Serial.
func (s *solver) serial(ctx context.Context) (*Result, error) {
	l := s.levels[0]
	copy(l.u.at(0), s.p.Init)
	err := s.pool.run(1, "serial", func(w *worker) error {
		for i := 1; i <= l.n; i++ {
			if err := s.phi(ctx, w, l, i, s.point(i), s.point(i-1)); err != nil {
				return err
			}
			if i%64 == 0 || i == l.n {
				s.trace.Progress(float64(i), float64(l.n))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	last := s.point(l.n)
	if norm2 := dot(last, last); !finite(norm2) {
		return nil, s.diverged(l, l.n, norm2)
	}
	res := s.result(0, "took all steps one after the other", true)
	res.Final = append([]float64(nil), last...)
	if !l.all {
		res.Path, res.Stride = [][]float64{append([]float64(nil), s.p.Init...), res.Final}, l.n
	}
	return res, nil
}

// point is where a serial run keeps point i.
func (s *solver) point(i int) []float64 {
	if l := s.levels[0]; !l.all {
		return l.u.at(i % 2)
	}
	return s.levels[0].u.at(i)
}

// finish completes the finest level by F-relaxation, as far as the result shows it.
func (s *solver) finish(ctx context.Context, cycles int, why string, converged bool) (*Result, error) {
	l := s.levels[0]
	if s.newton != nil {
		return s.finished(cycles, why, converged, l.last()), nil
	}
	var final []float64
	active := s.active(l.intervals, l)
	err := s.pool.run(active, "finish", func(w *worker) error {
		lo, hi := share(l.intervals, w.id, active)
		for i := lo; i < hi && l.all; i++ {
			if _, err := s.relaxF(ctx, w, l, i, l.c(i), true); err != nil {
				return err
			}
		}
		if hi < l.intervals {
			return nil
		}
		u, err := s.relaxF(ctx, w, l, hi, l.c(hi), l.all)
		final = append(final, u...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.finished(cycles, why, converged, final), nil
}

func (s *solver) finished(cycles int, why string, converged bool, final []float64) *Result {
	res := s.result(cycles, why, converged)
	s.trace.Event("stopped", why)
	s.sampleForecast(res)
	res.Final = append([]float64(nil), final...)
	s.showPath(res, s.levels[0].u.data) // nothing is written there any more
	return res
}

// showPath gives a result the vectors that the finest level keeps, in data.
func (s *solver) showPath(res *Result, data []float64) {
	l := s.levels[0]
	res.Stride = l.keptStride()
	path := vectors{data, s.d, s.d}
	res.Path = make([][]float64, l.kept(s.d))
	for i := range res.Path {
		res.Path[i] = path.at(i)
	}
}

// checkpoint copies the state between two cycles.
func (s *solver) checkpoint() *Result {
	l := s.levels[0]
	res := s.result(s.cycle+1, fmt.Sprintf("checkpoint after cycle %d", s.cycle), false)
	res.Final = append(res.Final, l.last()...)
	s.showPath(res, append([]float64(nil), l.u.data...))
	return res
}

func (s *solver) result(cycles int, why string, converged bool) *Result {
	res := &Result{Cycles: cycles, Converged: converged, Why: why, Stride: 1}
	if cycles > 0 {
		for _, h := range s.history {
			res.Residuals = append(res.Residuals, append([]float64(nil), h...))
		}
		res.Residual = s.history[0][len(s.history[0])-1]
	}
	for _, w := range s.pool.workers {
		res.Flops += w.done
	}
	res.Levels = describe(s.levels)
	for k := range res.Levels {
		res.Levels[k].Taken = s.takenBy(k)
		res.Taken += res.Levels[k].Taken
	}
	res.Critical, res.Sharpness = s.path+s.before, append([]Reading(nil), s.readings...)
	if cycles == 0 {
		res.Critical = s.levels[0].n
	} else if s.newton == nil {
		res.Plan = s.planned()
		res.Plan.Phases = append([]Phase(nil), s.visits...)
	}
	res.Potential = float64(s.levels[0].n) / float64(res.Critical)
	return res
}
