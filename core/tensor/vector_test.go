package tensor

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"trivium/core/internal/numtest"
	"trivium/core/random"
)

// TestVectorFunctions compares with the formulas in float64, for lengths around those of the
// vectors and of the unrolled loops. Elements beside the vectors must stay as they are.
func TestVectorFunctions(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		testVector[float32](t)
		testVector[float64](t)
	})
}

func testVector[T Float](t *testing.T) {
	const a, b = 0.75, -1.25 // exact in both types
	relu := func(v float64) float64 { return max(v, 0) }
	s := random.New(1)
	for name, c := range map[string]struct {
		do   func(dst, x, y []T)
		want func(d, x, y float64) float64
	}{
		"Add":         {Add[T], func(_, x, y float64) float64 { return x + y }},
		"Sub":         {Sub[T], func(_, x, y float64) float64 { return x - y }},
		"Hadamard":    {Hadamard[T], func(_, x, y float64) float64 { return x * y }},
		"AddHadamard": {AddHadamard[T], func(d, x, y float64) float64 { return d + x*y }},
		"Axpy":        {func(d, x, _ []T) { Axpy(d, a, x) }, func(d, x, _ float64) float64 { return d + a*x }},
		"Axpby":       {func(d, x, y []T) { Axpby(d, a, x, b, y) }, func(_, x, y float64) float64 { return a*x + b*y }},
		"Scale":       {func(d, x, _ []T) { Scale(d, a, x) }, func(_, x, _ float64) float64 { return a * x }},
		"Affine":      {func(d, x, _ []T) { Affine(d, a, x, b) }, func(_, x, _ float64) float64 { return a*x + b }},
		"AffineReLU":  {func(d, x, _ []T) { AffineReLU(d, b, x, a) }, func(_, x, _ float64) float64 { return relu(b*x + a) }},
		"ReLU":        {func(d, x, _ []T) { ReLU(d, x) }, func(_, x, _ float64) float64 { return relu(x) }},
		"AddReLU":     {AddReLU[T], func(_, x, y float64) float64 { return relu(x + y) }},
		"ReLUGrad":    {ReLUGrad[T], func(_, x, y float64) float64 { return x * math.Ceil(relu(y)) }},
		"SigmoidGrad": {SigmoidGrad[T], func(_, x, y float64) float64 { return x * y * (1 - y) }},
		"TanhGrad":    {TanhGrad[T], func(_, x, y float64) float64 { return x * (1 - y*y) }},
	} {
		for n := range 75 {
			d, x, y := randomMatrix[T](s, 1, n+2, 0).Data, randomMatrix[T](s, 1, n, 0).Data, randomMatrix[T](s, 1, n, 0).Data
			before := append([]T(nil), d...)
			c.do(d[1:1+n], x, y)
			if d[0] != before[0] || d[n+1] != before[n+1] {
				t.Fatalf("%s of %d: wrote beside the vector", name, n)
			}
			want, bound := make([]float64, n), make([]float64, n)
			for i := range want {
				want[i] = c.want(float64(before[i+1]), float64(x[i]), float64(y[i]))
				bound[i] = 8 * eps[T]() // of numbers below 2, three roundings
			}
			within(t, fmt.Sprintf("%T %s of %d", T(0), name, n), d[1:1+n], want, bound)
		}
	}
	for name, c := range map[string]struct {
		do   func(x, y []T) T
		want func(s, x, y float64) float64
	}{
		"Sum":        {func(x, _ []T) T { return Sum(x) }, func(s, x, _ float64) float64 { return s + x }},
		"SumAbs":     {func(x, _ []T) T { return SumAbs(x) }, func(s, x, _ float64) float64 { return s + math.Abs(x) }},
		"SumSquares": {func(x, _ []T) T { return SumSquares(x) }, func(s, x, _ float64) float64 { return s + x*x }},
		"Dot":        {Dot[T], func(s, x, y float64) float64 { return s + x*y }},
	} {
		for n := range 75 {
			x, y := randomMatrix[T](s, 1, n, 0).Data, randomMatrix[T](s, 1, n, 0).Data
			want := 0.0
			for i := range x {
				want = c.want(want, float64(x[i]), float64(y[i]))
			}
			within(t, fmt.Sprintf("%T %s of %d", T(0), name, n), []T{c.do(x, y)}, []float64{want}, []float64{numtest.Gamma(n+1, eps[T]()) * float64(n)})
		}
	}
	for n := range 75 {
		x, y, dst := randomMatrix[T](s, 1, n, 0).Data, randomMatrix[T](s, 1, n, 0).Data, randomMatrix[T](s, 1, n+2, 0).Data
		before, want := append([]T(nil), dst...), 0.0
		for i := range x {
			want += (float64(x[i]) - float64(y[i])) * (float64(x[i]) - float64(y[i]))
		}
		got := Differences(dst[1:1+n], x, y)
		within(t, fmt.Sprintf("%T Differences of %d", T(0), n), []T{got}, []float64{want}, []float64{4 * numtest.Gamma(n+3, eps[T]()) * float64(n)})
		for i, d := range dst {
			want := before[i]
			if i > 0 && i <= n {
				want = x[i-1] - want
			}
			if d != want {
				t.Errorf("%T Differences of %d: number %d is %v, want %v", T(0), n, i-1, d, want)
			}
		}
	}
	for n := range 75 {
		x := randomMatrix[T](s, 1, n, 0).Data
		want := math.Inf(-1)
		for i := range x {
			x[i] -= 5 // so that a zero that slipped in would show
			want = max(want, float64(x[i]))
		}
		if got := Max(x); float64(got) != want {
			t.Errorf("%T Max of %d is %v, want %v", T(0), n, got, want)
		}
	}
}

