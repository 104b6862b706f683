package amp

import "trivium/core/tensor"

// Nodes that change payloads and have no parameters.

// An Activation is a function of each number.
type Activation int

// The activations. None is the zero value.
const (
	None Activation = iota
	ReLU
	Tanh
	Sigmoid
)

func (a Activation) String() string { return [...]string{"none", "relu", "tanh", "sigmoid"}[a] }

// apply computes y = a(x) in place.
func (a Activation) apply(x []float32) {
	switch a {
	case ReLU:
		tensor.ReLU(x, x)
	case Tanh:
		tensor.Tanh(x, x)
	case Sigmoid:
		tensor.Sigmoid(x, x)
	}
}

// grad computes dst, the gradient of the input, from that of the output y.
func (a Activation) grad(dst, dy, y []float32) {
	switch a {
	case ReLU:
		tensor.ReLUGrad(dst, dy, y)
	case Tanh:
		tensor.TanhGrad(dst, dy, y)
	case Sigmoid:
		tensor.SigmoidGrad(dst, dy, y)
	default:
		copy(dst, dy)
	}
}

// A Func is a function of a payload without parameters. Both are called once per message and
// write their last argument; Backward has the payload that went in and the one that came out, and dy, the
// gradient of the latter.
type Func struct {
	Forward  func(s State, x, y tensor.Mat32)
	Backward func(s State, x, y, dy, dx tensor.Mat32)
	Out      int                    // numbers in a row that comes out; 0 means as many as go in
	Rows     func(s State) int      // rows that come out; nil means as many as go in
	Flops    func(x, y int) float64 // of a forward pass, by numbers in and out, for plans; nil means none
}

// Apply adds an activation.
func (g *Graph) Apply(name string, in Port, a Activation) Port {
	if a < None || a > Sigmoid {
		g.bad("apply %s: there is no activation %d", name, a)
		a = None
	}
	return g.NPT(name, in, Func{
		Forward: func(_ State, x, y tensor.Mat32) {
			copy(y.Data, x.Data)
			a.apply(y.Data)
		},
		Backward: func(_ State, _, y, dy, dx tensor.Mat32) { a.grad(dx.Data, dy.Data, y.Data) },
	})
}

// NPT adds a function of payloads.
func (g *Graph) NPT(name string, in Port, f Func) Port {
	if f.Forward == nil || f.Backward == nil {
		g.bad("npt %s needs Forward and Backward", name)
		f.Forward, f.Backward = func(State, tensor.Mat32, tensor.Mat32) {}, func(State, tensor.Mat32, tensor.Mat32, tensor.Mat32, tensor.Mat32) {}
	}
	out := f.Out
	if out == 0 {
		out = in.width()
	}
	return g.add(name, "npt", &nptOp{f: f}, []Port{in}, out).port(0)
}

type nptOp struct {
	f   Func
	mem cache[[2]payload]
}

func (o *nptOp) fresh() op { return &nptOp{f: o.f} }

func (o *nptOp) held(f func(State, string)) {
	o.mem.each(func(s State, _ *[2]payload) { f(s, "") })
}

func (o *nptOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		x := m[i].x
		rows := x.rows
		if o.f.Rows != nil {
			rows = o.f.Rows(m[i].s)
		}
		cols := n.outs[0].width
		if cols == 0 {
			cols = x.cols
		}
		y := w.alloc(rows, cols)
		y.given = x.given
		if y.b != nil {
			o.f.Forward(m[i].s, x.matrix(), y.matrix())
		}
		if o.f.Flops != nil {
			w.flops(n, o.f.Flops(x.size(), y.size()))
		}
		if m[i].inst.train {
			v, twice := o.mem.put(&m[i].s)
			if twice {
				w.failTwice(n, m[i].s)
			}
			y.share(1)
			*v = [2]payload{x, y}
		} else {
			w.release(x)
		}
		w.emit(n, 0, m[i].inst, &m[i].s, y)
	}
}

func (o *nptOp) backward(w *worker, n *node, m []message) {
	for i := range m {
		v, ok := o.mem.take(&m[i].s)
		if !ok {
			w.failUnknown(n, m[i].s)
		}
		var dx payload
		if n.in[0].node.learns && m[i].x.rows > 0 {
			dx = w.alloc(v[0].rows, v[0].cols)
			if dx.b != nil {
				o.f.Backward(m[i].s, v[0].matrix(), v[1].matrix(), m[i].x.matrix(), dx.matrix())
			}
		}
		w.release(v[0])
		w.release(v[1])
		w.release(m[i].x)
		w.emitBack(n, 0, m[i].inst, &m[i].s, dx)
	}
}

// Flat adds a node that makes one row of all: a class for each node of a graph, say.
func (g *Graph) Flat(name string, in Port) Port {
	return g.add(name, "flat", &flatOp{}, []Port{in}, 0).port(0)
}

type flatOp struct{}

func (o *flatOp) fresh() op                { return o }
func (o *flatOp) held(func(State, string)) {}

func (o *flatOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		w.emit(n, 0, m[i].inst, &m[i].s, m[i].x.shaped(1, m[i].x.size()))
	}
}

func (o *flatOp) backward(w *worker, n *node, m []message) {
	cols := n.ins[0].width()
	for i := range m {
		x := m[i].x
		if x.rows > 0 && cols > 0 {
			x = x.shaped(x.size()/cols, cols)
		}
		w.emitBack(n, 0, m[i].inst, &m[i].s, x)
	}
}
