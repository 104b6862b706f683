package nn

import (
	"math"
	"testing"

	"trivium/core/random"
	"trivium/core/tensor"
)

// TestMeasuredNormsAreThoseOfTheResult compares the norms that a batch norm finds while it writes with those of
// what it has written; they must not be taken for those of other images, nor of another pass.
func TestMeasuredNormsAreThoseOfTheResult(t *testing.T) {
	shape := Shape{5, 7, 3}
	net := New(shape, BatchNorm{}, ReLU{})
	x := tensor.New[float32](6, shape.Size())
	random.FillNormal(random.New(1), x.Data, 0.5, 2)
	p := net.Pass()
	net.SetProduct(half{}, 1)
	*p = Pass[float32]{Train: true} // as trainings begin
	y, err := net.Forward(x)
	if err != nil || len(p.norms) != 1 {
		t.Fatalf("%v; %d results are measured", err, len(p.norms))
	}
	compare := func(z tensor.Images[float32]) {
		t.Helper()
		got, want := make([]float32, shape.C), make([]float32, shape.C)
		if err := p.ChannelNorms(got, z); err != nil {
			t.Fatal(err)
		}
		if err := tensor.ChannelNorms(want, z); err != nil {
			t.Fatal(err)
		}
		for c, v := range got {
			if math.Abs(float64(v-want[c])) > 1e-6*float64(want[c]) { // some roundings
				t.Errorf("channel %d has norm %g, want %g", c, v, want[c])
			}
		}
	}
	compare(images(y, shape))
	compare(images(y.Slice(0, 3, 0, y.Cols), shape))
	compare(images(x, shape))
	net.SetProduct(nil, 0)
	if y, err = net.Forward(x); err != nil || len(p.norms) != 0 {
		t.Errorf("%v; %d results are measured for nobody", err, len(p.norms))
	}
	compare(images(y, shape))
}
