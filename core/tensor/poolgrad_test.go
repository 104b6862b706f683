package tensor

import (
	"fmt"
	"math"
	"testing"

	"trivium/core/random"
)

// The gradient goes to the first of equal pixels, and to NaN where there is one, in windows side
// by side as in others.
func TestMaxPoolGradOfTiesAndNaN(t *testing.T) {
	nan := math.NaN()
	for _, g := range []struct {
		x    [4]float64
		want int
	}{
		{[4]float64{1, 2, 3, 4}, 3}, {[4]float64{1, 2, 4, 3}, 2}, {[4]float64{1, 4, 2, 3}, 1}, {[4]float64{4, 1, 2, 3}, 0},
		{[4]float64{5, 5, 5, 5}, 0}, {[4]float64{1, 5, 5, 5}, 1}, {[4]float64{1, 2, 5, 5}, 2},
		{[4]float64{9, nan, 1, 2}, 1}, {[4]float64{9, 1, nan, nan}, 2}, {[4]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1)}, 0},
	} {
		for _, o := range []Window{{Stride: 2}, {Stride: 3}} { // the second takes the general way
			x := Images[float64]{1, 1, 2, 2, g.x[:]}
			y, dx := NewImages[float64](1, 1, 1, 1), NewImages[float64](1, 1, 2, 2)
			if err := MaxPool(nil, y, x, 2, o); err != nil {
				t.Fatal(err)
			}
			if err := MaxPoolGrad(nil, dx, Images[float64]{1, 1, 1, 1, []float64{7}}, x, y, 2, o); err != nil {
				t.Fatal(err)
			}
			want := [4]float64{}
			want[g.want] = 7
			if fmt.Sprint(dx.Data) != fmt.Sprint(want[:]) {
				t.Errorf("%v, %+v: gradient %v, want %v", g.x, o, dx.Data, want)
			}
		}
	}
}

// Windows of 2×2 pixels have vector code of their own: planes of all widths, with equal pixels and
// NaN among them, give what the definition does.
func TestMaxPoolGradOf4(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		s := random.New(3)
		for width := 2; width < 45; width++ {
			maxPoolGradOf4[float32](t, s, 5+width%2, width)
			maxPoolGradOf4[float64](t, s, 5+width%2, width)
		}
	})
}

func maxPoolGradOf4[T Float](t *testing.T, s *random.Stream, height, width int) {
	t.Helper()
	x := NewImages[T](2, 2, height, width)
	y, dx := NewImages[T](2, 2, height/2, width/2), NewImages[T](2, 2, height, width)
	dy := randomImages[T](s, 2, 2, height/2, width/2)
	for i := range x.Data {
		x.Data[i] = T(s.IntN(4))
		if s.IntN(20) == 0 {
			x.Data[i] = T(math.NaN())
		}
		dx.Data[i] = 99 // must go
	}
	o := Window{Stride: 2}
	if err := MaxPool(nil, y, x, 2, o); err != nil {
		t.Fatal(err)
	}
	if err := MaxPoolGrad(nil, dx, dy, x, y, 2, o); err != nil {
		t.Fatal(err)
	}
	want := NewImages[T](2, 2, height, width)
	for i, g := range dy.Data {
		plane, u, v := i/(y.H*y.W), i/y.W%y.H, i%y.W
		for k := range 4 {
			at := (plane*height+2*u+k/2)*width + 2*v + k%2
			if e := x.Data[at]; e == y.Data[i] || e != e {
				want.Data[at] = g
				break
			}
		}
	}
	for i, v := range dx.Data {
		if v != want.Data[i] {
			t.Fatalf("%T, %d×%d: gradient %d is %v, want %v", v, height, width, i, v, want.Data[i])
		}
	}
}
