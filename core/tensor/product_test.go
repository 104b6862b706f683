package tensor

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trivium/core/random"
	"trivium/core/tensor/internal/simd"
)

func operands[T Float](s *random.Stream, form Form, m, n, k, gap int) (a, b, c Matrix[T]) {
	a, b = randomMatrix[T](s, m, k, gap), randomMatrix[T](s, k, n, gap)
	if form == TN {
		a = randomMatrix[T](s, k, m, gap)
	}
	if form == NT {
		b = randomMatrix[T](s, n, k, gap)
	}
	return a, b, randomMatrix[T](s, m, n, gap)
}

// TestMul compares with the slow product on shapes around the edges of tiles and blocks.
func TestMul(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for _, form := range []Form{NN, NT, TN} {
			testMul[float32](t, form)
			testMul[float64](t, form)
		}
	})
}

func testMul[T Float](t *testing.T, form Form) {
	s := random.New(1).Split(form.String())
	for name, v := range map[string][3]int{ // m, n, k
		"single element":            {1, 1, 1},
		"row times matrix":          {1, 37, 19},
		"matrix times column":       {35, 1, 21},
		"one step":                  {9, 17, 1},
		"less than a tile":          {3, 5, 7},
		"a tile":                    {6, 16, 8},
		"a tile of 512 bits":        {14, 32, 16},
		"more than a tile":          {15, 33, 17},
		"few rows":                  {11, 70, 40},
		"two panels of rows":        {7, 19, 300},
		"odd everything":            {61, 47, 53},
		"several blocks of steps":   {40, 30, 701},
		"several blocks of columns": {30, 700, 40},
		"several blocks of rows":    {700, 20, 321},
	} {
		for _, sampled := range []bool{false, true} {
			all := [][2]T{{1, 0}, {-0.5, 2}, {1, 1}, {0, 3}, {2, 0}}
			if v[0]*v[1]*v[2] > 100000 {
				all = all[:2] // the slow product is slow
			}
			for _, f := range all {
				a, b, c := operands[T](s, form, v[0], v[1], v[2], len(name)%4)
				var sample *Sample[T]
				if sampled {
					sample = randomSample[T](s, (v[2]+1)/2, v[2])
				}
				want, bound := plainProduct(c, form, a, b, sample, f[0], f[1])
				if f[1] == 0 {
					for i := range c.Rows {
						for j := range c.Row(i) {
							c.Row(i)[j] = T(math.NaN()) // must not be read
						}
					}
				}
				if err := mul(nil, c, form, a, b, f[0], f[1], sample, epilogue[T]{}); err != nil {
					t.Fatal(err)
				}
				within(t, fmt.Sprintf("%T %v %s %v, sampled %v, factors %v", f[0], form, name, v, sampled, f), flat(c), want, bound)
				if !gapsUntouched(c) {
					t.Errorf("%v %s: wrote between the rows", form, name)
				}
			}
		}
	}
}

// TestMulRandomShapes draws shapes, factors and samples.
func TestMulRandomShapes(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			form := Form(rapid.IntRange(0, 2).Draw(r, "form"))
			m, n, k := rapid.IntRange(1, 40).Draw(r, "m"), rapid.IntRange(1, 70).Draw(r, "n"), rapid.IntRange(1, 60).Draw(r, "k")
			a, b, c := operands[float32](random.New(rapid.Uint64().Draw(r, "seed")), form, m, n, k, rapid.IntRange(0, 3).Draw(r, "gap"))
			alpha := float32(rapid.Float64Range(-2, 2).Draw(r, "alpha"))
			beta := float32(rapid.SampledFrom([]float64{0, 1, -1, 0.3}).Draw(r, "beta"))
			var s *Sample[float32]
			if rapid.Bool().Draw(r, "sampled") {
				s = &Sample[float32]{}
				for _, i := range rapid.SliceOfN(rapid.IntRange(0, k-1), 0, 2*k).Draw(r, "index") {
					s.Index = append(s.Index, int32(i))
				}
			}
			want, bound := plainProduct(c, form, a, b, s, alpha, beta)
			if err := mul(nil, c, form, a, b, alpha, beta, s, epilogue[float32]{}); err != nil {
				r.Fatal(err)
			}
			for i, v := range flat(c) {
				if d := math.Abs(float64(v) - want[i]); !(d <= bound[i]+1e-40) {
					r.Fatalf("element %d is %v, want %v ± %.2g", i, v, want[i], bound[i])
				}
			}
		})
	})
}

