package amp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/random"
	"trivium/core/run"
	"trivium/core/tensor"
)

// TestInferenceIsTrainingsForward: the rows that come to the loss are those of plain recursion, with
// any number of workers and batches.
func TestInferenceIsTrainingsForward(t *testing.T) {
	data := randomTrees(12, 10, 20, 7)
	g := smallTrees()
	for _, o := range []Options{{Workers: 1, Batch: 1, MaxActiveKeys: 1}, {Workers: 2}} {
		got, err := g.Infer(context.Background(), data, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, tree := range data {
			want := inferTree(g, tree)
			if got[i].Rows != len(want) {
				t.Fatalf("tree %d: %d rows, want %d", i, got[i].Rows, len(want))
			}
			for k, y := range want {
				closeTo(t, fmt.Sprintf("tree %d node %d", i, k), got[i].Row(k), y, 1e-5)
			}
		}
	}
	if left := g.busy; left {
		t.Error("the graph is still taken")
	}
}

func inferTree(g *Graph, t *treeInstance) (out [][]float32) {
	n := len(t.labels)
	hc, kids := make([][]float32, n), make([][2]int, n)
	for k, p := range t.parent {
		if p >= 0 {
			kids[p][t.side[k]] = k
		}
	}
	for k := range n {
		if t.words[k] >= 0 {
			_, x := forwardAlone(g.Node("embed"), []float32{float32(t.words[k])})
			_, hc[k] = forwardAlone(g.Node("leaf"), x)
		} else {
			_, hc[k] = forwardAlone(g.Node("branch"), append(append([]float32(nil), hc[kids[k][0]]...), hc[kids[k][1]]...))
		}
		_, y := forwardAlone(g.Node("out"), hc[k][:len(hc[k])/2])
		out = append(out, y)
	}
	return out
}

// TestStalenessBound: a node used u times by an instance sees at most ceil((mak-1)·u/muf) updates of others between
// forward and backward, and its own instance's at most ceil((u-1)/muf). That holds on one worker in a fixed order, where
// instances end as they entered. Across workers one can be overtaken, by as many as enter before it ends.
func TestStalenessBound(t *testing.T) {
	for _, c := range []struct{ mak, muf, workers int }{{1, 1, 2}, {4, 2, 1}, {4, 2, 2}, {8, 3, 1}, {8, 3, 2}, {8, 16, 3}} {
		const u = 6
		d := sequenceOf(60, u)
		g := Lists(ListOptions{Hidden: 8, Batch: 1})
		r, err := Train(context.Background(), g, d, Options{Workers: c.workers, MaxActiveKeys: c.mak, MinUpdateFrequency: c.muf, Rate: 0.001})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range r.Nodes {
			uses := map[string]int{"loop": u, "embed": u, "out": 1}[n.Name]
			if uses == 0 {
				continue
			}
			ceil := func(a, b int) int { return (a + b - 1) / b }
			others := c.mak - 1
			if c.workers > 1 {
				others += g.last.ctl.later
			}
			if bound := ceil(others*uses, c.muf) + ceil(uses-1, c.muf); len(n.Staleness)-1 > bound {
				t.Errorf("mak %d, muf %d: %s was %d updates behind, bound %d", c.mak, c.muf, n.Name, len(n.Staleness)-1, bound)
			}
			if want := int64(60 * uses / c.muf); n.Updates != want {
				t.Errorf("mak %d, muf %d: %s took %d steps, want %d", c.mak, c.muf, n.Name, n.Updates, want)
			}
		}
		if c.mak == 8 && c.muf == 3 && r.Staleness == 0 {
			t.Error("8 instances on their way and no gradient is stale: nothing was tested")
		}
	}
}

type sequenceSet struct {
	tokens [][]int
	labels []int
}

func (s *sequenceSet) Len() int                    { return len(s.tokens) }
func (s *sequenceSet) Sequence(i int) ([]int, int) { return s.tokens[i], s.labels[i] }

func sequenceOf(n, length int) *sequenceSet {
	r := random.New(2)
	s := &sequenceSet{}
	for range n {
		t := make([]int, length)
		for k := range t {
			t[k] = r.IntN(14)
		}
		s.tokens, s.labels = append(s.tokens, t), append(s.labels, r.IntN(10))
	}
	return s
}

// line is the smallest graph that learns: y = w·x, with the loss (y-t)².
func line(target float32) *Graph {
	g := NewGraph("line")
	g.Regress("loss", g.PPT("w", g.Input("x", 1), Linear{Out: 1, NoBias: true}), nn.MSE, func(State) []float32 { return []float32{target} })
	g.Node("w").Weights()[0] = 0.5
	return g
}

// pump1 sends x = 1 for every instance.
func pump1(n int) Data {
	return Samples{N: n, Each: func(i int, p *Pump) { p.Send("x", State{Sample: i}, 1) }}
}

// TestCorrectionsByHand follows one weight through corrections, where forward and backward are far apart by
// construction: with Batch 1, two on their way and a fixed order, instances go forward in pairs.
func TestCorrectionsByHand(t *testing.T) {
	const rate = 0.1
	train := func(c Correction, n int) (*Graph, *Result) {
		g := line(2)
		r, err := Train(context.Background(), g, pump1(n), Options{Deterministic: true, MaxActiveKeys: 2, Batch: 1, InOrder: true, Rate: rate, Correct: c})
		if err != nil {
			t.Fatal(err)
		}
		return g, r
	}
	// The order on one worker: f1, b1 (backward goes first), f2, b2 …: each is fresh. Staleness needs two
	// nodes in a row, so that something forward waits while updates happen.
	if g, r := train(nil, 3); r.Worst != 0 {
		t.Fatalf("staleness %d", r.Worst)
	} else {
		w := float32(0.5)
		for range 3 {
			w -= rate * 2 * (w - 2)
		}
		if d := math.Abs(float64(w - g.Node("w").Weights()[0])); d > 1e-6 {
			t.Errorf("weight %v, by hand %v", g.Node("w").Weights()[0], w)
		}
	}
	t.Run("compensate", func(t *testing.T) {
		// g + λ·g²·(w - w₀), fed by hand.
		p := &params{shapes: []shape{{"w", 2, 0}}, weights: []float32{1, 2}, grads: make([]float32, 2)}
		fix := Compensate{Lambda: 0.5}.start(p)
		p.prepare(optim.SGD{}, 1, 0, 1, fix)
		fix.forward(p) // message A sees version 0: (1, 2)
		fix.forward(p) // so does B
		give := func(version int, g ...float32) {
			var c calc
			c.begin(p, p.weights, nil, nil)
			c.first = p.first()
			fix.begin(p, &c, []tape{{version: version}})
			if c.first {
				clear(c.grads)
			}
			tensor.Add(c.grads, c.grads, g)
			fix.gradient(p, version)
			p.pending++
			p.update(1)
		}
		give(0, 0.5, -1) // A comes back fresh: (0.5, 3)
		give(0, 2, 1)    // B, one update late: 2 + 0.5·4·(0.5-1) = 1; 1 + 0.5·1·(3-2) = 1.5
		if p.weights[0] != -0.5 || p.weights[1] != 1.5 {
			t.Errorf("weights %v, by hand [-0.5 1.5]", p.weights)
		}
		c := fix.(*compensated)
		if len(c.copies) != 0 || len(c.out.n) != 0 {
			t.Errorf("%d copies are kept, %v out", len(c.copies), c.out.n)
		}
	})
	t.Run("predict", func(t *testing.T) {
		p := &params{shapes: []shape{{"w", 1, 0}}, weights: []float32{1}, grads: make([]float32, 1)}
		fix := Predict{Past: 0.5}.start(p)
		p.prepare(optim.SGD{}, 1, 0, 1, fix)
		if w := fix.weights(p); w[0] != 1 {
			t.Errorf("before any update %v is predicted, want 1", w)
		}
		for range 2 {
			fix.begin(p, nil, []tape{{version: p.version - 2}}) // two updates late
			p.grads[0], p.pending = 1, 1
			p.update(1)
		}
		// Updates of -1: the average is -0.5, then -0.75; that of the staleness 1, then 1.5.
		if w := fix.weights(p); p.weights[0] != -1 || math.Abs(float64(w[0])-(-1-1.5*0.75)) > 1e-6 {
			t.Errorf("weight %v, predicted %v; by hand -1 and %v", p.weights, w, -1-1.5*0.75)
		}
	})
	t.Run("bound", func(t *testing.T) {
		for _, most := range []int{0, 1, 3} {
			g := Lists(ListOptions{Hidden: 8, Batch: 1})
			r, err := Train(context.Background(), g, sequenceOf(80, 5), Options{Workers: 2, MaxActiveKeys: 8, Batch: 2, Rate: 0.001, Correct: Bound{most}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Worst > most || r.Updates == 0 {
				t.Errorf("bound %d: worst %d, %d updates", most, r.Worst, r.Updates)
			}
		}
	})
	for _, c := range []Correction{Predict{}, Compensate{}} {
		r, err := Train(context.Background(), smallTrees(), randomTrees(40, 8, 20, 1), Options{Workers: 2, MinUpdateFrequency: 5, Rate: 0.01, Correct: c})
		if err != nil || r.Instances != 40 {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// TestAllocatesNothing: once buffers have grown, instances cost no memory, on one worker and across two, with replicas and
// without.
func TestAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	trees := randomTrees(64, 8, 20, 2)
	var many treeSet
	for range 24 {
		many = append(many, trees...)
	}
	molecules := benchMolecules(1000)
	for name, c := range map[string]struct {
		g    *Graph
		data func(n int) any // n of 24 parts
		o    Options
	}{
		"one worker":   {smallTrees(), func(n int) any { return many[:64*n] }, Options{Deterministic: true}},
		"two workers":  {smallTrees(), func(n int) any { return many[:64*n] }, Options{Workers: 2}},
		"replicas":     {Molecules(GraphOptions{Hidden: 8, Replicas: 2}), func(n int) any { return molecules[:40*n] }, Options{Workers: 2}},
		"lists":        {Lists(ListOptions{Hidden: 8, Batch: 5}), func(n int) any { return sequenceOf(1000*n, 6) }, Options{Workers: 2}},
		"a correction": {smallTrees(), func(n int) any { return many[:64*n] }, Options{Workers: 2, Correct: Compensate{}}},
	} {
		t.Run(name, func(t *testing.T) {
			o := c.o
			o.MinUpdateFrequency, o.Rate, o.Spans, o.InOrder, o.Epochs = 10, 0.001, -1, true, 4
			count := func(parts int) (allocations uint64, messages int64) {
				data, err := c.g.adapt(c.data(parts), true)
				if err != nil {
					t.Fatal(err)
				}
				var before, after runtime.MemStats
				o.OnEpoch = func(e EpochInfo) { // the last epoch is measured
					runtime.ReadMemStats(&after)
					if e.Epoch == o.Epochs-1 {
						before = after
					}
				}
				r, err := Train(context.Background(), c.g, data, o)
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range r.Nodes {
					messages += (n.Forward + n.Backward) / int64(o.Epochs)
				}
				return after.Mallocs - before.Mallocs, messages
			}
			few, manyMessages := uint64(math.MaxUint64), int64(0)
			for range 3 { // a queue may still grow, when workers have never been so far apart
				n, m := count(12)
				few, manyMessages = min(few, n), m
			}
			// What is left are the order of instances, goroutines and points of the trace, of which there are twenty a second.
			t.Logf("%d allocations for %d messages", few, manyMessages)
			if float64(few) > 0.002*float64(manyMessages)+100 {
				t.Errorf("%d allocations for %d messages", few, manyMessages)
			}
		})
	}
}

// TestEndsLeaveNothing: stop, pause, panics and errors, in every kind of function, end with the
// right error, the graph free, and (by TestMain) no goroutine.
func TestEndsLeaveNothing(t *testing.T) {
	for name, c := range map[string]struct {
		break_ func(s State) State
		want   string
	}{
		"panic":          {func(State) State { panic("no such step") }, "no such step"},
		"nil pointer":    {func(s State) State { return *(*State)(nil) }, "nil pointer"},
		"inverse":        {func(s State) State { s.Node = 3; return s }, "does not invert"},
		"not comparable": {func(s State) State { s.Data = []int{1}; return s }, "cannot be compared"},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			g := NewGraph("breaks")
			x := g.Isu("turn", g.Linear("w", g.Input("x", 1), 1, None), func(s State) State {
				if s.Sample >= 50 {
					return c.break_(s)
				}
				return s
			}, func(s State) State { n++; return s })
			g.Regress("loss", x, nn.MSE, func(State) []float32 { return []float32{1} })
			r := Start(context.Background(), g, pump1(100), Options{Workers: 2, MaxActiveKeys: 3, InOrder: true, Rate: 0.01})
			err := r.Wait(context.Background())
			if r.State() != run.StateFailed || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v: %v", r.State(), err)
			}
			var e *NodeError
			if !errors.As(err, &e) || e.Node != "turn" || e.State.Sample != 50 && name != "inverse" {
				t.Errorf("the error does not name node and state: %v", err)
			}
			if p, ok := errors.AsType[*run.PanicError](err); ok && !strings.Contains(p.Error(), "TestEndsLeaveNothing") {
				t.Errorf("the error does not say where the panic was: %v", err)
			}
			if g.busy {
				t.Error("the graph is still taken")
			}
		})
	}
	t.Run("stop and pause", func(t *testing.T) {
		g := smallTrees()
		path := filepath.Join(t.TempDir(), "amp")
		r := Start(context.Background(), g, randomTrees(200, 10, 20, 1), Options{Workers: 2, Epochs: 100000, Rate: 1e-4, Checkpoint: path})
		wait := func() {
			for v := r.Trace().Len("loss"); r.Trace().Len("loss") < v+2; {
				time.Sleep(time.Millisecond)
			}
		}
		wait()
		r.Pause()
		time.Sleep(10 * time.Millisecond)
		before := g.Node("out").Weights()[0] // nobody writes: workers stand at the gate
		time.Sleep(20 * time.Millisecond)
		if !raceEnabled && g.Node("out").Weights()[0] != before {
			t.Error("weights change in a pause")
		}
		if err := Start(context.Background(), g, randomTrees(2, 3, 20, 1), Options{}).Wait(context.Background()); !errors.Is(err, errBusy) {
			t.Errorf("a second run of the graph: %v", err)
		}
		r.Resume()
		wait()
		r.Stop()
		if err := r.Wait(context.Background()); !run.Stopped(err) || r.State() != run.StateStopped {
			t.Errorf("%v: %v", r.State(), err)
		}
		if r.Result() == nil || r.Result().Nodes == nil {
			t.Error("a stopped run has no result")
		}
		if err := smallTrees().LoadWeights(path); err != nil {
			t.Error(err)
		}
	})
	t.Run("NaN", func(t *testing.T) {
		err := Start(context.Background(), line(2), pump1(2000), Options{Workers: 1, Rate: 1e20}).Wait(context.Background())
		var e *NodeError
		if !errors.As(err, &e) || e.Node != "loss" || !strings.Contains(err.Error(), "loss is") {
			t.Errorf("%v", err)
		}
	})
}

// TestDeadlock: a Group that never fills says so.
func TestDeadlock(t *testing.T) {
	g := NewGraph("stuck")
	x := g.Group("pair", g.Linear("w", g.Input("x", 1), 1, None), Gather{Key: func(s State) State { s.Kind = 0; return s }, Parts: 2})
	g.Regress("loss", x, nn.MSE, func(State) []float32 { return []float32{1, 1} })
	data := Samples{N: 9, Each: func(i int, p *Pump) {
		p.Send("x", State{Sample: i, Kind: 1}, 1)
		if i != 4 {
			p.Send("x", State{Sample: i, Kind: 2}, 1)
		}
	}}
	for workers := 1; workers <= 2; workers++ {
		err := Start(context.Background(), g, data, Options{Workers: workers, InOrder: true, Rate: 0.01}).Wait(context.Background())
		var e *DeadlockError
		if !errors.As(err, &e) || len(e.Waits) != 1 || !strings.Contains(err.Error(), "group pair") || !strings.Contains(err.Error(), "1 of 2 messages") {
			t.Errorf("%v", err)
		}
	}
	join := NewGraph("join")
	y := join.Concat("both", join.Linear("w", join.Input("x", 1), 1, None), join.Input("y", 1))
	join.Regress("loss", y, nn.MSE, func(State) []float32 { return []float32{1, 1} })
	err := Start(context.Background(), join, pump1(3), Options{}).Wait(context.Background())
	if err == nil || !strings.Contains(err.Error(), "concat both") || !strings.Contains(err.Error(), "a message from input 1") {
		t.Errorf("%v", err)
	}
}

func TestCheckFinds(t *testing.T) {
	target := func(State) []float32 { return []float32{1} }
	for want, build := range map[string]func(g *Graph){
		"goes nowhere":        func(g *Graph) { g.Linear("w", g.Input("x", 1), 1, None) },
		"no Input":            func(g *Graph) {},
		"the port is of no":   func(g *Graph) { g.Linear("w", Port{}, 1, None) },
		"an output has one":   func(g *Graph) { x := g.Input("x", 1); g.Drop("a", x); g.Drop("b", x) },
		"two nodes are named": func(g *Graph) { g.Drop("a", g.Input("a", 1)) },
		"cannot be left":      func(g *Graph) { p := g.Phi("p", g.Input("x", 1)); g.Join(p, g.Step("s", p)) },
		"does not change the": func(g *Graph) {
			p := g.Phi("p", g.Input("x", 1))
			c := g.Cond("c", p, 2, func(State) int { return 0 })
			g.Join(p, c[0])
			g.Regress("loss", c[1], nn.MSE, target)
		},
		"the inverse does not": func(g *Graph) {
			g.Regress("loss", g.Isu("i", g.Input("x", 1), func(s State) State { s.Step += 2; return s }, func(s State) State { s.Step--; return s }), nn.MSE, target)
		},
		"rows of 3 numbers": func(g *Graph) { g.Phi("p", g.Input("x", 3), g.Input("y", 2)) },
		"leads to no loss":  func(g *Graph) { p := g.Phi("p", g.Input("x", 1)); g.Join(p, g.Step("s", p)) },
	} {
		g := NewGraph("test")
		build(g)
		if err := g.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not found: %v", want, err)
		}
	}
	for _, g := range []*Graph{smallTrees(), TreeLSTM(TreeOptions{RootOnly: true, Replicas: 2}), Lists(ListOptions{Replicas: 4}), Stories(GraphOptions{}), Molecules(GraphOptions{Replicas: 2}), MLP(MLPOptions{})} {
		if err := g.Check(); err != nil {
			t.Error(err)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"MaxActiveKeys is -1":      {MaxActiveKeys: -1},
		"MinUpdateFrequency is -2": {MinUpdateFrequency: -2},
		"2 replicas for 1 workers": {Workers: 1},
		"which is no node":         {Affinity: map[string]int{"nobody": 0}, Workers: 2},
		"on worker 7":              {Affinity: map[string]int{"out": 7}, Workers: 2},
		"Momentum":                 {Optimizer: optim.SGD{Momentum: 2}, Workers: 2},
		"needs Validate":           {Target: 0.5, Workers: 2},
		"it got a int":             {Workers: 2, Validate: 3},
		"no instances (of Options": {Workers: 2, Validate: Samples{Each: func(int, *Pump) {}}},
		"Samples.Each is nil":      {Workers: 2, Validate: Samples{N: 3}},
	} {
		g := Lists(ListOptions{Replicas: 2, Hidden: 4})
		err := Start(context.Background(), g, sequenceOf(3, 3), o).Wait(context.Background())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
		if g.busy {
			t.Errorf("%q: the graph is still taken", want)
		}
	}
}

// TestResumeIsExact: a training that is stopped after an epoch and resumed ends bit for bit like one that was not.
func TestResumeIsExact(t *testing.T) {
	data := randomTrees(30, 8, 20, 5)
	path := filepath.Join(t.TempDir(), "amp")
	o := Options{Deterministic: true, MinUpdateFrequency: 7, Optimizer: optim.Adam{}, Epochs: 3}
	whole, parts := smallTrees(), smallTrees()
	train := func(g *Graph, o Options) {
		if _, err := Train(context.Background(), g, data, o); err != nil {
			t.Fatal(err)
		}
	}
	train(whole, o)
	first := o
	first.Epochs, first.Checkpoint = 1, path
	train(parts, first)
	parts = smallTrees().Init(99)
	o.Resume = path
	train(parts, o)
	for _, n := range whole.nodes {
		for i, v := range n.Weights() {
			if w := parts.Node(n.Name).Weights()[i]; v != w {
				t.Fatalf("%s[%d] is %v, without interruption %v", n.Name, i, w, v)
			}
		}
	}
}

// TestReplicasAreAveraged: after an epoch all replicas have the mean of what each came to.
func TestReplicasAreAveraged(t *testing.T) {
	g := Lists(ListOptions{Hidden: 6, Replicas: 3, Batch: 2})
	if _, err := Train(context.Background(), g, sequenceOf(30, 4), Options{Deterministic: true, Rate: 0.05}); err != nil {
		t.Fatal(err)
	}
	a, b, c := g.Node("loop/0").Weights(), g.Node("loop/1").Weights(), g.Node("loop/2").Weights()
	for i := range a {
		if a[i] != b[i] || b[i] != c[i] {
			t.Fatalf("weight %d: %v %v %v", i, a[i], b[i], c[i])
		}
	}
}

// cellAndLayer makes the same network twice, with the first Linear as a cell and as a layer of
// core/nn with the same weights, and data for both.
func cellAndLayer() (cell, layer *Graph, data Samples) {
	x, labels := randomRows(40, 6, 3, 1)
	build := func(layer bool) *Graph {
		g := NewGraph("both")
		in := g.Input("samples", 6)
		if layer {
			in = g.Layer("a", in, nn.Dense{Out: 5}, nn.Tanh{})
		} else {
			in = g.Linear("a", in, 5, Tanh)
		}
		g.Classify("loss", g.Linear("b", in, 3, None), func(s State) []int { return labels[s.Sample : s.Sample+1] })
		return g
	}
	cell, layer = build(false), build(true)
	copy(layer.Node("a").Weights(), cell.Node("a").Weights())
	return cell, layer, Samples{N: 40, Each: func(i int, p *Pump) { p.Send("samples", State{Sample: i}, x.Row(i)...) }}
}

// TestLayersAreCells: a Linear computed as a layer of core/nn, in twins, gives the gradients of the cell.
func TestLayersAreCells(t *testing.T) {
	cells, layers, data := cellAndLayer()
	for _, g := range []*Graph{cells, layers} {
		if _, err := Train(context.Background(), g, data, Options{Workers: 2, Still: true}); err != nil {
			t.Fatal(err)
		}
	}
	closeTo(t, "a", layers.Node("a").Gradients(), cells.Node("a").Gradients(), 1e-5)
	closeTo(t, "b", layers.Node("b").Gradients(), cells.Node("b").Gradients(), 1e-5)
}

// TestLayersTakeCorrections: with stale gradients, layers of core/nn are corrected as cells are.
func TestLayersTakeCorrections(t *testing.T) {
	var plain []float32
	for _, c := range []Correction{nil, Predict{}, Compensate{Lambda: 0.5}, Bound{1}} {
		cells, layers, data := cellAndLayer()
		for _, g := range []*Graph{cells, layers} {
			r, err := Train(context.Background(), g, data, Options{Deterministic: true, Batch: 1, MaxActiveKeys: 6, MinUpdateFrequency: 2, Rate: 0.2, Correct: c, Epochs: 2})
			if err != nil {
				t.Fatal(err)
			}
			if r.Worst == 0 {
				t.Error("nothing was stale")
			}
		}
		a, b := layers.Node("a").Weights(), cells.Node("a").Weights()
		closeTo(t, fmt.Sprint("a with ", c), a, b, 1e-5)
		if c == nil {
			plain = b
			continue
		}
		apart := 0.0
		for i := range b {
			apart = max(apart, math.Abs(float64(b[i]-plain[i])))
		}
		if apart < 1e-4 {
			t.Errorf("%v changes weights by %g", c, apart)
		}
	}
}

// TestInstancesStayAtHome: with replicas that instances choose, control is on every worker, so that what goes round
// the loop crosses to no other, and both have their share.
func TestInstancesStayAtHome(t *testing.T) {
	g := Lists(ListOptions{Hidden: 8, Replicas: 2, Batch: 4})
	r, err := Train(context.Background(), g, sequenceOf(800, 6), Options{Workers: 2, MaxActiveKeys: 8, Rate: 0.001})
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]NodeInfo{}
	for _, n := range r.Nodes {
		at[n.Name] = n
	}
	if at["state"].Worker != Everywhere || at["loop/0"].Worker == at["loop/1"].Worker || at["out"].Worker == Everywhere {
		t.Errorf("state is on %d, loop on %d and %d, out on %d", at["state"].Worker, at["loop/0"].Worker, at["loop/1"].Worker, at["out"].Worker)
	}
	for k, n := range []NodeInfo{at["loop/0"], at["loop/1"]} {
		if n.Crossing != 0 || n.Forward < 200*6/4 || n.Forward != n.Backward {
			t.Errorf("copy %d: %d messages forward, %d backward, %d bytes from the other worker", k, n.Forward, n.Backward, n.Crossing)
		}
	}
	given, err := Train(context.Background(), g, sequenceOf(80, 6), Options{Workers: 2, Rate: 0.001, Affinity: map[string]int{"state": 1, "loop/0": 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range given.Nodes {
		if (n.Name == "state" || n.Name == "loop/0") && n.Worker != 1 {
			t.Errorf("%s is on %d, wanted was 1", n.Name, n.Worker)
		}
	}
}

// TestResultReads: what a cell shows of a result.
func TestResultReads(t *testing.T) {
	nan := math.NaN()
	for want, r := range map[string]*Result{
		"98.12 % of the test right, loss 0.05 (training 0.01)\n2 epochs, 1 instance in 1.5 s, 100 instances/s (target)\n2 workers 80 % busy; 7 updates, gradients 1.5 updates late on average, 4 at most": {
			Epochs: 2, Instances: 1, Accuracy: 0.9812, TestLoss: 0.05, Loss: 0.01, Error: nan, TestRate: nan, Seconds: 1.5, Rate: 100, Why: "target", Workers: 2, Utilisation: 0.8, Updates: 7, Staleness: 1.5, Worst: 4},
		"nothing was trained": {},
		"no result":           nil,
	} {
		if got := r.String(); !strings.Contains(got, want) {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
}

// TestStateReads: what errors say of a state. Types that nobody outside can name are left out.
func TestStateReads(t *testing.T) {
	n := 1
	for want, s := range map[string]State{
		"{instance 2, step 1}":          {Instance: 2, Step: 1},
		"{instance 2, data}":            {Instance: 2, Data: &rowBatch{}},
		"{instance 2, data string}":     {Instance: 2, Data: "a"},
		"{instance 2, data *int}":       {Instance: 2, Data: &n},
		"{instance 2, data *amp.State}": {Instance: 2, Data: &State{}},
		"{instance 2, data []int}":      {Instance: 2, Data: []int{1}},
	} {
		if got := s.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
