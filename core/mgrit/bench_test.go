package mgrit

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"
)

// cpuSeconds is the processor time of this process so far.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// bare takes steps one after the other with nothing around them, and returns the time of one.
func bare(p Problem, steps int) float64 {
	a, b := append([]float64(nil), p.Init...), make([]float64, len(p.Init))
	s := Step{Scale: 1}
	began := cpuSeconds()
	for i := range steps {
		s.From, s.To, s.Index = i, i+1, i
		p.Step(b, a, s)
		a, b = b, a
	}
	return (cpuSeconds() - began) / float64(steps)
}

// fixedRun is a run that does the same work however often it is done.
func fixedRun(workers, steps int) Options {
	return Options{Steps: steps, Coarse: Growing{Cap: 8}, MaxCycles: 10, Fixed: true, Workers: workers}
}

// BenchmarkVersusBare measures what the library adds to a call of the step function:
// x_bare is one worker's time per call over the time of a call with nothing around it.
// It counts processor time, and the fastest of alternating rounds: other work on the machine only adds.
func BenchmarkVersusBare(b *testing.B) {
	for _, hidden := range []int{4, 256} {
		b.Run(fmt.Sprintf("hidden=%d", hidden), func(b *testing.B) {
			p := XOR(XOROptions{Hidden: hidden, Rate: 0.01})
			p.Loss = nil
			best, plain := 1.0, 1.0
			for b.Loop() {
				began := cpuSeconds()
				res := mustSolve(b, p, fixedRun(1, 2048/min(hidden/4, 16)))
				best = min(best, (cpuSeconds()-began)/float64(res.Taken))
				plain = min(plain, bare(p, res.Taken)) // as long, so that it is as lucky
			}
			b.ReportMetric(best/plain, "x_bare")
			b.ReportMetric(best*1e9, "ns/call")
		})
	}
}

// BenchmarkVersusOneWorker measures what the second worker brings: x_one_worker is the
// time on one worker over the time on two.
func BenchmarkVersusOneWorker(b *testing.B) {
	for _, hidden := range []int{4, 256, 1024} {
		b.Run(fmt.Sprintf("hidden=%d", hidden), func(b *testing.B) {
			p := XOR(XOROptions{Hidden: hidden, Rate: 0.01})
			p.Loss = nil
			one, two := 1e9, 1e9
			for b.Loop() {
				_, t1 := timed(b, p, fixedRun(1, 1024))
				_, t2 := timed(b, p, fixedRun(2, 1024))
				one, two = min(one, t1), min(two, t2)
			}
			b.ReportMetric(one/two, "x_one_worker")
		})
	}
}

func timed(t testing.TB, p Problem, o Options) (*Result, float64) {
	began := time.Now()
	res := mustSolve(t, p, o)
	return res, time.Since(began).Seconds()
}

// A step allocates nothing: what a run allocates does not depend on how many it takes.
func TestStepsDoNotAllocate(t *testing.T) {
	p := XOR(XOROptions{})
	count := func(sweeps int) (allocs float64, taken int) {
		o := Options{Steps: 512, Coarse: Chebyshev{}, Relax: Sweeps(sweeps), MaxCycles: 3, Fixed: true, Workers: 1}
		allocs = testing.AllocsPerRun(5, func() { taken = mustSolve(t, p, o).Taken })
		return allocs, taken
	}
	few, a := count(1)
	many, b := count(20)
	if more := many - few; more > 100 { // buffers and the like, against the steps below
		t.Errorf("%d more steps made %g more allocations", b-a, more)
	}
	if b-a < 10_000 {
		t.Errorf("only %d more steps: the test tests nothing", b-a)
	}
}

func BenchmarkSolve(b *testing.B) {
	p := XOR(XOROptions{Rate: 0.1})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Solve(context.Background(), p, Options{Steps: 12800, Coarsen: 4}); err != nil {
			b.Fatal(err)
		}
	}
}
