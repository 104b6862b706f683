package train

import (
	"trivium/core/nn"
	"trivium/core/tensor"
)

// Predict returns the class that a network gives to each sample: the number of its largest
// output, the first of equals; -1 where an output is NaN.
func Predict(net *nn.Net, x tensor.Matrix[float32]) ([]int, error) {
	p := net.Pass()
	training := p.Train
	p.Train = false
	defer func() { p.Train = training }()
	const batch = 256
	out := make([]int, 0, x.Rows)
	for from := 0; from < x.Rows; from += batch {
		y, err := net.Forward(x.Slice(from, min(from+batch, x.Rows), 0, x.Cols))
		if err != nil {
			return nil, err
		}
		for i := range y.Rows {
			out = append(out, largest(y.Row(i)))
		}
	}
	return out, nil
}

func largest(row []float32) int {
	best := -1
	for k, v := range row {
		if v != v {
			return -1
		}
		if best < 0 || v > row[best] {
			best = k
		}
	}
	return best
}
