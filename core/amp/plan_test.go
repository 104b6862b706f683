package amp

import (
	"math"
	"strings"
	"testing"
)

// ringSet is graphs of n nodes in a ring: n edges, which the network uses both ways.
type ringSet struct{ n, count int }

func (r ringSet) Len() int { return r.count }
func (r ringSet) Graph(int) (labels []int, edges [][3]int, target float64) {
	for i := range r.n {
		edges = append(edges, [3]int{i, i % 4, (i + 1) % r.n})
	}
	return make([]int, r.n), edges, 1
}

// TestPlanOfFPGAs reproduces the estimate for a network of devices of 1 TFLOPS: with H = 200 and 30 nodes the GRU needs
// 30·12·H²·4·3 = 172.8 MFLOP a graph and bounds the network to 5,787 graphs a second.
func TestPlanOfFPGAs(t *testing.T) {
	g := Molecules(GraphOptions{Hidden: 200})
	f, err := Plan(g, ringSet{30, 8}, PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := 1e12 / 172.8e6; f.Bottleneck != "gru" || math.Abs(f.Limit-want) > 1e-6*want {
		t.Errorf("the limit is %.1f graphs/s by %s, want %.1f by gru", f.Limit, f.Bottleneck, want)
	}
	if f.Rate < 0.9*f.Limit || f.Rate > 1.02*f.Limit {
		t.Errorf("simulated %.1f graphs/s, the formula gives %.1f", f.Rate, f.Limit)
	}
	t.Logf("\n%v", f)
}

// TestPlanByHand: two nodes of equal work on one device take twice as long as on two.
func TestPlanByHand(t *testing.T) {
	x, labels := randomRows(50, 100, 10, 1)
	g := MLP(MLPOptions{In: 100, Out: 10, Hidden: []int{100, 100}, Batch: 1})
	data := &rowsData{x, labels}
	const flops = 1e6
	one, err := Plan(g, data, PlanOptions{Devices: 1, FLOPS: flops})
	if err != nil {
		t.Fatal(err)
	}
	// Forward, weights' gradient and, but for the first layer, the input's: 2, 3 and 3 passes.
	want := flops / float64(2*(2*100*100+3*100*100+3*100*10))
	if math.Abs(one.Rate-want) > 1e-3*want || math.Abs(one.Utilisation[0]-1) > 1e-3 {
		t.Errorf("%v instances/s at %v, want %v", one.Rate, one.Utilisation, want)
	}
	two, err := Plan(g, data, PlanOptions{Devices: 2, FLOPS: flops, MaxActiveKeys: 8})
	if err != nil {
		t.Fatal(err)
	}
	if s := two.Rate / one.Rate; s < 1.5 || s > 2 {
		t.Errorf("two devices are %.2f times one", s)
	}
	serial, err := Plan(g, data, PlanOptions{Devices: 2, FLOPS: flops, MaxActiveKeys: 1})
	if err != nil {
		t.Fatal(err)
	}
	if s := serial.Rate / one.Rate; math.Abs(s-1) > 0.01 {
		t.Errorf("one instance at a time on two devices is %.3f times one device", s)
	}
	slow, err := Plan(g, data, PlanOptions{Devices: 2, FLOPS: flops, MaxActiveKeys: 8, Link: 100, Affinity: two.Placement})
	if err != nil {
		t.Fatal(err)
	}
	if bound := 100 / (two.Traffic / 2); slow.Rate > 1.05*bound {
		t.Errorf("%v instances/s over a link that carries %v", slow.Rate, bound)
	}
	if _, err := Plan(g, data, PlanOptions{Devices: 2, Memory: 1000}); err == nil || !strings.Contains(err.Error(), "give more devices or memory") {
		t.Errorf("%v", err)
	}
	if _, err := Plan(g, data, PlanOptions{Devices: -1}); err == nil {
		t.Error("-1 devices")
	}
}
