package nn

import (
	"math"

	"trivium/core/tensor"
)

// Embedding looks up a vector of Dim learned numbers for each word of a sequence. Words are
// numbers from 0 to below Words: {steps, 1, 1} goes in, {steps, Dim, 1} comes out.
type Embedding struct {
	Words, Dim int
	Gain       float64 // deviation of the first numbers; 0 means 1
}

// Kind returns "embedding".
func (Embedding) Kind() string { return "embedding" }

// Shape returns {steps, Dim, 1}.
func (e Embedding) Shape(in Shape) (Shape, error) {
	if e.Words < 1 || e.Dim < 1 {
		return Shape{}, bad("Words %d, Dim %d: both must be at least 1", e.Words, e.Dim)
	}
	return Shape{in.Size(), e.Dim, 1}, nil
}

// Unit32 returns the layer in float32.
func (e Embedding) Unit32(in Shape) Unit[float32] { return newEmbedding[float32](e, in) }

// Unit64 returns the layer in float64.
func (e Embedding) Unit64(in Shape) Unit[float64] { return newEmbedding[float64](e, in) }

type embedding[T tensor.Float] struct {
	words, dim, steps int
	w                 *Param[T]
	x                 tensor.Matrix[T]
	yb, dxb           buffer[T]
}

func newEmbedding[T tensor.Float](e Embedding, in Shape) *embedding[T] {
	// XavierNormal's variance is 2/(in+out), which this gain makes 1.
	gain := e.Gain
	if gain == 0 {
		gain = 1
	}
	w := weight[T](e.Words, e.Dim, 1, e.Dim, XavierNormal, gain*math.Sqrt(float64(e.Words+e.Dim)/2))
	return &embedding[T]{words: e.Words, dim: e.Dim, steps: in.Size(), w: w}
}

func (u *embedding[T]) Params() []*Param[T] { return params(u.w) }

func (u *embedding[T]) Forward(p *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] {
	u.x = x
	y := u.yb.matrix(x.Rows, u.steps*u.dim)
	for i, v := range flat(x) {
		k := int(v)
		if T(k) != v || k < 0 || k >= u.words {
			p.Fail(bad("word %d of sample %d is %v: it must be a whole number from 0 to below %d", i%u.steps, i/u.steps, v, u.words))
			return y
		}
		copy(y.Data[i*u.dim:][:u.dim], u.w.Value[k*u.dim:])
	}
	return y
}

// Backward returns a gradient of zeros for the words, which cannot change a little.
func (u *embedding[T]) Backward(p *Pass[T], dy tensor.Matrix[T], wantX bool) (dx tensor.Matrix[T]) {
	if !p.Accumulate {
		clear(u.w.Grad)
	}
	for i, v := range flat(u.x) {
		g := u.w.Grad[int(v)*u.dim:][:u.dim]
		tensor.Add(g, g, dy.Data[i*u.dim:][:u.dim])
	}
	if wantX {
		dx = u.dxb.matrix(u.x.Rows, u.x.Cols)
		clear(flat(dx))
	}
	return dx
}
