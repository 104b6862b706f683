package mgrit

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"trivium/core/run"
)

// Two workers share the work of one, so times obey bounds that hold on any machine, if
// loosely on a busy one.
func TestMeasure(t *testing.T) {
	const steps = 2048
	p := XOR(XOROptions{Rate: 0.01})
	m := Measure(context.Background(), p, Options{Steps: steps})
	<-m.Done()
	if err := m.Err(); err != nil {
		t.Fatal(err)
	}
	s := m.Result()
	if len(s.Points) != runtime.GOMAXPROCS(0) || len(m.Trace().Points(MeasuredSeries)) != len(s.Points) {
		t.Fatalf("%v: measured on %d numbers of workers, there are %d cores", s, len(s.Points), runtime.GOMAXPROCS(0))
	}
	res := mustSolve(t, p, Options{Steps: steps, Workers: 1})
	// One worker takes so many steps where serial training takes 2048.
	if most := steps / float64(res.Taken); s.Points[0].SpeedUp > 3*most {
		t.Errorf("%v: one worker takes %d steps, so its speed-up cannot be above %.2g", s, res.Taken, most)
	}
	if one := s.Forecast[0]; one.Processors != 1 || one.SpeedUp > 1.1*steps/float64(res.Taken) {
		t.Errorf("forecast for one processor: %v, of %d steps taken for %d", one, res.Taken, steps)
	}
	for _, at := range s.Points {
		if at.Step < s.Serial/steps/3 || at.Expected <= 0 || at.Expected > 3*float64(at.Workers)*steps/float64(res.Taken) {
			t.Errorf("%v: expected %.3g on %d workers, with a step of %.3g s", s, at.Expected, at.Workers, at.Step)
		}
	}
	// Steps this short are lost beside messages; without those, some number breaks even.
	even, err := res.BreakEven(Machine{Step: s.Serial / steps, Latency: -1, Bandwidth: 1e30})
	if err != nil || even < 2 || s.Even != 0 && s.Even < even {
		t.Errorf("%v: as fast as serial training on %d processors, without messages on %d (%v), with %d times its work", s, s.Even, even, err, res.Taken/steps)
	}
}

func TestMeasureStopsAndFails(t *testing.T) {
	m := Measure(context.Background(), XOR(XOROptions{Hidden: 256}), Options{Steps: 1 << 16})
	m.Stop()
	<-m.Done()
	if !errors.Is(m.Err(), run.ErrStopped) || m.Result() != nil {
		t.Errorf("stopped at once: %v, result %v", m.Err(), m.Result())
	}
	if m := Measure(context.Background(), Problem{}, Options{Steps: 4}); m.Err() == nil {
		t.Error("a problem of nothing was measured")
	}
}

// Every worker's phases are in the trace, in order and not on top of each other.
func TestSpans(t *testing.T) {
	r := Start(context.Background(), XOR(XOROptions{Hidden: 64, Rate: 0.01}), Options{Steps: 512, Workers: 2, Fixed: true, MaxCycles: 3})
	<-r.Done()
	last := map[int]run.Span{}
	names := map[string]int{}
	for _, s := range r.Trace().Spans() {
		names[s.Name]++
		if before := last[s.Worker]; s.Start < before.End || s.End < s.Start {
			t.Errorf("worker %d: %v begins before %v has ended", s.Worker, s, before)
		}
		last[s.Worker] = s
	}
	if len(last) != 2 {
		t.Errorf("spans of %d workers, want 2", len(last))
	}
	if names["relax"] < 2*3 || names["solve coarsest"] != 3 || names["correct"] < 3 || names["curvature"] < 3 {
		t.Errorf("spans: %v", names)
	}
}

// Cores that take training steps side by side take each of them once, from one vector to another.
func TestSideBySide(t *testing.T) {
	for _, cores := range []int{1, 2, 3, 7, 20} {
		const n = 17
		var mu sync.Mutex
		seen := map[int]int{}
		p := Problem{Init: []float64{1, 2}, Step: func(dst, src []float64, s Step) {
			mu.Lock()
			defer mu.Unlock()
			if s.To != s.From+1 || s.Index != s.From || s.Scale != 1 || &dst[0] == &src[0] {
				t.Errorf("%d cores: step %+v", cores, s)
			}
			seen[s.From]++
			copy(dst, src)
		}}
		if err := newSideBySide(p, n, cores, 5).steps(); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if seen[i] != 1 {
				t.Errorf("%d cores took step %d %d times", cores, i, seen[i])
			}
		}
		p.Step = func(dst, src []float64, s Step) { panic("no") }
		var step *StepError
		if err := newSideBySide(p, n, cores, 5).steps(); !errors.As(err, &step) {
			t.Errorf("%d cores whose steps panic: %v", cores, err)
		}
	}
}
