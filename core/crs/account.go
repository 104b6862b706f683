package crs

import (
	"fmt"
	"strings"

	"trivium/core/nn"
)

// A CostResult is what is left to do of a network's work when it is sampled, as shares of the exact
// work.
type CostResult struct {
	Layers []LayerCost

	Forward   float64 // of the multiplications of the forward pass
	Training  float64 // of those of forward pass and both gradients together
	Gradients float64 // of the numbers of the gradients of these layers, batch norms left out
	Sampled   int     // layers that are sampled

	err error
}

// LayerCost is the same for one layer.
type LayerCost struct {
	Name            string
	Kind            string
	MACs            int64 // multiplications with additions for one sample, forward
	Params          int
	Inputs          int     // pairs of the forward product
	Kept            int     // of them
	Forward         float64 // shares of the exact work
	Input, Weight   float64
	GradientNumbers float64 // that are not 0
}

// Cost counts what a network would save, without training it or taking memory for its weights. batch is the
// number of samples of a step, the pairs of gradients of weights; 0 means 64. For samplers
// whose number of pairs is random it is the number that is asked for.
func Cost(net *nn.Net, q nn.Product, batch int) *CostResult {
	r := &CostResult{}
	if err := net.Err(); err != nil {
		r.err = err
		return r
	}
	if batch == 0 {
		batch = 64
	}
	layers := net.Layers()
	product, err := asProduct(q)
	if err == nil {
		product = product.ForNet(layers).(Product)
		err = product.Err()
	}
	if err != nil {
		r.err = err
		return r
	}
	var macs, forward, training, params, grads float64
	for _, l := range layers {
		c := product.cost(l, batch)
		r.Layers = append(r.Layers, c)
		if c.Forward < 1 || c.Input < 1 || c.Weight < 1 {
			r.Sampled++
		}
		work := float64(l.MACs)
		macs += work
		forward += work * c.Forward
		training += work * (c.Forward + c.Input + c.Weight) / 3
		if l.Kind != "" {
			params += float64(l.Params)
			grads += c.GradientNumbers
		}
	}
	r.Forward, r.Training, r.Gradients = forward/macs, training/macs, grads/params
	return r
}

// asProduct sees a sampler as the product that it stands for.
func asProduct(q nn.Product) (Product, error) {
	switch q := q.(type) {
	case Product:
		return q, nil
	case Sampler:
		return Product{Sampler: q}, nil
	case nil:
		return Product{Sampler: TopK{Keep: 1}}, nil
	}
	return Product{}, fmt.Errorf("crs: %v changes in the course of a training: give a sampler or a Product", q)
}

func (q Product) cost(l nn.Info, batch int) LayerCost {
	c := LayerCost{Name: l.Name, Kind: l.Kind, MACs: l.MACs, Params: l.Params, Inputs: l.Inputs, Kept: l.Inputs,
		Forward: 1, Input: 1, Weight: 1, GradientNumbers: float64(l.Params)}
	if l.Kind == "" || q.exact(l) {
		return c
	}
	p := q.plan()
	share := func(s Sampler, n int) float64 {
		if s == nil {
			return 1
		}
		return float64(pairsKept(shareOf(s), n, q.MinPairs)) / float64(n)
	}
	if p.forward != nil {
		c.Kept = pairsKept(shareOf(p.forward), l.Inputs, q.MinPairs)
		c.Forward = share(p.forward, l.Inputs)
	}
	c.Input, c.Weight = share(p.input, l.Outputs), share(p.weight, batch)
	if p.through {
		c.Input, c.Weight = c.Input*c.Forward, c.Weight*c.Forward
		weights := float64(weightsOf(l))
		c.GradientNumbers = float64(l.Params) - weights + weights*c.Forward
	}
	return c
}

// shareOf is what a sampler keeps; by mass it depends on the numbers, and counts as all.
func shareOf(s Sampler) float64 {
	if _, ok := s.(TopKAdaptive); ok {
		return 1
	}
	return s.keep()
}

// Err returns why there is no count, nil if there is one.
func (r *CostResult) Err() error { return r.err }

func (r *CostResult) String() string {
	if r.err != nil {
		return r.err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%.1f%% of the forward work, %.1f%% of the work of a step, %.1f%% of the gradient; %d layers sampled", 100*r.Forward, 100*r.Training, 100*r.Gradients, r.Sampled)
	return b.String()
}

// weightsOf is the number of a layer's weights that belong to inputs: all but the bias.
func weightsOf(l nn.Info) int {
	if l.Kind == "conv" {
		return l.Inputs * l.Outputs * l.Size * l.Size
	}
	return l.Inputs * l.Outputs
}