// TestWorkersChangeNoBit compares shared products with those of one goroutine.
func TestWorkersChangeNoBit(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for workers := 2; workers <= 5; workers++ {
			p := NewPool(workers)
			for _, v := range [][3]int{{128, 130, 128}, {65, 300, 257}, {301, 64, 200}, {1, 3000, 900}, {3000, 1, 900}, {8, 700, 700}, {251, 109, 330}} {
				for _, form := range []Form{NN, NT, TN} {
					a, b, c := operands[float32](random.New(2), form, v[0], v[1], v[2], 0)
					d := c.Clone()
					if err := errors.Join(Mul(nil, c, form, a, b, 0.7, -1.5), Mul(p, d, form, a, b, 0.7, -1.5)); err != nil {
						t.Fatal(err)
					}
					for i := range c.Data {
						if c.Data[i] != d.Data[i] {
							t.Fatalf("%v %v: element %d is %v with %d workers, %v with one", form, v, i, d.Data[i], workers, c.Data[i])
						}
					}
				}
			}
			p.Close()
		}
	})
}

// TestSharedSampleAndBias is the same for sampled products with what is done to their results, which
// workers that pack together must do once.
func TestSharedSampleAndBias(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		p := NewPool(2)
		defer p.Close()
		s := random.New(8)
		for _, form := range []Form{NN, NT, TN} {
			a, b, c := operands[float32](s, form, 250, 131, 1300, 0)
			bias, d := randomMatrix[float32](s, 1, 131, 0).Data, c.Clone()
			sample := randomSample[float32](s, 650, 1300)
			if err := errors.Join(MulBias(nil, c, form, a, b, sample, bias, true), MulBias(p, d, form, a, b, sample, bias, true)); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(c.Data, d.Data) {
				t.Errorf("%v: two workers give another result than one", form)
			}
		}
	})
}

// TestMulInPieces compares products of several blocks in every direction with those of some
// of their rows and columns, which have fewer blocks, and not so few rows that they take
// shorter steps.
func TestMulInPieces(t *testing.T) {
	if testing.Short() {
		t.Skip("large products")
	}
	onEachLevel(t, func(t *testing.T) {
		if l := simd.Current(); l == simd.Plain || l == simd.Shape512 {
			t.Skip("the same blocks as elsewhere, and slow")
		}
		inPieces[float32](t, 3800, 600, 750)
		inPieces[float64](t, 600, 600, 350)
	})
}

func inPieces[T Float](t *testing.T, m, n, k int) {
	for _, form := range []Form{NN, NT, TN} {
		a, b, c := operands[T](random.New(9), form, m, n, k, 0)
		d := c.Clone()
		if err := Mul(nil, c, form, a, b, 0.7, -1.5); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < m; i += 200 {
			for j := 0; j < n; j += 130 {
				e, f := min(i+200, m), min(j+130, n)
				x, y := a, b
				if form == TN {
					x = a.Slice(0, k, i, e)
				} else {
					x = a.Slice(i, e, 0, k)
				}
				if form == NT {
					y = b.Slice(j, f, 0, k)
				} else {
					y = b.Slice(0, k, j, f)
				}
				if err := Mul(nil, d.Slice(i, e, j, f), form, x, y, 0.7, -1.5); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !slices.Equal(c.Data, d.Data) {
			t.Errorf("%T %v: the whole differs from its pieces", T(0), form)
		}
	}
}

// TestMulBias compares the fused layer with a product, an addition and a maximum.
func TestMulBias(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		s := random.New(3)
		for _, v := range [][3]int{{1, 20, 9}, {5, 33, 12}, {70, 45, 400}} {
			for _, relu := range []bool{false, true} {
				for _, form := range []Form{NN, NT} {
					a, b, c := operands[float32](s, form, v[0], v[1], v[2], 0)
					bias := randomMatrix[float32](s, 1, v[1], 0).Data
					want, bound := plainProduct(c, form, a, b, nil, 1, 0)
					for i := range want {
						want[i] += float64(bias[i%v[1]])
						bound[i] += 1e-7 * (math.Abs(want[i]) + 1)
						if relu {
							want[i] = max(want[i], 0)
						}
					}
					if err := MulBias(nil, c, form, a, b, nil, bias, relu); err != nil {
						t.Fatal(err)
					}
					within(t, fmt.Sprint(form, v, relu), c.Data, want, bound)
				}
			}
		}
	})
	a := New[float32](2, 2)
	if MulBias(nil, a.Clone(), NN, a, a, nil, []float32{1}, false) == nil {
		t.Error("one bias for two columns was taken")
	}
}

