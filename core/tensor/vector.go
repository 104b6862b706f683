package tensor

import (
	"math"

	"trivium/core/tensor/internal/simd"
)

// The functions in this file go over vectors of equal length, element by element. dst may be
// one of the operands, but not overlap one otherwise. Vectors of different lengths are a mistake
// of the calling package: a panic with a *ShapeError.

// first returns a pointer to the first element.
func first[T Float](x []T) *T {
	if len(x) == 0 {
		return nil
	}
	return &x[0]
}

// Add computes dst = x + y.
func Add[T Float](dst, x, y []T) {
	sameLength("Add", len(dst), len(x), len(y))
	simd.Of[T]().Add(len(dst), first(dst), first(x), first(y))
}

// Sub computes dst = x - y.
func Sub[T Float](dst, x, y []T) {
	sameLength("Sub", len(dst), len(x), len(y))
	simd.Of[T]().Sub(len(dst), first(dst), first(x), first(y))
}

// Hadamard computes dst = x·y, element by element.
func Hadamard[T Float](dst, x, y []T) {
	sameLength("Hadamard", len(dst), len(x), len(y))
	simd.Of[T]().Mul(len(dst), first(dst), first(x), first(y))
}

// AddHadamard computes dst += x·y, element by element.
func AddHadamard[T Float](dst, x, y []T) {
	sameLength("AddHadamard", len(dst), len(x), len(y))
	simd.Of[T]().MulAdd(len(dst), first(dst), first(x), first(y))
}

// Axpy computes dst += alpha·x.
func Axpy[T Float](dst []T, alpha T, x []T) {
	sameLength("Axpy", len(dst), len(x))
	simd.Of[T]().Axpy(len(dst), first(x), first(dst), alpha)
}

// Axpby computes dst = alpha·x + beta·y.
func Axpby[T Float](dst []T, alpha T, x []T, beta T, y []T) {
	sameLength("Axpby", len(dst), len(x), len(y))
	simd.Of[T]().Axpby(len(dst), first(dst), first(x), first(y), alpha, beta)
}

// Scale computes dst = alpha·x.
func Scale[T Float](dst []T, alpha T, x []T) {
	sameLength("Scale", len(dst), len(x))
	simd.Of[T]().Scale(len(dst), first(dst), first(x), alpha)
}

// Affine computes dst = alpha·x + beta.
func Affine[T Float](dst []T, alpha T, x []T, beta T) {
	sameLength("Affine", len(dst), len(x))
	simd.Of[T]().Affine(len(dst), first(dst), first(x), alpha, beta)
}

// AffineReLU computes dst = max(alpha·x + beta, 0).
func AffineReLU[T Float](dst []T, alpha T, x []T, beta T) {
	sameLength("AffineReLU", len(dst), len(x))
	simd.Of[T]().AffineRelu(len(dst), first(dst), first(x), alpha, beta)
}

// AffineReLUSquares is [AffineReLU] that returns Σ dst².
func AffineReLUSquares[T Float](dst []T, alpha T, x []T, beta T) T {
	sameLength("AffineReLUSquares", len(dst), len(x))
	return simd.Of[T]().AffineReluSquares(len(dst), first(dst), first(x), alpha, beta)
}

// ReLU computes dst = max(x, 0). NaN stays NaN.
func ReLU[T Float](dst, x []T) {
	sameLength("ReLU", len(dst), len(x))
	simd.Of[T]().Relu(len(dst), first(dst), first(x))
}

// AddReLU computes dst = max(x + y, 0), the end of a residual block.
func AddReLU[T Float](dst, x, y []T) {
	sameLength("AddReLU", len(dst), len(x), len(y))
	simd.Of[T]().AddRelu(len(dst), first(dst), first(x), first(y))
}

// ReLUGrad computes dst, the gradient of ReLU's input, from dy, that of its output y: dy
// where y > 0 and 0 elsewhere, also where y is NaN.
func ReLUGrad[T Float](dst, dy, y []T) {
	sameLength("ReLUGrad", len(dst), len(dy), len(y))
	simd.Of[T]().ReluGrad(len(dst), first(dst), first(dy), first(y))
}

// ReLUGradSum is [ReLUGrad] that returns the sum of dst: the gradient of a bias before the ReLU.
func ReLUGradSum[T Float](dst, dy, y []T) T {
	sameLength("ReLUGradSum", len(dst), len(dy), len(y))
	return simd.Of[T]().ReluGradSum(len(dst), first(dst), first(dy), first(y))
}

// Sigmoid computes dst = 1/(1+exp(-x)) to 4 units in the last place, also where the result is tiny.
func Sigmoid[T Float](dst, x []T) {
	sameLength("Sigmoid", len(dst), len(x))
	simd.Of[T]().Sigmoid(len(dst), first(dst), first(x))
}

// SigmoidGrad computes the gradient of Sigmoid's input from that of its output y: dst = dy·y·(1-y).
func SigmoidGrad[T Float](dst, dy, y []T) {
	sameLength("SigmoidGrad", len(dst), len(dy), len(y))
	simd.Of[T]().SigmoidGrad(len(dst), first(dst), first(dy), first(y))
}

// Tanh computes dst = tanh(x) to 4 units in the last place.
func Tanh[T Float](dst, x []T) {
	sameLength("Tanh", len(dst), len(x))
	simd.Of[T]().Tanh(len(dst), first(dst), first(x))
}

// TanhGrad computes the gradient of Tanh's input from that of its output y: dst = dy·(1-y²).
func TanhGrad[T Float](dst, dy, y []T) {
	sameLength("TanhGrad", len(dst), len(dy), len(y))
	simd.Of[T]().TanhGrad(len(dst), first(dst), first(dy), first(y))
}

// Exp computes dst = eˣ to 2 units in the last place; what is too small to be a number of
// full precision keeps the precision there is.
func Exp[T Float](dst, x []T) {
	sameLength("Exp", len(dst), len(x))
	simd.Of[T]().Exp(len(dst), first(dst), first(x))
}

// Sum returns the sum of x. It adds up at least four running sums, so its error is at most
// about (n/4+4)·ε·Σ|x|.
func Sum[T Float](x []T) T { return simd.Of[T]().Sum(len(x), first(x)) }

// SumAbs returns Σ|x|.
func SumAbs[T Float](x []T) T { return simd.Of[T]().SumAbs(len(x), first(x)) }

// SumSquares returns Σx². It overflows where the squares do.
func SumSquares[T Float](x []T) T { return simd.Of[T]().SumSquares(len(x), first(x)) }

// Differences computes dst = x - dst and returns Σ(x-y)², in one pass.
func Differences[T Float](dst, x, y []T) T {
	sameLength("Differences", len(dst), len(x), len(y))
	return simd.Of[T]().Differences(len(dst), first(dst), first(x), first(y))
}

// Norm returns the 2-norm of x. It overflows where the squares do.
func Norm[T Float](x []T) T { return T(math.Sqrt(float64(SumSquares(x)))) }

// Dot returns Σx·y.
func Dot[T Float](x, y []T) T {
	sameLength("Dot", len(x), len(y))
	return simd.Of[T]().Dot(len(x), first(x), first(y))
}

// Max returns the largest element, -∞ for none. NaN may be passed over.
func Max[T Float](x []T) T { return simd.Of[T]().Maximum(len(x), first(x)) }
