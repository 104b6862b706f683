package crs

import (
	"fmt"
	"math"
	"strings"

	"trivium/core/nn"
	"trivium/core/random"
	"trivium/core/tensor"
)

// A Budget samples gradients, unbiased, and chooses by itself how many pairs each product of each
// layer needs: so many that the variance that sampling adds to the gradient stays below a given
// part of the variance that it has anyhow, because a minibatch is a sample too. The forward
// product is exact. Training then hardly notices, whatever the layer, and shares change as it
// goes on. (The idea of controlling the added variance is that of VCAS: Wang, Chen, Zhu, ICLR 2024.)
//
// Shares follow from each step's own numbers, so nothing has to be remembered, and a resumed
// training is the same. Pairs are kept as by [Bernoulli], whose added variance Σ(1-p)/p·c² is known
// before anything is drawn. Half of the budget goes to the gradients of weights, sampled over the
// batch: there c is the norm of a sample's own gradient, and the minibatch's variance is Σc² less
// the part of the mean, estimated from pairs of neighbouring samples. The other half is divided
// among the gradients of inputs, sampled over outputs, whose noise reaches all layers below.
// There an output counts by how much of its gradient is common to the batch, seen in the
// gradient of its weights. Convolutions lack the norms of single images' gradients;
// for them a bound stands in, and half as much is allowed.
type Budget struct {
	Variance float64  // added, as part of the minibatch's own; 0 means 0.1
	MinPairs int      // pairs kept at least; 0 means 1
	Exact    []string // layers that are left alone: by name, or all of a kind by "dense" or "conv"
	Record   *Record  // keeps what was drawn, for figures; nil means not

	err    error
	stages int // gradients of inputs that are sampled
}

func (b Budget) String() string {
	text := "variance budget " + percent(b.variance())
	if b.MinPairs > 1 {
		text += fmt.Sprintf("; at least %d pairs", b.MinPairs)
	}
	if len(b.Exact) > 0 {
		text += "; exact " + strings.Join(b.Exact, " ")
	}
	return text
}

func (b Budget) variance() float64 {
	if b.Variance == 0 {
		return 0.1
	}
	return b.Variance
}

// Err returns why the budget cannot be, nil if it can.
func (b Budget) Err() error {
	if b.err != nil {
		return b.err
	}
	if !(b.Variance >= 0) || math.IsInf(b.Variance, 0) {
		return &OptionError{"Budget.Variance", fmt.Sprint(b.Variance), "it must be a number above 0, such as 0.1"}
	}
	return b.asProduct().Err()
}

// asProduct is a product with the same layers.
func (b Budget) asProduct() Product {
	return Product{Sampler: Bernoulli{Keep: 1}, Mode: Backward, MinPairs: b.MinPairs, Exact: b.Exact}
}

// ForNet returns the budget for a network of these layers.
func (b Budget) ForNet(layers []nn.Info) nn.Product {
	q := b.asProduct().ForNet(layers).(Product)
	b.err, b.stages = q.err, -1 // the first layer's gradient of its inputs is not wanted
	for _, l := range layers {
		if l.Kind != "" && !q.exact(l) {
			b.stages++
		}
	}
	return b
}

// Multiplier32 returns the multiplier of one layer.
func (b Budget) Multiplier32(l nn.Info, s *random.Stream) nn.Multiplier[float32] {
	return newBudgeted[float32](b, l, s)
}

// Multiplier64 returns the multiplier of one layer.
func (b Budget) Multiplier64(l nn.Info, s *random.Stream) nn.Multiplier[float64] {
	return newBudgeted[float64](b, l, s)
}

// A budgeted multiplier is one of mode Backward whose samplers are told, before each draw, how
// much variance they may add.
type budgeted[T tensor.Float] struct {
	multiplier[T]
	forWeights, forInputs *allowance
	allowed               float64 // of each kind of gradient
	perStage              float64
	dw                    []T     // of this step, its columns are outputs
	xx                    float64 // Σ of the squares of x
	norms, dyNorms        []T
}

func newBudgeted[T tensor.Float](b Budget, l nn.Info, s *random.Stream) nn.Multiplier[T] {
	if err := b.Err(); err != nil {
		return failing[T]{err: err}
	}
	if b.asProduct().exact(l) {
		return nn.Exact[T]{}
	}
	m := &budgeted[T]{forWeights: &allowance{}, forInputs: &allowance{}, allowed: b.variance() / 2}
	m.perStage = m.allowed / float64(max(b.stages, 1))
	m.multiplier = multiplier[T]{layer: l, least: b.MinPairs, record: b.Record.layer(l)}
	m.weight = newSelector[T](m.forWeights, s.Split("weight gradient"))
	m.input = newSelector[T](m.forInputs, s.Split("input gradient"))
	return m
}

// Descends returns false: shares of gradients of inputs follow from the gradient of the weights.
func (m *budgeted[T]) Descends() bool { return false }

