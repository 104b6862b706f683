//go:build unix

package main

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

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
// by less than 1 %. A step is a product of two matrices of 128×128 on one goroutine.
func BenchmarkVersusUnwatched(b *testing.B) {
	const steps = 20000
	var cpu [2]time.Duration // used alone, watched
	work := func(watched bool) time.Duration {
		before := processorTime(b)
		defer func() {
			i := 0
			if watched {
				i = 1
			}
			cpu[i] += processorTime(b) - before
		}()
		m := display.New(func(uint64, string, []byte) error { return nil }, display.Options{})
		defer m.Close()
		x, y, z := tensor.New[float32](128, 128), tensor.New[float32](128, 128), tensor.New[float32](128, 128)
		for i := range x.Data {
			x.Data[i], y.Data[i] = float32(i%7)/7, float32(i%5)/5
		}
		var took time.Duration
		start := make(chan struct{})
		r := run.Start(b.Context(), run.Options{Name: "work", Total: steps}, func(ctx context.Context, t *run.Trace) (any, error) {
			<-start
			began := time.Now()
			for k := range steps {
				if err := run.Gate(ctx); err != nil {
					return nil, err
				}
				if err := tensor.Mul(nil, z, tensor.NN, x, y, 1, 0); err != nil {
					return nil, err
				}
				t.Sample("loss", float64(k), 1/float64(k+1))
				t.Progress(float64(k+1), steps)
			}
			took = time.Since(began)
			return nil, nil
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
		return took
	}
	work(false)
	cpu = [2]time.Duration{}
	var watched, alone time.Duration
	for b.Loop() {
		alone += work(false)
		watched += work(true)
		watched += work(true)
		alone += work(false)
	}
	b.ReportMetric(alone.Seconds()/watched.Seconds(), "x_unwatched")
	b.ReportMetric(cpu[0].Seconds()/cpu[1].Seconds(), "x_unwatched_cpu")
}
