package crs

import (
	"fmt"
	"math"
	"testing"

	"trivium/core/internal/numtest"
	"trivium/core/random"
	"trivium/core/tensor"
)

// factors returns a m×n and b n×p of normal numbers around mean, column i of a times a
// log-normal scale.
func factors(m, n, p int, mean, spread float64, seed uint64) (a, b tensor.Mat32) {
	s := random.New(seed)
	a, b = tensor.NewMat32(m, n), tensor.NewMat32(n, p)
	random.FillNormal(s, a.Data, mean, 1)
	random.FillNormal(s, b.Data, mean, 1)
	for j := range n {
		f := float32(math.Exp(spread * s.Normal()))
		for i := range m {
			a.Data[i*a.Stride+j] *= f
		}
	}
	return a, b
}

func unbiased() []Sampler {
	halves := Custom{Name: "coins by rank", Probabilities: func(c []float64, k int) []float64 {
		for i := range c {
			c[i] = float64(k) / float64(len(c)) * float64(1+i%2) / 1.5
		}
		return c
	}}
	return []Sampler{
		WithReplacement{}, WithReplacement{Uniform: true}, WithoutReplacement{}, Bernoulli{}, Bernoulli{Clipped: true},
		WTA{}, Uniform{}, halves,
	}
}

// TestUnbiased compares the mean of many estimates with the product, element by element: 8
// samplers with 2 shares and 4 more of 60 elements, each beyond its bound by chance once in 1.7
// million, so that the test fails wrongly once in 1,400 seeds.
func TestUnbiased(t *testing.T) {
	a, b := factors(6, 24, 10, 0.5, 1, 3)
	x, y := widen(a), widen(b)
	exact := tensor.New[float64](6, 10)
	if err := tensor.Mul(nil, exact, tensor.NN, x, y, 1, 0); err != nil {
		t.Fatal(err)
	}
	const trials = 6000
	for _, s := range unbiased() {
		for _, keep := range []float64{0.15, 0.5} {
			s := s.with(keep)
			t.Run(s.String(), func(t *testing.T) {
				if worst := worstMean(t, s, x, y, exact, trials, 0); worst > 1 {
					t.Errorf("an element's mean is off by %.2f of its bound", worst)
				}
			})
		}
	}
	for _, s := range []Sampler{WithReplacement{Keep: 0.5}, WithoutReplacement{0.5}, Bernoulli{Keep: 0.5}, WTA{0.5}} {
		t.Run(s.String()+", by norms of a third", func(t *testing.T) {
			if worst := worstMean(t, s, x, y, exact, trials, 3); worst > 1 {
				t.Errorf("an element's mean is off by %.2f of its bound", worst)
			}
		})
	}
	t.Run("top-k is found to be biased", func(t *testing.T) {
		if worst := worstMean(t, TopK{0.5}, x, y, exact, 3, 0); !(worst > 1) {
			t.Errorf("the test does not see the bias of top-k")
		}
	})
}

// worstMean returns the largest error of an element's mean as a part of its bound.
func worstMean(t *testing.T, s Sampler, x, y, exact tensor.Matrix[float64], trials, look int) float64 {
	t.Helper()
	c := newSelector[float64](s, random.New(7).Split(s.String()))
	dst := tensor.New[float64](exact.Rows, exact.Cols)
	sum, squares := make([]float64, len(dst.Data)), make([]float64, len(dst.Data))
	for trial := range trials {
		drawn, err := c.pairs(tensor.NN, x, y, MulOptions{Draw: uint64(trial), Look: look})
		if err != nil {
			t.Fatal(err)
		}
		if err := tensor.MulSampled(nil, dst, tensor.NN, x, y, *drawn, 1, 0); err != nil {
			t.Fatal(err)
		}
		for i, v := range dst.Data {
			e := v - exact.Data[i]
			sum[i] += e
			squares[i] += e * e
		}
	}
	n, worst := float64(trials), 0.0
	for i := range sum {
		variance := max(squares[i]/n-sum[i]*sum[i]/n/n, 1e-24)
		worst = max(worst, math.Abs(sum[i]/n)/numtest.MeanBound(variance, trials))
	}
	return worst
}