// WeightGrad computes dw = beta·dw + xᵀ·dy from as few samples as the budget allows.
func (m *budgeted[T]) WeightGrad(p *nn.Pass[T], dw, x, dy tensor.Matrix[T], beta T) error {
	// The variance of a sum of gradients is Σ|g|² less n times the mean of g·h over pairs of
	// different samples: here each with the next one. g·h = (x·x')(dy·dy').
	common := 0.0
	for i := range x.Rows {
		j := (i + 1) % x.Rows
		common += float64(tensor.Dot(x.Row(i), x.Row(j))) * float64(tensor.Dot(dy.Row(i), dy.Row(j)))
	}
	if x.Rows < 2 {
		common = 0
	}
	p.Flops += 2 * float64(x.Rows) * float64(x.Cols+dy.Cols)
	m.forWeights.part, m.forWeights.less, m.forWeights.weight = m.allowed, common, nil
	err := m.multiplier.WeightGrad(p, dw, x, dy, beta)
	m.dw = dw.Data
	m.xx = 0
	for i := range x.Rows {
		m.xx += float64(tensor.SumSquares(x.Row(i)))
	}
	return err
}

// InputGrad computes dx = dy·wᵀ from as few outputs as the budget allows.
func (m *budgeted[T]) InputGrad(p *nn.Pass[T], dx, dy, w tensor.Matrix[T]) error {
	m.forInputs.part, m.forInputs.less = m.perStage, 0
	m.norms, m.dyNorms = room(m.norms, w.Cols), room(m.dyNorms, w.Cols)
	if err := tensor.ColNorms(m.norms, tensor.Of(w.Rows, w.Cols, m.dw)); err != nil {
		return err
	}
	if err := tensor.ColNorms(m.dyNorms, dy); err != nil {
		return err
	}
	p.Flops += 2 * float64(w.Cols) * float64(w.Rows+dy.Rows)
	mean := m.xx / float64(dy.Rows)
	m.forInputs.weight = m.forInputs.weight[:0]
	for j := range w.Cols {
		m.forInputs.weight = append(m.forInputs.weight, coherence(float64(m.norms[j]), float64(m.dyNorms[j]), mean, float64(dy.Rows)))
	}
	return m.multiplier.InputGrad(p, dx, dy, w)
}

// coherence is how much more a part of a gradient counts that all samples share: ‖Σ x·dy‖²/Σ‖x·dy‖²
// for an output, 1 where samples have nothing in common, their number where they are alike.
func coherence(dw, dy, meanX, samples float64) float64 {
	if each := meanX * dy * dy; each > 0 {
		return min(max(dw*dw/each, 1), samples)
	}
	return 1
}

// ConvWeightGrad computes dw from as few images as the budget allows.
func (m *budgeted[T]) ConvWeightGrad(p *nn.Pass[T], dw, x, dy tensor.Images[T], o tensor.Window, beta T) error {
	m.forWeights.part, m.forWeights.less, m.forWeights.weight = m.allowed/2, 0, nil
	return m.multiplier.ConvWeightGrad(p, dw, x, dy, o, beta)
}

// ConvInputGrad computes dx from as few output channels as the budget allows.
func (m *budgeted[T]) ConvInputGrad(p *nn.Pass[T], dx, dy, w tensor.Images[T], o tensor.Window) error {
	m.forInputs.part, m.forInputs.less, m.forInputs.weight = m.perStage/2, 0, nil
	return m.multiplier.ConvInputGrad(p, dx, dy, w, o)
}

// An allowance is the sampler of a budget: it keeps pairs by coins with p = min(1, e/t), e² = weight·c²,
// with the largest t for which Σ(1-p)/p·e² is within part·(Σc² - less).
type allowance struct {
	part, less float64
	weight     []float64 // nil: all 1
	e          []float64
}

func (a *allowance) String() string           { return "budget" }
func (a *allowance) check() error             { return nil }
func (a *allowance) looksAt() sight           { return seesPairs }
func (a *allowance) keep() float64            { return 0 }
func (a *allowance) with(float64) Sampler     { return a }
func (a *allowance) variance(*theory) float64 { return math.NaN() }

// Multiplier32 is never called: an allowance belongs to a multiplier.
func (a *allowance) Multiplier32(nn.Info, *random.Stream) nn.Multiplier[float32] { return nil }

// Multiplier64 is never called: an allowance belongs to a multiplier.
func (a *allowance) Multiplier64(nn.Info, *random.Stream) nn.Multiplier[float64] { return nil }

func (a *allowance) draw(d *draw) error {
	own := -a.less
	a.e = append(a.e[:0], d.c...)
	for i, c := range d.c {
		own += c * c
		if a.weight != nil {
			a.e[i] *= math.Sqrt(a.weight[i])
		}
	}
	t := levelFor(a.e, a.part*own)
	if least, _, _ := waterLevel(a.e, d.k); least < t {
		t = least
	}
	d.c, a.e = a.e, d.c // coins by the weighted norms; their scale is 1/p either way
	d.coins(t)
	return nil
}

// levelFor returns the largest t with Σ e·(t-e) over e < t no more than v, by halving: the sum
// grows with t.
func levelFor(e []float64, v float64) float64 {
	if !(v > 0) {
		return 0
	}
	lo, hi := 0.0, 0.0
	for _, x := range e {
		hi = max(hi, x)
	}
	if coinVariance(e, hi) <= v {
		// All coins below 1: Σe·t - Σe² = v.
		total, squares := 0.0, 0.0
		for _, x := range e {
			total += x
			squares += x * x
		}
		return (v + squares) / total
	}
	for range 40 {
		mid := (lo + hi) / 2
		if coinVariance(e, mid) <= v {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