func TestMulOnly(t *testing.T) {
	pool := NewPool(3)
	defer pool.Close()
	onEachLevel(t, func(t *testing.T) {
		testMulOnly[float64](t, nil, NT, 33, 31, 17, 0.5)
		testMulOnly[float64](t, nil, TN, 33, 31, 17, 0.5)
		testMulOnly[float32](t, nil, TN, 40, 70, 9, 0)
		testMulOnly[float32](t, pool, TN, 100, 90, 330, 0) // several blocks each way, and workers
		testMulOnly[float32](t, pool, TN, 60, 700, 650, 1)
		testMulOnly[float32](t, nil, TN, 40, 33, 0, 0.5)
		a := New[float64](3, 3)
		for _, bad := range []Sample[float64]{{Index: []int32{1, 1}}, {Index: []int32{2, 1, 2}}, {Index: []int32{3}}, {Index: []int32{0}, Scale: []float64{1, 2}}} {
			if MulOnly(nil, New[float64](3, 3), NT, a, a, bad, 1, 0) == nil {
				t.Errorf("sample %v was taken", bad)
			}
		}
		if MulOnly(nil, New[float64](3, 3), NN, a, a, Sample[float64]{}, 1, 0) == nil {
			t.Error("form NN was taken")
		}
		none := New[float64](3, 3)
		none.Data[4] = 8
		if err := MulOnly(nil, none, TN, a, a, Sample[float64]{}, 1, 0.5); err != nil || none.Data[4] != 4 {
			t.Errorf("no rows: %v %v", none.Data, err)
		}
	})
}

// testMulOnly compares every second column or row, some exchanged and all scaled, with the whole product.
func testMulOnly[T Float](t *testing.T, p *Pool, form Form, m, n, k int, beta T) {
	t.Helper()
	a, b, c := operands[T](random.New(4), form, m, n, k, 2)
	along := n
	if form == TN {
		along = m
	}
	var only Sample[T]
	factor := make([]float64, along)
	for i := 1; i < along; i += 2 {
		only.Index, only.Scale = append(only.Index, int32(i)), append(only.Scale, T(i%5)-1)
		factor[i] = float64(i%5) - 1
	}
	last := len(only.Index) - 1
	only.Index[0], only.Index[last] = only.Index[last], only.Index[0]
	only.Scale[0], only.Scale[last] = only.Scale[last], only.Scale[0]
	want, bound := plainProduct(c, form, a, b, nil, 3, 0)
	for i := range want {
		at := i % n
		if form == TN {
			at = i / n
		}
		f := factor[at]
		old := float64(beta) * float64(c.Row(i / n)[i%n])
		want[i] = f*want[i] + old
		// The product, its scale, and the sum are rounded.
		bound[i] = 4*bound[i] + 4*eps[T]()*(math.Abs(want[i])+math.Abs(old))
	}
	if err := MulOnly(p, c, form, a, b, only, 3, beta); err != nil {
		t.Fatal(err)
	}
	within(t, fmt.Sprintf("%v %d×%d, %d steps", form, m, n, k), flat(c), want, bound)
}

func TestMulBatch(t *testing.T) {
	p := NewPool(2)
	defer p.Close()
	s := random.New(5)
	var dst, a, b []Matrix[float32]
	var want, bound [][]float64
	for i := range 40 {
		x, y, z := operands[float32](s, NT, 5+i%7, 9, 30+i, 1)
		w, d := plainProduct(z, NT, x, y, nil, 2, 1)
		a, b, dst, want, bound = append(a, x), append(b, y), append(dst, z), append(want, w), append(bound, d)
	}
	if err := MulBatch(p, dst, NT, a, b, 2, 1); err != nil {
		t.Fatal(err)
	}
	for i := range dst {
		within(t, fmt.Sprint("product ", i), flat(dst[i]), want[i], bound[i])
	}
	b[3].Cols--
	before := flat(dst[0])
	err := MulBatch(p, dst, NT, a, b, 2, 1)
	if err == nil || !strings.Contains(err.Error(), "product 3") {
		t.Errorf("a product that does not fit gave %v", err)
	}
	if flat(dst[0])[0] != before[0] {
		t.Error("others were computed all the same")
	}
}

