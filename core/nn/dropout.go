package nn

import "trivium/core/tensor"

// Dropout sets each number to 0 with probability Rate during training and scales the others
// by 1/(1-Rate), so that nothing need change afterwards (Srivastava et al., JMLR 15 (2014), 1929).
type Dropout struct {
	Rate     float64 // kept to a 65,536th
	Channels bool    // whole channels at a time, for images
}

// Kind returns "dropout".
func (Dropout) Kind() string { return "dropout" }

// Shape returns in.
func (d Dropout) Shape(in Shape) (Shape, error) {
	if !(d.Rate >= 0 && d.Rate < 1) {
		return Shape{}, bad("Rate is %g: it must be from 0 to below 1", d.Rate)
	}
	return in, nil
}

// Unit32 returns the layer in float32.
func (d Dropout) Unit32(in Shape) Unit[float32] { return newDropout[float32](d, in) }

// Unit64 returns the layer in float64.
func (d Dropout) Unit64(in Shape) Unit[float64] { return newDropout[float64](d, in) }

type dropout[T tensor.Float] struct {
	limit  uint64 // dropped below it, of 65,536
	scale  T
	part   int    // numbers dropped together
	units  int    // of these in a sample
	key    uint64 // tells the dropouts of a net apart
	on     bool   // in the last Forward
	mask   []T    // what each unit is multiplied by
	yb, mb buffer[T]

	// What the samples, which workers share, need to know of the pass.
	start             uint64 // of what is drawn
	x, y, dy          tensor.Matrix[T]
	forward, backward func(sample int)
}

// dropoutWork is what dropping costs for a number, in flops of a product that takes as long.
const dropoutWork = 30

func newDropout[T tensor.Float](d Dropout, in Shape) *dropout[T] {
	u := &dropout[T]{limit: uint64(d.Rate*65536 + 0.5), part: 1}
	u.scale = T(65536 / float64(65536-u.limit))
	if d.Channels {
		u.part = in.H * in.W
	}
	u.units = in.Size() / u.part
	u.forward = func(i int) {
		u.draw(i)
		u.drop(u.y.Row(i), u.x.Row(i), i)
	}
	u.backward = func(i int) { u.drop(u.dy.Row(i), u.dy.Row(i), i) }
	return u
}

func (u *dropout[T]) setKey(k uint64) { u.key = k }

func (u *dropout[T]) Params() []*Param[T] { return nil }

func (u *dropout[T]) Forward(p *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] {
	u.on = p.Train && u.limit > 0
	if !u.on {
		return x
	}
	u.x, u.y = x, u.yb.matrix(x.Rows, x.Cols)
	u.mask = u.mb.slice(x.Rows * u.units)
	u.start = mix(mix(mix(p.Seed)+p.Step) + u.key)
	p.Fail(p.Pool.Share(x.Rows, dropoutWork*float64(x.Rows*x.Cols), u.forward))
	return u.y
}

func (u *dropout[T]) Backward(p *Pass[T], dy tensor.Matrix[T], _ bool) tensor.Matrix[T] {
	if u.on {
		u.dy = dy
		p.Fail(p.Pool.Share(dy.Rows, dropoutWork*float64(dy.Rows*dy.Cols), u.backward))
	}
	p.LeaveLive(p.Live())
	return dy
}

// draw fills the mask of a sample. Four units have each 64 bits of a counter between them, and no
// state is kept, so a resumed training draws what an uninterrupted one would.
func (u *dropout[T]) draw(sample int) {
	first := sample * u.units
	bits := mix(u.start+golden*uint64(first/4+1)) >> (16 * (first % 4))
	for k := first; k < first+u.units; k++ {
		if k%4 == 0 {
			bits = mix(u.start + golden*uint64(k/4+1))
		}
		keep := u.scale
		if bits&0xffff < u.limit {
			keep = 0
		}
		bits >>= 16
		u.mask[k] = keep
	}
}

// drop multiplies the units of a sample by the mask.
func (u *dropout[T]) drop(dst, x []T, sample int) {
	mask := u.mask[sample*u.units:][:u.units]
	if u.part == 1 {
		tensor.Hadamard(dst, x, mask)
		return
	}
	for k, keep := range mask {
		at := k * u.part
		tensor.Scale(dst[at:at+u.part], keep, x[at:at+u.part])
	}
}

const golden = 0x9e3779b97f4a7c15 // 2⁶⁴ over the golden ratio

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
