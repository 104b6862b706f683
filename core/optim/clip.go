package optim

import "trivium/core/tensor"

// ClipNorm scales a gradient down so that its 2-norm is at most most, and returns the norm it
// had. A norm that is not finite is returned and changes nothing.
func ClipNorm[T tensor.Float](g []T, most float64) float64 {
	norm := float64(tensor.Norm(g))
	if norm > most && norm-norm == 0 { // ∞-∞ is NaN
		tensor.Scale(g, T(most/norm), g)
	}
	return norm
}

// ClipValue brings each number of a gradient between -most and most.
func ClipValue[T tensor.Float](g []T, most float64) {
	for i, v := range g {
		g[i] = min(max(v, T(-most)), T(most))
	}
}
