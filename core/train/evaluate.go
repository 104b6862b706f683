package train

import (
	"context"
	"math"

	"trivium/core/nn"
	"trivium/core/run"
	"trivium/core/tensor"
)

// Evaluate returns the mean loss of a network over samples and the share of them whose largest
// output is at the label.
func Evaluate(net *nn.Net, x tensor.Matrix[float32], labels []int, loss nn.Loss) (mean, accuracy float64, err error) {
	if err := net.Err(); err != nil {
		return 0, 0, err
	}
	p := part{what: "test", x: x, labels: labels}
	if err := p.check(net.In().Size(), net.Out().Size(), loss); err != nil {
		return 0, 0, err
	}
	t := &trainer[float32]{net: net, test: p, o: Options{Loss: loss, Batch: min(256, max(x.Rows, 1))}}
	t.batch = newBatch[float32](t.o.Batch, net.In().Size(), net.Out().Size(), loss)
	return t.evaluate(context.Background(), net.Pass())
}

// evaluate goes through the test samples in batches, without dropout and sampling.
func (t *trainer[T]) evaluate(ctx context.Context, p *nn.Pass[T]) (mean, accuracy float64, err error) {
	training := p.Train
	p.Train = false
	defer func() { p.Train = training }()
	n, sum, right := t.test.x.Rows, 0.0, 0
	numbers := make([]int, t.o.Batch)
	for from := 0; from < n; from += t.o.Batch {
		if err := run.Gate(ctx); err != nil {
			return 0, 0, err
		}
		k := min(t.o.Batch, n-from)
		for i := range k {
			numbers[i] = from + i
		}
		x, targets, grad, labels := t.batch.gather(t.test, numbers[:k], t.o.Loss)
		y, err := t.net.Forward(x)
		if err != nil {
			return 0, 0, err
		}
		if len(t.test.labels) > 0 {
			right += nn.Right(y, labels)
		}
		loss, err := nn.LossOf(t.o.Loss, grad, y, labels, targets)
		if err != nil {
			return 0, 0, err
		}
		sum += loss * float64(k)
	}
	accuracy = math.NaN()
	if len(t.test.labels) > 0 {
		accuracy = float64(right) / float64(n)
	}
	return sum / float64(n), accuracy, nil
}
