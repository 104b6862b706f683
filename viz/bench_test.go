package viz

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"trivium/core/run"
)

// BenchmarkFrame is a frame of a live figure of three curves of 100,000 points each, of
// which 25,000 a second (at four frames) are new. The bytes are those of the SVG.
func BenchmarkFrame(b *testing.B) {
	for name, smooth := range map[string]float64{"plain": 0, "smooth": 0.9} {
		b.Run(name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			var traces []*run.Trace
			var sources []Source
			block := make(chan struct{})
			defer close(block)
			for range 3 {
				r := run.Start(b.Context(), run.Options{}, func(ctx context.Context, t *run.Trace) (any, error) { <-block; return nil, nil })
				traces, sources = append(traces, r.Trace()), append(sources, r)
			}
			sample := func(n int) {
				for _, t := range traces {
					for range n {
						k := float64(t.Len("loss"))
						t.Sample("loss", k, math.Exp(-k/3e4)*(1+0.2*rng.NormFloat64()))
					}
				}
			}
			sample(100000)
			f := Curves("loss", sources...).Smooth(smooth)
			f.MIMEBundle()
			bytes := 0
			var used time.Duration
			for b.Loop() {
				b.StopTimer()
				sample(100)
				b.StartTimer()
				before := processorTime()
				data, _ := f.MIMEBundle()
				used += processorTime() - before
				bytes = len(data["image/svg+xml"].(string))
			}
			b.ReportMetric(float64(bytes), "bytes")
			b.ReportMetric(1e3*used.Seconds()/float64(b.N), "cpu-ms")
		})
	}
}

// BenchmarkFirstFrame is the first frame of a figure of ten million points.
func BenchmarkFirstFrame(b *testing.B) {
	y := make([]float64, 1e7)
	for i := range y {
		y[i] = math.Sin(float64(i) / 1e5)
	}
	for b.Loop() {
		Lines("y", nil, y).SVG()
	}
}

// BenchmarkPNG is what the last frame takes more than the others.
func BenchmarkPNG(b *testing.B) {
	f := goldens["residuals"]()
	for b.Loop() {
		f.PNG(2)
	}
}
