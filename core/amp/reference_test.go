package amp

import (
	"context"
	"fmt"
	"math"
	"testing"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/random"
	"trivium/core/tensor"
)

// The references here do without messages, states and caches: each instance is computed by plain calls, one
// after the other, and its gradients are added up.

type treeSet []*treeInstance

func (s treeSet) Len() int { return len(s) }
func (s treeSet) Tree(i int) (left, right, word, label []int) {
	t := s[i]
	n := len(t.labels)
	left, right = make([]int, n), make([]int, n)
	for k := range n {
		left[k], right[k] = -1, -1
	}
	for k, p := range t.parent {
		if p >= 0 {
			[][]int{left, right}[t.side[k]][p] = k
		}
	}
	return left, right, t.words, t.labels
}

func randomTrees(n, leaves, words int, seed uint64) treeSet {
	r := random.New(seed)
	var set treeSet
	for range n {
		t := &treeInstance{}
		add := func(word int) int {
			t.parent, t.side = append(t.parent, -1), append(t.side, 0)
			t.words, t.labels = append(t.words, word), append(t.labels, r.IntN(5))
			return len(t.parent) - 1
		}
		var grow func(n int) int
		grow = func(n int) int {
			if n == 1 {
				return add(r.IntN(words))
			}
			k := 1 + r.IntN(n-1)
			a, b := grow(k), grow(n-k)
			p := add(-1)
			t.parent[a], t.parent[b], t.side[b] = p, p, 1
			return p
		}
		grow(1 + r.IntN(leaves))
		set = append(set, t)
	}
	return set
}

// cellAlone runs a cell on one row and returns what its backward needs.
type cellAlone struct {
	c       Cell
	p       *params
	x, y, t matrix
}

func forwardAlone(n *Node, x []float32) (*cellAlone, []float32) {
	o := n.op.(*ppt)
	a := &cellAlone{c: o.cell, p: o.p, x: tensor.Of(1, len(x), x), y: tensor.New[float32](1, o.plan.out), t: tensor.New[float32](1, o.plan.tape)}
	a.c.forward(&calc{w: o.p.weights, p: o.p, buf: make([]float32, 1<<14)}, a.x, a.y, a.t)
	return a, a.y.Data
}

func (a *cellAlone) backward(dy, grads []float32) []float32 {
	dx := tensor.New[float32](1, a.x.Cols)
	a.c.backward(&calc{w: a.p.weights, grads: grads, p: &params{rowLen: a.p.rowLen, grads: grads}, buf: make([]float32, 1<<14)}, a.x, a.y, a.t,
		tensor.Of(1, len(dy), append([]float32(nil), dy...)), dx)
	return dx.Data
}

// treeReference adds the gradients of one tree to grads, by node of the graph, in the order in which a
// depth-first recursion meets them, and returns the loss.
func treeReference(g *Graph, t *treeInstance, grads map[string][]float32) (loss float64) {
	n := len(t.labels)
	kids := make([][2]int, n)
	for k, p := range t.parent {
		if p >= 0 {
			kids[p][t.side[k]] = k
		}
	}
	hc, d := make([][]float32, n), make([][]float32, n)
	embed, cells, heads := make([]*cellAlone, n), make([]*cellAlone, n), make([]*cellAlone, n)
	for k := range n {
		if t.words[k] >= 0 {
			var x []float32
			embed[k], x = forwardAlone(g.Node("embed"), []float32{float32(t.words[k])})
			cells[k], hc[k] = forwardAlone(g.Node("leaf"), x)
		} else {
			cells[k], hc[k] = forwardAlone(g.Node("branch"), append(append([]float32(nil), hc[kids[k][0]]...), hc[kids[k][1]]...))
		}
		h := len(hc[k]) / 2
		var y []float32
		heads[k], y = forwardAlone(g.Node("out"), hc[k][:h])
		dy := tensor.New[float32](1, len(y))
		l, err := nn.LossOf(nn.CrossEntropy, dy, tensor.Of(1, len(y), y), t.labels[k:k+1], matrix{})
		if err != nil {
			panic(err)
		}
		loss += l
		d[k] = append(heads[k].backward(dy.Data, grads["out"]), make([]float32, h)...)
	}
	for k := n - 1; k >= 0; k-- {
		if t.words[k] >= 0 {
			embed[k].backward(cells[k].backward(d[k], grads["leaf"]), grads["embed"])
			continue
		}
		dx := cells[k].backward(d[k], grads["branch"])
		half := len(dx) / 2
		tensor.Add(d[kids[k][0]], d[kids[k][0]], dx[:half])
		tensor.Add(d[kids[k][1]], d[kids[k][1]], dx[half:])
	}
	return loss
}

func newGrads(g *Graph) map[string][]float32 {
	m := map[string][]float32{}
	for _, n := range g.nodes {
		if n.Count() > 0 {
			m[n.Name] = make([]float32, n.Count())
		}
	}
	return m
}

func smallTrees() *Graph {
	return TreeLSTM(TreeOptions{Hidden: 6, Words: 20, Dim: 4})
}

