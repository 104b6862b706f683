package crs

import (
	"math"
	"testing"

	"trivium/core/nn"
	"trivium/core/random"
	"trivium/core/tensor"
)

// forgetful is a product that does not tell which channels of a gradient it has left at 0.
type forgetful struct{ nn.Product }

type forgetfulMultiplier struct{ nn.Multiplier[float64] }

func (f forgetful) Multiplier64(l nn.Info, s *random.Stream) nn.Multiplier[float64] {
	return forgetfulMultiplier{f.Product.Multiplier64(l, s)}
}

func (m forgetfulMultiplier) ConvInputGrad(p *nn.Pass[float64], dx, dy, w tensor.Images[float64], o tensor.Window) error {
	err := m.Multiplier.ConvInputGrad(p, dx, dy, w, o)
	p.LeaveLive(nil)
	return err
}

// TestChannelsWithoutGradientAreLeftOut compares gradients with those of the same products where every layer
// takes the gradients it gets for whole: they are the same, with fewer flops.
func TestChannelsWithoutGradientAreLeftOut(t *testing.T) {
	conv := func(out, size int) nn.Layer { return nn.Conv{Out: out, Size: size, Pad: size / 2, NoBias: true} }
	body := nn.Chain{nn.BatchNorm{}, nn.ReLU{}, conv(6, 3), nn.BatchNorm{}, nn.ReLU{}, nn.Dropout{Rate: 0.2}, conv(6, 3)}
	for name, layers := range map[string]nn.Chain{
		"norms":           {conv(8, 3), nn.BatchNorm{}, nn.ReLU{}, conv(7, 3), nn.BatchNorm{}, conv(5, 1)},
		"bias and ReLU":   {nn.Conv{Out: 8, Size: 3}, nn.ReLU{}, nn.Conv{Out: 6, Size: 2}, nn.ReLU{}, nn.Conv{Out: 5, Size: 2}},
		"pooling":         {nn.Conv{Out: 8, Size: 3, Pad: 1}, nn.ReLU{}, nn.MaxPool{Size: 2}, nn.Conv{Out: 6, Size: 3, Pad: 1}, nn.AvgPool{Size: 2}, conv(5, 3)},
		"residual blocks": {conv(6, 3), nn.Residual{Body: body}, nn.Residual{Body: body, Shortcut: nn.Chain{conv(6, 1)}}},
	} {
		for _, q := range []Product{{Sampler: TopK{0.5}}, {Sampler: Bernoulli{Keep: 0.6}}, {Sampler: TopK{0.5}, InputGrad: TopK{0.5}}, {Sampler: TopK{0.5}, Mode: Backward}, {Sampler: TopK{0.5}, Mode: ForwardOnly}} {
			for _, accumulate := range []bool{false, true} {
				var gradients [2][]float64
				var flops [2]float64
				for i, product := range []nn.Product{q, forgetful{q}} {
					net := nn.New(nn.Shape{C: 4, H: 6, W: 6}, append(layers, nn.Dense{Out: 3})...).Init(3).Float64()
					net.SetProduct(product, 7)
					for j := range net.Gradients() {
						net.Gradients()[j] = float64(j % 3)
					}
					net.Pass().Accumulate = accumulate
					x, want := someBatch(net, 5, 1)
					lossOf(t, net, x, want, 4, true)
					gradients[i], flops[i] = net.Gradients(), net.Pass().Flops
				}
				for j, g := range gradients[0] {
					if math.Abs(g-gradients[1][j]) > 1e-12*(1+math.Abs(g)) {
						t.Errorf("%s, %v, accumulated %v: gradient %d is %g, with what is 0 it is %g", name, q, accumulate, j, g, gradients[1][j])
						break
					}
				}
				if less := q.Mode == Forward && flops[0] < flops[1]; less != (q.Mode == Forward) || flops[0] > flops[1] {
					t.Errorf("%s, %v: %g flops, %g with what is 0", name, q, flops[0], flops[1])
				}
			}
		}
	}
}
