package nn

import "trivium/core/tensor"

// Conv is a convolution with Out filters of Size×Size.
type Conv struct {
	Out    int
	Size   int
	Stride int // 0 means 1
	Pad    int // zeros around the image
	NoBias bool
	Init   Init    // of the filters; the bias starts at 0
	Gain   float64 // multiplies the first filters; 0 means 1

	relu bool // nothing below 0: set when a ReLU follows
}

// Kind returns "conv".
func (Conv) Kind() string { return "conv" }

// Shape returns Out channels of as many places as the filter has on the image.
func (c Conv) Shape(in Shape) (Shape, error) {
	if c.Out < 1 {
		return Shape{}, bad("Out is %d: give the number of filters", c.Out)
	}
	return window(c.Out, c.Size, c.Stride, c.Pad, in)
}

// window returns the shape that a window of size×size makes of in.
func window(channels, size, stride, pad int, in Shape) (Shape, error) {
	o := tensor.Window{Stride: stride, Pad: pad}
	if size < 1 || stride < 0 || pad < 0 {
		return Shape{}, bad("Size %d, Stride %d, Pad %d: Size must be at least 1, the others at least 0", size, stride, pad)
	}
	out := Shape{channels, o.Out(in.H, size), o.Out(in.W, size)}
	if !out.valid() {
		return Shape{}, bad("a window of %d×%d with padding %d does not fit on %v", size, size, pad, in)
	}
	return out, nil
}

// Unit32 returns the layer in float32.
func (c Conv) Unit32(in Shape) Unit[float32] { return newConv[float32](c, in) }

// Unit64 returns the layer in float64.
func (c Conv) Unit64(in Shape) Unit[float64] { return newConv[float64](c, in) }

func (c Conv) withReLU() Layer { c.relu = true; return c }

type conv[T tensor.Float] struct {
	multiplied[T]
	in, out Shape
	size    int
	o       tensor.Window
	relu    bool
	w, b    *Param[T] // b may be nil
	x, y    tensor.Matrix[T]
	yb, dxb buffer[T]

	// What the channels, which workers share, need to know of Backward.
	dy      tensor.Matrix[T]
	beta    T
	channel *channelLoop
}

func newConv[T tensor.Float](c Conv, in Shape) *conv[T] {
	out, _ := c.Shape(in)
	u := &conv[T]{in: in, out: out, size: c.Size, o: tensor.Window{Stride: c.Stride, Pad: c.Pad}, relu: c.relu}
	u.w = weight[T](in.C, c.Out, c.Size*c.Size, in.C*c.Size*c.Size, c.Init, c.Gain)
	if !c.NoBias {
		u.b = constant("bias", c.Out, T(0))
	}
	u.channel = newChannelLoop(u.backwardChannel)
	return u
}

func (u *conv[T]) Params() []*Param[T] { return params(u.w, u.b) }

func (u *conv[T]) info() Info {
	return Info{MACs: int64(u.w.Len) * int64(u.out.H*u.out.W), Inputs: u.in.C, Outputs: u.out.C, Size: u.size}
}

func (u *conv[T]) filters(w []T) tensor.Images[T] {
	return tensor.Images[T]{N: u.out.C, C: u.in.C, H: u.size, W: u.size, Data: w}
}

func (u *conv[T]) Forward(p *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] {
	u.x, u.y = x, u.yb.matrix(x.Rows, u.out.Size())
	p.Fail(u.product(p).ConvForward(p, images(u.y, u.out), images(x, u.in), u.filters(u.w.Value), u.o, value(u.b), u.relu))
	return u.y
}

// keepsGradient tells whether Backward leaves dy as it is.
func (u *conv[T]) keepsGradient() bool { return !u.relu }

func (u *conv[T]) Backward(p *Pass[T], dy tensor.Matrix[T], wantX bool) (dx tensor.Matrix[T]) {
	if u.relu || u.b != nil {
		u.dy, u.beta = dy, p.beta()
		p.Fail(share(p, u.channel, u.out.C, gradientWork*float64(dy.Rows*u.out.H*u.out.W), u.b))
	}
	g := images(dy, u.out)
	m := u.product(p)
	p.Fail(m.ConvWeightGrad(p, u.filters(u.w.Grad), images(u.x, u.in), g, u.o, p.beta()))
	if wantX {
		dx = u.dxb.matrix(dy.Rows, u.in.Size())
		p.Fail(m.ConvInputGrad(p, images(dx, u.in), g, u.filters(u.w.Value), u.o))
	}
	return dx
}

// gradientWork is what the gradient of ReLU and bias costs for a number, in flops of a product that
// takes as long.
const gradientWork = 20

// backwardChannel takes the gradient of a channel through ReLU and sums it up for the bias.
func (u *conv[T]) backwardChannel(c int) {
	g, y := images(u.dy, u.out), images(u.y, u.out)
	sum := 0.0
	for n := range g.N {
		if plane := g.Plane(n, c); u.relu {
			sum += float64(tensor.ReLUGradSum(plane, plane, y.Plane(n, c)))
		} else {
			sum += float64(tensor.Sum(plane))
		}
	}
	if u.b != nil {
		u.b.Grad[c] = plus(u.beta, u.b.Grad[c], sum)
	}
}
