package crs

import (
	"errors"
	"fmt"
	"strings"

	"trivium/core/nn"
	"trivium/core/random"
	"trivium/core/tensor"
	"trivium/core/train"
)

// VarianceOptions sets what Variance measures.
type VarianceOptions struct {
	Product nn.Product // whose error is measured
	Batch   int        // samples of a step; 0 means 64
	Batches int        // 0 means 32
	Draws   int        // for each batch; 0 means 4
	Seed    uint64
}

// A VarianceResult compares the error that sampling adds to a gradient with the spread that the
// gradient has from batch to batch.
type VarianceResult struct {
	Layers []LayerVariance
	Total  LayerVariance
}

// LayerVariance is squared distances of gradients, summed over the numbers of a layer.
type LayerVariance struct {
	Name  string
	Own   float64 // between gradients of batches and their mean: the minibatch's own variance
	Added float64 // between sampled and exact gradient of the same batch, bias included
}

// Share is Added as a part of Own.
func (v LayerVariance) Share() float64 { return v.Added / v.Own }

func (r *VarianceResult) String() string {
	var b strings.Builder
	for _, v := range append(r.Layers[:len(r.Layers):len(r.Layers)], r.Total) {
		fmt.Fprintf(&b, "  %-20s own %9.3g  added %9.3g  %6.1f%%\n", v.Name, v.Own, v.Added, 100*v.Share())
	}
	return b.String()
}

// Variance measures, for a network as it is, what sampling adds to the variance of the gradient.
// It takes Batches·Draws steps, half of them exact, and leaves the network alone.
func Variance(net *nn.Net, data train.Data, o VarianceOptions) (*VarianceResult, error) {
	if err := net.Err(); err != nil {
		return nil, err
	}
	if o.Batch == 0 {
		o.Batch = 64
	}
	if o.Batches == 0 {
		o.Batches = 32
	}
	if o.Draws == 0 {
		o.Draws = 4
	}
	x, labels := data.TrainData()
	if o.Batch < 1 || o.Batches < 2 || o.Draws < 1 || x.Rows == 0 || x.Cols != net.In().Size() || len(labels) != x.Rows {
		return nil, errors.New("crs: Variance needs Batches of at least 2, samples that fit the network, and a label for each")
	}
	exact, sampled := net.Clone(), net.Clone()
	exact.SetProduct(nil, 0)
	sampled.SetProduct(o.Product, o.Seed)
	size := len(net.Weights())
	sum, squares := make([]float64, size), make([]float64, size)
	added := make([]float64, size)
	pick := random.New(o.Seed).Split("batches")
	batch := tensor.New[float32](o.Batch, x.Cols)
	own := make([]int, o.Batch)
	for i := range o.Batches {
		for j := range own {
			k := pick.IntN(x.Rows)
			copy(batch.Row(j), x.Row(k))
			own[j] = labels[k]
		}
		for d := range o.Draws {
			step := uint64(i*o.Draws + d)
			g, err := gradient(exact, batch, own, step)
			if err != nil {
				return nil, err
			}
			h, err := gradient(sampled, batch, own, step)
			if err != nil {
				return nil, err
			}
			for l := range g {
				e := float64(h[l]) - float64(g[l])
				added[l] += e * e
				if d == 0 {
					sum[l] += float64(g[l])
					squares[l] += float64(g[l]) * float64(g[l])
				}
			}
		}
	}
	n := float64(o.Batches)
	r := &VarianceResult{Total: LayerVariance{Name: "all"}}
	at := 0
	for _, l := range net.Layers() {
		v := LayerVariance{Name: l.Name}
		for ; l.Params > 0; at, l.Params = at+1, l.Params-1 {
			v.Own += (squares[at] - sum[at]*sum[at]/n) / (n - 1)
			v.Added += added[at] / (n * float64(o.Draws))
		}
		r.Layers = append(r.Layers, v)
		r.Total.Own += v.Own
		r.Total.Added += v.Added
	}
	return r, nil
}

func gradient(net *nn.Net, x tensor.Matrix[float32], labels []int, step uint64) ([]float32, error) {
	p := net.Pass()
	p.Train, p.Step = true, step
	y, err := net.Forward(x)
	if err != nil {
		return nil, err
	}
	dy := tensor.New[float32](y.Rows, y.Cols)
	if _, err := nn.LossOf(nn.CrossEntropy, dy, y, labels, tensor.Matrix[float32]{}); err != nil {
		return nil, err
	}
	return net.Gradients(), net.Backward(dy)
}
