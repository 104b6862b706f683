package amp

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"trivium/core/run"
)

// PlanOptions describe devices and how a graph would be trained on them. The zero value is the paper's: a device of 1 TFLOPS
// for every node with parameters.
type PlanOptions struct {
	Devices  int     // 0 means one for each node with parameters
	FLOPS    float64 // of a device; 0 means 1e12
	Memory   float64 // bytes of a device; 0 means enough
	Link     float64 // bytes a second between two devices; 0 means that it takes no time
	Latency  float64 // seconds from one device to another
	Overhead float64 // seconds of a batch, before its arithmetic
	Machine  Machine // what workers of one computer cost each other; the zero value is devices of their own

	MaxActiveKeys      int // 0 means 4 for each device
	MinUpdateFrequency int // 0 means 1
	Batch              int // 0 means 1: a device that works as fast on one row as on many

	// Costs are measured ones, by name, as [Run.Costs] gives them; nodes that are not in it, or all without
	// it, cost their arithmetic.
	Costs map[string]NodeCost

	Affinity  map[string]int // by name, for some nodes or all; the others are placed as well as can be found
	Instances int            // that are simulated; 0 means 300, of the data again and again
}

// A Forecast is what a plan comes to.
type Forecast struct {
	Rate        float64        // instances a second, training, once the pipeline is full
	Seconds     float64        // of all instances that were simulated, with filling and draining: an epoch
	Limit       float64        // at most, by the formula: 1 over the seconds of an instance at the busiest device
	Utilisation []float64      // of each device
	Memory      []float64      // bytes of each: parameters, gradients, and the most that waited for a gradient
	Bottleneck  string         // the node that takes most of the busiest device's time
	Placement   map[string]int // of the nodes that are in one place; others, around replicas, are on every device
	Traffic     float64        // bytes an instance between devices, both directions
	Nodes       []PlannedNode
	Devices     int
}

// A PlannedNode is what an instance costs one node.
type PlannedNode struct {
	Name    string
	Device  int     // Everywhere if each has one
	Seconds float64 // an instance, forward and backward
	Flops   float64 // an instance, forward and backward
}

// String is a table of the nodes.
func (f *Forecast) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%.0f instances/s on %d devices (at most %.0f); %s is the bottleneck; %.1f kB an instance between devices\n",
		f.Rate, f.Devices, f.Limit, f.Bottleneck, f.Traffic/1e3)
	for _, n := range f.Nodes {
		device := fmt.Sprint("device ", n.Device)
		if n.Device == Everywhere {
			device = "everywhere"
		}
		fmt.Fprintf(&b, "  %-14s %-10s %9.2f µs  %8.2f MFLOP an instance\n", n.Name, device, n.Seconds*1e6, n.Flops/1e6)
	}
	return b.String()
}

// Plan forecasts training a graph on devices that are not there, by sending instances of the data through the same graph with the
// same rules in simulated time, with sizes and no numbers. It is a model: devices have one speed, links one bandwidth, and
// memory is without limit inside a device.
//
// For more workers of this machine, give it what a run on one worker has measured:
//
//	f, err := amp.Plan(g, data, amp.PlanOptions{Devices: 2, Costs: run.Costs(), Machine: amp.Calibrate(2), Batch: 256})
func Plan(g *Graph, data any, o PlanOptions) (f *Forecast, err error) {
	defer run.Catch(&err)
	if g == nil {
		return nil, errNoGraph
	}
	if err := g.Check(); err != nil {
		return nil, err
	}
	if o.Devices < 0 || o.FLOPS < 0 || o.Memory < 0 || o.Link < 0 || o.Latency < 0 || o.Overhead < 0 || o.MaxActiveKeys < 0 ||
		o.MinUpdateFrequency < 0 || o.Batch < 0 || o.Instances < 0 || o.Machine.negative() {
		return nil, errors.New("amp: a number in PlanOptions is negative")
	}
	if o.Devices > mostWorkers {
		return nil, fmt.Errorf("amp: PlanOptions.Devices is %d: at most %d", o.Devices, mostWorkers)
	}
	d, err := g.adapt(data, true)
	if err != nil {
		return nil, err
	}
	o = o.filled(g)
	for name, w := range o.Affinity {
		if g.byName[name] == nil || w < 0 || w >= o.Devices {
			return nil, fmt.Errorf("amp: PlanOptions.Affinity puts %q on device %d: it must be a node of %s and a device from 0 to %d", name, w, g.Name, o.Devices-1)
		}
	}
	return o.search(g, d)
}

