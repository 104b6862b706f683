package amp

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"trivium/core/internal/numtest"
	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/random"
	"trivium/core/train"
)

// benchTrees are random trees of 10 to 40 leaves, as in the torch script's own measurements.
func benchTrees(n int) treeSet {
	r := random.New(5)
	var set treeSet
	for len(set) < n {
		for _, t := range randomTrees(200, 40, 5000, r.Uint64()) {
			if leaves := (len(t.labels) + 1) / 2; leaves >= 10 && len(set) < n {
				set = append(set, t)
			}
		}
	}
	return set
}

// moleculeSet is graphs like molecules: 18 nodes on average, a chain with branches and up to two rings.
type moleculeSet []moleculeGraph

type moleculeGraph struct {
	labels []int
	edges  [][3]int
	target float64
}

func (s moleculeSet) Len() int { return len(s) }
func (s moleculeSet) Graph(i int) ([]int, [][3]int, float64) {
	return s[i].labels, s[i].edges, s[i].target
}

func benchMolecules(n int) moleculeSet {
	r := random.New(6)
	var set moleculeSet
	kind := func() int {
		switch v := r.IntN(100); {
		case v < 70:
			return 0
		case v < 80:
			return 1
		case v < 83:
			return 2
		}
		return 3
	}
	for range n {
		k := min(max(int(18+3*r.Normal()+0.5), 5), 27)
		m := moleculeGraph{target: r.Normal()}
		for i := range k {
			m.labels = append(m.labels, r.IntN(5))
			if i > 0 {
				m.edges = append(m.edges, [3]int{max(0, i-1-r.IntN(4)), kind(), i})
			}
		}
		for range r.IntN(3) {
			if a, b := r.IntN(k), r.IntN(k); a != b {
				m.edges = append(m.edges, [3]int{a, 0, b})
			}
		}
		set = append(set, m)
	}
	return set
}

