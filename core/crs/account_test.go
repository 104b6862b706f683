package crs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"trivium/core/nn"
)

// TestCostOfResNets compares with the papers' networks counted by hand from torchvision's layers:
// half the input channels in convolutions of more than MinPairs of them, stem and classifier
// exact. 93.1% and 90.9% of the work are what the paper rounds to 93% and 91%.
func TestCostOfResNets(t *testing.T) {
	for depth, rows := range map[int][]struct {
		least          int
		work, gradient float64
	}{
		50:  {{512, 93.1, 88.2}, {256, 82.6, 66.5}, {128, 66.5, 56.1}, {64, 58.4, 54.4}, {1, 51.5, 54.0}},
		101: {{512, 90.8, 88.2}, {256, 85.3, 75.7}, {128, 58.7, 53.5}, {64, 54.4, 52.5}, {1, 50.8, 52.3}},
		152: {{512, 90.9, 88.4}, {256, 86.2, 79.0}, {128, 58.8, 53.3}, {64, 53.0, 51.9}, {1, 50.5, 51.7}},
	} {
		for _, want := range rows {
			r := Cost(nn.ResNet(depth), Product{Sampler: TopK{0.5}, MinPairs: want.least, Exact: []string{"conv1", "dense"}}, 0)
			if r.Err() != nil {
				t.Fatal(r.Err())
			}
			near(t, fmt.Sprintf("ResNet-%d from %d: work", depth, want.least), 100*r.Forward, want.work)
			near(t, fmt.Sprintf("ResNet-%d from %d: gradient", depth, want.least), 100*r.Gradients, want.gradient)
			if math.Abs(r.Training-r.Forward) > 1e-12 {
				t.Errorf("gradients through the sample cost %v, the forward pass %v", r.Training, r.Forward)
			}
		}
	}
}

func TestCostOfOthers(t *testing.T) {
	for _, c := range []struct {
		net  *nn.Net
		q    Product
		want float64
	}{
		{nn.WRN(28, 10, nn.WRNOptions{}), Product{Sampler: TopK{0.9}, MinPairs: 10, Exact: []string{"dense"}}, 90.0},
		{nn.WRN(28, 10, nn.WRNOptions{}), Product{Sampler: TopK{0.5}, MinPairs: 10, Exact: []string{"dense"}}, 50.1},
		{nn.WRN(28, 10, nn.WRNOptions{}), Product{Sampler: TopK{0.3}, MinPairs: 10, Exact: []string{"dense"}}, 30.1},
		{nn.WRN(28, 10, nn.WRNOptions{}), Product{Sampler: TopK{0.1}, MinPairs: 10, Exact: []string{"dense"}}, 10.2},
		{nn.MNISTCNN(), Product{Sampler: TopK{0.5}, Exact: []string{"dense"}}, 63.9},
		{nn.MNISTCNN(), Product{Sampler: TopK{0.34}, Exact: []string{"dense"}}, 50.3},
		{nn.MNISTCNN(), Product{Sampler: TopK{0.3}, Exact: []string{"dense"}}, 48.0},
	} {
		near(t, fmt.Sprint(c.net.Name, ", ", c.q), 100*Cost(c.net, c.q, 0).Forward, c.want)
	}
}

// near wants two shares in percent to agree to 0.1 points.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.1 {
		t.Errorf("%s: %.3f%%, want %.1f%%", what, got, want)
	}
}

func TestCostOfModes(t *testing.T) {
	net := nn.MLP(100, 80, 10)
	r := Cost(net, Product{Sampler: TopK{0.5}, Mode: Backward}, 20)
	if l := r.Layers[1]; l.Forward != 1 || l.Input != 0.5 || l.Weight != 0.5 || l.GradientNumbers != 810 {
		t.Errorf("%+v", l)
	}
	r = Cost(net, Product{Sampler: TopK{0.25}, WeightGrad: Bernoulli{Keep: 0.5}}, 20)
	if l := r.Layers[0]; l.Kept != 25 || l.Forward != 0.25 || l.Weight != 0.125 || l.GradientNumbers != 25*80+80 {
		t.Errorf("%+v", l)
	}
	for want, q := range map[string]nn.Product{"has no such layer": Product{Sampler: TopK{0.5}, Exact: []string{"x"}}, "TopK.Keep is 3": TopK{3}, "changes in the course": Budget{}} {
		if r := Cost(net, q, 0); r.Err() == nil || !strings.Contains(r.String(), want) {
			t.Errorf("%v, want %q", r, want)
		}
	}
}
