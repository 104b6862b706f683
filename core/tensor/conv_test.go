package tensor

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"trivium/core/internal/numtest"
	"trivium/core/random"
)

// A plainConv is a convolution and its gradients in float64, written out, with the sum of the
// sizes of what was added up, for bounds.
type plainConv struct{ y, dx, dw, ySize, dxSize, dwSize []float64 }

// convolve visits every product of a convolution. inFactor and outFactor scale input and
// output channels, imageFactor images; the gradients are those of the plain convolution with
// what they sum over, and what they are of, scaled likewise.
func convolve[T Float](x, w, dy Images[T], o Window, in, out, image []float64) plainConv {
	r := plainConv{make([]float64, dy.size()), make([]float64, x.size()), make([]float64, w.size()),
		make([]float64, dy.size()), make([]float64, x.size()), make([]float64, w.size())}
	add := func(sum, size []float64, i int, v float64) {
		sum[i] += v
		size[i] += math.Abs(v)
	}
	for n := range x.N {
		for f := range w.N {
			for i := range dy.size() / (dy.N * dy.C) {
				u, v := i/dy.W, i%dy.W
				iy := (n*dy.C+f)*dy.H*dy.W + i
				for c := range x.C {
					for k := range w.H * w.W {
						row, col := u*o.stride()+k/w.W-o.Pad, v*o.stride()+k%w.W-o.Pad
						if row < 0 || row >= x.H || col < 0 || col >= x.W {
							continue
						}
						ix, iw := ((n*x.C+c)*x.H+row)*x.W+col, (f*w.C+c)*w.H*w.W+k
						add(r.y, r.ySize, iy, in[c]*float64(x.Data[ix])*float64(w.Data[iw]))
						add(r.dx, r.dxSize, ix, in[c]*out[f]*float64(dy.Data[iy])*float64(w.Data[iw]))
						add(r.dw, r.dwSize, iw, in[c]*image[n]*float64(dy.Data[iy])*float64(x.Data[ix]))
					}
				}
			}
		}
	}
	return r
}

func randomImages[T Float](s *random.Stream, n, c, h, w int) Images[T] {
	x := NewImages[T](n, c, h, w)
	random.FillUniform(s, x.Data, -1, 1)
	return x
}

func fill[T Float](x []T, v float64) {
	for i := range x {
		x[i] = T(v)
	}
}

func scaled(size []float64, f float64) []float64 {
	b := make([]float64, len(size))
	for i, v := range size {
		b[i] = f*v + 1e-300
	}
	return b
}

func TestConv(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		testConv[float32](t)
		testConv[float64](t)
	})
}

func testConv[T Float](t *testing.T) {
	s := random.New(1)
	for name, g := range map[string]struct{ n, in, out, h, w, kh, kw int }{
		"one of everything":              {1, 1, 1, 1, 1, 1, 1},
		"one channel, wide filter":       {2, 1, 4, 9, 11, 5, 5},
		"odd everything":                 {2, 3, 5, 7, 6, 3, 3},
		"rows of 14":                     {2, 9, 7, 14, 14, 3, 3},
		"rows of a vector":               {1, 3, 13, 8, 16, 3, 3},
		"1×1 filters":                    {1, 17, 13, 8, 8, 1, 1},
		"filter not square":              {1, 2, 3, 8, 7, 2, 3},
		"steps in several pieces":        {1, 41, 8, 5, 6, 3, 3},
		"steps in pieces, whole vectors": {1, 41, 8, 3, 16, 3, 3},
		"several bands":                  {1, 8, 3, 70, 60, 3, 3},
	} {
		for stride := 1; stride <= 3; stride++ {
			for pad := range 3 {
				o := Window{Stride: stride, Pad: pad}
				oh, ow := o.Out(g.h, g.kh), o.Out(g.w, g.kw)
				if oh < 1 || ow < 1 || name == "several bands" && pad != 1 {
					continue
				}
				x, w := randomImages[T](s, g.n, g.in, g.h, g.w), randomImages[T](s, g.out, g.in, g.kh, g.kw)
				dy := randomImages[T](s, g.n, g.out, oh, ow)
				for _, sampled := range []bool{false, true} {
					checkConv(t, fmt.Sprintf("%T %s, stride %d, pad %d, sampled %v", T(0), name, stride, pad, sampled), s, x, w, dy, o, sampled)
				}
			}
		}
	}
}

