package nn

import "trivium/core/tensor"

// MaxPool takes the largest number of each window of Size×Size.
type MaxPool struct {
	Size   int
	Stride int // 0 means Size
	Pad    int
}

// AvgPool takes the mean of each window of Size×Size; what lies outside counts as 0.
type AvgPool struct {
	Size   int // 0 means the whole image, which must be square
	Stride int // 0 means Size
	Pad    int
}

// Flatten makes a vector of an image. Dense does so by itself.
type Flatten struct{}

// Kind returns "maxpool".
func (MaxPool) Kind() string { return "maxpool" }

// Kind returns "avgpool".
func (AvgPool) Kind() string { return "avgpool" }

// Kind returns "flatten".
func (Flatten) Kind() string { return "flatten" }

// Shape returns as many places as the window has on the image.
func (m MaxPool) Shape(in Shape) (Shape, error) { return poolShape(m.Size, m.Stride, m.Pad, in) }

// Shape returns as many places as the window has on the image.
func (a AvgPool) Shape(in Shape) (Shape, error) {
	if a.Size == 0 && in.H != in.W {
		return Shape{}, bad("Size 0 is for square images, not %v", in)
	}
	a = a.full(in)
	return poolShape(a.Size, a.Stride, a.Pad, in)
}

// Shape returns the vector of in's size.
func (Flatten) Shape(in Shape) (Shape, error) { return Vector(in.Size()), nil }

func (a AvgPool) full(in Shape) AvgPool {
	if a.Size == 0 {
		a.Size = in.H
	}
	return a
}

func poolShape(size, stride, pad int, in Shape) (Shape, error) {
	if stride == 0 {
		stride = size
	}
	return window(in.C, size, stride, pad, in)
}

// Unit32 returns the layer in float32.
func (m MaxPool) Unit32(in Shape) Unit[float32] {
	return newPool[float32](m.Size, m.Stride, m.Pad, in, true)
}

// Unit64 returns the layer in float64.
func (m MaxPool) Unit64(in Shape) Unit[float64] {
	return newPool[float64](m.Size, m.Stride, m.Pad, in, true)
}

// Unit32 returns the layer in float32.
func (a AvgPool) Unit32(in Shape) Unit[float32] {
	a = a.full(in)
	return newPool[float32](a.Size, a.Stride, a.Pad, in, false)
}

// Unit64 returns the layer in float64.
func (a AvgPool) Unit64(in Shape) Unit[float64] {
	a = a.full(in)
	return newPool[float64](a.Size, a.Stride, a.Pad, in, false)
}

// Unit32 returns the layer in float32.
func (Flatten) Unit32(Shape) Unit[float32] { return same[float32]{} }

// Unit64 returns the layer in float64.
func (Flatten) Unit64(Shape) Unit[float64] { return same[float64]{} }

type pool[T tensor.Float] struct {
	in, out Shape
	size    int
	o       tensor.Window
	max     bool
	x, y    tensor.Matrix[T]
	yb, dxb buffer[T]
}

func newPool[T tensor.Float](size, stride, pad int, in Shape, max bool) *pool[T] {
	if stride == 0 {
		stride = size
	}
	out, _ := poolShape(size, stride, pad, in)
	return &pool[T]{in: in, out: out, size: size, o: tensor.Window{Stride: stride, Pad: pad}, max: max}
}

func (u *pool[T]) Params() []*Param[T] { return nil }

func (u *pool[T]) Forward(p *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] {
	u.x, u.y = x, u.yb.matrix(x.Rows, u.out.Size())
	f := tensor.AvgPool[T]
	if u.max {
		f = tensor.MaxPool[T]
	}
	p.Fail(f(p.Pool, images(u.y, u.out), images(x, u.in), u.size, u.o))
	return u.y
}

func (u *pool[T]) Backward(p *Pass[T], dy tensor.Matrix[T], wantX bool) (dx tensor.Matrix[T]) {
	if !wantX {
		return dx
	}
	dx = u.dxb.matrix(dy.Rows, u.in.Size())
	p.LeaveLive(p.Live())
	if u.max {
		p.Fail(tensor.MaxPoolGrad(p.Pool, images(dx, u.in), images(dy, u.out), images(u.x, u.in), images(u.y, u.out), u.size, u.o))
	} else {
		p.Fail(tensor.AvgPoolGrad(p.Pool, images(dx, u.in), images(dy, u.out), u.size, u.o))
	}
	return dx
}

// same hands on what it gets.
type same[T tensor.Float] struct{}

func (same[T]) Params() []*Param[T] { return nil }

func (same[T]) Forward(_ *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] { return x }

func (same[T]) Backward(_ *Pass[T], dy tensor.Matrix[T], _ bool) tensor.Matrix[T] { return dy }
