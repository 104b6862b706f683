package tensor

import "fmt"

// Images is N images of C channels of H×W pixels, without gaps, in the order image, channel,
// row, column. Filters of a convolution are Images too: N output channels, C input channels.
type Images[T Float] struct {
	N, C, H, W int
	Data       []T
}

// NewImages returns images of zeros.
func NewImages[T Float](n, c, h, w int) Images[T] {
	return Images[T]{n, c, h, w, make([]T, max(n, 0)*max(c, 0)*max(h, 0)*max(w, 0))}
}

// Plane returns channel c of image n, which shares its numbers.
func (x Images[T]) Plane(n, c int) []T {
	return x.Data[(n*x.C+c)*x.H*x.W:][:x.H*x.W]
}

// Matrix returns the images as a matrix with one image a row, which shares their numbers.
func (x Images[T]) Matrix() Matrix[T] { return Of(x.N, x.C*x.H*x.W, x.Data) }

func (x Images[T]) size() int { return x.N * x.C * x.H * x.W }

func (x Images[T]) like(y Images[T]) bool {
	return x.N == y.N && x.C == y.C && x.H == y.H && x.W == y.W
}

func (x Images[T]) shape() string { return fmt.Sprintf("%d×%d×%d×%d", x.N, x.C, x.H, x.W) }

func (x Images[T]) check() string {
	if x.N < 0 || x.C < 0 || x.H < 0 || x.W < 0 {
		return "a size is negative: " + x.shape()
	}
	if len(x.Data) < x.size() {
		return fmt.Sprintf("%s needs %d numbers and has %d", x.shape(), x.size(), len(x.Data))
	}
	return ""
}

// ChannelNorms computes the 2-norm of each channel over all images, or of each input channel
// of filters over all output channels.
func ChannelNorms[T Float](dst []T, x Images[T]) error {
	if why := x.check(); why != "" || len(dst) != x.C {
		return shapeError("ChannelNorms", "%d norms for %s %s", len(dst), x.shape(), why)
	}
	clear(dst)
	for n := range x.N {
		for c := range dst {
			dst[c] += SumSquares(x.Plane(n, c))
		}
	}
	for c, v := range dst {
		dst[c] = root(v)
	}
	return nil
}

// A Window is how a convolution or a pooling moves over an image.
type Window struct {
	Stride int // pixels from one place to the next; 0 means 1
	Pad    int // zeros around the image
}

func (o Window) stride() int { return max(o.Stride, 1) }

// Out returns how many places a window of k pixels has along n pixels, 0 or less for none.
func (o Window) Out(n, k int) int {
	if n+2*o.Pad < k {
		return 0
	}
	return (n+2*o.Pad-k)/o.stride() + 1
}

// fitWindow returns an error unless y is what x becomes under windows of h×w pixels.
func fitWindow[T Float](op string, x, y Images[T], h, w int, o Window) error {
	for _, i := range []Images[T]{x, y} {
		if why := i.check(); why != "" {
			return shapeError(op, "%s", why)
		}
	}
	if o.Stride < 0 || o.Pad < 0 || h < 1 || w < 1 {
		return shapeError(op, "window %d×%d, stride %d, pad %d", h, w, o.Stride, o.Pad)
	}
	if h > x.H+2*o.Pad || w > x.W+2*o.Pad {
		return shapeError(op, "windows of %d×%d pixels are larger than %s with pad %d", h, w, x.shape(), o.Pad)
	}
	if x.N != y.N || y.H != o.Out(x.H, h) || y.W != o.Out(x.W, w) {
		return shapeError(op, "%s under %d×%d windows, stride %d, pad %d is %d×%d pixels of %d images, not %s",
			x.shape(), h, w, o.stride(), o.Pad, o.Out(x.H, h), o.Out(x.W, w), x.N, y.shape())
	}
	return nil
}
