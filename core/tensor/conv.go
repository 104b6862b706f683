package tensor

import (
	"slices"

	"trivium/core/tensor/internal/simd"
)

// ConvForward computes the convolution of images x with filters w, of w.N output and w.C = x.C
// input channels: dst[n,o,u,v] = bias[o] + Σ w[o,c,i,j]·x[n,c,u·stride+i-pad,v·stride+j-pad], and
// with relu set nothing below 0. bias may be nil. A sample restricts the sum to some input
// channels, scaled; nil means all.
//
// The windows are read from one padded band of an image at a time and never copied out. It
// takes 2·(numbers of dst)·C·H·W flops with C, H, W of the filters. dst must be apart from x and w in
// memory, as the gradients below from their operands. Images and filters that do not
// fit give a *ShapeError and leave dst as it was.
func ConvForward[T Float](p *Pool, dst, x, w Images[T], o Window, s *Sample[T], bias []T, relu bool) error {
	const op = "ConvForward"
	if err := fitConv(op, dst, x, w, o); err != nil {
		return err
	}
	if bias != nil && len(bias) != w.N {
		return shapeError(op, "%d biases for %d channels", len(bias), w.N)
	}
	if err := fitSample(op, s, x.C); err != nil {
		return err
	}
	if dst.size() == 0 {
		return nil
	}
	k := newCorrelation(x, dst)
	k.outputs, k.end = w.N, epilogue[T]{bias, relu}
	k.out.row, k.out.col = dst.W, 1
	pixels := w.H * w.W
	g := k.pick(s, x.C, pixels)
	taps := k.packed.taps[:0]
	for t := range pixels {
		taps = append(taps, tap{t/w.W - o.Pad, t%w.W - o.Pad})
	}
	k.packed.taps = taps
	k.field = newField(taps, o.stride(), dst.H, dst.W, k.count, sizeOf[T](), leastBands(p, x.N))
	var err error
	if k.count == 0 {
		clear(dst.Data[:dst.size()])
		if bias != nil {
			addChannelBias(dst, bias, relu)
		}
	} else {
		k.plan(taps, Of(w.N, w.C*pixels, w.Data), g)
		err = k.run(p)
	}
	k.release()
	return err
}

// ConvInputGrad computes dx, the gradient of ConvForward's images, from dy, that of its result. A
// sample restricts the sum to some output channels, scaled; nil means all. only restricts
// the input channels that are computed: it is the sample that the forward pass used, the
// other channels get 0; nil means all.
func ConvInputGrad[T Float](p *Pool, dx, dy, w Images[T], o Window, s, only *Sample[T]) error {
	const op = "ConvInputGrad"
	if err := fitConv(op, dy, dx, w, o); err != nil {
		return err
	}
	if err := fitSample(op, s, w.N); err != nil {
		return err
	}
	if err := fitSample(op, only, w.C); err != nil {
		return err
	}
	if dx.size() == 0 {
		return nil
	}
	stride := o.stride()
	if only != nil {
		if c, twice := repeated[T](only.Index); twice {
			return shapeError(op, "channel %d is asked for twice", c)
		}
	}
	switch {
	case stride > w.H || stride > w.W || dy.size() == 0 || s != nil && len(s.Index) == 0: // some pixels see nothing
		clear(dx.Data[:dx.size()])
	case only != nil:
		clearOthers(dx, only.Index)
	}
	// Pixels whose rows and columns leave the same remainders by the stride see the same
	// taps: each such set is a correlation of stride 1.
	for i := range min(stride, dx.H) {
		for j := range min(stride, dx.W) {
			if err := inputGradPhase(p, dx, dy, w, o, s, only, i, j); err != nil {
				return err
			}
		}
	}
	return nil
}

