package tensor

import (
	"math"

	"trivium/core/tensor/internal/simd"
)

// MaxPool computes in every channel the largest pixel of each window of size×size pixels. What lies
// outside the image counts as -∞; NaN in a window gives NaN.
func MaxPool[T Float](p *Pool, dst, x Images[T], size int, o Window) error {
	return pool2(p, "MaxPool", dst, x, size, o, true)
}

// AvgPool computes in every channel the sum of each window of size×size pixels, divided by
// size². What lies outside the image counts as 0.
func AvgPool[T Float](p *Pool, dst, x Images[T], size int, o Window) error {
	return pool2(p, "AvgPool", dst, x, size, o, false)
}

func pool2[T Float](p *Pool, op string, dst, x Images[T], size int, o Window, largest bool) error {
	if err := fitPool(op, x, dst, size, o); err != nil {
		return err
	}
	if largest && o.Pad >= size {
		return shapeError(op, "pad %d leaves windows of %d outside the image", o.Pad, size)
	}
	k := reuse[T, pooling[T]](&poolings)
	*k = pooling[T]{set: simd.Of[T](), dst: dst, x: x, size: size, o: o, largest: largest}
	err := p.run(k, x.N, poolWork(x.size(), size))
	*k = pooling[T]{}
	giveBack[T](&poolings, k)
	return err
}

func fitPool[T Float](op string, x, y Images[T], size int, o Window) error {
	if x.C != y.C {
		return shapeError(op, "%d channels in and %d out", x.C, y.C)
	}
	return fitWindow(op, x, y, size, size, o)
}

var poolings, poolGrads twin

// A pooling is one call; a part is an image.
type pooling[T Float] struct {
	set     *simd.Set[T]
	dst, x  Images[T]
	size    int
	o       Window
	largest bool
}

func (k *pooling[T]) part(n int) {
	if !k.largest && whole(k.x, k.size, k.o) {
		y := k.dst.Data[n*k.x.C:][:k.x.C]
		for c := range y {
			y[c] = Sum(k.x.Plane(n, c)) / T(k.size*k.size)
		}
		return
	}
	w := reuse[T, workspace[T]](&workspaces)
	width := k.x.W + 2*k.o.Pad
	w.x = w.room(w.x, width)
	row := w.x[:width]
	for c := range k.x.C {
		x, y := k.x.Plane(n, c), k.dst.Plane(n, c)
		for u := range k.dst.H {
			k.down(row, x, u)
			k.along(y[u*k.dst.W:][:k.dst.W], row)
		}
	}
	giveBack[T](&workspaces, w)
}

// whole tells whether there is one window, of exactly the image.
func whole[T Float](x Images[T], size int, o Window) bool {
	return x.H == size && x.W == size && o.Pad == 0
}

// poolWork returns the work of pooling n pixels, in flops of a product that takes as long.
func poolWork(n, size int) float64 { return 10 * float64(n) * float64(size*size) }

// down combines the rows of a row of windows, column by column, with what is outside the
// image on both sides.
func (k *pooling[T]) down(row, x []T, u int) {
	outside, combine := T(0), k.set.Add
	if k.largest {
		outside, combine = T(math.Inf(-1)), k.set.Larger
	}
	for i := range row {
		row[i] = outside
	}
	top, w := u*k.o.stride()-k.o.Pad, k.x.W
	inside := row[k.o.Pad:][:w]
	for y := max(top, 0); y < min(top+k.size, k.x.H); y++ {
		combine(w, first(inside), first(inside), &x[y*w])
	}
}

// along combines the columns of each window.
func (k *pooling[T]) along(y, row []T) {
	s := k.o.stride()
	scale := 1 / T(k.size*k.size)
	for v := range y {
		window := row[v*s:][:k.size]
		r := window[0]
		if k.largest {
			for _, e := range window[1:] {
				r = max(r, e)
			}
			y[v] = r
			continue
		}
		for _, e := range window[1:] {
			r += e
		}
		y[v] = r * scale
	}
}