// factors returns a factor for each of n things, and the sample that means the same.
func factors[T Float](s *random.Stream, n int, sampled bool) ([]float64, *Sample[T]) {
	f := make([]float64, n)
	if !sampled {
		fill(f, 1)
		return f, nil
	}
	r := &Sample[T]{}
	for i := range f {
		if s.Bernoulli(0.6) {
			r.Index, r.Scale = append(r.Index, int32(i)), append(r.Scale, T(1+s.Float64()))
			f[i] = float64(r.Scale[len(r.Scale)-1])
		}
	}
	return f, r
}

func checkConv[T Float](t *testing.T, name string, s *random.Stream, x, w, dy Images[T], o Window, sampled bool) {
	t.Helper()
	in, inSample := factors[T](s, x.C, sampled)
	out, outSample := factors[T](s, w.N, sampled)
	image, imageSample := factors[T](s, x.N, sampled)
	want := convolve(x, w, dy, o, in, out, image)
	y, dx, dw := NewImages[T](dy.N, dy.C, dy.H, dy.W), NewImages[T](x.N, x.C, x.H, x.W), NewImages[T](w.N, w.C, w.H, w.W)
	for _, d := range [][]T{y.Data, dx.Data, dw.Data} {
		fill(d, math.NaN()) // must not be read
	}
	if err := errors.Join(
		ConvForward(nil, y, x, w, o, inSample, nil, false),
		ConvInputGrad(nil, dx, dy, w, o, outSample, inSample),
		ConvWeightGrad(nil, dw, x, dy, o, imageSample, inSample, nil, 0),
	); err != nil {
		t.Fatal(name, err)
	}
	// Each product is rounded by up to three scales, itself and its places in the sum.
	bound := func(terms int) float64 { return numtest.Gamma(terms+5, eps[T]()) }
	k := w.H * w.W
	within(t, name+": forward", y.Data, want.y, scaled(want.ySize, bound(x.C*k)))
	within(t, name+": input gradient", dx.Data, want.dx, scaled(want.dxSize, bound(w.N*k)))
	within(t, name+": weight gradient", dw.Data, want.dw, scaled(want.dwSize, bound(x.N*dy.H*dy.W)))

	if !sampled {
		return
	}
	// Channels of dy that are 0 may be left out.
	zeroed, live := NewImages[T](dy.N, dy.C, dy.H, dy.W), []int32{}
	for c := range dy.C {
		if s.Bernoulli(0.6) {
			live = append(live, int32(c))
			for n := range dy.N {
				copy(zeroed.Plane(n, c), dy.Plane(n, c))
			}
		}
	}
	again := NewImages[T](w.N, w.C, w.H, w.W)
	if err := errors.Join(
		ConvWeightGrad(nil, dw, x, zeroed, o, imageSample, inSample, nil, 0),
		ConvWeightGrad(nil, again, x, dy, o, imageSample, inSample, live, 0),
	); err != nil {
		t.Fatal(name, err)
	}
	if !slices.Equal(again.Data, dw.Data) {
		t.Errorf("%s: the weight gradient of channels %v alone is another than with the others at 0", name, live)
	}
}

// TestConvWorkers compares shared convolutions with those of one goroutine, bit by bit. Three
// workers share the channels of one side or the other, four both.
func TestConvWorkers(t *testing.T) {
	for _, workers := range []int{3, 4} {
		p := NewPool(workers)
		onEachLevel(t, func(t *testing.T) {
			for _, shape := range [][2]int{{1, 19}, {5, 19}, {2, 1}} {
				testConvWorkers(t, p, shape[0], shape[1])
			}
		})
		p.Close()
	}
}

func testConvWorkers(t *testing.T, p *Pool, n, channels int) {
	s := random.New(2)
	x, w, dy := randomImages[float32](s, n, channels, 30, 30), randomImages[float32](s, 34, channels, 3, 3), randomImages[float32](s, n, 34, 30, 30)
	o := Window{Pad: 1}
	var got [2][3]Images[float32]
	for i, q := range []*Pool{nil, p} {
		y, dx, dw := NewImages[float32](n, 34, 30, 30), NewImages[float32](n, channels, 30, 30), randomImages[float32](random.New(3), 34, channels, 3, 3)
		bias := randomMatrix[float32](random.New(4), 1, 34, 0).Data
		if err := errors.Join(
			ConvForward(q, y, x, w, o, nil, bias, true),
			ConvInputGrad(q, dx, dy, w, o, nil, nil),
			ConvWeightGrad(q, dw, x, dy, o, nil, nil, nil, 1),
		); err != nil {
			t.Fatal(err)
		}
		got[i] = [3]Images[float32]{y, dx, dw}
	}
	for k := range got[0] {
		for i, v := range got[0][k].Data {
			if got[1][k].Data[i] != v {
				t.Fatalf("%d images of %d channels, result %d: element %d is %v shared, %v alone", n, channels, k, i, got[1][k].Data[i], v)
			}
		}
	}
}

