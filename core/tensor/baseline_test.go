package tensor_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"trivium/core/internal/numtest"
	"trivium/core/tensor/internal/simd"
)

const python = "/usr/bin/python3" // Debian's, which sees numpy and torch

// A baseline is a Python process that times an operation whenever it is asked to.
type baseline struct {
	in      io.WriteCloser
	out     *bufio.Scanner
	threads int
}

// startBaseline starts Python with its libraries on threads threads, or skips the benchmark
// where they are absent. With TRIVIUM_LEVEL=AVX2 ours and theirs do without AVX-512; with
// TRIVIUM_CLOCK=cpu, which is for one thread, both count the time their thread has run.
func startBaseline(b *testing.B, threads int, module string) *baseline {
	b.Helper()
	if err := exec.Command(python, "-c", "import "+module).Run(); err != nil {
		if os.Getenv("TRIVIUM_CI") == "1" {
			b.Fatalf("%s has no %s: %v", python, module, err)
		}
		b.Skipf("%s has no %s, nothing to compare with: %v", python, module, err)
	}
	cmd := exec.Command(python, "testdata/baseline.py")
	for _, v := range os.Environ() {
		// OpenBLAS chooses its own kernel, which is the best one it has.
		if !strings.HasPrefix(v, "OPENBLAS_") && !strings.HasPrefix(v, "OMP_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	n := strconv.Itoa(threads)
	cmd.Env = append(cmd.Env, "OPENBLAS_NUM_THREADS="+n, "OMP_NUM_THREADS="+n)
	if os.Getenv("TRIVIUM_LEVEL") == "AVX2" {
		old := simd.SetLevel(simd.AVX2)
		b.Cleanup(func() { simd.SetLevel(old) })
		cmd.Env = append(cmd.Env, "OPENBLAS_CORETYPE=Haswell", "ONEDNN_MAX_CPU_ISA=AVX2")
	}
	// Two thread pools on the same processors slow each other down: with OpenMP's OpenBLAS,
	// torch and OpenBLAS share one.
	if dirs, _ := filepath.Glob("/usr/lib/*/openblas-openmp"); len(dirs) == 1 {
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+dirs[0])
	}
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Errorf("baseline: %v", err)
		}
	})
	return &baseline{in, bufio.NewScanner(out), threads}
}

type request map[string]any

// time returns the median seconds of some repetitions of what a request asks for.
func (p *baseline) time(b *testing.B, r request) float64 {
	b.Helper()
	line, err := json.Marshal(r)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		b.Fatal(err)
	}
	var answer struct {
		Seconds float64
		Error   string
	}
	if !p.out.Scan() {
		b.Fatalf("baseline ended: %v", p.out.Err())
	}
	if err := json.Unmarshal(p.out.Bytes(), &answer); err != nil || answer.Error != "" {
		b.Fatalf("baseline: %s %v", answer.Error, err)
	}
	return answer.Seconds
}

// versus times ours and the baseline in turn, eleven rounds an iteration, and reports the median
// of the ratios of a round: above 1 ours is faster. A round is short, so that both meet the
// same load of the machine.
func versus(b *testing.B, p *baseline, r request, unit string, flops float64, ours func() error) {
	runtime.LockOSThread() // for its clock
	defer runtime.UnlockOSThread()
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
			times := make([]float64, reps)
			for i := range times {
				start := numtest.Seconds()
				if err := ours(); err != nil {
					b.Fatal(err)
				}
				times[i] = numtest.Seconds() - start
			}
			s := median(times)
			ratios, rates, theirs = append(ratios, t/s), append(rates, flops/s/1e9), append(theirs, flops/t/1e9)
			time.Sleep(time.Millisecond)
		}
	}
	b.ReportMetric(median(ratios), unit)
	b.ReportMetric(median(rates), "GFLOP/s")
	b.ReportMetric(median(theirs), "theirs_GFLOP/s")
}

func median(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return x[len(x)/2]
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
	return median(t)
}
