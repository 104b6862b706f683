package mgrit

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"
)

// seconds is the time that work takes.
func seconds(work func()) float64 {
	began := time.Now()
	work()
	return time.Since(began).Seconds()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bare takes steps one after the other with nothing around them, between two vectors.
func bare(p Problem, steps int) {
	a, b := append([]float64(nil), p.Init...), make([]float64, len(p.Init))
	s := Step{Scale: 1}
	for i := range steps {
		s.From, s.To, s.Index = i, i+1, i
		p.Step(b, a, s)
		a, b = b, a
	}
}

// stored takes steps one after the other and keeps as many vectors as a run of so many steps does.
func stored(p Problem, steps, keep int) {
	u := newVectors(keep, len(p.Init))
	copy(u.at(0), p.Init)
	s := Step{Scale: 1}
	for i := range steps {
		s.From, s.To, s.Index = i, i+1, i
		p.Step(u.at((i+1)%keep), u.at(i%keep), s)
	}
}

// fixedRun is a run that does the same work however often it is done.
func fixedRun(workers, steps int) Options {
	return Options{Steps: steps, Coarse: Growing{Cap: 8}, MaxCycles: 10, Fixed: true, Workers: workers}
}

// versusBare reports one worker's time per call of the step function over the time of a
// call with nothing around it: x_bare where two vectors stay in the nearest cache, x_stored where each
// step writes to another of as many vectors as the run keeps. The fastest of alternating rounds
// counts: other work on the machine only adds.
func versusBare(b *testing.B, p Problem, steps, cycles int) {
	p.Loss = nil
	kept := 2*(steps/2) + steps/2
	o := fixedRun(1, steps)
	o.MaxCycles = cycles
	run, plain, memory := 1.0, 1.0, 1.0
	for b.Loop() {
		var res *Result
		t := seconds(func() { res = mustSolve(b, p, o) })
		n := float64(res.Taken) // the others as long, so that they are as lucky
		run = min(run, t/n)
		plain = min(plain, seconds(func() { bare(p, res.Taken) })/n)
		memory = min(memory, seconds(func() { stored(p, res.Taken, kept) })/n)
	}
	b.ReportMetric(run/plain, "x_bare")
	b.ReportMetric(run/memory, "x_stored")
	b.ReportMetric(run*1e9, "ns/call")
	b.ReportMetric((run-plain)*1e9, "ns_added")
}

// BenchmarkVersusBare measures what the library adds to a call of the step function. With 256 hidden units, whose
// vectors are 8 kB, 32 steps keep 0.4 MB and 128 keep 1.6 MB: more than the second cache of many machines.
func BenchmarkVersusBare(b *testing.B) {
	for _, c := range []struct{ hidden, steps, cycles int }{{4, 2048, 10}, {256, 32, 60}, {256, 128, 15}} {
		b.Run(fmt.Sprintf("hidden=%d,steps=%d", c.hidden, c.steps), func(b *testing.B) {
			versusBare(b, XOR(XOROptions{Hidden: c.hidden, Rate: 0.01}), c.steps, c.cycles)
		})
	}
}

// BenchmarkSums is what the sums beside the calls cost that a cycle with m = 2 and FCF needs, per call: 5 of 11 calls on coarse levels
// add a right-hand side, and 2 of 11 end an interval with a residual and the next level's right-hand side. The vectors are of
// one interval, which the nearest caches hold, or of as many as are named.
func BenchmarkSums(b *testing.B) {
	const d = 1024
	for _, keep := range []int{4, 48, 192, 1536} {
		b.Run(fmt.Sprintf("kept=%dkB", keep*d*8/1024), func(b *testing.B) {
			u, g, scratch := newVectors(keep/2, d), newVectors(keep/2, d), make([]float64, d)
			best := 1.0
			for b.Loop() {
				const rounds = 1000
				best = min(best, seconds(func() {
					for i := range rounds {
						k, n := 7*i, keep/2
						for j := range 5 {
							accumulate(scratch, g.at((k+j)%n))
						}
						differences(g.at((k+5)%n), scratch, u.at((k+5)%n))
						differences(g.at((k+6)%n), scratch, u.at((k+6)%n))
					}
				})/(11*rounds))
			}
			b.ReportMetric(best*1e9, "ns/call")
			b.ReportMetric(8*d*(5*3+2*4)/11/best/1e9, "GB/s")
		})
	}
}

// BenchmarkAdded is the same with steps that hardly take any time: ns_added is what it shows.
func BenchmarkAdded(b *testing.B) {
	for _, d := range []int{16, 1024} {
		b.Run(fmt.Sprintf("numbers=%d", d), func(b *testing.B) {
			versusBare(b, Problem{Init: make([]float64, d), Step: func(dst, src []float64, s Step) { copy(dst, src) }}, 512, 10)
		})
	}
}

// BenchmarkVersusOneWorker measures what the second worker brings: x_one_worker is the
// time on one worker over the time on two. What the machine can give is x_two_runs, two runs of one worker
// each at once, and x_cores, training steps with nothing of the method around them on two cores.
func BenchmarkVersusOneWorker(b *testing.B) {
	for _, hidden := range []int{4, 256, 1024} {
		b.Run(fmt.Sprintf("hidden=%d", hidden), func(b *testing.B) {
			p := XOR(XOROptions{Hidden: hidden, Rate: 0.01})
			p.Loss = nil
			one, two, runs, alone, together := 1e9, 1e9, 1e9, 1e9, 1e9
			steps := 2 << 20 / hidden // some 20 ms
			a, both := newSideBySide(p, steps, 1, 2048), newSideBySide(p, steps, 2, 2048)
			for b.Loop() {
				one = min(one, seconds(func() { mustSolve(b, p, fixedRun(1, 1024)) }))
				two = min(two, seconds(func() { mustSolve(b, p, fixedRun(2, 1024)) }))
				runs = min(runs, seconds(func() {
					var other sync.WaitGroup
					other.Go(func() { mustSolve(b, p, fixedRun(1, 1024)) })
					mustSolve(b, p, fixedRun(1, 1024))
					other.Wait()
				}))
				alone = min(alone, seconds(func() { must(b, a.steps()) }))
				together = min(together, seconds(func() { must(b, both.steps()) }))
			}
			b.ReportMetric(alone/together, "x_cores")
			b.ReportMetric(2*one/runs, "x_two_runs")
			b.ReportMetric(one/two, "x_one_worker")
		})
	}
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
