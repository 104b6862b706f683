package tensor

import (
	"fmt"
	"math"
	"testing"
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
