package tensor_test

import (
	"fmt"
	"testing"
	"time"

	"trivium/core/internal/numtest"
	"trivium/core/random"
	"trivium/core/tensor"
)

// BenchmarkVersusOpenBLAS compares products with numpy's, which are OpenBLAS.
func BenchmarkVersusOpenBLAS(b *testing.B) {
	for _, threads := range []int{1, 2} {
		for _, size := range [][3]int{{128, 128, 128}, {256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}, {64, 1024, 1024}} {
			for _, form := range []tensor.Form{tensor.NN, tensor.NT, tensor.TN} {
				b.Run(fmt.Sprintf("threads=%d/float32/%v/%dx%dx%d", threads, form, size[0], size[2], size[1]), func(b *testing.B) {
					versusOpenBLAS[float32](b, threads, form, size, "float32")
				})
			}
			b.Run(fmt.Sprintf("threads=%d/float64/NN/%dx%dx%d", threads, size[0], size[2], size[1]), func(b *testing.B) {
				versusOpenBLAS[float64](b, threads, tensor.NN, size, "float64")
			})
		}
	}
}

func versusOpenBLAS[T tensor.Float](b *testing.B, threads int, form tensor.Form, size [3]int, name string) {
	m, n, k := size[0], size[1], size[2]
	p := tensor.NewPool(threads)
	defer p.Close()
	x, y, z := factors[T](form, m, n, k)
	r := request{"op": "mul", "form": form.String(), "m": m, "n": n, "k": k, "type": name}
	versus(b, startBaseline(b, threads, "numpy"), r, "x_openblas", 2*float64(m)*float64(n)*float64(k), func() error {
		return tensor.Mul(p, z, form, x, y, 1, 0)
	})
}

// BenchmarkVersusOneThread compares products shared by two workers with the same by one, in turn.
func BenchmarkVersusOneThread(b *testing.B) {
	for _, size := range [][3]int{{48, 48, 48}, {64, 64, 64}, {80, 80, 80}, {96, 96, 96}, {128, 128, 128}, {64, 64, 512}, {64, 10, 512}, {64, 512, 784}, {784, 512, 64}, {192, 192, 192}, {256, 256, 256}, {320, 320, 320}, {512, 512, 512}} {
		for _, form := range []tensor.Form{tensor.NN, tensor.NT, tensor.TN} {
			b.Run(fmt.Sprintf("%v/%dx%dx%d", form, size[0], size[2], size[1]), func(b *testing.B) {
				p := tensor.NewPool(2)
				defer p.Close()
				m, n, k := size[0], size[1], size[2]
				x, y, z := factors[float32](form, m, n, k)
				reps := min(2000, 1+int(2e9/(2*float64(m)*float64(n)*float64(k))))
				round := func(p *tensor.Pool) float64 {
					times := make([]float64, reps)
					for i := range times {
						start := time.Now()
						if err := tensor.Mul(p, z, form, x, y, 1, 0); err != nil {
							b.Fatal(err)
						}
						times[i] = time.Since(start).Seconds()
					}
					return numtest.Median(times)
				}
				var ratios []float64
				for b.Loop() {
					for range 5 {
						ratios = append(ratios, round(nil)/round(p))
					}
				}
				b.ReportMetric(numtest.Median(ratios), "x_one_thread")
			})
		}
	}
}

func factors[T tensor.Float](form tensor.Form, m, n, k int) (a, b, c tensor.Matrix[T]) {
	a, b, c = tensor.New[T](m, k), tensor.New[T](k, n), tensor.New[T](m, n)
	if form == tensor.TN {
		a = tensor.New[T](k, m)
	}
	if form == tensor.NT {
		b = tensor.New[T](n, k)
	}
	s := random.New(1)
	random.FillUniform(s, a.Data, -0.5, 0.5)
	random.FillUniform(s, b.Data, -0.5, 0.5)
	return a, b, c
}

