package tensor

import "trivium/core/tensor/internal/simd"

// GRU computes what a gated recurrent unit does to a row after its products (Cho et al., EMNLP 2014, with the reset
// gate after the product): r = σ(r), z = σ(z), c = tanh(c + r·u) and y = c + z·(h-c). All have the length of the
// state; r, z and c are overwritten, y may be none of the others.
func GRU[T Float](r, z, c, u, h, y []T) {
	sameLength("GRU", len(y), len(r), len(z), len(c), len(u), len(h))
	simd.Of[T]().GRU(len(y), first(r), first(z), first(c), first(u), first(h), first(y))
}

// GRUGrad is the way back of [GRU], from what that left and the gradient dy of y. It overwrites r, z, c and u with the
// gradients of what they were before it, and sets dh to the part of h's gradient that does not come by a product,
// dy·z. dh may be dy.
func GRUGrad[T Float](r, z, c, u, h, dy, dh []T) {
	sameLength("GRUGrad", len(dh), len(r), len(z), len(c), len(u), len(h), len(dy))
	simd.Of[T]().GRUGrad(len(dh), first(r), first(z), first(c), first(u), first(h), first(dy), first(dh))
}
