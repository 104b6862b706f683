package amp

import (
	"fmt"

	"trivium/core/nn"
)

// Layer adds any layers of core/nn as one node: convolutions, normalisation, dropout. A message is a
// batch of its own; its forward pass is kept in a twin of the network until its gradient comes.
func (g *Graph) Layer(name string, in Port, layers ...nn.Layer) Port {
	return g.addLayer(name, "layer", in, layers...).port(0)
}

func (g *Graph) addLayer(name, kind string, in Port, layers ...nn.Layer) *Node {
	net := nn.New(nn.Vector(in.width()), layers...)
	if len(layers) > 0 { // an image comes as its numbers, and the first layer may want to know its shape
		if s, ok := layers[0].(Shaped); ok {
			net = nn.New(nn.Shape(s), layers[1:]...)
		}
	}
	net.Name = name
	if err := net.Err(); err != nil {
		g.bad("layer %s: %v", name, err)
		return g.add(name, kind, &dropOp{}, []Port{in}, 1)
	}
	net.Init(g.seed)
	net.SetProduct(g.product, g.seed)
	o := &layerOp{net: net, p: &params{shapes: []shape{{"weights", net.Count(), 0}}, weights: net.Weights(), grads: net.Gradients()}}
	if net.In().Size() != in.width() {
		g.bad("layer %s takes %v, and rows have %d numbers", name, net.In(), in.width())
	}
	return g.add(name, kind, o, []Port{in}, net.Out().Size())
}

// Shaped stands first among the layers of [Graph.Layer] and says that rows are images.
type Shaped nn.Shape

// Kind returns "shaped".
func (Shaped) Kind() string { return "shaped" }

// Shape returns the images' shape if in has as many numbers.
func (s Shaped) Shape(in nn.Shape) (nn.Shape, error) {
	if in.Size() != nn.Shape(s).Size() {
		return nn.Shape{}, fmt.Errorf("%v is no image of %v", in, nn.Shape(s))
	}
	return nn.Shape(s), nil
}

// Unit32 returns the layer in float32.
func (Shaped) Unit32(in nn.Shape) nn.Unit[float32] { return nn.Flatten{}.Unit32(in) }

// Unit64 returns the layer in float64.
func (Shaped) Unit64(in nn.Shape) nn.Unit[float64] { return nn.Flatten{}.Unit64(in) }

// A layerOp has a twin of the network for each message that is on its way.
type layerOp struct {
	net   *nn.Net
	p     *params
	mem   cache[twin]
	spare []*nn.Net
	step  uint64
	kept  []float32 // what a correction has to put back
}

type twin struct {
	net     *nn.Net
	x       payload
	version int
}

func (o *layerOp) fresh() op           { return &layerOp{net: o.net, p: o.p} }
func (o *layerOp) parameters() *params { return o.p }

func (o *layerOp) held(f func(State, string)) {
	o.mem.each(func(s State, _ *twin) { f(s, "") })
}

func (o *layerOp) free() *nn.Net {
	if last := len(o.spare) - 1; last >= 0 {
		n := o.spare[last]
		o.spare = o.spare[:last]
		return n
	}
	return o.net.Twin()
}

func (o *layerOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		x := m[i].x
		y := w.alloc(x.rows, n.outs[0].width)
		var t *nn.Net
		if w.e.dry {
			w.flops(n, 2*float64(o.net.MACs())*float64(x.rows))
		} else {
			t = o.free()
			o.step++
			p := t.Pass()
			p.Flops = 0 // what is done, not what exact products would do
			p.Train, p.Accumulate, p.Seed, p.Step = m[i].inst.train, true, w.e.o.Seed, o.step
			r, err := o.compute(t, x.matrix())
			if err != nil {
				w.failErr(n, m[i].s, err)
			}
			copy(y.data(), r.Data[:y.size()])
			w.flops(n, p.Flops)
		}
		if m[i].inst.train {
			v, twice := o.mem.put(&m[i].s)
			if twice {
				w.failTwice(n, m[i].s)
			}
			*v = twin{t, x, o.p.version}
			if o.p.fix != nil {
				o.p.fix.forward(o.p)
			}
		} else {
			if t != nil {
				o.spare = append(o.spare, t)
			}
			w.release(x)
		}
		w.emit(n, 0, m[i].inst, &m[i].s, y)
	}
}

func (o *layerOp) backward(w *worker, n *node, m []message) {
	for i := range m {
		v, ok := o.mem.take(&m[i].s)
		if !ok {
			w.failUnknown(n, m[i].s)
		}
		stale := o.p.version - v.version
		n.stats.stale(stale)
		w.stale = max(w.stale, stale)
		var dx payload
		if n.in[0].node.learns {
			dx = w.alloc(v.x.rows, v.x.cols)
		}
		if v.net == nil {
			w.flops(n, 4*float64(o.net.MACs())*float64(v.x.rows))
		} else {
			v.net.Pass().Flops = 0
			o.grads(w, n, &m[i], v, dx)
			w.flops(n, v.net.Pass().Flops)
			o.spare = append(o.spare, v.net)
		}
		o.p.pending++
		w.release(v.x)
		w.release(m[i].x)
		w.emitBack(n, 0, m[i].inst, &m[i].s, dx)
		if len(o.p.weights) > 0 && o.p.update(w.e.factor()) {
			n.stats.updates.Add(1)
		}
	}
}

// compute goes forward, with other weights if a correction predicts some: they stand in for the current ones meanwhile.
func (o *layerOp) compute(t *nn.Net, x matrix) (y matrix, err error) {
	if o.p.fix == nil || len(o.p.weights) == 0 {
		return t.Forward(x)
	}
	ahead := o.p.fix.weights(o.p)
	if ahead == nil {
		return t.Forward(x)
	}
	o.kept = append(o.kept[:0], o.p.weights...)
	copy(o.p.weights, ahead)
	y, err = t.Forward(x)
	copy(o.p.weights, o.kept)
	return y, err
}

func (o *layerOp) grads(w *worker, n *node, m *message, v twin, dx payload) {
	own := false // a correction wants this message's gradient by itself
	first := o.p.first()
	if o.p.fix != nil {
		kept := [1]tape{{version: v.version}}
		w.calc.begin(o.p, o.p.weights, &w.store, nil)
		o.p.fix.begin(o.p, &w.calc, kept[:])
		own = len(o.p.grads) > 0 && &w.calc.grads[0] != &o.p.grads[0]
	}
	if own && !first {
		o.kept = append(o.kept[:0], o.p.grads...)
	}
	v.net.Pass().Accumulate = !first && !own
	o.backpropagate(w, n, m, v, dx)
	if own {
		copy(w.calc.grads, o.p.grads)
		if !first {
			copy(o.p.grads, o.kept)
		}
	}
	if o.p.fix != nil {
		o.p.fix.gradient(o.p, v.version)
	}
}

// backpropagate computes the gradients of the parameters, and of the input unless dx has no rows.
func (o *layerOp) backpropagate(w *worker, n *node, m *message, v twin, dx payload) {
	if dx.b == nil {
		if err := v.net.Backward(m.x.matrix()); err != nil {
			w.failErr(n, m.s, err)
		}
		return
	}
	d, err := v.net.InputGradient(m.x.matrix())
	if err != nil {
		w.failErr(n, m.s, err)
	}
	copy(dx.data(), d.Data[:dx.size()])
}