func (o PlanOptions) filled(g *Graph) PlanOptions {
	if o.Devices == 0 {
		for _, n := range g.nodes {
			if n.Count() > 0 {
				o.Devices++
			}
		}
		o.Devices = min(max(o.Devices, 1), mostWorkers)
	}
	if o.FLOPS == 0 {
		o.FLOPS = 1e12
	}
	if o.MaxActiveKeys == 0 {
		o.MaxActiveKeys = 4 * o.Devices
	}
	if o.MinUpdateFrequency == 0 {
		o.MinUpdateFrequency = 1
	}
	if o.Batch == 0 {
		o.Batch = 1
	}
	if o.Instances == 0 {
		o.Instances = 300
	}
	return o
}

// search simulates a first placement and, as long as that helps, those that take a node off the busiest device.
func (o PlanOptions) search(g *Graph, d Data) (*Forecast, error) {
	best, err := o.simulate(g, d, o.Affinity)
	if err != nil || len(o.Affinity) == len(g.nodes) || o.Devices == 1 {
		return best, err
	}
	for range 20 {
		busiest, idlest := 0, 0
		for i, u := range best.Utilisation {
			if u > best.Utilisation[busiest] {
				busiest = i
			}
			if u < best.Utilisation[idlest] {
				idlest = i
			}
		}
		var candidates []PlannedNode
		for _, n := range best.Nodes {
			if _, given := o.Affinity[n.Name]; !given && n.Device == busiest && n.Seconds > 0 {
				candidates = append(candidates, n)
			}
		}
		sort.Slice(candidates, func(i, j int) bool { return candidates[i].Seconds < candidates[j].Seconds })
		better := false
		for _, c := range candidates[:max(0, len(candidates)-1)] {
			try := map[string]int{}
			for name, w := range best.Placement {
				try[name] = w
			}
			try[c.Name] = idlest
			f, err := o.simulate(g, d, try)
			if err != nil {
				return nil, err
			}
			if f.Rate > 1.01*best.Rate {
				best, better = f, true
				break
			}
		}
		if !better {
			break
		}
	}
	return best, nil
}

// cost is the seconds of a batch at a node, by itself.
func (o PlanOptions) cost(n *node, back bool, rows int, flops float64) float64 {
	if c, ok := o.Costs[n.Name]; ok {
		if back {
			return c.Backward.of(rows)
		}
		return c.Forward.of(rows)
	}
	if n.light {
		return 0
	}
	return o.Overhead + flops/o.FLOPS
}

// forecast sums up a simulation.
func (s *simulation) forecast() *Forecast {
	f := &Forecast{Placement: map[string]int{}, Devices: len(s.e.w), Seconds: s.now}
	k := len(s.ends)
	from, to := k/4, k*17/20
	if to <= from {
		from, to = 0, k-1
	}
	f.Rate = float64(k) / s.now
	if to > from+2 {
		f.Rate = slope(s.ends[from:to])
	}
	loads := make([]float64, len(s.e.w))
	f.Memory = make([]float64, len(s.e.w))
	for _, n := range s.e.nodes {
		device := n.worker
		if n.twins != nil {
			device = Everywhere
			for i := range f.Memory {
				f.Memory[i] += 8*float64(n.Count()) + s.peak[n.id]/float64(len(s.e.w))
			}
		} else {
			f.Placement[n.Name] = device
			f.Memory[device] += 8*float64(n.Count()) + s.peak[n.id]
		}
		i := n.info()
		f.Traffic += float64(i.Crossing) / float64(k)
		if !n.light {
			f.Nodes = append(f.Nodes, PlannedNode{n.Name, device, s.seconds[n.id] / float64(k), i.Flops / float64(k)})
		}
	}
	busiest := 0
	for i, l := range s.load {
		loads[i] = l / float64(k)
		f.Utilisation = append(f.Utilisation, loads[i]*f.Rate)
		if loads[i] > loads[busiest] {
			busiest = i
		}
	}
	f.Limit = math.Inf(1)
	if loads[busiest] > 0 {
		f.Limit = 1 / loads[busiest]
	}
	most := -1.0
	for _, n := range f.Nodes {
		if (n.Device == busiest || n.Device == Everywhere) && n.Seconds > most {
			most, f.Bottleneck = n.Seconds, n.Name
		}
	}
	return f
}

// slope is instances a second by least squares over the times at which they ended: they end in bursts, whose
// edges would count too much in a difference of two.
func slope(ends []float64) float64 {
	n := float64(len(ends))
	var t, k, tt, kt float64
	for i, v := range ends {
		v -= ends[0]
		t += v
		k += float64(i)
		tt += v * v
		kt += v * float64(i)
	}
	return (n*kt - t*k) / (n*tt - t*t)
}