// TestExpAccuracy measures exp, sigmoid and tanh in units in the last place against the
// library in float64. Their documentation states the bounds.
func TestExpAccuracy(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		var x32 []float32
		var x64 []float64
		s := random.New(2)
		for range 200000 {
			// Of all magnitudes, and most where the functions change.
			v := s.Normal() * math.Exp(3*s.Normal())
			x32, x64 = append(x32, float32(v)), append(x64, v)
		}
		for v := -150.0; v < 150; v += 0.0078125 {
			x32, x64 = append(x32, float32(v)), append(x64, 5*v)
		}
		inf := math.Inf(1)
		for _, v := range []float64{0, math.Copysign(0, -1), inf, -inf, math.NaN(), 88.72283, 88.7229, -103.97, -87.5, 709.78, 709.79, -745.2, -708.5, 1e-30, -1e-30} {
			x32, x64 = append(x32, float32(v)), append(x64, v)
		}
		exp := func(x float64) float64 {
			if x > 709 {
				// The library has infinity here on some machines, below the largest number.
				return math.Exp(x-1) * math.E
			}
			return math.Exp(x)
		}
		sigmoid := func(x float64) float64 {
			if x < 0 {
				return math.Exp(x) / (1 + math.Exp(x))
			}
			return 1 / (1 + math.Exp(-x))
		}
		for name, c := range map[string]struct {
			f32  func(dst, x []float32)
			f64  func(dst, x []float64)
			want func(float64) float64
			ulps float64
		}{
			"Exp":     {Exp[float32], Exp[float64], exp, 2},
			"Sigmoid": {Sigmoid[float32], Sigmoid[float64], sigmoid, 4},
			"Tanh":    {Tanh[float32], Tanh[float64], math.Tanh, 4},
		} {
			y32, y64 := make([]float32, len(x32)), make([]float64, len(x64))
			c.f32(y32, x32)
			c.f64(y64, x64)
			worst32, worst64 := 0.0, 0.0
			for i := range x32 {
				if u := numtest.ULP32(y32[i], c.want(float64(x32[i]))); u > worst32 {
					worst32 = u
					if u > c.ulps {
						t.Fatalf("%s(%v) is %v, %.3g units from %v", name, x32[i], y32[i], u, c.want(float64(x32[i])))
					}
				}
				if u := numtest.ULP64(y64[i], c.want(x64[i])); u > worst64 {
					worst64 = u
					if u > c.ulps {
						t.Fatalf("%s(%v) is %v, %.3g units from %v", name, x64[i], y64[i], u, c.want(x64[i]))
					}
				}
			}
			t.Logf("%s: at most %.2f units in float32, %.2f in float64", name, worst32, worst64)
		}
	})
}

