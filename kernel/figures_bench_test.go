//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"trivium/core/run"
	"trivium/core/tensor"
	"trivium/kernel/display"
	"trivium/viz"
)

// processorTime is what this process has used of all processors.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkTwentyLiveFigures shows 20 runs that take 1,000 samples a second each, for 6
// seconds, and reports what the figures take of one processor, beyond what the runs take by
// themselves, and how much they send.
func BenchmarkTwentyLiveFigures(b *testing.B) {
	const figures, length = 20, 6 * time.Second
	begin := func(shown bool) (used time.Duration, bytes, frames int64) {
		ctx, group := run.WithGroup(b.Context())
		m := display.New(func(_ uint64, _ string, content []byte) error {
			atomic.AddInt64(&bytes, int64(len(content)))
			atomic.AddInt64(&frames, 1)
			return nil
		}, display.Options{})
		for i := range figures {
			r := run.Start(ctx, run.Options{Name: fmt.Sprint("run ", i)}, func(ctx context.Context, t *run.Trace) (any, error) {
				for k := 0; ; {
					if err := run.Gate(ctx); err != nil {
						return nil, err
					}
					for range 50 {
						t.Sample("loss", float64(k), math.Exp(-float64(k)/5000)+0.05*math.Sin(float64(k*k)))
						k++
					}
					time.Sleep(50 * time.Millisecond)
				}
			})
			if shown {
				if err := m.Show(viz.Curves("loss", r)); err != nil {
					b.Fatal(err)
				}
			}
		}
		before := processorTime(b)
		time.Sleep(length)
		used = processorTime(b) - before
		n, k := atomic.LoadInt64(&bytes), atomic.LoadInt64(&frames)
		group.StopAll(nil)
		if err := group.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
		m.Close()
		return used, n, k
	}
	for b.Loop() {
		alone, _, _ := begin(false)
		used, bytes, frames := begin(true)
		b.ReportMetric(100*(used-alone).Seconds()/length.Seconds(), "%cpu")
		b.ReportMetric(float64(bytes)/1e6/length.Seconds(), "MB/s")
		b.ReportMetric(float64(frames)/length.Seconds()/figures, "frames/s")
	}
}

// BenchmarkVersusUnwatched takes the same steps with a figure of them and without, by turns,
// and reports the speed of the watched run against the other: above 0.99 the figure slows it
// by less than 1 %. A step is a product of two matrices of 128×128; a run takes 40,000 of them,
// about a second. It works on one goroutine, or on all processors, of which the figure then has
// to take its part. x_unwatched_cpu is the same of the processor time that all goroutines took
// until the run's end: it varies less, and where all processors are busy it is what the figure
// costs. Both are medians, as machines are disturbed at times, with the standard error of the first.
func BenchmarkVersusUnwatched(b *testing.B) {
	b.Run("one", func(b *testing.B) { versusUnwatched(b, 1) })
	b.Run("all", func(b *testing.B) { versusUnwatched(b, runtime.GOMAXPROCS(0)) })
}

func versusUnwatched(b *testing.B, workers int) {
	work := func(watched bool) (took, used time.Duration) {
		m := display.New(func(uint64, string, []byte) error { return nil }, display.Options{})
		defer m.Close() // after the last frame
		start := make(chan struct{})
		r := run.Start(b.Context(), run.Options{Name: "work"}, func(ctx context.Context, t *run.Trace) (any, error) {
			<-start
			began, before := time.Now(), processorTime(b)
			defer func() { took, used = time.Since(began), processorTime(b)-before }()
			errs := make([]error, workers)
			var wg sync.WaitGroup
			for w := range errs {
				wg.Go(func() { errs[w] = multiply(ctx, t, w) })
			}
			wg.Wait()
			return nil, errors.Join(errs...)
		})
		if watched {
			if err := m.Show(viz.Curves("loss", r)); err != nil {
				b.Fatal(err)
			}
		}
		close(start)
		if err := r.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
		return took, used
	}
	work(false)
	var wall, cpu []float64
	for b.Loop() {
		var took, used [2]time.Duration
		for _, watched := range []int{0, 1, 1, 0} {
			t, u := work(watched == 1)
			took[watched] += t
			used[watched] += u
		}
		wall = append(wall, took[0].Seconds()/took[1].Seconds())
		cpu = append(cpu, used[0].Seconds()/used[1].Seconds())
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	b.ReportMetric(stat.Quantile(0.5, stat.LinInterp, wall, nil), "x_unwatched")
	b.ReportMetric(stat.Quantile(0.5, stat.LinInterp, cpu, nil), "x_unwatched_cpu")
	if n := len(wall); n > 1 {
		b.ReportMetric(stat.StdErr(stat.StdDev(wall, nil), float64(n)), "stderr")
	}
}

// multiply takes the steps of one worker; the first one's are what the figure shows.
func multiply(ctx context.Context, t *run.Trace, worker int) error {
	const steps = 40000
	x, y, z := tensor.New[float32](128, 128), tensor.New[float32](128, 128), tensor.New[float32](128, 128)
	for i := range x.Data {
		x.Data[i], y.Data[i] = float32(i%7)/7, float32(i%5)/5
	}
	for k := range steps {
		if err := run.Gate(ctx); err != nil {
			return err
		}
		if err := tensor.Mul(nil, z, tensor.NN, x, y, 1, 0); err != nil {
			return err
		}
		if worker == 0 {
			t.Sample("loss", float64(k), 1/float64(k+1))
		}
	}
	return nil
}