// TestGradientsDoNotDependOnOrder: with updates off, any number of workers, instances on their way
// and messages in a product give the sum that plain recursion gives, to rounding.
func TestGradientsDoNotDependOnOrder(t *testing.T) {
	data := randomTrees(30, 12, 20, 3)
	ref := smallTrees()
	want, loss := newGrads(ref), 0.0
	nodes := 0
	for _, tree := range data {
		loss += treeReference(ref, tree, want)
		nodes += len(tree.labels)
	}
	for _, o := range []Options{
		{Workers: 1, MaxActiveKeys: 1, Batch: 1},
		{Workers: 1, MaxActiveKeys: 30},
		{Workers: 2, MaxActiveKeys: 8, Batch: 3},
		{Workers: 3, MaxActiveKeys: 30, Seed: 9},
		{Workers: 2, MaxActiveKeys: 5, Affinity: map[string]int{"leaf": 0, "branch": 1, "node": 0, "children": 1, "both": 0}},
		{Deterministic: true},
	} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			g := smallTrees()
			o.Still = true
			r, err := Train(context.Background(), g, data, o)
			if err != nil {
				t.Fatal(err)
			}
			if d := math.Abs(r.Loss - loss/float64(nodes)); d > 1e-5 {
				t.Errorf("loss %v, by recursion %v", r.Loss, loss/float64(nodes))
			}
			for name, w := range want {
				// Sums of at most 30·12 terms, in any order: off by less than 400·ε times the sum of sizes.
				closeTo(t, name, g.Node(name).Gradients(), w, 2e-4)
			}
			for _, n := range r.Nodes {
				if n.Forward != n.Backward && n.Kind != "loss" && n.Kind != "drop" && n.Kind != "group" && n.Kind != "bcast" {
					t.Errorf("%s: %d messages forward, %d backward", n.Name, n.Forward, n.Backward)
				}
			}
		})
	}
}

func closeTo(t *testing.T, name string, got, want []float32, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", name, len(got), len(want))
	}
	size := 0.0
	for _, v := range want {
		size = max(size, math.Abs(float64(v)))
	}
	if size == 0 {
		t.Fatalf("%s: the reference is all 0", name)
	}
	for i := range got {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= tol*size) {
			t.Fatalf("%s[%d] is %v, the reference %v (largest %v)", name, i, got[i], want[i], size)
		}
	}
}

// TestOneAtATimeIsSerial: MaxActiveKeys 1 with an update after each instance is plain
// online training. The perceptron's messages come in the reference's order, so the
// weights are equal bit for bit.
func TestOneAtATimeIsSerial(t *testing.T) {
	for _, opt := range []optim.Optimizer{optim.SGD{Momentum: 0.9}, optim.Adam{}} {
		x, labels := randomRows(120, 12, 4, 5)
		g := MLP(MLPOptions{In: 12, Out: 4, Hidden: []int{9, 7}, Batch: 8})
		ref := nn.New(nn.Vector(12), nn.Dense{Out: 9}, nn.ReLU{}, nn.Dense{Out: 7}, nn.ReLU{}, nn.Dense{Out: 4})
		w := ref.Weights()
		at := 0
		for _, name := range []string{"layer 1", "layer 2", "layer 3"} {
			at += copy(w[at:], g.Node(name).Weights())
		}
		data := &rowsData{x, labels}
		if _, err := Train(context.Background(), g, data, Options{Deterministic: true, MaxActiveKeys: 1, Epochs: 2, InOrder: true, Optimizer: opt, Rate: 0.01}); err != nil {
			t.Fatal(err)
		}
		memory := make([]float32, opt.Memory()*len(w))
		step := 0
		ref.Pass().Train = true
		for range 2 {
			for i := 0; i < 120; i += 8 {
				y, err := ref.Forward(x.Slice(i, i+8, 0, 12))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := nn.LossOf(nn.CrossEntropy, y, y, labels[i:i+8], matrix{}); err != nil {
					t.Fatal(err)
				}
				if err := ref.Backward(y); err != nil {
					t.Fatal(err)
				}
				step++
				opt.Step32(w, ref.Gradients(), memory, 0.01, step)
			}
		}
		at = 0
		for _, name := range []string{"layer 1", "layer 2", "layer 3"} {
			for i, v := range g.Node(name).Weights() {
				if v != w[at+i] {
					t.Fatalf("%v: %s[%d] is %v, of serial training %v", opt, name, i, v, w[at+i])
				}
			}
			at += g.Node(name).Count()
		}
	}
}

// TestOneTreeAtATime: as above on trees, where gradients of a node are added up in another order, so to rounding.
func TestOneTreeAtATime(t *testing.T) {
	data := randomTrees(20, 8, 20, 4)
	g, ref := smallTrees(), smallTrees()
	// One instance's gradients make an update: a node has as many as the tree has nodes of its kind, which
	// differs, so each tree is a run of its own.
	for i, tree := range data {
		for _, n := range g.nodes {
			uses := 0
			for k := range tree.labels {
				if n.Name == "out" || n.Name == "branch" && tree.words[k] < 0 || (n.Name == "leaf" || n.Name == "embed") && tree.words[k] >= 0 {
					uses++
				}
			}
			n.MinUpdateFrequency = max(uses, 1)
		}
		if _, err := Train(context.Background(), g, data[i:i+1], Options{Workers: 2, MaxActiveKeys: 1, Rate: 0.1}); err != nil {
			t.Fatal(err)
		}
		grads := newGrads(ref)
		treeReference(ref, tree, grads)
		for name, d := range grads {
			tensor.Axpy(ref.Node(name).Weights(), -0.1, d)
		}
	}
	for name := range newGrads(ref) {
		closeTo(t, name, g.Node(name).Weights(), ref.Node(name).Weights(), 1e-4)
	}
}

type rowsData struct {
	x      matrix
	labels []int
}

func (r *rowsData) X() matrix     { return r.x }
func (r *rowsData) Labels() []int { return r.labels }

func randomRows(n, in, classes int, seed uint64) (matrix, []int) {
	r := random.New(seed)
	x := tensor.New[float32](n, in)
	r.Normal32(x.Data, 0, 1)
	labels := make([]int, n)
	for i := range labels {
		labels[i] = r.IntN(classes)
	}
	return x, labels
}