func TestVectorNaN(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		nan := float32(math.NaN())
		for n := 1; n < 40; n++ {
			x, y := make([]float32, n), make([]float32, n)
			x[n-1] = nan
			for name, f := range map[string]func(dst, x []float32){"ReLU": ReLU[float32], "Exp": Exp[float32], "Sigmoid": Sigmoid[float32], "Tanh": Tanh[float32],
				"AddReLU": func(d, x []float32) { AddReLU(d, x, x) }, "AffineReLU": func(d, x []float32) { AffineReLU(d, 1, x, 1) }} {
				f(y, x)
				if y[n-1] == y[n-1] {
					t.Errorf("%s of NaN at %d is %v", name, n-1, y[n-1])
				}
			}
			if s := Sum(x); s == s {
				t.Errorf("sum with NaN at %d is %v", n-1, s)
			}
			ReLUGrad(y, []float32(x), x)
			if y[n-1] != 0 {
				t.Errorf("ReLUGrad at NaN is %v", y[n-1])
			}
		}
	})
}

func TestLengthsDiffer(t *testing.T) {
	defer func() {
		err, _ := recover().(error)
		if !errors.As(err, new(*ShapeError)) {
			t.Errorf("vectors of different lengths: %v", err)
		}
	}()
	Add(make([]float32, 2), make([]float32, 3), make([]float32, 2))
}

func TestSoftmax(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		s := random.New(3)
		for _, cols := range []int{1, 2, 7, 8, 10, 33, 1000, 3000} {
			x, y, l, g := randomMatrix[float32](s, 3, cols, 1), New[float32](3, cols), New[float32](3, cols), New[float32](3, cols)
			dy := randomMatrix[float32](s, 3, cols, 0)
			Scale(x.Row(1), 40, x.Row(1))
			Affine(x.Row(2), 1, x.Row(2), 1e4) // would overflow
			sums := make([]float32, 3)
			if err := errors.Join(SoftmaxRows(y, x), LogSoftmaxRows(l, x), LogSumExpRows(sums, x), SoftmaxGradRows(g, dy, y)); err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				top, total := math.Inf(-1), 0.0
				for _, v := range x.Row(i) {
					top = max(top, float64(v))
				}
				for _, v := range x.Row(i) {
					total += math.Exp(float64(v) - top)
				}
				dot := 0.0
				for j, v := range x.Row(i) {
					dot += math.Exp(float64(v)-top) / total * float64(dy.Row(i)[j])
				}
				tol := numtest.Gamma(cols/4+20, numtest.Eps32)
				for j, v := range x.Row(i) {
					p := math.Exp(float64(v)-top) / total
					got := []float32{y.Row(i)[j], l.Row(i)[j], g.Row(i)[j]}
					within(t, fmt.Sprintf("%d columns, row %d", cols, i), got,
						[]float64{p, float64(v) - top - math.Log(total), p * (float64(dy.Row(i)[j]) - dot)},
						[]float64{tol * (1 + top - float64(v)) * (p + 1e-37), tol * (1 + math.Abs(float64(v)-top) + math.Log(total)), tol * 4 * (1 + top - float64(v)) * (p + 1e-37)})
				}
				within(t, "log-sum-exp", sums[i:i+1], []float64{top + math.Log(total)}, []float64{tol * (1 + math.Abs(top))})
			}
		}
		inf := float32(math.Inf(1))
		y, sums := New[float32](3, 3), make([]float32, 3)
		rows := Of(3, 3, []float32{-inf, 0, 0, -inf, -inf, -inf, 0, float32(math.NaN()), 0})
		if err := errors.Join(SoftmaxRows(y, rows), LogSumExpRows(sums, rows)); err != nil {
			t.Fatal(err)
		}
		if y.Data[0] != 0 || y.Data[1] != 0.5 || y.Data[3] == y.Data[3] || y.Data[6] == y.Data[6] {
			t.Errorf("softmax of infinities and NaN: %v", y)
		}
		if sums[1] != -inf || sums[2] == sums[2] {
			t.Errorf("log-sum-exp of infinities and NaN: %v", sums)
		}
	})
}

