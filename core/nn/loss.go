package nn

import (
	"fmt"
	"math"

	"trivium/core/tensor"
)

// A Loss says how far results are from what they should be. All are means over the batch;
// all but CrossEntropy over the outputs too.
type Loss int

// The losses.
const (
	CrossEntropy Loss = iota // softmax, then -log of the label's probability
	MSE                      // (y-t)²
	L1                       // |y-t|
	Huber                    // (y-t)²/2 up to a difference of 1, |y-t|-1/2 beyond
	BCE                      // sigmoid, then -t·log y-(1-t)·log(1-y)
)

var lossNames = []string{"cross-entropy", "MSE", "L1", "Huber", "BCE"}

func (l Loss) String() string {
	if l < 0 || int(l) >= len(lossNames) {
		return fmt.Sprintf("Loss(%d)", int(l))
	}
	return lossNames[l]
}

// LossOf returns the loss of results y and writes its gradient by y to grad, which may be y.
// Targets are labels, from 0 to below the number of outputs, for CrossEntropy, and a matrix
// like y for the others.
func LossOf[T tensor.Float](l Loss, grad, y tensor.Matrix[T], labels []int, targets tensor.Matrix[T]) (float64, error) {
	if l < 0 || int(l) >= len(lossNames) {
		return 0, fmt.Errorf("nn: no loss %v", l)
	}
	if grad.Rows != y.Rows || grad.Cols != y.Cols {
		return 0, fmt.Errorf("nn: %v: a gradient of %d×%d for results of %d×%d", l, grad.Rows, grad.Cols, y.Rows, y.Cols)
	}
	if l == CrossEntropy {
		return crossEntropy(grad, y, labels)
	}
	if targets.Rows != y.Rows || targets.Cols != y.Cols {
		return 0, fmt.Errorf("nn: %v: targets of %d×%d for results of %d×%d", l, targets.Rows, targets.Cols, y.Rows, y.Cols)
	}
	sum, scale := 0.0, 1/(float64(y.Rows)*float64(y.Cols))
	for i := range y.Rows {
		g, row := grad.Row(i), y.Row(i)
		for j, t := range targets.Row(i) {
			v, d := pointLoss(l, float64(row[j]), float64(t))
			sum += v
			g[j] = T(d * scale)
		}
	}
	return sum * scale, nil
}

// crossEntropy's gradient is (softmax(y) - one-hot(label))/rows.
func crossEntropy[T tensor.Float](grad, y tensor.Matrix[T], labels []int) (float64, error) {
	if len(labels) != y.Rows {
		return 0, fmt.Errorf("nn: %d labels for a batch of %d", len(labels), y.Rows)
	}
	for i, l := range labels {
		if l < 0 || l >= y.Cols {
			return 0, fmt.Errorf("nn: label %d of the batch is %d: it must be from 0 to below %d, the number of outputs", i, l, y.Cols)
		}
	}
	if err := tensor.LogSoftmaxRows(grad, y); err != nil {
		return 0, err
	}
	sum, scale := 0.0, 1/T(y.Rows)
	for i, l := range labels {
		g := grad.Row(i)
		sum -= float64(g[l])
		tensor.Exp(g, g)
		g[l]--
		tensor.Scale(g, scale, g)
	}
	return sum / float64(y.Rows), nil
}

// pointLoss returns the loss of one output and its derivative.
func pointLoss(l Loss, y, t float64) (v, d float64) {
	e := y - t
	switch l {
	case MSE:
		return e * e, 2 * e
	case L1:
		return math.Abs(e), sign(e)
	case Huber:
		if math.Abs(e) <= 1 {
			return e * e / 2, e
		}
		return math.Abs(e) - 0.5, sign(e)
	default: // BCE: log(1+eʸ) - t·y, from the side that does not overflow
		z := math.Exp(-math.Abs(y))
		s := 1 / (1 + z)
		if y < 0 {
			s = z / (1 + z)
		}
		return max(y, 0) - t*y + math.Log1p(z), s - t
	}
}

func sign(e float64) float64 {
	switch {
	case e > 0:
		return 1
	case e < 0:
		return -1
	}
	return e // 0, or NaN
}

// Right returns how many rows of y have their largest number at the label.
func Right[T tensor.Float](y tensor.Matrix[T], labels []int) int {
	n := 0
	for i, l := range labels {
		best := 0
		row := y.Row(i)
		for j, v := range row {
			if v > row[best] {
				best = j
			}
		}
		if best == l && row[best] == row[best] {
			n++
		}
	}
	return n
}
