package train

import (
	"context"
	"math"
	"strings"
	"testing"

	"trivium/core/nn"
	"trivium/core/random"
	"trivium/core/tensor"
)

// Settle gives the plain means over the batches, without learned weights having changed.
func TestSettleAveragesBatches(t *testing.T) {
	net := nn.New(nn.Vector(2), nn.BatchNorm{}, nn.Dropout{Rate: 0.5}, nn.Dense{Out: 1}).Init(1)
	before := append([]float32(nil), net.Weights()...)
	x := tensor.Of(4, 2, []float32{1, 10, 3, 10, 5, 40, 9, 40})
	if err := Settle(context.Background(), net, x, []int{0, 1, 2, 3}, 2); err != nil {
		t.Fatal(err)
	}
	// Batches {1, 3} and {5, 9}, {10, 10} and {40, 40}: means 2, 7, 10, 40, variances (of 2 numbers) 2, 8, 0, 0: 5, 0.
	for i, want := range []float32{4.5, 25, 5, 0} {
		if got := net.Running()[i]; math.Abs(float64(got-want)) > 1e-5 {
			t.Errorf("averages are %v: number %d is %v, want %v", net.Running(), i, got, want)
		}
	}
	for i, w := range net.Weights() {
		if w != before[i] {
			t.Fatalf("weight %d changed from %v to %v", i, before[i], w)
		}
	}
	for _, bad := range []struct {
		x     tensor.Matrix[float32]
		rows  []int
		batch int
		want  string
	}{
		{tensor.New[float32](4, 3), nil, 2, "3 numbers"},
		{x, nil, 0, "batch is 0"},
		{x, []int{4}, 2, "rows 0 to 3"},
		{x, []int{0}, 2, "at least 2"},
	} {
		if err := Settle(context.Background(), net, bad.x, bad.rows, bad.batch); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%v, want an error about %q", err, bad.want)
		}
	}
}

// doubled is a product that gives twice the exact result, as no sampling does: what is seen of it
// outside of training is plain to see.
type doubled struct{}

type twice[T tensor.Float] struct{ nn.Exact[T] }

func (doubled) Multiplier32(nn.Info, *random.Stream) nn.Multiplier[float32] { return twice[float32]{} }
func (doubled) Multiplier64(nn.Info, *random.Stream) nn.Multiplier[float64] { return twice[float64]{} }
func (doubled) String() string                                              { return "doubled" }

func (m twice[T]) Forward(p *nn.Pass[T], y, x, w tensor.Matrix[T], bias []T, relu bool) error {
	err := m.Exact.Forward(p, y, x, w, bias, relu)
	tensor.Scale(y.Data, 2, y.Data)
	return err
}

// Tests are exact: the averages of batch norms must be those of exact products then.
func TestTestsSeeExactAverages(t *testing.T) {
	d := clouds(400, 200)
	net := nn.New(nn.Vector(8), nn.Dense{Out: 3}, nn.BatchNorm{}).Init(1)
	res, err := Train(context.Background(), net, d, Options{Epochs: 1, Rate: 1e-9, Batch: 100, Product: doubled{}})
	if err != nil {
		t.Fatal(err)
	}
	exact := net.Clone()
	exact.SetProduct(nil, 0)
	if err := Settle(context.Background(), exact, d.X, nil, 400); err != nil {
		t.Fatal(err)
	}
	want, _, err := Evaluate(exact, d.TestX, d.TestLabels, nn.CrossEntropy)
	if err != nil || math.Abs(res.TestLoss-want) > 0.01*want {
		t.Errorf("the test after a training with another product lost %v, with averages of exact passes %v, %v", res.TestLoss, want, err)
	}
}

// A product is for its training alone.
func TestProductIsForOneTraining(t *testing.T) {
	net := nn.MLP(8, 3).Init(1)
	for _, o := range []Options{{Product: doubled{}}, {}} {
		if _, err := Train(context.Background(), net, clouds(100, 50), o); err != nil {
			t.Fatal(err)
		}
		if q, _ := net.Product(); q != nil {
			t.Errorf("the network multiplies by %v after a training with %v", q, o.Product)
		}
	}
}
