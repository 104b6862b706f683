package train

import (
	"math"
	"strings"

	"trivium/core/nn"
	"trivium/core/tensor"
)

type layerNorm struct {
	layer string
	norm  float64
}

// gradientNorms appends the 2-norm of the gradient of each layer, weights and bias together,
// in the order of the layers.
func gradientNorms[T tensor.Float](net *nn.Network[T], to []layerNorm) []layerNorm {
	for _, p := range net.Params() {
		if p.Grad == nil {
			continue
		}
		name := p.Name
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			name = name[:i]
		}
		if n := len(to); n == 0 || to[n-1].layer != name {
			to = append(to, layerNorm{layer: name})
		}
		last := &to[len(to)-1]
		last.norm = math.Hypot(last.norm, math.Sqrt(float64(tensor.SumSquares(p.Grad))))
	}
	return to
}