// TestMulNaN follows NaN and infinity through products.
func TestMulNaN(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for _, v := range [][3]int{{1, 20, 9}, {7, 33, 12}, {70, 45, 40}} {
			for _, form := range []Form{NN, NT, TN} {
				a, b, c := operands[float32](random.New(6), form, v[0], v[1], v[2], 0)
				if form == TN {
					a.Row(3)[0] = float32(math.NaN())
				} else {
					a.Row(0)[3] = float32(math.NaN())
				}
				if err := Mul(nil, c, form, a, b, 1, 0); err != nil {
					t.Fatal(err)
				}
				for i, x := range c.Data {
					if (x != x) != (i < v[1]) {
						t.Fatalf("%v %v: element %d is %v; NaN belongs in row 0 alone", form, v, i, x)
					}
				}
				if err := Mul(nil, c, form, a, b, 0, 0); err != nil {
					t.Fatal(err)
				}
				if c.Data[0] != 0 {
					t.Errorf("alpha 0 gives %v", c.Data[0])
				}
			}
		}
	})
}

// TestMulRefuses lists operands that do not fit; dst must stay as it was.
func TestMulRefuses(t *testing.T) {
	a, b := New[float64](2, 3), New[float64](3, 4)
	big := New[float64](10, 10)
	for name, c := range map[string]struct {
		dst, a, b Matrix[float64]
		form      Form
		s         *Sample[float64]
	}{
		"inner sizes differ":      {New[float64](2, 4), a, a, NN, nil},
		"dst too small":           {New[float64](2, 3), a, b, NN, nil},
		"NT of an NN pair":        {New[float64](2, 3), a, b, NT, nil},
		"no such form":            {New[float64](2, 4), a, b, 7, nil},
		"too little data":         {New[float64](2, 4), Of(2, 3, make([]float64, 5)), b, NN, nil},
		"rows overlap":            {New[float64](2, 4), Matrix[float64]{2, 3, 2, make([]float64, 9)}, b, NN, nil},
		"negative size":           {New[float64](2, 4), Matrix[float64]{-2, 3, 3, nil}, b, NN, nil},
		"dst is a factor":         {big, big, big, NN, nil},
		"dst reaches into a":      {big.Slice(1, 3, 2, 6), big.Slice(0, 2, 4, 7), b, NN, nil},
		"dst overlaps otherwise":  {Of(2, 4, big.Data[3:]), big.Slice(0, 2, 0, 3), b, NN, nil},
		"index too large":         {New[float64](2, 4), a, b, NN, &Sample[float64]{Index: []int32{3}}},
		"index negative":          {New[float64](2, 4), a, b, NN, &Sample[float64]{Index: []int32{-1}}},
		"fewer scales than index": {New[float64](2, 4), a, b, NN, &Sample[float64]{Index: []int32{0, 1}, Scale: []float64{1}}},
	} {
		before := append([]float64(nil), c.dst.Data...)
		err := mul(nil, c.dst, c.form, c.a, c.b, 1, 0, c.s, epilogue[float64]{})
		if !errors.As(err, new(*ShapeError)) {
			t.Errorf("%s: %v", name, err)
		}
		if fmt.Sprint(before) != fmt.Sprint(c.dst.Data) {
			t.Errorf("%s: dst was changed", name)
		}
	}
	// Parts of one matrix that have no element in common are welcome.
	for name, c := range map[string][2]Matrix[float64]{
		"left and right half": {big.Slice(0, 2, 0, 4), big.Slice(0, 2, 4, 7)},
		"right and left half": {big.Slice(0, 2, 4, 8), big.Slice(0, 2, 0, 3)},
		"above and below":     {big.Slice(0, 2, 0, 4), big.Slice(2, 4, 0, 3)},
	} {
		if err := Mul(nil, c[0], NN, c[1], b, 1, 0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEmpty multiplies what has no rows, columns or inner dimension.
func TestEmpty(t *testing.T) {
	for _, v := range [][3]int{{0, 3, 4}, {3, 0, 4}, {0, 0, 0}} {
		a, b, c := operands[float32](random.New(1), NN, v[0], v[1], v[2], 0)
		if err := Mul(nil, c, NN, a, b, 1, 0); err != nil {
			t.Errorf("%v: %v", v, err)
		}
	}
	c := Of(1, 2, []float32{3, 4})
	a, b := New[float32](1, 0), New[float32](0, 2)
	if err := Mul(nil, c, NN, a, b, 1, 2); err != nil || c.Data[0] != 6 {
		t.Errorf("an empty sum with beta 2 gives %v, %v", c, err)
	}
	if err := MulSampled(nil, c, NN, New[float32](1, 5), New[float32](5, 2), Sample[float32]{}, 1, 0); err != nil || c.Data[1] != 0 {
		t.Errorf("no sample gives %v, %v", c, err)
	}
}