// BenchmarkVersusTorch compares 3×3 convolutions with torch's, which are oneDNN.
func BenchmarkVersusTorch(b *testing.B) {
	for _, threads := range []int{1, 2} {
		for _, g := range []struct{ n, in, out, size int }{{16, 160, 160, 32}, {16, 64, 64, 32}, {64, 16, 32, 14}} {
			for _, part := range []string{"forward", "input", "weight"} {
				b.Run(fmt.Sprintf("threads=%d/%s/%dto%d/%dx%d", threads, part, g.in, g.out, g.size, g.size), func(b *testing.B) {
					p := tensor.NewPool(threads)
					defer p.Close()
					x, w := tensor.NewImages[float32](g.n, g.in, g.size, g.size), tensor.NewImages[float32](g.out, g.in, 3, 3)
					y := tensor.NewImages[float32](g.n, g.out, g.size, g.size)
					s := random.New(1)
					for _, d := range [][]float32{x.Data, w.Data, y.Data} {
						random.FillUniform(s, d, -0.5, 0.5)
					}
					o := tensor.Window{Pad: 1}
					ours := map[string]func() error{
						"forward": func() error { return tensor.ConvForward(p, y, x, w, o, nil, nil, false) },
						"input":   func() error { return tensor.ConvInputGrad(p, x, y, w, o, nil, nil) },
						"weight":  func() error { return tensor.ConvWeightGrad(p, w, x, y, o, nil, nil, nil, 0) },
					}
					r := request{"op": "conv", "part": part, "n": g.n, "in": g.in, "out": g.out, "size": g.size, "threads": threads}
					flops := 2 * 9 * float64(g.n*g.in*g.out*g.size*g.size)
					versus(b, startBaseline(b, threads, "torch"), r, "x_torch", flops, ours[part])
				})
			}
		}
	}
}

// BenchmarkVersusSampled compares sampled products with numpy's "index, then multiply", and
// reports what they gain over our own exact product.
func BenchmarkVersusSampled(b *testing.B) {
	for _, threads := range []int{1, 2} {
		for _, g := range []struct {
			form    tensor.Form
			m, n, k int
		}{{tensor.NN, 1024, 1024, 1024}, {tensor.TN, 1440, 160, 8192}, {tensor.NN, 64, 512, 512}, {tensor.TN, 512, 512, 64}} {
			for _, keep := range []float64{0.5, 0.25, 0.1} {
				b.Run(fmt.Sprintf("threads=%d/%v/%dx%dx%d/keep=%v", threads, g.form, g.m, g.k, g.n, keep), func(b *testing.B) {
					versusSampled(b, threads, g.form, g.m, g.n, g.k, int(keep*float64(g.k)))
				})
			}
		}
	}
}

func versusSampled(b *testing.B, threads int, form tensor.Form, m, n, k, keep int) {
	p := tensor.NewPool(threads)
	defer p.Close()
	x, y, z := factors[float32](form, m, n, k)
	s := tensor.Sample[float32]{Scale: make([]float32, keep)}
	drawn := make([]bool, k)
	for _, i := range random.New(2).Perm(k)[:keep] {
		drawn[i] = true
	}
	for i, d := range drawn {
		if d {
			s.Index = append(s.Index, int32(i))
		}
	}
	for i := range s.Scale {
		s.Scale[i] = float32(k) / float32(keep)
	}
	sampled := func() error { return tensor.MulSampled(p, z, form, x, y, s, 1, 0) }
	exact := func() error { return tensor.Mul(p, z, form, x, y, 1, 0) }
	var gains []float64
	for range 15 {
		gains = append(gains, seconds(b, exact)/seconds(b, sampled))
	}
	r := request{"op": "sampled", "form": form.String(), "m": m, "n": n, "k": k, "keep": keep, "type": "float32"}
	versus(b, startBaseline(b, threads, "numpy"), r, "x_numpy", 2*float64(m)*float64(n)*float64(keep), sampled)
	b.ReportMetric(numtest.Median(gains), "x_exact")
}
