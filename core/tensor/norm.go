package tensor

import "trivium/core/tensor/internal/simd"

// The functions in this file are what a batch norm does to a channel of an image, each in one pass over its
// numbers. They follow the rules of the other functions of vectors. The same channel of the next image lies
// too far off for the processor to fetch it by itself; so those that read it from memory are told what is next.

// Moments fetches next and returns Σ (x-shift) and Σ (x-shift)²: with a shift near the mean these give the variance
// without the loss that Σ x² brings where the mean is large.
func Moments[T Float](x, next []T, shift T) (sum, squares T) {
	sameLength("Moments", len(x), len(next))
	return simd.Of[T]().Moments(len(x), first(x), first(next), shift)
}

// NormSums fetches nextDy and nextX and returns Σ dy and Σ dy·(x-mean).
func NormSums[T Float](dy, x, nextDy, nextX []T, mean T) (sum, dot T) {
	sameLength("NormSums", len(dy), len(x), len(nextDy), len(nextX))
	return simd.Of[T]().NormSums(len(x), first(dy), first(x), first(nextDy), first(nextX), mean)
}

// NormSumsReLU is [NormSums] of the gradient of AffineReLU's result: where that is 0, dy counts as 0.
func NormSumsReLU[T Float](dy, x, nextDy, nextX []T, alpha, beta, mean T) (sum, dot T) {
	sameLength("NormSumsReLU", len(dy), len(x), len(nextDy), len(nextX))
	return simd.Of[T]().NormSumsRelu(len(x), first(dy), first(x), first(nextDy), first(nextX), alpha, beta, mean)
}

// NormGrad computes dst = a·dy + b·(x-mean) + c.
func NormGrad[T Float](dst, dy, x []T, mean, a, b, c T) {
	sameLength("NormGrad", len(dst), len(dy), len(x))
	simd.Of[T]().NormGrad(len(dst), first(dst), first(dy), first(x), mean, a, b, c)
}

// NormGradReLU is [NormGrad] of the gradient of AffineReLU's result: where that is 0, dy counts as 0.
func NormGradReLU[T Float](dst, dy, x []T, alpha, beta, mean, a, b, c T) {
	sameLength("NormGradReLU", len(dst), len(dy), len(x))
	simd.Of[T]().NormGradRelu(len(dst), first(dst), first(dy), first(x), alpha, beta, mean, a, b, c)
}
