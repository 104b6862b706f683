package nn

import "trivium/core/tensor"

// ReLU is max(x, 0). After a Dense, Conv or BatchNorm it costs no pass of its own.
type ReLU struct{}

// Sigmoid is 1/(1+e⁻ˣ).
type Sigmoid struct{}

// Tanh is the hyperbolic tangent.
type Tanh struct{}

// Kind returns "relu".
func (ReLU) Kind() string { return "relu" }

// Kind returns "sigmoid".
func (Sigmoid) Kind() string { return "sigmoid" }

// Kind returns "tanh".
func (Tanh) Kind() string { return "tanh" }

// Shape returns in.
func (ReLU) Shape(in Shape) (Shape, error) { return in, nil }

// Shape returns in.
func (Sigmoid) Shape(in Shape) (Shape, error) { return in, nil }

// Shape returns in.
func (Tanh) Shape(in Shape) (Shape, error) { return in, nil }

// Unit32 returns the layer in float32.
func (ReLU) Unit32(Shape) Unit[float32] { return newReLU[float32]() }

// Unit64 returns the layer in float64.
func (ReLU) Unit64(Shape) Unit[float64] { return newReLU[float64]() }

// Unit32 returns the layer in float32.
func (Sigmoid) Unit32(Shape) Unit[float32] { return newSigmoid[float32]() }

// Unit64 returns the layer in float64.
func (Sigmoid) Unit64(Shape) Unit[float64] { return newSigmoid[float64]() }

// Unit32 returns the layer in float32.
func (Tanh) Unit32(Shape) Unit[float32] { return newTanh[float32]() }

// Unit64 returns the layer in float64.
func (Tanh) Unit64(Shape) Unit[float64] { return newTanh[float64]() }

// An activation is a function of each number whose derivative follows from its value.
type activation[T tensor.Float] struct {
	f  func(dst, x []T)
	df func(dst, dy, y []T)
	y  tensor.Matrix[T]
	yb buffer[T]
}

func newReLU[T tensor.Float]() Unit[T] {
	return &activation[T]{f: tensor.ReLU[T], df: tensor.ReLUGrad[T]}
}

func newSigmoid[T tensor.Float]() Unit[T] {
	return &activation[T]{f: tensor.Sigmoid[T], df: tensor.SigmoidGrad[T]}
}

func newTanh[T tensor.Float]() Unit[T] {
	return &activation[T]{f: tensor.Tanh[T], df: tensor.TanhGrad[T]}
}

func (u *activation[T]) Params() []*Param[T] { return nil }

func (u *activation[T]) Forward(_ *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] {
	u.y = u.yb.matrix(x.Rows, x.Cols)
	u.f(flat(u.y), flat(x))
	return u.y
}

func (u *activation[T]) Backward(_ *Pass[T], dy tensor.Matrix[T], _ bool) tensor.Matrix[T] {
	u.df(flat(dy), flat(dy), flat(u.y))
	return dy
}
