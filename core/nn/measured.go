package nn

import "trivium/core/tensor"

// measured is the norms of a result's channels, which a layer has found while it wrote the result. Products that
// choose channels by norms need not read it for that once more.
type measured[T tensor.Float] struct {
	images tensor.Images[T]
	norms  []T
}

// measured notes the norms of the channels of images, valid until the next forward pass.
func (p *Pass[T]) measured(x tensor.Images[T], norms []T) {
	p.norms = append(p.norms, measured[T]{x, norms})
}

// ChannelNorms computes what tensor.ChannelNorms does, or takes it from the layer that made x.
func (p *Pass[T]) ChannelNorms(dst []T, x tensor.Images[T]) error {
	for _, m := range p.norms {
		if y := m.images; len(x.Data) > 0 && &x.Data[0] == &y.Data[0] && x.N == y.N && x.C == y.C && x.H == y.H && x.W == y.W && len(dst) == x.C {
			copy(dst, m.norms)
			return nil
		}
	}
	return tensor.ChannelNorms(dst, x)
}