// TestErrorIsThatOfTheory compares the mean squared error with the closed form of each sampler,
// within five standard errors of the mean: 10 samplers, 4 products, 2 shares, so that the test
// fails wrongly once in 20,000 seeds where means are nearly normal. Samplers that always
// choose the same must agree to rounding.
func TestErrorIsThatOfTheory(t *testing.T) {
	for _, f := range []struct{ mean, spread float64 }{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
		a, b := factors(30, 40, 20, f.mean, f.spread, 5)
		samplers := append(unbiased(), TopK{}, TopKWeights{}, TopKAdaptive{})
		r := Study(a, b, StudyOptions{Keep: []float64{0.2, 0.5}, Trials: 1500, Samplers: samplers, Seed: 1})
		if err := r.Err(); err != nil {
			t.Fatal(err)
		}
		for _, w := range r.Rows {
			bound := (w.High - w.Low) / 2 / 1.96 * 5
			if w.Trials == 1 {
				bound = 1e-9 * w.Theory // float64 sums of a few thousand numbers
			}
			if d := math.Abs(w.Measured - w.Theory); !(d <= bound) {
				t.Errorf("mean %g, spread %g, %s, keep %g: measured %.4g, theory %.4g, %.1f of the bound",
					f.mean, f.spread, w.Sampler, w.Keep, w.Measured, w.Theory, d/bound)
			}
		}
	}
}

// TestInclusion counts how often each pair comes, and looks at what each draw must hold.
func TestInclusion(t *testing.T) {
	a, b := factors(8, 30, 8, 0, 1.2, 9)
	c, err := Norms(a, b)
	if err != nil {
		t.Fatal(err)
	}
	const k, trials = 12, 20000
	level, certain, _ := waterLevel(c, k)
	if certain == 0 {
		t.Fatal("no pair is certain: the test misses the clipped ones")
	}
	for _, s := range []Sampler{WithoutReplacement{0.4}, Uniform{0.4}} {
		count := make([]float64, len(c))
		for trial := range trials {
			p, err := Choose(a, b, s, uint64(trial))
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Index) != k {
				t.Fatalf("%v: %d pairs, want %d", s, len(p.Index), k)
			}
			for i, at := range p.Index {
				if i > 0 && at <= p.Index[i-1] {
					t.Fatalf("%v: indices do not ascend: %v", s, p.Index)
				}
				count[at]++
			}
		}
		for i, n := range count {
			want := float64(k) / float64(len(c))
			if _, ok := s.(WithoutReplacement); ok {
				want = atLevel(c[i], level)
			}
			if d := math.Abs(n/trials - want); d > numtest.MeanBound(want*(1-want), trials)+1e-12 {
				t.Errorf("%v: pair %d came in %.4f of the draws, want %.4f", s, i, n/trials, want)
			}
		}
	}
}

