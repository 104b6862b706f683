package nn

import "fmt"

// MLP returns a network of dense layers with ReLU between them: MLP(784, 500, 500, 10) has 784
// inputs and 10 outputs. Negative or missing sizes show in Err.
func MLP(sizes ...int) *Net { return mlp(ReLU{}, 0, sizes) }

// MLPWith is MLP with another function between the layers and, where dropout is above 0, a
// Dropout after each.
func MLPWith(activation Layer, dropout float64, sizes ...int) *Net {
	return mlp(activation, dropout, sizes)
}

func mlp(activation Layer, dropout float64, sizes []int) *Net {
	if len(sizes) < 2 {
		n := New(Vector(1))
		n.err = fmt.Errorf("nn: MLP of %v: give at least the numbers of inputs and outputs", sizes)
		return n
	}
	init := HeNormal
	if activation != Layer(ReLU{}) {
		init = XavierNormal
	}
	var layers Chain
	for i, out := range sizes[1:] {
		last := i == len(sizes)-2
		if last {
			init = XavierNormal // no ReLU follows
		}
		layers = append(layers, Dense{Out: out, Init: init})
		if last {
			break
		}
		layers = append(layers, activation)
		if dropout != 0 {
			layers = append(layers, Dropout{Rate: dropout})
		}
	}
	n := New(Vector(sizes[0]), layers...)
	n.Name = "MLP"
	for i, s := range sizes {
		n.Name += fmt.Sprintf("%c%d", " -"[min(i, 1)], s)
	}
	return n
}

// MNISTCNN returns a network of two convolutions for 28×28 pixels and 10 classes: 5×5 to 32
// and 64 channels, each pooled to half, dropout, 1024 dense, dropout, 10 dense.
func MNISTCNN() *Net {
	n := New(Shape{1, 28, 28},
		Conv{Out: 32, Size: 5, Pad: 2}, ReLU{}, MaxPool{Size: 2},
		Conv{Out: 64, Size: 5, Pad: 2}, ReLU{}, Dropout{Rate: 0.5, Channels: true}, MaxPool{Size: 2},
		Dense{Out: 1024}, ReLU{}, Dropout{Rate: 0.5}, Dense{Out: 10, Init: XavierNormal})
	n.Name = "MNIST CNN"
	return n
}

// WRNOptions sets what kind of wide residual network WRN builds.
type WRNOptions struct {
	In          Shape   // 0 means {3, 32, 32}
	Classes     int     // 0 means 10
	Dropout     float64 // between the two convolutions of a block
	StrideIn2nd bool    // the stride is in a block's second convolution, not its first
}

// WRN returns the wide residual network of a depth, 4 more than a multiple of 6, and a width
// (Zagoruyko, Komodakis, BMVC 2016): WRN(28, 10, WRNOptions{}).
func WRN(depth, width int, o WRNOptions) *Net {
	if o.In == (Shape{}) {
		o.In = Shape{3, 32, 32}
	}
	if o.Classes == 0 {
		o.Classes = 10
	}
	if depth < 10 || (depth-4)%6 != 0 || width < 1 {
		n := New(o.In)
		n.err = fmt.Errorf("nn: WRN-%d-%d: the depth must be 10, 16, 22, 28, ... and the width at least 1", depth, width)
		return n
	}
	layers := Chain{Conv{Out: 16, Size: 3, Pad: 1, NoBias: true}}
	in := 16
	for stage, channels := range []int{16 * width, 32 * width, 64 * width} {
		for block := range (depth - 4) / 6 {
			stride := 1
			if block == 0 && stage > 0 {
				stride = 2
			}
			layers = append(layers, wideBlock(in, channels, stride, o)...)
			in = channels
		}
	}
	layers = append(layers, BatchNorm{}, ReLU{}, AvgPool{}, Dense{Out: o.Classes, Init: XavierNormal})
	n := New(o.In, layers...)
	n.Name = fmt.Sprintf("WRN-%d-%d", depth, width)
	return n
}

// wideBlock is norm, ReLU, convolution twice, added to what went in. Where the number of
// channels changes, the first norm and ReLU come before the fork.
func wideBlock(in, out, stride int, o WRNOptions) Chain {
	first, second := stride, 1
	if o.StrideIn2nd {
		first, second = 1, stride
	}
	start := Chain{BatchNorm{}, ReLU{}}
	body := Chain{Conv{Out: out, Size: 3, Stride: first, Pad: 1, NoBias: true}, BatchNorm{}, ReLU{}}
	if o.Dropout > 0 {
		body = append(body, Dropout{Rate: o.Dropout})
	}
	body = append(body, Conv{Out: out, Size: 3, Stride: second, Pad: 1, NoBias: true})
	if in == out && stride == 1 {
		return Chain{Residual{Body: append(start, body...)}}
	}
	return append(start, Residual{Body: body, Shortcut: Chain{Conv{Out: out, Size: 1, Stride: stride, NoBias: true}}})
}

// ResNet returns the residual network with bottleneck blocks of a depth of 50, 101 or 152 for
// 224×224 pixels and 1000 classes (He et al., CVPR 2016), with the stride in a block's 3×3
// convolution, as is usual now.
func ResNet(depth int) *Net {
	in := Shape{3, 224, 224}
	blocks, ok := map[int][]int{50: {3, 4, 6, 3}, 101: {3, 4, 23, 3}, 152: {3, 8, 36, 3}}[depth]
	if !ok {
		n := New(in)
		n.err = fmt.Errorf("nn: ResNet-%d: the depth must be 50, 101 or 152", depth)
		return n
	}
	layers := Chain{Conv{Out: 64, Size: 7, Stride: 2, Pad: 3, NoBias: true}, BatchNorm{}, ReLU{}, MaxPool{Size: 3, Stride: 2, Pad: 1}}
	for stage, count := range blocks {
		width := 64 << stage
		for block := range count {
			stride := 1
			if block == 0 && stage > 0 {
				stride = 2
			}
			layers = append(layers, bottleneck(width, stride, block == 0))
		}
	}
	layers = append(layers, AvgPool{}, Dense{Out: 1000, Init: XavierNormal})
	n := New(in, layers...)
	n.Name = fmt.Sprintf("ResNet-%d", depth)
	return n
}

func bottleneck(width, stride int, project bool) Layer {
	r := Residual{ReLU: true, Body: Chain{
		Conv{Out: width, Size: 1, NoBias: true}, BatchNorm{}, ReLU{},
		Conv{Out: width, Size: 3, Stride: stride, Pad: 1, NoBias: true}, BatchNorm{}, ReLU{},
		Conv{Out: 4 * width, Size: 1, NoBias: true}, BatchNorm{},
	}}
	if project {
		r.Shortcut = Chain{Conv{Out: 4 * width, Size: 1, Stride: stride, NoBias: true}, BatchNorm{}}
	}
	return r
}