// TestConvBias checks the fused end: with bias and ReLU, and with nothing sampled.
func TestConvBias(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		s := random.New(5)
		x, w := randomImages[float64](s, 2, 3, 6, 7), randomImages[float64](s, 4, 3, 3, 3)
		plain, y := NewImages[float64](2, 4, 6, 7), NewImages[float64](2, 4, 6, 7)
		bias := []float64{-1, 0, 0.5, 9}
		o := Window{Pad: 1}
		for _, sample := range []*Sample[float64]{nil, {}} {
			for _, relu := range []bool{false, true} {
				if err := errors.Join(ConvForward(nil, plain, x, w, o, sample, nil, false), ConvForward(nil, y, x, w, o, sample, bias, relu)); err != nil {
					t.Fatal(err)
				}
				for i, v := range plain.Data {
					v += bias[i/42%4]
					if relu {
						v = max(v, 0)
					}
					if math.Abs(y.Data[i]-v) > 1e-15*(1+math.Abs(v)) {
						t.Fatalf("relu %v: element %d is %v, want %v", relu, i, y.Data[i], v)
					}
				}
			}
		}
	})
}

// TestConvIsAdjoint checks ⟨conv(x, w), dy⟩ = ⟨x, dx⟩ = ⟨w, dw⟩ on a network's shape.
func TestConvIsAdjoint(t *testing.T) {
	s := random.New(6)
	x, w, dy := randomImages[float64](s, 3, 16, 32, 32), randomImages[float64](s, 32, 16, 3, 3), randomImages[float64](s, 3, 32, 16, 16)
	o := Window{Stride: 2, Pad: 1}
	y, dx, dw := NewImages[float64](3, 32, 16, 16), NewImages[float64](3, 16, 32, 32), NewImages[float64](32, 16, 3, 3)
	if err := errors.Join(ConvForward(nil, y, x, w, o, nil, nil, false), ConvInputGrad(nil, dx, dy, w, o, nil, nil),
		ConvWeightGrad(nil, dw, x, dy, o, nil, nil, nil, 0)); err != nil {
		t.Fatal(err)
	}
	a, b, c := Dot(y.Data, dy.Data), Dot(x.Data, dx.Data), Dot(w.Data, dw.Data)
	if math.Abs(a-b) > 1e-10 || math.Abs(a-c) > 1e-10 {
		t.Errorf("⟨y,dy⟩ %v, ⟨x,dx⟩ %v, ⟨w,dw⟩ %v", a, b, c)
	}
}