// MaxPoolGrad computes dx, the gradient of MaxPool's images x, from dy, that of its result y: each
// element of dy goes to the first pixel of its window, row by row, that is the largest, or
// NaN where y is.
func MaxPoolGrad[T Float](p *Pool, dx, dy, x, y Images[T], size int, o Window) error {
	const op = "MaxPoolGrad"
	if !x.like(dx) || !y.like(dy) {
		return shapeError(op, "gradients %s and %s of %s and %s", dx.shape(), dy.shape(), x.shape(), y.shape())
	}
	if err := fitPool(op, x, y, size, o); err != nil {
		return err
	}
	if err := fitPool(op, dx, dy, size, o); err != nil {
		return err
	}
	return poolGrad[T]{dx, dy, x, y, size, o}.run(p)
}

// AvgPoolGrad computes dx, the gradient of AvgPool's images, from dy, that of its result.
func AvgPoolGrad[T Float](p *Pool, dx, dy Images[T], size int, o Window) error {
	if err := fitPool("AvgPoolGrad", dx, dy, size, o); err != nil {
		return err
	}
	return poolGrad[T]{dx: dx, dy: dy, size: size, o: o}.run(p)
}

// A poolGrad is one call; a part is an image. Without x it is of an average.
type poolGrad[T Float] struct {
	dx, dy, x, y Images[T]
	size         int
	o            Window
}

func (k poolGrad[T]) run(p *Pool) error {
	r := reuse[T, poolGrad[T]](&poolGrads)
	*r = k
	err := p.run(r, k.dx.N, poolWork(k.dx.size(), k.size))
	*r = poolGrad[T]{}
	giveBack[T](&poolGrads, r)
	return err
}

func (k *poolGrad[T]) part(n int) {
	for c := range k.dx.C {
		dx, dy := k.dx.Plane(n, c), k.dy.Plane(n, c)
		if k.x.Data != nil && k.size == 2 && k.o.stride() == 2 && k.o.Pad == 0 {
			k.toLargestOf4(dx, dy, k.x.Plane(n, c), k.y.Plane(n, c))
			continue
		}
		if k.x.Data == nil && whole(k.dx, k.size, k.o) {
			g := dy[0] / T(k.size*k.size)
			for i := range dx {
				dx[i] = g
			}
			continue
		}
		clear(dx)
		for i, g := range dy {
			top, left := i/k.dy.W*k.o.stride()-k.o.Pad, i%k.dy.W*k.o.stride()-k.o.Pad
			if k.x.Data != nil {
				k.toLargest(dx, k.x.Plane(n, c), k.y.Plane(n, c)[i], g, top, left)
				continue
			}
			g /= T(k.size * k.size)
			for r := max(top, 0); r < min(top+k.size, k.dx.H); r++ {
				for q := max(left, 0); q < min(left+k.size, k.dx.W); q++ {
					dx[r*k.dx.W+q] += g
				}
			}
		}
	}
}

// toLargestOf4 is toLargest for all windows of a plane, of 2×2 pixels side by side, the usual
// case.
func (k *poolGrad[T]) toLargestOf4(dx, dy, x, y []T) {
	w, set := k.dx.W, simd.Of[T]()
	if w != 2*k.dy.W || k.dx.H != 2*k.dy.H { // pixels that are in no window
		clear(dx)
	}
	for u := range k.dy.H {
		above, below, out := 2*u*w, (2*u+1)*w, u*k.dy.W
		set.MaxOf4Grad(k.dy.W, &dx[above], &dx[below], &x[above], &x[below], &dy[out], &y[out])
	}
}

func (k *poolGrad[T]) toLargest(dx, x []T, y, g T, top, left int) {
	for r := max(top, 0); r < min(top+k.size, k.dx.H); r++ {
		for q := max(left, 0); q < min(left+k.size, k.dx.W); q++ {
			if v := x[r*k.dx.W+q]; v == y || v != v && y != y {
				dx[r*k.dx.W+q] += g
				return
			}
		}
	}
}