func TestNorms(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		s := random.New(4)
		for _, g := range [][2]int{{1, 1}, {7, 5}, {40, 33}, {3, 5000}, {500, 3}} {
			a := randomMatrix[float64](s, g[0], g[1], 2)
			rows, cols, rowSums, colSums := make([]float64, g[0]), make([]float64, g[1]), make([]float64, g[0]), make([]float64, g[1])
			fill(colSums, 2)
			turned := New[float64](g[1], g[0])
			if err := errors.Join(RowNorms(rows, a), ColNorms(cols, a), RowSums(rowSums, a), ColSums(colSums, a, 0.5), Transpose(turned, a)); err != nil {
				t.Fatal(err)
			}
			var squares, sums [2][]float64
			for d := range squares {
				squares[d], sums[d] = make([]float64, g[d]), make([]float64, g[d])
			}
			fill(sums[1], 1)
			for i := range g[0] {
				for j, v := range a.Row(i) {
					squares[0][i] += v * v
					squares[1][j] += v * v
					sums[0][i] += v
					sums[1][j] += v
					if turned.Row(j)[i] != v {
						t.Fatalf("transpose of %v: element %d, %d", g, i, j)
					}
				}
			}
			for d, norms := range [][]float64{rows, cols} {
				for i, v := range norms {
					if w := math.Sqrt(squares[d][i]); math.Abs(v-w) > 1e-12*w {
						t.Fatalf("%v: norm %d along %d is %v, want %v", g, i, d, v, w)
					}
				}
			}
			for d, got := range [][]float64{rowSums, colSums} {
				for i, v := range got {
					if math.Abs(v-sums[d][i]) > 1e-12*float64(1+g[1-d]) {
						t.Fatalf("%v: sum %d along %d is %v, want %v", g, i, d, v, sums[d][i])
					}
				}
			}
		}
		for _, form := range []Form{NN, NT, TN} {
			a, b, c := operands[float64](s, form, 5, 6, 7, 1)
			got, scratch := make([]float64, 7), make([]float64, 7)
			if err := PairNorms(got, scratch, form, a, b); err != nil {
				t.Fatal(err)
			}
			for p := range got {
				// The norm of an outer product is the product of the norms.
				if err := MulSampled(nil, c, form, a, b, Sample[float64]{Index: []int32{int32(p)}}, 1, 0); err != nil {
					t.Fatal(err)
				}
				if want := Norm(flat(c)); math.Abs(got[p]-want) > 1e-14*want {
					t.Errorf("%v: pair %d has norm %v, want %v", form, p, got[p], want)
				}
			}
		}
		x := randomImages[float64](s, 3, 4, 5, 6)
		got := make([]float64, 4)
		if err := ChannelNorms(got, x); err != nil {
			t.Fatal(err)
		}
		for c, v := range got {
			sum := 0.0
			for n := range 3 {
				for _, e := range x.Plane(n, c) {
					sum += e * e
				}
			}
			if math.Abs(v*v-sum) > 1e-12 {
				t.Errorf("channel %d has norm %v, want %v", c, v, math.Sqrt(sum))
			}
		}
	})
}

