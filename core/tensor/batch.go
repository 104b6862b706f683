package tensor

// MulBatch computes dst[i] = alpha·a[i]·b[i] + beta·dst[i] for each i, for many products too
// small to share one by one: the workers take whole products. The rules are those of [Mul];
// dst[i] may be near dst[j] but not overlap it. The first product that does not fit is
// reported, and none is computed.
func MulBatch[T Float](p *Pool, dst []Matrix[T], form Form, a, b []Matrix[T], alpha, beta T) error {
	if len(a) != len(dst) || len(b) != len(dst) {
		return shapeError("MulBatch", "%d results of %d and %d factors", len(dst), len(a), len(b))
	}
	flops := 0.0
	for i := range dst {
		m, n, k, err := fit(dst[i], form, a[i], b[i], nil)
		if err != nil {
			return shapeError("MulBatch", "product %d: %v", i, err)
		}
		flops += 2 * float64(m) * float64(n) * float64(k)
	}
	x := reuse[T, batch[T]](&batches)
	*x = batch[T]{dst, a, b, form, alpha, beta}
	err := p.run(x, len(dst), flops)
	*x = batch[T]{}
	giveBack[T](&batches, x)
	return err
}

type batch[T Float] struct {
	dst, a, b   []Matrix[T]
	form        Form
	alpha, beta T
}

func (x *batch[T]) part(i int) {
	if err := Mul(nil, x.dst[i], x.form, x.a[i], x.b[i], x.alpha, x.beta); err != nil {
		panic(err) // it was checked
	}
}
