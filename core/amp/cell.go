package amp

import (
	"trivium/core/nn"
	"trivium/core/tensor"
)

type matrix = tensor.Matrix[float32]

// A Cell is the arithmetic of a node with parameters, on rows that do not depend on each other:
// [Linear], [Embedding], [GRU], [LSTM], [RNN], [TreeLeaf], [TreeBranch], [Readout]. For anything
// else, such as a convolution, there is [Graph.Layer].
//
// Rows of several messages are computed as one product, forward and backward, and in other
// combinations backward than forward. So what a cell keeps of a row lies in a row of its own.
type Cell interface {
	// plan returns kind and sizes for rows of in numbers, or why it cannot be.
	plan(in int) (cellPlan, error)
	// forward computes y, and in t what backward needs apart from x and y.
	forward(c *calc, x, y, t matrix)
	// backward adds to c.grads, or sets them if c.first, and computes dx unless it has no rows.
	// It may write to dy.
	backward(c *calc, x, y, t, dy, dx matrix)
}

type cellPlan struct {
	kind    string
	out     int // numbers in a row of y
	tape    int // and of t
	keepX   bool
	keepY   bool
	shapes  []shape
	rowLen  int      // of a table
	frozen  bool     // has parameters that are not learned
	flops   float64  // of a row, forward
	left    int      // so many numbers of a row may come in a matrix of their own, the others in calc.beside; 0 if they may not
	asLayer nn.Layer // the same arithmetic and order of parameters, for products other than exact ones
}

// A calc is what one pass over a batch works with.
type calc struct {
	w, grads []float32
	p        *params
	first    bool
	err      error
	store    *store
	buf      []float32
	wanted   int // numbers of scratch that the pass has asked for

	// The right parts of x and dx where they come apart from the left ones. One of dx's may be wanted without the other.
	apart              bool
	beside, gradBeside matrix
}

// cut returns the left and the right part of a cell's x or dx, beside being what calc has of it. A part of dx without rows is
// not wanted.
func (c *calc) cut(x, beside matrix, left int) (a, b matrix) {
	if c.apart || x.Rows == 0 {
		return x, beside
	}
	return x.Slice(0, x.Rows, 0, left), x.Slice(0, x.Rows, left, x.Cols)
}

// fail keeps the first error.
func (c *calc) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *calc) beta() float32 {
	if c.first {
		return 0
	}
	return 1
}

// scratch returns room for a batch that lasts until the next pass.
func (c *calc) scratch(rows, cols int) matrix {
	n := rows * cols
	c.wanted += n
	if len(c.buf) < n {
		c.buf = make([]float32, n)
	}
	m := tensor.Of(rows, cols, c.buf[:n:n])
	c.buf = c.buf[n:]
	return m
}

// dense computes z = x·w + b, w with a row for each of x's columns.
func (c *calc) dense(z, x matrix, w, b []float32, relu bool) {
	c.fail(tensor.MulBias(nil, z, tensor.NN, x, tensor.Of(x.Cols, z.Cols, w), nil, b, relu))
}

// denseGrad computes the gradients of dense from dz.
func (c *calc) denseGrad(dz, x, dx matrix, w, gw, gb []float32) {
	if gb != nil {
		c.fail(tensor.ColSums(gb, dz, c.beta()))
	}
	c.fail(tensor.Mul(nil, tensor.Of(x.Cols, dz.Cols, gw), tensor.TN, x, dz, 1, c.beta()))
	if dx.Rows > 0 {
		c.fail(tensor.Mul(nil, dx, tensor.NT, dz, tensor.Of(x.Cols, dz.Cols, w), 1, 0))
	}
}

func flat(x matrix) []float32 { return x.Data[:x.Rows*x.Cols] }