// TestUpdates compares three steps of each update with its formula.
func TestUpdates(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		const lr, mu, eps, decay, rho = 0.1, 0.9, 1e-8, 0.01, 0.99
		adam := func(decoupled bool) func(w, a, b, g []float64, step int) {
			return func(w, a, b, g []float64, step int) {
				Adam(w, a, b, g, AdamStep{LR: lr, Beta1: mu, Beta2: rho, Eps: eps, Decay: decay, Decoupled: decoupled, Step: step})
			}
		}
		for name, c := range map[string]struct {
			do   func(w, a, b, g []float64, step int)
			want func(w, a, b *float64, g, step float64)
		}{
			"SGD": {func(w, a, b, g []float64, _ int) { SGD(w, g, lr, decay) },
				func(w, a, b *float64, g, _ float64) { *w -= lr * (g + decay**w) }},
			"Momentum": {func(w, a, b, g []float64, _ int) { Momentum(w, a, g, lr, mu, decay, false) },
				func(w, a, b *float64, g, _ float64) { *a = mu**a + g + decay**w; *w -= lr * *a }},
			"Nesterov": {func(w, a, b, g []float64, _ int) { Momentum(w, a, g, lr, mu, decay, true) },
				func(w, a, b *float64, g, _ float64) { g += decay * *w; *a = mu**a + g; *w -= lr * (g + mu**a) }},
			"Adagrad": {func(w, a, b, g []float64, _ int) { Adagrad(w, a, g, lr, eps, decay) },
				func(w, a, b *float64, g, _ float64) {
					g += decay * *w
					*a += g * g
					*w -= lr * g / (math.Sqrt(*a) + eps)
				}},
			"RMSProp": {func(w, a, b, g []float64, _ int) { RMSProp(w, a, g, lr, rho, eps, decay) },
				func(w, a, b *float64, g, _ float64) {
					g += decay * *w
					*a = rho**a + (1-rho)*g*g
					*w -= lr * g / (math.Sqrt(*a) + eps)
				}},
			"Adam": {adam(false), func(w, a, b *float64, g, step float64) {
				g += decay * *w
				*a, *b = mu**a+(1-mu)*g, rho**b+(1-rho)*g*g
				*w -= lr * *a / (1 - math.Pow(mu, step)) / (math.Sqrt(*b/(1-math.Pow(rho, step))) + eps)
			}},
			"AdamW": {adam(true), func(w, a, b *float64, g, step float64) {
				*w -= lr * decay * *w
				*a, *b = mu**a+(1-mu)*g, rho**b+(1-rho)*g*g
				*w -= lr * *a / (1 - math.Pow(mu, step)) / (math.Sqrt(*b/(1-math.Pow(rho, step))) + eps)
			}},
		} {
			s := random.New(5)
			for _, n := range []int{1, 3, 4, 8, 31} {
				w, a, b := randomMatrix[float64](s, 1, n, 0).Data, make([]float64, n), make([]float64, n)
				w2, a2, b2 := append([]float64(nil), w...), make([]float64, n), make([]float64, n)
				for step := 1; step <= 3; step++ {
					g := randomMatrix[float64](s, 1, n, 0).Data
					c.do(w, a, b, g, step)
					for i := range w2 {
						c.want(&w2[i], &a2[i], &b2[i], g[i], float64(step))
					}
				}
				for i := range w {
					if math.Abs(w[i]-w2[i]) > 1e-12 || math.Abs(a[i]-a2[i]) > 1e-13 || math.Abs(b[i]-b2[i]) > 1e-13 {
						t.Errorf("%s of %d: element %d is %v with %v, %v, want %v with %v, %v", name, n, i, w[i], a[i], b[i], w2[i], a2[i], b2[i])
						break
					}
				}
			}
		}
	})
}
