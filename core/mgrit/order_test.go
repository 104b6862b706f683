package mgrit

import (
	"slices"
	"testing"

	"trivium/core/tensor"
	"trivium/core/train"
)

// Orders that were forgotten come back as they were, and no more are kept than there is room for.
func TestOrdersAreForgottenAndRemade(t *testing.T) {
	n := keptNumbers / 20 // samples, so that 20 epochs are kept
	b, err := newOrder(&train.Samples{X: tensor.New[float32](n, 1), Labels: make([]int, n)}, train.Options{Batch: 64, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	first := slices.Clone(b.epoch(0))
	for e := 1; e < 23; e++ {
		of := b.epoch(e)
		if slices.Equal(of, first) {
			t.Errorf("epoch %d has the order of epoch 0", e)
		}
		b.epoch(1) // asked for all the time: it stays
	}
	if b.kept[1] == nil || b.kept[0] != nil || len(b.kept) > 21 {
		t.Errorf("%d epochs are kept, epoch 0: %v, epoch 1: %v", len(b.kept), b.kept[0] != nil, b.kept[1] != nil)
	}
	if !slices.Equal(b.epoch(0), first) {
		t.Error("epoch 0 has another order when it is made again")
	}
}
