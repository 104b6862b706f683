package amp_test

import (
	"testing"

	"trivium/core/amp"
	"trivium/core/crs"
	"trivium/core/nn"
	"trivium/datasets/trees"
)

// A tree's layers that multiply from a sample learn another way and do less.
func TestSampledProductsInNodes(t *testing.T) {
	bank := trees.Generate(30, 1)
	flops := func(q nn.Product) (work, loss float64) {
		g := amp.TreeLSTM(amp.TreeOptions{Hidden: 24, Words: 1000, Dim: 24, Product: q}).Init(1)
		r, err := amp.Train(t.Context(), g, bank, amp.Options{Deterministic: true, Rate: 0.05, MaxActiveKeys: 1, MinUpdateFrequency: 50})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range r.Nodes {
			work += n.Flops
		}
		return work, r.Loss
	}
	exact, lossOfExact := flops(nil)
	half, lossOfHalf := flops(crs.TopK{Keep: 0.5})
	if !(half < 0.9*exact && half > 0.4*exact) {
		t.Errorf("half of the forward products: %.3g flop, exact %.3g", half, exact)
	}
	if lossOfHalf == lossOfExact {
		t.Errorf("both lose %g: nothing was sampled", lossOfHalf)
	}
}
