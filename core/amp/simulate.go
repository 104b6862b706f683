package amp

import (
	"container/heap"
	"fmt"
)

// A simulation is an engine whose time is counted instead of spent. Workers stand for devices, and do
// what goroutines would do: take the fullest node, backward before forward, as one batch.
type simulation struct {
	o       PlanOptions
	e       *engine
	now     float64
	events  events
	free    [][]float64 // when each link from a device to another has sent what it was given
	running []*batchAt
	ends    []float64 // of the instances, in order
	seconds []float64 // of each node
	held    []float64 // bytes that wait in each node for a gradient
	peak    []float64
	load    []float64 // seconds of each device at work
	debt    []float64 // seconds of each device for what came and went since its last batch
	since   []float64 // when each device became idle
	count   int
}

type batchAt struct {
	n    *node
	back bool
	m    []message
}

// An event is the end of a batch, or the arrival of messages.
type event struct {
	at     float64
	order  int
	device int
	m      []message // nil: the end of the device's batch
}

type events []event

func (h events) Len() int { return len(h) }
func (h events) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].order < h[j].order
}
func (h events) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *events) Push(x any)   { *h = append(*h, x.(event)) }
func (h *events) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

func (o PlanOptions) simulate(g *Graph, d Data, affinity map[string]int) (f *Forecast, err error) {
	defer func() {
		if u, ok := recover().(unwind); ok {
			err = u.err
		}
	}()
	opts := Options{Workers: o.Devices, MaxActiveKeys: o.MaxActiveKeys, Batch: o.Batch, MinUpdateFrequency: o.MinUpdateFrequency, Affinity: affinity, Spans: -1}
	s := &simulation{o: o, e: newEngine(g, opts, true)}
	s.e.ctl.data[1], s.e.planned = d, true
	dry, err := rehearsal(g, opts, d, min(o.Instances, 64))
	if err != nil {
		return nil, err
	}
	s.e.place(func(n *node) float64 {
		st := &dry.nodes[n.id].stats
		if c, ok := o.Costs[n.Name]; ok {
			rows := float64(st.rows[0].Load() + st.rows[1].Load())
			return (c.Forward.PerRow + c.Backward.PerRow) / 2 * rows
		}
		return st.flops.load()/o.FLOPS + 1e-15*float64(st.messages[0].Load())
	})
	if o.Memory > 0 {
		used := make([]float64, o.Devices)
		for _, n := range s.e.nodes {
			if used[n.worker] += 8 * float64(n.Count()); used[n.worker] > o.Memory {
				return nil, fmt.Errorf("amp: parameters and gradients of device %d need %.3g bytes by node %s, and it has %.3g: give more devices or memory", n.worker, used[n.worker], n.Name, o.Memory)
			}
		}
	}
	s.running = make([]*batchAt, o.Devices)
	s.free = make([][]float64, o.Devices)
	for i := range s.free {
		s.free[i] = make([]float64, o.Devices)
	}
	s.load, s.debt, s.since = make([]float64, o.Devices), make([]float64, o.Devices), make([]float64, o.Devices)
	s.seconds, s.held, s.peak = make([]float64, len(s.e.nodes)), make([]float64, len(s.e.nodes)), make([]float64, len(s.e.nodes))
	jobs := make([]job, o.Instances)
	for i := range jobs {
		jobs[i] = job{i % d.Len(), true}
	}
	s.e.ctl.begin(jobs, o.MaxActiveKeys)
	if err := s.run(); err != nil {
		return nil, s.e.explained(err)
	}
	return s.forecast(), nil
}

