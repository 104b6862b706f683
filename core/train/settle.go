package train

import (
	"context"
	"fmt"

	"trivium/core/nn"
	"trivium/core/run"
	"trivium/core/tensor"
)

// settleBatches are enough for a mean and a variance: with batches of 64, 2,048 samples.
const settleBatches = 32

// Settle makes the running averages of a network's batch norms anew, from exact passes over rows of
// x, which should be training samples in random order: at most the first 32 batches of them; nil rows are all, as
// they lie. It is for weights that did not come from exact training, such as averages of several
// networks. A training with sampled products does it before each test, because there batch norms
// have met only the results of sampled products. Networks without batch norms stay as they are.
func Settle(ctx context.Context, net *nn.Net, x tensor.Matrix[float32], rows []int, batch int) error {
	if err := net.Err(); err != nil {
		return err
	}
	if x.Cols != net.In().Size() {
		return fmt.Errorf("train: Settle: the samples have %d numbers, %s takes %d", x.Cols, net.Name, net.In().Size())
	}
	if batch < 1 {
		return fmt.Errorf("train: Settle: a batch is %d: it must be at least 1", batch)
	}
	if rows == nil {
		rows = make([]int, min(settleBatches*batch, x.Rows))
		for i := range rows {
			rows[i] = i
		}
	}
	for _, r := range rows {
		if r < 0 || r >= x.Rows {
			return fmt.Errorf("train: Settle: row %d: there are rows 0 to %d", r, x.Rows-1)
		}
	}
	return settle(ctx, net, x, rows, batch)
}

func settle[T tensor.Float](ctx context.Context, net *nn.Network[T], x tensor.Matrix[float32], rows []int, batch int) error {
	if len(net.Running()) == 0 {
		return nil
	}
	some := tensor.New[T](min(batch, len(rows)), x.Cols)
	for k := 0; k < settleBatches && len(rows) > 0; k++ {
		if err := run.Gate(ctx); err != nil {
			return err
		}
		part := some.Slice(0, min(batch, len(rows)), 0, x.Cols)
		convertRows(part, x, rows[:part.Rows])
		rows = rows[part.Rows:]
		if err := net.Settle(k+1, part); err != nil {
			return err
		}
	}
	return nil
}
