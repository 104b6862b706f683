package tensor

import (
	"sync"

	"trivium/core/tensor/internal/simd"
)

// A Form says which operands of a product are used transposed.
type Form uint8

// The forms. Networks use NN forward, NT for the gradient of the input and TN for the
// gradient of the weights.
const (
	NN Form = iota // a·b
	NT             // a·bᵀ
	TN             // aᵀ·b
)

func (f Form) String() string {
	switch f {
	case NN:
		return "NN"
	case NT:
		return "NT"
	case TN:
		return "TN"
	}
	return "unknown form"
}

// A Sample selects pairs of the inner dimension: column Index[p] of the left factor with row
// Index[p] of the right one, times Scale[p]. Sorted indices are faster to gather. An index
// may come more than once. A nil Scale is all ones.
type Sample[T Float] struct {
	Index []int32
	Scale []T
}

// Mul computes dst = alpha·a·b + beta·dst, with a or b transposed as form says. Shapes: a is
// m×k (TN: k×m), b k×n (NT: n×k), dst m×n and apart from both in memory.
//
// With beta 0 dst is not read and may hold anything, NaN included; with alpha 0 a and b are
// not read. Otherwise NaN and infinities go through as in the sum of products written out.
// The error of an element is at most about (k+4)·ε·Σ|a||b| with ε half the distance of 1 to the next
// number. The same operands give the same bits with any number of workers; rows
// among few others may be rounded otherwise than among many.
//
// It takes 2mkn flops and allocates nothing once its buffers have grown. Operands that do
// not fit give a *ShapeError and leave dst as it was.
func Mul[T Float](p *Pool, dst Matrix[T], form Form, a, b Matrix[T], alpha, beta T) error {
	return mul(p, dst, form, a, b, alpha, beta, nil, epilogue[T]{})
}

// MulSampled is Mul over some of the inner dimension: dst = alpha·Σ Scale[p]·(column
// Index[p] of a)·(row Index[p] of b) + beta·dst. The pairs are gathered while the operands
// are brought into the order the processor wants them, which costs next to nothing. No
// index at all gives beta·dst.
func MulSampled[T Float](p *Pool, dst Matrix[T], form Form, a, b Matrix[T], s Sample[T], alpha, beta T) error {
	return mul(p, dst, form, a, b, alpha, beta, &s, epilogue[T]{})
}

// MulBias computes dst = a·b + bias in every row, and with relu set nothing below 0: a dense
// layer in one pass. A nil s means all pairs.
func MulBias[T Float](p *Pool, dst Matrix[T], form Form, a, b Matrix[T], s *Sample[T], bias []T, relu bool) error {
	if bias != nil && len(bias) != dst.Cols {
		return shapeError("MulBias", "%d biases for %d columns", len(bias), dst.Cols)
	}
	return mul(p, dst, form, a, b, 1, 0, s, epilogue[T]{bias, relu})
}

// An epilogue is done to a part of the result while it is near.
type epilogue[T Float] struct {
	bias []T
	relu bool
}

// A product is one call of mul: what its workers need to know.
type product[T Float] struct {
	set         *simd.Set[T]
	form        Form
	m, n, k     int
	a, b, c     Matrix[T]
	alpha, beta T
	index       []int32 // nil for all of the inner dimension
	scale       []T
	end         epilogue[T]
	division[T]
}

// Structs that a call needs are used again, so that a steady state allocates nothing. There
// are two pools of a kind, for the two types of element.
type twin struct{ f32, f64 sync.Pool }

var products, workspaces, batches, correlations, weightGrads twin

func (p *twin) of(is32 bool) *sync.Pool {
	if is32 {
		return &p.f32
	}
	return &p.f64
}

func reuse[T Float, X any](p *twin) *X {
	if x := p.of(is32[T]()).Get(); x != nil {
		return x.(*X)
	}
	return new(X)
}

func giveBack[T Float, X any](p *twin, x *X) { p.of(is32[T]()).Put(x) }

func is32[T Float]() bool {
	_, ok := any(T(0)).(float32)
	return ok
}

func mul[T Float](p *Pool, dst Matrix[T], form Form, a, b Matrix[T], alpha, beta T, s *Sample[T], end epilogue[T]) error {
	m, n, k, err := fit(dst, form, a, b, s)
	if err != nil || m == 0 || n == 0 {
		return err
	}
	x := reuse[T, product[T]](&products)
	*x = product[T]{set: simd.Of[T](), form: form, m: m, n: n, k: k, a: a, b: b, c: dst, alpha: alpha, beta: beta, end: end}
	if s != nil {
		x.index, x.scale, x.k = s.Index, s.Scale, len(s.Index)
	}
	if alpha == 0 {
		x.k = 0
	}
	err = x.run(p)
	*x = product[T]{}
	giveBack[T](&products, x)
	return err
}

// fit returns the sizes of a product, or why there is none.
func fit[T Float](dst Matrix[T], form Form, a, b Matrix[T], s *Sample[T]) (m, n, k int, err error) {
	wrong := func(format string, args ...any) (int, int, int, error) {
		return 0, 0, 0, shapeError("Mul "+form.String(), format, args...)
	}
	for _, x := range []struct {
		name string
		Matrix[T]
	}{{"dst", dst}, {"a", a}, {"b", b}} {
		if why := x.check(); why != "" {
			return wrong("%s: %s", x.name, why)
		}
	}
	m, k, n = a.Rows, a.Cols, b.Cols
	inner := b.Rows
	switch form {
	case NN:
	case NT:
		n, inner = b.Rows, b.Cols
	case TN:
		m, k = a.Cols, a.Rows
	default:
		return wrong("%d is none of NN, NT, TN", form)
	}
	if inner != k || dst.Rows != m || dst.Cols != n {
		return wrong("a is %d×%d, b %d×%d, dst %d×%d", a.Rows, a.Cols, b.Rows, b.Cols, dst.Rows, dst.Cols)
	}
	if dst.overlaps(a) || dst.overlaps(b) {
		return wrong("dst shares memory with a factor")
	}
	if s != nil {
		if s.Scale != nil && len(s.Scale) != len(s.Index) {
			return wrong("%d indices with %d scales", len(s.Index), len(s.Scale))
		}
		for p, i := range s.Index {
			if i < 0 || int(i) >= k {
				return wrong("index %d is %d, the inner dimension %d", p, i, k)
			}
		}
	}
	return m, n, k, nil
}
