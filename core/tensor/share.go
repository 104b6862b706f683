package tensor

// A division says how workers share a product.
type division[T Float] struct {
	byRow bool // they share the rows, else the columns
	share int  // rows or columns of a part

	// Where the workers pack b together: steps from to before to of it.
	packed   []T
	from, to int
}

// run computes the product, shared between the workers of p.
func (x *product[T]) run(p *Pool) error {
	flops := 2 * float64(x.m) * float64(x.n) * float64(x.k)
	threads := p.threads(flops)
	if threads > 1 && x.m >= threads*fewRows && flops >= togetherFlops && !x.thin() && !x.few() {
		return x.together(p, threads, flops)
	}
	return p.run(x, x.divide(threads), flops)
}

// divide decides how threads share a product each part of which packs for itself, and returns the
// number of parts.
func (x *product[T]) divide(threads int) int {
	// Who shares the columns packs all of a, who shares the rows all of b.
	x.byRow = x.m >= x.n
	unit, size := x.set.Columns(), x.n
	if x.byRow {
		unit, size = min(x.set.Rows, 2), x.m
	}
	parts := threads
	x.share = (size + parts*unit - 1) / (parts * unit) * unit
	return (size + x.share - 1) / x.share
}

// part computes one part of the result, with its own buffers.
func (x *product[T]) part(i int) {
	w := reuse[T, workspace[T]](&workspaces)
	lo := i * x.share
	if x.byRow {
		x.compute(w, lo, min(lo+x.share, x.m), 0, x.n)
	} else {
		x.compute(w, 0, x.m, lo, min(lo+x.share, x.n))
	}
	giveBack[T](&workspaces, w)
}

// togetherFlops is the work from which workers that pack b together, and wait for each other
// twice for it, are faster than ones that each pack all of it.
const togetherFlops = 1.6e7

// together computes the product some steps at a time: first the workers pack these rows of b, each
// some of the columns, then they multiply rows of a with all of them.
func (x *product[T]) together(p *Pool, threads int, flops float64) error {
	w := reuse[T, workspace[T]](&workspaces)
	defer giveBack[T](&workspaces, w)
	kc, nr := x.steps(), x.set.Columns()
	w.b = w.room(w.b, kc*(x.n+nr))
	x.packed = w.b
	panels := (x.n + nr - 1) / nr
	columns := (panels + 2*threads - 1) / (2 * threads) * nr
	// More parts than workers, so that one who is held up does not hold up all.
	parts := threads * max(1, min(4, x.m/(threads*64)))
	rows := (x.m + 2*parts - 1) / (2 * parts) * 2
	for x.from = 0; x.from < x.k; x.from += kc {
		x.to = min(x.from+kc, x.k)
		x.share = columns
		if err := p.run(packing[T]{x}, (x.n+columns-1)/columns, flops); err != nil {
			return err
		}
		x.share = rows
		if err := p.run(multiplying[T]{x}, (x.m+rows-1)/rows, flops); err != nil {
			return err
		}
	}
	return nil
}

// The two tasks of together.
type (
	packing[T Float]     struct{ *product[T] }
	multiplying[T Float] struct{ *product[T] }
)

func (x packing[T]) part(i int) {
	w := reuse[T, workspace[T]](&workspaces)
	j := i * x.share
	x.packB(w, x.packed[j*(x.to-x.from):], x.from, x.to, j, min(j+x.share, x.n))
	giveBack[T](&workspaces, w)
}

func (x multiplying[T]) part(i int) {
	w := reuse[T, workspace[T]](&workspaces)
	i0, steps := i*x.share, x.to-x.from
	i1, add := min(i0+x.share, x.m), 1
	if x.from == 0 {
		add = x.prepare(i0, i1, 0, x.n)
	}
	w.a = w.room(w.a, (steps+8)*(i1-i0+2*x.set.Rows))
	w.panels = split(x.set, w.panels[:0], i0, i1, steps)
	w.next = nil
	s := slab{from: x.from, to: x.to}
	s.packA = x.packAcross(w, s)
	nc := x.columns(x.n)
	for j := 0; j < x.n; j += nc {
		f := min(j+nc, x.n)
		x.tiles(w, x.packed[j*steps:], s, j, f, add)
		s.packA = false
		if x.to == x.k {
			x.finish(i0, i1, j, f)
		}
	}
	giveBack[T](&workspaces, w)
}
