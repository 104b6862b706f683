package tensor_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"trivium/core/internal/numtest"
	"trivium/core/tensor/internal/simd"
)

// A baseline is a Python process that times an operation whenever it is asked to.
type baseline struct {
	*numtest.Python
	threads int
}

// startBaseline starts Python with its libraries on threads threads, or skips the benchmark
// where they are absent. With TRIVIUM_LEVEL=AVX2 ours and theirs do without AVX-512; with
// TRIVIUM_CLOCK=cpu, which is for one thread, both count the time their thread has run.
func startBaseline(b *testing.B, threads int, module string) *baseline {
	b.Helper()
	var env []string
	if os.Getenv("TRIVIUM_LEVEL") == "AVX2" {
		old := simd.SetLevel(simd.AVX2)
		b.Cleanup(func() { simd.SetLevel(old) })
		env = []string{"OPENBLAS_CORETYPE=Haswell", "ONEDNN_MAX_CPU_ISA=AVX2"}
	}
	return &baseline{numtest.StartPython(b, module, threads, env, "testdata/baseline.py"), threads}
}

type request map[string]any

// time returns the median seconds of some repetitions of what a request asks for.
func (p *baseline) time(b *testing.B, r request) float64 { return p.Ask(b, r) }

// versus times ours and the baseline in turn, eleven rounds an iteration, and reports the median
// of the ratios of a round: above 1 ours is faster. A round is short, so that both meet the
// same load of the machine. Each first runs for some milliseconds that do not count, in which the
// system spreads its threads over the processors.
func versus(b *testing.B, p *baseline, r request, unit string, flops float64, ours func() error) {
	defer numtest.HoldClock()()
	old := runtime.GOMAXPROCS(p.threads)
	defer runtime.GOMAXPROCS(old)
	const round = 0.02 // seconds
	reps := 3
	r["reps"] = reps
	p.time(b, r)
	reps = min(max(3, int(round/p.time(b, r))), 500)
	r["reps"] = reps
	if err := ours(); err != nil {
		b.Fatal(err)
	}
	var ratios, rates, theirs []float64
	for b.Loop() {
		for range 11 {
			t := p.time(b, r)
			time.Sleep(10 * time.Millisecond) // until the threads of the other have gone to sleep, which OpenMP's do after some milliseconds
			for began := time.Now(); time.Since(began) < numtest.WarmUp; {
				if err := ours(); err != nil {
					b.Fatal(err)
				}
			}
			times := make([]float64, reps)
			for i := range times {
				start := numtest.Seconds()
				if err := ours(); err != nil {
					b.Fatal(err)
				}
				times[i] = numtest.Seconds() - start
			}
			s := numtest.Median(times)
			ratios, rates, theirs = append(ratios, t/s), append(rates, flops/s/1e9), append(theirs, flops/t/1e9)
			time.Sleep(time.Millisecond)
		}
	}
	b.ReportMetric(numtest.Median(ratios), unit)
	b.ReportMetric(numtest.Median(rates), "GFLOP/s")
	b.ReportMetric(numtest.Median(theirs), "theirs_GFLOP/s")
}

// seconds returns the median of a few runs.
func seconds(b *testing.B, f func() error) float64 {
	b.Helper()
	var t []float64
	for range 5 {
		start := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		t = append(t, time.Since(start).Seconds())
	}
	return numtest.Median(t)
}
