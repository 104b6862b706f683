package crs

import (
	"math"
	"strconv"

	"trivium/core/nn"
	"trivium/core/random"
)

// A Sampler chooses which pairs of a product are computed, and what each is multiplied by. It
// is a value that prints itself, and an [nn.Product] that samples the forward products of
// every layer. Samplers of one's own are [Custom].
type Sampler interface {
	nn.Product

	check() error
	looksAt() sight
	with(keep float64) Sampler // the same for another share
	keep() float64

	// draw sets d.index, ascending and without repetition, and d.scale. It is called with
	// 0 < d.k < d.n.
	draw(d *draw) error

	// variance returns E‖estimate - a·b‖²_F.
	variance(t *theory) float64
}

// sight is what a sampler has to see of the factors.
type sight int

const (
	seesPairs   sight = iota // norms of columns of the left factor times those of rows of the right one
	seesWeights              // norms of the rows of the weights alone
	seesNothing
)

// A draw is one use of a sampler: what it may look at, and what it chooses.
type draw struct {
	n, k   int       // pairs, and how many are asked for
	c      []float64 // norms of pairs, finite and not all zero; none where the sampler sees nothing
	source func() *random.Stream
	stream *random.Stream // what source returned, once it has been asked

	index []int32
	scale []float64 // as long as index, or empty: all ones

	work  []float64 // scratch
	count []int32   // scratch
}

// random returns the stream of this draw. Samplers that are not random never ask for it.
func (d *draw) random() *random.Stream {
	if d.stream == nil {
		d.stream = d.source()
	}
	return d.stream
}

// pick adds a pair.
func (d *draw) pick(i int, scale float64) {
	d.index, d.scale = append(d.index, int32(i)), append(d.scale, scale)
}

// scratch returns n numbers of no meaning.
func (d *draw) scratch() []float64 {
	if cap(d.work) < d.n {
		d.work = make([]float64, d.n)
	}
	return d.work[:d.n]
}

// pairsKept returns how many of n pairs a share is, at least least of them: ⌊keep·n⌋, but 1 in any
// case. The slack keeps 0.3·10 from being 2.
func pairsKept(keep float64, n, least int) int {
	return min(max(int(math.Floor(keep*float64(n)+1e-9)), least, 1), n)
}

func percent(keep float64) string { return strconv.FormatFloat(keep, 'g', 4, 64) }

func sum(c []float64) float64 {
	s := 0.0
	for _, v := range c {
		s += v
	}
	return s
}
