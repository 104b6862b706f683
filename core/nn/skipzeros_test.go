package nn

import (
	"math"
	"testing"

	"trivium/core/random"
	"trivium/core/tensor"
)

// TestSkipZerosIsExact compares results and weights after steps of both kinds with those of exact products, on
// inputs that are mostly 0.
func TestSkipZerosIsExact(t *testing.T) {
	s := random.New(1)
	x := tensor.New[float32](64, 100)
	for i := range x.Data {
		if s.Float64() < 0.3 {
			x.Data[i] = float32(s.Float64())
		}
	}
	labels := make([]int, x.Rows)
	for i := range labels {
		labels[i] = s.IntN(10)
	}
	run := func(q Product) (y, w []float32, flops float64) {
		net := MLP(100, 120, 130, 10)
		net.SetProduct(q, 1)
		p, dy := net.Pass(), tensor.New[float32](x.Rows, 10)
		p.Train = true
		for step := range 6 {
			p.Flops = 0
			out, err := net.Forward(x)
			if err != nil {
				t.Fatal(err)
			}
			y = append(y[:0], out.Data...)
			if _, err := LossOf(CrossEntropy, dy, out, labels, tensor.Matrix[float32]{}); err != nil {
				t.Fatal(err)
			}
			if step%2 == 0 {
				err = net.Descend(dy, 0.1)
			} else if err = net.Backward(dy); err == nil {
				tensor.SGD(net.Weights(), net.Gradients(), 0.1, 0)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return y, net.Weights(), p.Flops
	}
	y, w, all := run(nil)
	y2, w2, part := run(SkipZeros{})
	for name, pair := range map[string][2][]float32{"result": {y, y2}, "weight": {w, w2}} {
		for i, v := range pair[0] {
			if d := math.Abs(float64(v - pair[1][i])); !(d <= 1e-4) {
				t.Fatalf("%s %d is %v, exactly %v", name, i, pair[1][i], v)
			}
		}
	}
	if part > 0.8*all || part < 0.2*all {
		t.Errorf("took %v of %v flops", part, all)
	}
}

// TestSkipZerosTestsToo looks at the flops of a pass that is not part of a training, and at what it allocates.
func TestSkipZerosTestsToo(t *testing.T) {
	net := MLP(200, 300, 10)
	net.SetProduct(SkipZeros{}, 1)
	x, p := tensor.New[float32](64, 200), net.Pass()
	for i := range x.Rows {
		for j := 0; j < 200; j += 4 {
			x.Row(i)[j] = float32(i - j)
		}
	}
	forward := func() {
		p.Flops = 0
		if _, err := net.Forward(x); err != nil {
			t.Fatal(err)
		}
	}
	forward()
	if all, skipped := 2*64*float64(200*300+300*10), 2*64*float64(150*300); p.Flops > all-skipped {
		t.Errorf("took %v of %v flops, of which %v are times 0", p.Flops, all, skipped)
	}
	if raceDetector {
		return // it lets pools forget
	}
	if n := testing.AllocsPerRun(50, forward); n >= 1 {
		t.Errorf("a pass allocates %v times", n)
	}
}