func (s *simulation) run() (err error) {
	s.e.w[0].pumpDue = true
	s.settle()
	for len(s.events) > 0 {
		ev := heap.Pop(&s.events).(event)
		s.now = ev.at
		w := s.e.w[ev.device]
		if ev.m == nil {
			b := s.running[ev.device]
			s.running[ev.device] = nil
			s.since[ev.device] = s.now
			w.do(b.n, b.back, b.m)
		} else {
			for i := range ev.m {
				m := &ev.m[i]
				add(&m.to.stats.crossing, 4*m.x.size())
				s.debt[ev.device] += s.o.Machine.Message + s.o.Machine.Byte*float64(4*m.x.size())
				if m.to.light {
					w.deliver(link{m.to, m.port}, m.back, m.inst, &m.s, m.x)
				} else {
					m.to.queue(m.back).push(m)
				}
			}
		}
		s.settle()
	}
	if s.e.ctl.done < len(s.e.ctl.jobs) {
		return fmt.Errorf("amp: the simulation ended after %d of %d instances", s.e.ctl.done, len(s.e.ctl.jobs))
	}
	return nil
}

// settle sends new instances and what devices have made, and lets idle devices begin.
func (s *simulation) settle() {
	for _, w := range s.e.w {
		if w.pumpDue {
			w.pumpDue = false
			for len(s.ends) < s.e.ctl.done {
				s.ends = append(s.ends, s.now)
			}
			if n := s.e.pump(w); n > 0 {
				s.debt[w.id] += s.o.Costs[controllerName].Forward.of(n)
			}
		}
	}
	for _, w := range s.e.w {
		s.send(w)
		if s.running[w.id] == nil {
			s.begin(w)
		}
	}
}

// send puts what a device made for others on the links.
func (s *simulation) send(w *worker) {
	for to, m := range w.out {
		if len(m) == 0 {
			continue
		}
		bytes := 0
		for i := range m {
			bytes += 4 * m[i].x.size()
		}
		at := max(s.now, s.free[w.id][to])
		if s.o.Link > 0 {
			at += float64(bytes) / s.o.Link
		}
		s.free[w.id][to] = at
		s.push(event{at: at + s.o.Latency, device: to, m: append([]message(nil), m...)})
		w.out[to] = m[:0]
	}
}

func (s *simulation) push(e event) {
	s.count++
	e.order = s.count
	heap.Push(&s.events, e)
}

// begin starts a batch on an idle device.
func (s *simulation) begin(w *worker) {
	n, back := w.next()
	if n == nil {
		return
	}
	q := n.queue(back)
	most := s.o.Batch
	if p := n.params(); p != nil && back {
		most = min(most, p.room())
	}
	b := &batchAt{n: n, back: back, m: append([]message(nil), q.take(most)...)}
	q.tidy()
	rows, bytes := 0, 0.0
	for i := range b.m {
		rows += b.m[i].x.rows
		bytes += 4 * float64(b.m[i].x.size())
	}
	took := s.o.cost(n, back, rows, s.flopsOf(n, back, rows))*s.crowded() + s.o.Machine.Batch + s.debt[w.id]
	s.debt[w.id] = 0
	if s.now-s.since[w.id] > spinning {
		took += s.o.Machine.Wake
	}
	dir := kindOf(back)
	n.stats.count(dir, len(b.m), rows, int64(took*1e9))
	s.seconds[n.id] += took
	s.load[w.id] += took
	if back {
		s.held[n.id] -= bytes
	} else {
		s.held[n.id] += bytes
		s.peak[n.id] = max(s.peak[n.id], s.held[n.id])
	}
	s.running[w.id] = b
	s.push(event{at: s.now + took, device: w.id})
}

// flopsOf is the arithmetic of a batch.
func (s *simulation) flopsOf(n *node, back bool, rows int) float64 {
	var row float64
	switch o := n.op.(type) {
	case *ppt:
		row = o.plan.flops
	case *layerOp:
		row = 2 * float64(o.net.MACs())
	}
	if back {
		row *= 2
		if !n.in[0].node.learns {
			row /= 2
		}
	}
	return row * float64(rows)
}

// crowded is what a batch that begins now takes longer for those at work on other devices of the machine.
func (s *simulation) crowded() float64 {
	slow := s.o.Machine.Slowdown
	if slow == 0 || len(s.running) < 2 {
		return 1
	}
	others := 0
	for _, b := range s.running {
		if b != nil {
			others++
		}
	}
	return 1 + (slow-1)*float64(others)/float64(len(s.running)-1)
}
