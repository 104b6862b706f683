package amp

import (
	"context"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"trivium/core/nn"
	"trivium/core/tensor"
)

// A Machine is what workers of one computer cost beside the arithmetic of their nodes, as [Calibrate] measures it or as
// one assumes. The zero value costs nothing: devices with memory of their own.
type Machine struct {
	Slowdown float64 // how many times longer a batch takes while all workers are at work; 0 means 1
	Batch    float64 // seconds to find and take up a batch
	Message  float64 // seconds of the receiver for a message from another worker
	Byte     float64 // and for each byte of it, that lies in the other's cache
	Wake     float64 // seconds until a worker that has gone to sleep is at work
}

func (m Machine) negative() bool {
	return m.Slowdown < 0 || m.Batch < 0 || m.Message < 0 || m.Byte < 0 || m.Wake < 0
}

// Calibrate measures this machine with some workers, for [PlanOptions].Machine. It takes about half a second, in which
// nothing else should run. Together with [Run.Costs] of a run on one worker, Plan says what more would bring.
func Calibrate(workers int) Machine {
	workers = max(1, min(workers, mostWorkers))
	var m Machine
	alone := pipeline(1)
	m.Batch = alone.rest / float64(max(alone.batches, 1))
	if workers == 1 {
		return m
	}
	across := pipeline(2)
	m.Message = max(0, (across.rest-m.Batch*float64(across.batches))/float64(max(across.received, 1)))
	m.Byte = remoteByte()
	m.Wake = wakeUp()
	m.Slowdown = max(1, together(workers)/together(1))
	return m
}

// A spent is where the time of workers went that is not in nodes.
type spent struct {
	rest     float64 // seconds at work outside nodes
	batches  int64
	received int64
}

// pipeline sends single numbers through nodes that only multiply them, next to each other on workers in turn.
func pipeline(workers int) (s spent) {
	const length, instances = 8, 4000
	g := NewGraph("calibration")
	x := g.Input("x", 1)
	place := map[string]int{}
	for i := range length {
		x = g.PPT(string(rune('a'+i)), x, Linear{Out: 1, NoBias: true})
		place[string(rune('a'+i))] = i % workers
	}
	g.Regress("loss", x, nn.MSE, func(State) []float32 { return one })
	data := Samples{N: instances, Each: func(i int, p *Pump) { p.Send("x", State{Sample: i}, 1) }}
	e, err := begin(g, data, Options{Workers: workers, Affinity: place, MaxActiveKeys: 64, Batch: 1, Still: true, Spans: -1}, false)
	if err != nil {
		return s
	}
	defer g.give()
	start := time.Now()
	if err := e.phase(context.Background(), e.order()); err != nil {
		return s
	}
	took := time.Since(start).Seconds()
	for _, w := range e.w {
		s.rest += max(0, took-w.busy.load()-w.idle.load())
		s.received += w.received.Load()
	}
	for _, n := range e.nodes {
		s.batches += n.stats.batches[0].Load() + n.stats.batches[1].Load()
	}
	return s
}

var one = []float32{1}

// together is the median seconds of a piece of work like a node's while that many goroutines do it: a product and
// passes over numbers that do not fit into a core's nearest cache.
func together(workers int) float64 {
	const repeats = 40
	var wg sync.WaitGroup
	var begun atomic.Int32
	seconds := make([]float64, workers)
	for i := range workers {
		wg.Go(func() {
			a, b, c := tensor.NewMat32(64, 300), tensor.NewMat32(300, 600), tensor.NewMat32(64, 600)
			x := make([]float32, 1<<18)
			var each []float64
			begun.Add(1)
			for int(begun.Load()) < workers {
				runtime.Gosched()
			}
			for range repeats {
				start := time.Now()
				_ = tensor.Mul(nil, matrix(c), tensor.NN, matrix(a), matrix(b), 1, 0) // shapes fit
				tensor.Scale(x, 1, x)
				tensor.Tanh(c.Data, c.Data)
				each = append(each, time.Since(start).Seconds())
			}
			seconds[i] = middle(each)
		})
	}
	wg.Wait()
	return middle(seconds)
}

// remoteByte is how much longer it takes to copy a byte that another goroutine has just written than one of one's own.
func remoteByte() float64 {
	const size, rounds = 1 << 14, 64
	x, y := make([]float32, size), make([]float32, size)
	copyTime := func() float64 {
		start := time.Now()
		copy(y, x)
		return time.Since(start).Seconds()
	}
	fill := func(v int) {
		for i := range x {
			x[i] = float32(v)
		}
	}
	var turn atomic.Int32
	done := make(chan struct{})
	go func() { // ends after its rounds, which wait for ours
		defer close(done)
		for k := range rounds {
			for turn.Load() != int32(2*k+1) {
				runtime.Gosched()
			}
			fill(k)
			turn.Store(int32(2*k + 2))
		}
	}()
	var own, other []float64
	for k := range rounds {
		fill(k)
		own = append(own, copyTime())
		turn.Store(int32(2*k + 1))
		for turn.Load() != int32(2*k+2) {
			runtime.Gosched()
		}
		other = append(other, copyTime())
	}
	<-done
	return max(0, (middle(other)-middle(own))/(4*size))
}

// wakeUp is the median seconds from a message to the start of a worker that sleeps.
func wakeUp() float64 {
	const rounds = 40
	var q inbox
	q.init()
	end := make(chan struct{})
	woken := make(chan time.Time)
	go func() { // ends after its rounds
		for range rounds {
			for q.n.Load() == 0 {
				q.wait(end)
			}
			woken <- time.Now()
			q.takeAll(nil)
			woken <- time.Time{}
		}
	}()
	var each []float64
	for range rounds {
		time.Sleep(100 * time.Microsecond) // longer than it spins
		start := time.Now()
		q.send([]message{{}})
		each = append(each, (<-woken).Sub(start).Seconds())
		<-woken
	}
	return max(0, middle(each))
}

func middle(x []float64) float64 {
	sort.Float64s(x)
	return x[len(x)/2]
}
