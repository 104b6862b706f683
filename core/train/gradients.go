package train

import (
	"math"
	"strings"

	"trivium/core/nn"
	"trivium/core/tensor"
)

// gradientNorms calls f with the 2-norm of the gradient of each layer, weights and bias
// together, in the order of the layers.
func gradientNorms[T tensor.Float](net *nn.Network[T], f func(layer string, norm float64)) {
	layer, sum := "", 0.0
	end := func() {
		if layer != "" {
			f(layer, math.Sqrt(sum))
		}
	}
	for _, p := range net.Params() {
		if p.Grad == nil {
			continue
		}
		name := p.Name
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			name = name[:i]
		}
		if name != layer {
			end()
			layer, sum = name, 0
		}
		sum += float64(tensor.SumSquares(p.Grad))
	}
	end()
}