// trainFor trains and returns instances a second, begin and end of the run left out.
func trainFor(b *testing.B, g *Graph, data any, o Options) *Result {
	b.Helper()
	o.Spans = -1
	if o.Rate == 0 {
		o.Rate = 1e-4
	}
	r, err := Train(context.Background(), g, data, o)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// BenchmarkVersusTorch compares training of dynamic networks with torch's, in turn: one worker and two with the plain
// way, an instance at a time (x_plain_1, x_plain_2), and two with the best of its merged batches (x_merged_2). Torch has for
// each the number of threads that it is faster with, one for the plain way. Its process keeps the memory that it frees
// (numtest.StartPython): a bare one may give it back after every graph, and is slower by up to a half for that.
func BenchmarkVersusTorch(b *testing.B) {
	trees, graphs := benchTrees(200), benchMolecules(400)
	var rawTrees, rawGraphs []any
	for i := range trees {
		left, right, word, label := trees.Tree(i)
		rawTrees = append(rawTrees, []any{left, right, word, label})
	}
	for _, m := range graphs {
		rawGraphs = append(rawGraphs, []any{m.labels, m.edges, m.target})
	}
	for _, c := range []struct {
		name, plain string
		merged      []string
		raw         any
		n           int
		graph       func(replicas int) *Graph
		data        any
		o           Options
	}{
		{"trees", "node by node", []string{"merged 25"}, rawTrees, 200,
			func(k int) *Graph { return TreeLSTM(TreeOptions{Fixed: true, Replicas: k}) }, trees, Options{MaxActiveKeys: 32, MinUpdateFrequency: 400}},
		{"graphs", "graph by graph", []string{"merged 20", "merged 100"}, rawGraphs, 400,
			func(k int) *Graph { return Molecules(GraphOptions{Replicas: k}) }, graphs, Options{MaxActiveKeys: 32, MinUpdateFrequency: 40}},
	} {
		b.Run(c.name, func(b *testing.B) {
			data := map[string]any{"net": c.name, "data": c.raw}
			plain, merged := startTorch(b, 1, data), startTorch(b, 2, data)
			one, two := c.graph(1), c.graph(2)
			ours := func(g *Graph, workers int) float64 {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
				time.Sleep(3 * time.Millisecond) // torch's threads go to sleep
				o := c.o
				o.Workers, o.Epochs = workers, 3
				return trainFor(b, g, c.data, o).Rate
			}
			best := func() float64 {
				t := merged(c.merged[0], 1)
				for _, m := range c.merged[1:] {
					t = min(t, merged(m, 1))
				}
				return float64(c.n) / t
			}
			ours(one, 1)
			ours(two, 2)
			plain(c.plain, 1)
			best()
			rates := map[string][]float64{}
			note := func(name string, v float64) float64 {
				rates[name] = append(rates[name], v)
				return v
			}
			for b.Loop() {
				for range 5 {
					p := note("plain/s", float64(c.n)/plain(c.plain, 1))
					alone := note("worker_1/s", ours(one, 1))
					m := note("merged/s", best())
					both := note("workers_2/s", ours(two, 2))
					note("x_plain_1", alone/p)
					note("x_plain_2", both/p)
					note("x_merged_2", both/m)
				}
			}
			for name, v := range rates {
				b.ReportMetric(numtest.Median(v), name)
			}
		})
	}
}

type speedCase struct {
	name  string
	graph func(replicas int) *Graph
	data  any
	o     Options
}

// speedCases are the dynamic networks with what lets workers do most.
func speedCases() []speedCase {
	return []speedCase{
		{"trees", func(k int) *Graph { return TreeLSTM(TreeOptions{Fixed: true, Replicas: k}) }, benchTrees(1000), Options{MaxActiveKeys: 32, MinUpdateFrequency: 400}},
		{"graphs", func(k int) *Graph { return Molecules(GraphOptions{Replicas: k}) }, benchMolecules(2000), Options{MaxActiveKeys: 32, MinUpdateFrequency: 40}},
		{"lists", func(k int) *Graph { return Lists(ListOptions{Replicas: k}) }, sequenceOf(80000, 8), Options{MaxActiveKeys: 8, MinUpdateFrequency: 8}},
	}
}

// BenchmarkVersusOneWorker compares two workers and replicas with one of each, and with two that have one instance on its way at a
// time (synchronous training on the same engine). x_two_alone is what two trainings on one worker each, that have nothing to do
// with each other, do at once against one: more than that no two workers can do on the machine.
func BenchmarkVersusOneWorker(b *testing.B) {
	for _, c := range speedCases() {
		b.Run(c.name, func(b *testing.B) {
			single, other, g := c.graph(1), c.graph(1), c.graph(2)
			var one, apart, sync, rate, use []float64
			for b.Loop() {
				for range 3 {
					o := c.o
					o.Workers, o.Epochs = 2, 2
					two := trainFor(b, g, c.data, o)
					o.Workers = 1
					alone := trainFor(b, single, c.data, o)
					apart = append(apart, atOnce(b, c.data, o, single, other)/alone.Rate)
					o.Workers, o.MaxActiveKeys = 2, 1
					serial := trainFor(b, g, c.data, o)
					one, sync = append(one, two.Rate/alone.Rate), append(sync, two.Rate/serial.Rate)
					rate, use = append(rate, two.Rate), append(use, two.Utilisation)
				}
			}
			b.ReportMetric(numtest.Median(one), "x_one_worker")
			b.ReportMetric(numtest.Median(apart), "x_two_alone")
			b.ReportMetric(numtest.Median(sync), "x_sync")
			b.ReportMetric(numtest.Median(rate), "instances/s")
			b.ReportMetric(numtest.Median(use), "utilisation")
		})
	}
}

// atOnce trains both graphs at the same time and returns the instances a second of both.
func atOnce(b *testing.B, data any, o Options, graphs ...*Graph) (rate float64) {
	b.Helper()
	o.Spans, o.Rate = -1, 1e-4
	var runs []*Run
	for _, g := range graphs {
		runs = append(runs, Start(context.Background(), g, data, o))
	}
	for _, r := range runs {
		if err := r.Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
		rate += r.Result().Rate
	}
	return rate
}

// BenchmarkVersusTrain compares a perceptron of messages on one worker with core/train.
func BenchmarkVersusTrain(b *testing.B) {
	x, labels := randomRows(6400, 784, 10, 1)
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	g := MLP(MLPOptions{Hidden: []int{512, 512}, Batch: 64})
	net := nn.MLP(784, 512, 512, 10)
	var ratios, rates []float64
	for b.Loop() {
		for range 5 {
			r := trainFor(b, g, &rowsData{x, labels}, Options{Workers: 1, MaxActiveKeys: 2, Rate: 0.01})
			start := time.Now()
			if _, err := train.Train(context.Background(), net, &train.Samples{X: x, Labels: labels}, train.Options{Workers: 1, Rate: 0.01}); err != nil {
				b.Fatal(err)
			}
			rate := r.Rate * 64
			ratios, rates = append(ratios, rate*time.Since(start).Seconds()/6400), append(rates, rate)
		}
	}
	b.ReportMetric(numtest.Median(ratios), "x_train")
	b.ReportMetric(numtest.Median(rates), "samples/s")
}

// BenchmarkMessage is what a message costs apart from arithmetic: rows of one number go through nodes that add
// nothing, on one worker and across two.
func BenchmarkMessage(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			g := NewGraph("pipe")
			x := g.Input("x", 1)
			const length = 16
			place := map[string]int{}
			for i := range length {
				name := fmt.Sprint("w", i)
				x = g.PPT(name, x, Linear{Out: 1, NoBias: true})
				place[name] = i % workers
			}
			g.Regress("loss", x, nn.MSE, func(State) []float32 { return []float32{1} })
			for i := range length {
				g.Node(fmt.Sprint("w", i)).Weights()[0] = 1
			}
			const n = 20000
			total := 0.0
			for b.Loop() {
				r := trainFor(b, g, pump1(n), Options{Workers: workers, Affinity: place, MaxActiveKeys: 256, MinUpdateFrequency: 1 << 30, Optimizer: optim.SGD{}})
				total += r.Seconds
			}
			b.ReportMetric(total*1e9*float64(workers)/float64(b.N)/(2*length*n), "ns/message")
		})
	}
}

