package crs

import (
	"context"
	"fmt"
	"math"
	"strings"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/random"
	"trivium/core/run"
	"trivium/core/tensor"
	"trivium/core/train"
)

// A node has weights, gradients and an optimiser's memory of its own, as it would on a machine
// of its own.
type node struct {
	t      *parallel
	rank   int
	net    *nn.Net
	layers nodeProduct
	params []*nn.Param[float32]
	norms  []*joinedNorms[float32] // of layers that choose by their inputs
	memory []float32
	x      tensor.Matrix[float32]
	grad   tensor.Matrix[float32]
	labels []int
	vector []float32 // what is exchanged
	loss   float64   // of the joined batch

	flops, sent, all float64
}

// A nodeProduct is a product that lets its node see what each layer kept.
type nodeProduct struct {
	Product
	multipliers map[string]*multiplier[float32]
}

// ForNet returns the product as it is: it has been fitted to the network already.
func (q nodeProduct) ForNet([]nn.Info) nn.Product { return q }

// Multiplier32 returns the multiplier of one layer and remembers it. If its sampler looks at the
// inputs, it is shown those of all nodes.
func (q nodeProduct) Multiplier32(l nn.Info, s *random.Stream) nn.Multiplier[float32] {
	m := q.Product.Multiplier32(l, s)
	if own, ok := m.(*multiplier[float32]); ok {
		q.multipliers[l.Name] = own
		if own.forward != nil && own.forward.sampler.looksAt() == seesPairs {
			own.joined, own.forward.stale = &joinedNorms[float32]{}, true
		}
	}
	return m
}

func newNode(t *parallel, rank int, net *nn.Net) *node {
	n := &node{t: t, rank: rank, net: net, layers: nodeProduct{t.product, map[string]*multiplier[float32]{}}}
	if rank > 0 {
		n.layers.Record = nil // node 0 keeps it
	}
	n.net.SetProduct(n.layers, t.o.Seed)
	for _, l := range n.net.Layers() {
		if m := n.layers.multipliers[l.Name]; m != nil && m.joined != nil {
			n.norms = append(n.norms, m.joined)
		}
	}
	n.params = n.net.Params()
	n.memory = make([]float32, t.o.Optimizer.Memory()*len(n.net.Weights()))
	n.x = tensor.New[float32](t.o.Batch, n.net.In().Size())
	n.grad = tensor.New[float32](t.o.Batch, n.net.Out().Size())
	n.labels = make([]int, t.o.Batch)
	return n
}

