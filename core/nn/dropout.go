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
	key    uint64 // tells the dropouts of a net apart
	on     bool   // in the last Forward
	mask   []T
	yb, mb buffer[T]
}

func newDropout[T tensor.Float](d Dropout, in Shape) *dropout[T] {
	u := &dropout[T]{limit: uint64(d.Rate*65536 + 0.5), part: 1}
	u.scale = T(65536 / float64(65536-u.limit))
	if d.Channels {
		u.part = in.H * in.W
	}
	return u
}

func (u *dropout[T]) setKey(k uint64) { u.key = k }

func (u *dropout[T]) Params() []*Param[T] { return nil }

func (u *dropout[T]) Forward(p *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] {
	u.on = p.Train && u.limit > 0
	if !u.on {
		return x
	}
	y := u.yb.matrix(x.Rows, x.Cols)
	u.mask = u.mb.slice(x.Rows * x.Cols)
	u.draw(mix(mix(mix(p.Seed)+p.Step) + u.key))
	tensor.Hadamard(flat(y), flat(x), u.mask)
	return y
}

func (u *dropout[T]) Backward(_ *Pass[T], dy tensor.Matrix[T], _ bool) tensor.Matrix[T] {
	if u.on {
		tensor.Hadamard(flat(dy), flat(dy), u.mask)
	}
	return dy
}

// draw fills the mask from a counter, four numbers from each 64 bits. It keeps no state, so a
// resumed training draws what an uninterrupted one would.
func (u *dropout[T]) draw(key uint64) {
	var bits uint64
	for i, k := 0, 0; i < len(u.mask); i, k = i+u.part, k+1 {
		if k%4 == 0 {
			key += golden
			bits = mix(key)
		}
		keep := u.scale
		if bits&0xffff < u.limit {
			keep = 0
		}
		bits >>= 16
		for j := range u.mask[i:min(i+u.part, len(u.mask))] {
			u.mask[i+j] = keep
		}
	}
}

const golden = 0x9e3779b97f4a7c15 // 2⁶⁴ over the golden ratio

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
