package crs

import (
	"fmt"
	"slices"
	"strings"

	"trivium/core/nn"
	"trivium/core/random"
	"trivium/core/tensor"
)

// A Mode says which products of a layer are sampled.
type Mode int

// The modes. The forward product is sampled over a layer's inputs (channels of a convolution),
// the gradient of the inputs over its outputs, the gradient of the weights over the samples
// of the batch.
const (
	// Forward samples the forward product. The gradients are those of what was computed:
	// inputs that were left out have none. All three products get cheaper.
	Forward Mode = iota
	// Backward computes the forward product exactly and samples each gradient by itself.
	Backward
	// ForwardOnly samples the forward product and computes gradients as if it had not.
	ForwardOnly
)

func (m Mode) String() string {
	switch m {
	case Forward:
		return "forward"
	case Backward:
		return "backward"
	case ForwardOnly:
		return "forward only"
	}
	return fmt.Sprintf("mode %d", int(m))
}

// A Product says how the layers of a network sample their products in training. A [Sampler]
// alone stands for Product{Sampler: it}.
type Product struct {
	Sampler Sampler // of the products that Mode samples
	Mode    Mode    // Forward is the zero value

	// InputGrad and WeightGrad sample these products, each over an axis of its own, whatever
	// the mode: a share of its own for each product. nil means as Mode has it.
	InputGrad, WeightGrad Sampler

	// MinPairs is how many pairs are kept at least; products of no more pairs are exact. 0
	// means 1. With 512, only layers of more than 512 inputs are sampled by half.
	MinPairs int

	// Look makes choosing cheaper: norms are measured on one part in Look of what is multiplied,
	// another part in each step. 0 means all. Scaled samplers stay unbiased, with a little more
	// variance; of top-k some pairs change places. NaN in what is not looked at is not found at once.
	Look int

	// Exact names layers that are left alone: "dense3", "block2.conv1", or all of a kind by
	// "dense" or "conv".
	Exact []string

	Record *Record // keeps what was drawn, for figures; nil means not

	layers []nn.Info // of the network, if known
	err    error
}

func (q Product) String() string {
	var parts []string
	if q.Sampler != nil {
		parts = append(parts, q.Sampler.String())
	}
	if q.Mode != Forward {
		parts = append(parts, q.Mode.String())
	}
	if q.InputGrad != nil {
		parts = append(parts, "input gradient "+q.InputGrad.String())
	}
	if q.WeightGrad != nil {
		parts = append(parts, "weight gradient "+q.WeightGrad.String())
	}
	if q.MinPairs > 1 {
		parts = append(parts, fmt.Sprintf("at least %d pairs", q.MinPairs))
	}
	if q.Look > 1 {
		parts = append(parts, fmt.Sprintf("norms of one part in %d", q.Look))
	}
	if len(q.Exact) > 0 {
		parts = append(parts, "exact "+strings.Join(q.Exact, " "))
	}
	return strings.Join(parts, "; ")
}

// Err returns why the product cannot be, nil if it can.
func (q Product) Err() error {
	if q.err != nil {
		return q.err
	}
	if q.Mode < Forward || q.Mode > ForwardOnly {
		return &OptionError{"Product.Mode", fmt.Sprint(int(q.Mode)), "it must be Forward, Backward or ForwardOnly"}
	}
	if q.Sampler == nil && q.InputGrad == nil && q.WeightGrad == nil {
		return &OptionError{"Product.Sampler", "nil", "give a sampler such as TopK{Keep: 0.5}"}
	}
	if q.Look < 0 {
		return &OptionError{"Product.Look", fmt.Sprint(q.Look), "it must be at least 0"}
	}
	if q.MinPairs < 0 {
		return &OptionError{"Product.MinPairs", fmt.Sprint(q.MinPairs), "it must be at least 0"}
	}
	for _, s := range []Sampler{q.Sampler, q.InputGrad, q.WeightGrad} {
		if s == nil {
			continue
		}
		if err := s.check(); err != nil {
			return err
		}
	}
	if s := q.plan().weight; s != nil && s.looksAt() == seesWeights {
		return &OptionError{"Product.WeightGrad", s.String(), "no weights are multiplied in the gradient of the weights: give another sampler for it"}
	}
	return nil
}

// A plan is the sampler of each product of a layer; nil means exactly.
type plan struct {
	forward, input, weight Sampler
	through                bool // gradients are those of the sampled forward product
}

func (q Product) plan() plan {
	var p plan
	switch q.Mode {
	case Backward:
		p.input, p.weight = q.Sampler, q.Sampler
	default:
		p.forward, p.through = q.Sampler, q.Mode == Forward
	}
	if q.InputGrad != nil {
		p.input = q.InputGrad
	}
	if q.WeightGrad != nil {
		p.weight = q.WeightGrad
	}
	return p
}

// ForNet returns the product for a network of these layers. Names that no layer has, and a
// MinPairs that leaves nothing to sample, show in its Err.
func (q Product) ForNet(layers []nn.Info) nn.Product {
	q.layers = layers
	if q.err == nil {
		q.err = q.fits(layers)
	}
	return q
}

func (q Product) fits(layers []nn.Info) error {
	for _, name := range q.Exact {
		if !slices.ContainsFunc(layers, func(l nn.Info) bool { return named(l, name) }) {
			return &OptionError{"Product.Exact", fmt.Sprintf("%q", name), "the network has no such layer: " + names(layers)}
		}
	}
	widest := 0
	for _, l := range layers {
		if l.Kind != "" && !q.exact(l) {
			widest = max(widest, l.Inputs, l.Outputs)
		}
	}
	if q.MinPairs > widest && q.plan().weight == nil {
		return &OptionError{"Product.MinPairs", fmt.Sprint(q.MinPairs),
			fmt.Sprintf("the widest layer that is sampled has %d pairs, so nothing would be", widest)}
	}
	return nil
}

func named(l nn.Info, name string) bool { return l.Kind != "" && (l.Name == name || l.Kind == name) }

func names(layers []nn.Info) string {
	var list []string
	for _, l := range layers {
		if l.Kind != "" {
			list = append(list, l.Name)
		}
	}
	return "it has " + strings.Join(list, ", ")
}

func (q Product) exact(l nn.Info) bool {
	return slices.ContainsFunc(q.Exact, func(name string) bool { return named(l, name) })
}

// Multiplier32 returns the multiplier of one layer.
func (q Product) Multiplier32(l nn.Info, s *random.Stream) nn.Multiplier[float32] {
	return newMultiplier[float32](q, l, s)
}

// Multiplier64 returns the multiplier of one layer.
func (q Product) Multiplier64(l nn.Info, s *random.Stream) nn.Multiplier[float64] {
	return newMultiplier[float64](q, l, s)
}

func newMultiplier[T tensor.Float](q Product, l nn.Info, s *random.Stream) nn.Multiplier[T] {
	if err := q.Err(); err != nil {
		return failing[T]{err: err}
	}
	if q.exact(l) {
		return nn.Exact[T]{}
	}
	m := &multiplier[T]{layer: l, least: q.MinPairs, through: q.plan().through, record: q.Record.layer(l)}
	for _, c := range []struct {
		to   **selector[T]
		s    Sampler
		name string
	}{{&m.forward, q.plan().forward, "forward"}, {&m.input, q.plan().input, "input gradient"}, {&m.weight, q.plan().weight, "weight gradient"}} {
		if c.s != nil {
			*c.to = newSelector[T](c.s, s.Split(c.name))
			(*c.to).look = q.Look
		}
	}
	return m
}