// inputGradPhase computes the pixels of rows i, i+stride … and columns j, j+stride ….
func inputGradPhase[T Float](p *Pool, dx, dy, w Images[T], o Window, s, only *Sample[T], i, j int) error {
	stride := o.stride()
	k := newCorrelation(dy, dx)
	defer k.release()
	k.outputs = w.C
	if only != nil {
		k.outputs, k.only = len(only.Index), only.Index
	}
	k.out.base, k.out.row, k.out.col = i*dx.W+j, stride*dx.W, stride
	gridH, gridW := (dx.H-i+stride-1)/stride, (dx.W-j+stride-1)/stride

	// Place (t.row, t.col) of the filter meets pixel stride·u+i of x in row u + (i+pad-t.row)/stride
	// of y, where that is whole.
	taps, from := k.packed.taps[:0], k.packed.from[:0]
	for r := range w.H {
		for c := range w.W {
			if y, x := i+o.Pad-r, j+o.Pad-c; y%stride == 0 && x%stride == 0 {
				taps = append(taps, tap{y / stride, x / stride})
				from = append(from, r*w.W+c)
			}
		}
	}
	k.packed.taps, k.packed.from = taps, from
	g := k.pick(s, w.N, len(taps))
	if len(taps) == 0 || k.count == 0 || k.outputs == 0 || dy.size() == 0 {
		return nil // dx is cleared
	}
	k.field = newField(taps, 1, gridH, gridW, k.count, sizeOf[T](), leastBands(p, dx.N))

	// The filters with their channels exchanged, and only the places of these taps.
	k.packed.b = k.packed.room(k.packed.b, k.outputs*w.N*len(taps))
	turned := Of(k.outputs, w.N*len(taps), k.packed.b)
	pixels := w.H * w.W
	for row := range k.outputs {
		d, c := turned.Row(row), row
		if only != nil {
			c = int(only.Index[row])
		}
		for n := range w.N {
			f := w.Data[(n*w.C+c)*pixels:][:pixels]
			for t, p := range from {
				d[n*len(taps)+t] = f[p]
			}
		}
		if only != nil && only.Scale != nil {
			Scale(d, only.Scale[row], d)
		}
	}
	k.plan(taps, turned, g)
	return k.run(p)
}

// clearOthers clears the channels that are not in an index.
func clearOthers[T Float](x Images[T], index []int32) {
	if !ascending(index) {
		index = slices.Sorted(slices.Values(index))
	}
	size := x.H * x.W
	for n := range x.N {
		image, done := x.Data[n*x.C*size:][:x.C*size], 0
		for _, c := range index {
			clear(image[done*size : int(c)*size])
			done = int(c) + 1
		}
		clear(image[done*size:])
	}
}

func addChannelBias[T Float](dst Images[T], bias []T, relu bool) {
	s := simd.Of[T]()
	for n := range dst.N {
		for c, v := range bias {
			d := dst.Plane(n, c)
			if relu {
				s.AffineRelu(len(d), &d[0], &d[0], 1, v)
			} else {
				s.Affine(len(d), &d[0], &d[0], 1, v)
			}
		}
	}
}

func newCorrelation[T Float](src, dst Images[T]) *correlation[T] {
	k := reuse[T, correlation[T]](&correlations)
	k.set, k.src = simd.Of[T](), src
	k.out.data, k.out.image, k.out.plane, k.out.base = dst.Data, dst.C*dst.H*dst.W, dst.H*dst.W, 0
	return k
}

func (x *correlation[T]) release() {
	x.src, x.out.data, x.channels, x.only, x.end = Images[T]{}, nil, nil, nil, epilogue[T]{}
	giveBack[T](&correlations, x)
}

// pick notes which of all channels are wanted, and returns which of the columns of weights
// that makes, each channel having taps of them.
func (x *correlation[T]) pick(s *Sample[T], all, taps int) gather[T] {
	x.channels, x.count = nil, all
	if s == nil {
		return gather[T]{}
	}
	x.channels, x.count = s.Index, len(s.Index)
	w := &x.packed
	w.index, w.scale = w.index[:0], w.scale[:0]
	for p, c := range s.Index {
		f := T(1)
		if s.Scale != nil {
			f = s.Scale[p]
		}
		for t := range taps {
			w.index, w.scale = append(w.index, c*int32(taps)+int32(t)), append(w.scale, f)
		}
	}
	if len(w.index) == 0 {
		return gather[T]{}
	}
	return gather[T]{w.index, w.scale}
}

// leastBands returns how many bands an image needs for every worker to have a part.
func leastBands(p *Pool, images int) int {
	return (p.Workers() + images - 1) / max(images, 1)
}

func fitConv[T Float](op string, y, x, w Images[T], o Window) error {
	if why := w.check(); why != "" {
		return shapeError(op, "filters: %s", why)
	}
	if w.C != x.C || w.N != y.C {
		return shapeError(op, "filters are %s for %d channels in and %d out", w.shape(), x.C, y.C)
	}
	return fitWindow(op, x, y, w.H, w.W, o)
}

func fitSample[T Float](op string, s *Sample[T], n int) error {
	if s == nil {
		return nil
	}
	if s.Scale != nil && len(s.Scale) != len(s.Index) {
		return shapeError(op, "%d indices with %d scales", len(s.Index), len(s.Scale))
	}
	for p, i := range s.Index {
		if i < 0 || int(i) >= n {
			return shapeError(op, "index %d is %d of %d", p, i, n)
		}
	}
	return nil
}