func TestConvRefuses(t *testing.T) {
	x, w, y := NewImages[float32](2, 3, 5, 5), NewImages[float32](4, 3, 3, 3), NewImages[float32](2, 4, 3, 3)
	ok := Window{}
	for name, err := range map[string]error{
		"channels":            ConvForward(nil, y, NewImages[float32](2, 2, 5, 5), w, ok, nil, nil, false),
		"size of the result":  ConvForward(nil, NewImages[float32](2, 4, 5, 5), x, w, ok, nil, nil, false),
		"images":              ConvForward(nil, NewImages[float32](1, 4, 3, 3), x, w, ok, nil, nil, false),
		"filter too large":    ConvForward(nil, NewImages[float32](2, 4, 0, 0), x, NewImages[float32](4, 3, 7, 7), ok, nil, nil, false),
		"negative pad":        ConvForward(nil, y, x, w, Window{Pad: -1}, nil, nil, false),
		"biases":              ConvForward(nil, y, x, w, ok, nil, make([]float32, 3), false),
		"channel index":       ConvForward(nil, y, x, w, ok, &Sample[float32]{Index: []int32{3}}, nil, false),
		"short data":          ConvInputGrad(nil, Images[float32]{2, 3, 5, 5, nil}, y, w, ok, nil, nil),
		"output index":        ConvInputGrad(nil, x, y, w, ok, &Sample[float32]{Index: []int32{4}}, nil),
		"channel twice":       ConvInputGrad(nil, x, y, w, ok, nil, &Sample[float32]{Index: []int32{1, 1}}),
		"image index":         ConvWeightGrad(nil, w, x, y, ok, &Sample[float32]{Index: []int32{2}}, nil, nil, 0),
		"channel of dy":       ConvWeightGrad(nil, w, x, y, ok, nil, nil, []int32{0, int32(w.N)}, 0),
		"channel of dy twice": ConvWeightGrad(nil, w, x, y, ok, nil, nil, []int32{0, 0}, 0),
		"scales of an image":  ConvWeightGrad(nil, w, x, y, ok, &Sample[float32]{Index: []int32{0}, Scale: []float32{1, 2}}, nil, nil, 0),
		"pool channels":       MaxPool(nil, NewImages[float32](2, 4, 2, 2), x, 2, Window{Stride: 2}),
		"pool outside":        MaxPool(nil, NewImages[float32](2, 3, 9, 9), x, 1, Window{Pad: 2}),
		"pool gradient shape": MaxPoolGrad(nil, y, y, x, y, 2, ok),
	} {
		if !errors.As(err, new(*ShapeError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPooling(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		s := random.New(7)
		odd, square := randomImages[float64](s, 2, 3, 11, 10), randomImages[float64](s, 2, 3, 7, 7)
		for _, g := range []struct {
			x                 Images[float64]
			size, stride, pad int
		}{{odd, 2, 2, 0}, {odd, 3, 2, 1}, {odd, 3, 1, 1}, {odd, 1, 1, 0}, {odd, 4, 3, 2}, {odd, 10, 1, 0}, {square, 7, 7, 0}, {square, 7, 1, 1}} {
			x, o := g.x, Window{g.stride, g.pad}
			y := NewImages[float64](2, 3, o.Out(x.H, g.size), o.Out(x.W, g.size))
			for _, largest := range []bool{true, false} {
				run := func() float64 {
					pool := AvgPool[float64]
					if largest {
						pool = MaxPool[float64]
					}
					if err := pool(nil, y, x, g.size, o); err != nil {
						t.Fatal(err)
					}
					sum := 0.0
					for i, v := range y.Data {
						sum += float64(i%5+1) * v
					}
					return sum
				}
				run()
				comparePool(t, y, x, g.size, o, largest)
				dy, dx := NewImages[float64](2, 3, y.H, y.W), NewImages[float64](2, 3, x.H, x.W)
				for i := range dy.Data {
					dy.Data[i] = float64(i%5 + 1)
				}
				err := AvgPoolGrad(nil, dx, dy, g.size, o)
				if largest {
					err = MaxPoolGrad(nil, dx, dy, x, y, g.size, o)
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := numtest.CheckGradient(run, x.Data, dx.Data, 1e-5, 1e-8); err != nil {
					t.Errorf("%s, size %d, stride %d, pad %d, largest %v: %v", x.shape(), g.size, g.stride, g.pad, largest, err)
				}
			}
		}
		x := odd
		x.Data[13] = math.NaN()
		y := NewImages[float64](2, 3, 5, 5)
		if err := MaxPool(nil, y, x, 2, Window{Stride: 2}); err != nil || y.Data[1] == y.Data[1] {
			t.Errorf("NaN in a window gives %v, %v", y.Data[1], err)
		}
	})
}

func comparePool(t *testing.T, y, x Images[float64], size int, o Window, largest bool) {
	t.Helper()
	for i, v := range y.Data {
		plane, u, w := i/(y.H*y.W), i/y.W%y.H, i%y.W
		want, sum := math.Inf(-1), 0.0
		for k := range size * size {
			r, q := u*o.stride()-o.Pad+k/size, w*o.stride()-o.Pad+k%size
			if r >= 0 && r < x.H && q >= 0 && q < x.W {
				e := x.Data[(plane*x.H+r)*x.W+q]
				want, sum = max(want, e), sum+e
			}
		}
		if !largest {
			want = sum / float64(size*size)
		}
		if math.Abs(v-want) > 1e-15*float64(size*size) {
			t.Fatalf("size %d %+v, largest %v: element %d is %v, want %v", size, o, largest, i, v, want)
		}
	}
}