// train takes all steps together with the other nodes.
func (n *node) train(ctx context.Context) error {
	t, step := n.t, 0
	for epoch := 0; step < t.total; epoch++ {
		order := t.order(epoch)
		done, sum := 0, 0.0
		for ; done < t.perEpoch && step < t.total; done++ {
			if n.rank == 0 {
				if err := run.Gate(ctx); err != nil {
					return err
				}
			}
			from := done * t.n * t.o.Batch
			joined := order[from:min(from+t.n*t.o.Batch, len(order))]
			if err := n.step(ctx, joined, step, float64(step)/float64(t.perEpoch)); err != nil {
				return fmt.Errorf("crs: node %d, step %d: %w", n.rank, step+1, err)
			}
			step++
			sum += n.loss
			if n.rank == 0 {
				n.report(step, epoch)
			}
		}
		if n.rank == 0 {
			if done == t.perEpoch {
				t.result.Epochs++
			}
			if err := t.test(ctx, order, step); err != nil {
				return err
			}
			if t.o.OnEpoch != nil {
				t.o.OnEpoch(train.EpochInfo{Epoch: epoch + 1, Step: step, Loss: sum / float64(done), TestLoss: t.result.TestLoss, Accuracy: t.result.Accuracy})
			}
			if ctx.Err() != nil { // a hook that was interrupted comes back with its work undone
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// step is one step: the node's part of the joined batch, the exchange, the optimiser.
func (n *node) step(ctx context.Context, joined []int, step int, epoch float64) error {
	k, nodes := len(joined), n.t.n
	own := joined[n.rank*k/nodes : (n.rank+1)*k/nodes]
	share := float32(len(own)) / float32(k)
	if len(own) == 0 { // fewer samples than nodes: take part without a say
		own = joined[:1]
	}
	p := n.net.Pass()
	*p = nn.Pass[float32]{Train: true, Seed: n.t.o.Seed + uint64(n.rank), Step: uint64(step), Epoch: epoch}
	x, grad := n.x.Slice(0, len(own), 0, n.x.Cols), n.grad.Slice(0, len(own), 0, n.grad.Cols)
	for i, s := range own {
		copy(x.Row(i), n.t.x.Row(s))
		n.labels[i] = n.t.labels[s]
	}
	y, err := n.net.Forward(x)
	if err != nil {
		return err
	}
	loss, err := nn.LossOf(n.t.o.Loss, grad, y, n.labels[:len(own)], tensor.Matrix[float32]{})
	if err != nil {
		return err
	}
	tensor.Scale(grad.Data[:grad.Rows*grad.Cols], share, grad.Data[:grad.Rows*grad.Cols])
	if err := n.net.Backward(grad); err != nil {
		return err
	}
	n.flops += p.Flops
	n.pack(float32(loss)*share, share)
	if err := n.t.exchange.AllReduce(ctx, n.rank, n.vector); err != nil {
		return err
	}
	n.unpack()
	if math.IsNaN(n.loss) || math.IsInf(n.loss, 0) {
		return fmt.Errorf("the loss is %v: try a smaller Rate, or Clip", n.loss)
	}
	g := n.net.Gradients()
	if n.t.o.Clip > 0 {
		optim.ClipNorm(g, n.t.o.Clip)
	}
	rate := n.t.o.Rate
	if n.t.o.Schedule != nil {
		rate *= n.t.o.Schedule.Factor(epoch, float64(n.t.o.Epochs))
	}
	optim.Step(n.t.o.Optimizer, n.net.Weights(), g, n.memory, rate, step+1)
	return nil
}

// report tells trace and hooks, on node 0.
func (n *node) report(step, epoch int) {
	t := n.t
	t.result.Steps, t.result.Loss = step, n.loss
	t.trace.Work(n.net.Pass().Flops * float64(t.n))
	t.trace.Sample("loss", float64(step), n.loss)
	t.trace.Sample("numbers sent", float64(step), float64(len(n.vector)))
	t.trace.Progress(float64(step), float64(t.total))
	if t.o.OnStep != nil {
		t.o.OnStep(train.StepInfo{Step: step, Epoch: epoch + 1, Loss: n.loss, Rate: t.o.Rate})
	}
}

// pack writes what the nodes add up: the loss, the gradients of what was kept, running averages, and
// the norms of inputs where these are chosen by.
func (n *node) pack(loss, share float32) {
	v := append(n.vector[:0], loss)
	n.each(func(g []float32) { v = append(v, g...) })
	n.sent += float64(len(v) - 1)
	n.all += float64(len(n.net.Gradients()))
	at := len(v)
	v = append(v, n.net.Running()...)
	tensor.Scale(v[at:], share, v[at:])
	at = len(v)
	for _, j := range n.norms {
		v = append(v, j.own...)
	}
	if share == 0 {
		clear(v[at:])
	}
	n.vector = v
}

// unpack is the way back.
func (n *node) unpack() {
	v := n.vector[1:]
	n.loss = float64(n.vector[0])
	n.each(func(g []float32) {
		copy(g, v)
		v = v[len(g):]
	})
	v = v[copy(n.net.Running(), v):]
	for _, j := range n.norms {
		j.join(v[:len(j.own)])
		v = v[len(j.own):]
	}
}

// each calls f with every part of the gradient that may differ from 0.
func (n *node) each(f func(g []float32)) {
	for _, p := range n.params {
		if p.Running {
			continue
		}
		layer, weight := strings.CutSuffix(p.Name, ".weight")
		m := n.layers.multipliers[layer]
		if !weight || m == nil || m.kept == nil {
			f(p.Grad)
			continue
		}
		inputs := m.layer.Inputs
		if m.layer.Kind != "conv" {
			row := p.Len / inputs
			for _, i := range m.kept.Index {
				f(p.Grad[int(i)*row:][:row])
			}
			continue
		}
		area := m.layer.Size * m.layer.Size
		for o := range m.layer.Outputs {
			for _, c := range m.kept.Index {
				f(p.Grad[(o*inputs+int(c))*area:][:area])
			}
		}
	}
}