func TestTopKKeepsTheLargest(t *testing.T) {
	a, b := tensor.NewMat32(1, 6), tensor.NewMat32(6, 1)
	copy(a.Data, []float32{3, 1, 3, 5, 1, 0})
	for i := range b.Data {
		b.Data[i] = 1
	}
	for _, c := range []struct {
		s    Sampler
		want string
	}{
		{TopK{0.5}, "3 of 6 pairs: 0×1 2×1 3×1"},
		{TopK{0.4}, "2 of 6 pairs: 0×1 3×1"}, // of equal ones the first
		{TopK{0.01}, "1 of 6 pairs: 3×1"},
		{TopK{1}, "6 of 6 pairs: 0×1 1×1 2×1 3×1 4×1 5×1"},
		{TopKAdaptive{0.6}, "2 of 6 pairs: 0×1 3×1"}, // 8 of 13 is 0.62
		{TopKAdaptive{0.62}, "3 of 6 pairs: 0×1 2×1 3×1"},
		{TopKWeights{0.5}, "3 of 6 pairs: 0×1 1×1 2×1"}, // all weights alike
		{Bernoulli{Keep: 1}, "6 of 6 pairs: 0×1 1×1 2×1 3×1 4×1 5×1"},
	} {
		p, err := Choose(a, b, c.s, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.String(); got != c.want {
			t.Errorf("%v: %s, want %s", c.s, got, c.want)
		}
	}
}

// A pair that is drawn several times is one pair with several times the scale.
func TestWithReplacementAddsUp(t *testing.T) {
	a, b := factors(4, 5, 4, 0, 2, 2)
	for seed := range uint64(50) {
		p, err := Choose(a, b, WithReplacement{Keep: 0.8, Uniform: true}, seed)
		if err != nil {
			t.Fatal(err)
		}
		draws := 0.0
		for _, s := range p.Scale {
			draws += s * 4 / 5
		}
		if math.Abs(draws-4) > 1e-6 { // scales are float32
			t.Fatalf("%v stands for %g draws, want 4", p, draws)
		}
	}
}

func TestNothingDrawnIsZero(t *testing.T) {
	a, b := factors(3, 40, 3, 0, 0, 4)
	never := Custom{Name: "never", Keep: 0.5, Biased: true, Probabilities: func(c []float64, _ int) []float64 { return make([]float64, len(c)) }}
	got, err := MatMul(a, b, never, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range got.Data {
		if v != 0 {
			t.Fatalf("a product of no pairs is %v", got)
		}
	}
	empty := 0
	for seed := range uint64(200) { // one pair expected: none in e⁻¹ of the draws
		p, err := Choose(a, b, Bernoulli{Keep: 0.025}, seed)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Index) == 0 {
			empty++
			got, err := MatMul(a, b, Bernoulli{Keep: 0.025}, seed)
			if err != nil || tensor.SumSquares(got.Data) != 0 {
				t.Fatalf("seed %d: %v, %v", seed, got, err)
			}
		}
	}
	if empty < 30 || empty > 120 {
		t.Errorf("%d of 200 draws were empty, want about 74", empty)
	}
}

// Every form samples the same pairs of the same product.
func TestForms(t *testing.T) {
	x, y := factors(7, 33, 5, 0, 1, 6)
	xt, yt := tensor.New[float32](33, 7), tensor.New[float32](5, 33)
	if tensor.Transpose(xt, x) != nil || tensor.Transpose(yt, y) != nil {
		t.Fatal("transpose")
	}
	for _, s := range append(unbiased(), TopK{}, TopKWeights{}, TopKAdaptive{}) {
		s := s.with(0.5)
		var first []float32
		for _, f := range []struct {
			form tensor.Form
			a, b tensor.Matrix[float32]
		}{{tensor.NN, x, y}, {tensor.NT, x, yt}, {tensor.TN, xt, y}} {
			dst := tensor.New[float32](7, 5)
			if err := Mul(nil, dst, f.form, f.a, f.b, s, MulOptions{Seed: 3}); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = dst.Data
			}
			for i, v := range dst.Data {
				// The norms are summed in another order, so scales may differ by rounding.
				if d := math.Abs(float64(v - first[i])); d > 1e-4*float64(tensor.Norm(first)) {
					t.Errorf("%v, %v: element %d is %g, and %g in form NN", s, f.form, i, v, first[i])
				}
			}
		}
	}
}

func ExampleStudy() {
	a, b := tensor.NewMat32(2, 2), tensor.NewMat32(2, 2)
	copy(a.Data, []float32{3, 0, 0, 1}) // pairs of norm 3 and 1, which have nothing in common
	copy(b.Data, []float32{1, 0, 0, 1})
	r := Study(a, b, StudyOptions{Keep: []float64{0.5}, Samplers: []Sampler{TopK{}, Bernoulli{}}})
	for _, w := range r.Rows {
		fmt.Printf("%s: error %.1f of the product by theory\n", w.Sampler, w.Theory)
	}
	// top-k leaves out 1² of 3²+1². A single coin: p = 3/4 and 1/4, so (1-p)/p·c² sum to 3+3.
	// Output:
	// top-k: error 0.1 of the product by theory
	// Bernoulli: error 0.6 of the product by theory
}