// BenchmarkVersusPlan compares this machine's speed on one and two workers with the forecasts for them. All that those know is
// what nodes cost on one worker, and what Calibrate says of the machine.
func BenchmarkVersusPlan(b *testing.B) {
	for _, c := range speedCases() {
		b.Run(c.name, func(b *testing.B) {
			g := c.graph(2)
			var one, two []float64
			for b.Loop() {
				for range 3 {
					machine := Calibrate(2)
					o := c.o
					o.Workers, o.Deterministic, o.Epochs, o.Rate, o.Spans = 1, true, 2, 1e-4, -1
					r := Start(context.Background(), g, c.data, o)
					if err := r.Wait(context.Background()); err != nil {
						b.Fatal(err)
					}
					data, err := g.adapt(c.data, true)
					if err != nil {
						b.Fatal(err)
					}
					p := PlanOptions{Devices: 1, MaxActiveKeys: o.MaxActiveKeys, MinUpdateFrequency: o.MinUpdateFrequency, Batch: usualBatch,
						Costs: r.Costs(), Machine: machine, Instances: data.Len()}
					compare := func(measured float64) float64 {
						f, err := Plan(g, c.data, p)
						if err != nil {
							b.Fatal(err)
						}
						return float64(p.Instances) / f.Seconds / measured
					}
					one = append(one, compare(r.Result().Rate))
					o.Workers, o.Deterministic = 2, false
					p.Devices = 2
					two = append(two, compare(trainFor(b, g, c.data, o).Rate))
				}
			}
			b.ReportMetric(numtest.Median(one), "x_measured_1")
			b.ReportMetric(numtest.Median(two), "x_measured_2")
		})
	}
}

// startTorch starts torch with the threads that are best for it, and returns a function that
// asks for the median seconds of some passes. It skips the benchmark where torch is absent.
func startTorch(b *testing.B, threads int, first any) func(mode string, passes int) float64 {
	p := numtest.StartPython(b, "torch", threads, nil, "testdata/dynamic.py")
	p.Tell(b, first)
	return func(mode string, passes int) float64 {
		return p.Ask(b, map[string]any{"mode": mode, "passes": passes})
	}
}
