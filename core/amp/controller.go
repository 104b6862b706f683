package amp

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// An instance is what belongs to one key on its way through the graph.
type instance struct {
	key    int
	sample int
	train  bool
	copy   int          // the replica of each node that it goes to
	home   int          // the worker of that, where nodes with twins deal with it
	live   atomic.Int32 // messages in queues or at work
	parked atomic.Int32 // messages that wait for others inside a node

	pumped   int          // messages that entered, written before any of them is sent on
	returned atomic.Int32 // gradients that came back to inputs
}

// A job is an instance that is to be sent.
type job struct {
	sample int
	train  bool
}

// A controller sends instances into the graph as long as fewer than the limit are in it, and
// knows when each has ended. It has no goroutine: a worker that ends an instance sends the next.
type controller struct {
	mu      sync.Mutex
	jobs    []job
	next    int
	active  int
	done    int
	copies  []copies // where there are replicas
	limit   int
	pumping bool
	key     int
	spare   []*instance
	drained chan struct{}
	data    [2]Data // to validate with, to train with

	lastSample time.Time
	lastBusy   []float64
	lastScore  score
	lastStale  [2]int64
	trained    int // instances of all epochs
	later      int // the most that entered after an instance and before its end
}

// copies are the replicas, one of each node, that an instance uses.
type copies struct{ worker, active int }

// settle gives an instance its replicas: those with least to do.
func (c *controller) settle(i *instance) {
	i.copy, i.home = 0, 0
	if len(c.copies) == 0 {
		return
	}
	for k := range c.copies {
		if c.copies[k].active < c.copies[i.copy].active {
			i.copy = k
		}
	}
	c.copies[i.copy].active++
	i.home = c.copies[i.copy].worker
}

func (c *controller) begin(jobs []job, limit int) {
	c.jobs, c.next, c.active, c.done, c.limit = jobs, 0, 0, 0, limit
	for k := range c.copies {
		c.copies[k].active = 0
	}
	c.pumping = false
	c.drained = make(chan struct{})
}

// pump sends instances and returns how many. One worker does it at a time; others leave it to that one.
func (e *engine) pump(w *worker) (sent int) {
	c := &e.ctl
	c.mu.Lock()
	if c.pumping {
		c.mu.Unlock()
		return 0
	}
	c.pumping = true
	for c.active < c.limit && c.next < len(c.jobs) {
		j := c.jobs[c.next]
		c.next++
		c.active++
		c.key++
		var i *instance
		if last := len(c.spare) - 1; last >= 0 {
			i, c.spare = c.spare[last], c.spare[:last]
		} else {
			i = new(instance)
		}
		i.key, i.sample, i.train, i.pumped = c.key, j.sample, j.train, 0
		i.returned.Store(0)
		i.parked.Store(0)
		i.live.Store(1) // held until all its messages are sent
		c.settle(i)
		c.mu.Unlock()
		sent++
		p := &w.sends
		*p = Pump{w, i, State{Instance: i.key, Sample: i.sample}}
		w.at, w.state = e.source, &p.at
		c.data[kindOf(j.train)].Send(j.sample, p)
		if i.pumped == 0 {
			w.fail(e.source, p.at, "the data sent no message for it")
		}
		w.alive(i, -1)
		if !e.planned {
			w.flush()
		}
		c.mu.Lock()
	}
	c.pumping = false
	c.mu.Unlock()
	return sent
}

func kindOf(train bool) int {
	if train {
		return 1
	}
	return 0
}

// finish is called when no message of an instance is left.
func (e *engine) finish(w *worker, i *instance) {
	if i.parked.Load() != 0 || i.train && int(i.returned.Load()) != i.pumped {
		panic(unwind{&stuck{i.key, i.sample, i.pumped - int(i.returned.Load())}})
	}
	c := &e.ctl
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active--
	c.done++
	c.later = max(c.later, c.key-i.key)
	if len(c.copies) > 0 {
		c.copies[i.copy].active--
	}
	if i.train {
		c.trained++
	}
	c.spare = append(c.spare, i)
	w.pumpDue = true
	if !e.dry {
		e.tell()
	}
	if c.done == len(c.jobs) {
		close(c.drained)
	}
}

// stuck is what finish found; the engine makes a DeadlockError of it when the workers have
// ended and their caches can be read.
type stuck struct{ key, sample, missing int }

func (s *stuck) Error() string { return fmt.Sprintf("amp: instance %d stands still", s.key) }

// samplesEach is the time between two points of the series that a run records.
const samplesEach = 50 * time.Millisecond

// tell records how the run is getting on. The controller is locked.
func (e *engine) tell() {
	c := &e.ctl
	if c.done%16 != 0 && c.done != len(c.jobs) {
		return
	}
	now := time.Now()
	dt := now.Sub(c.lastSample)
	if dt < samplesEach && c.done != len(c.jobs) {
		return
	}
	e.trace.Progress(float64(c.trained), float64(e.total))
	if e.inference {
		return
	}
	step := float64(c.trained)
	if s := e.score(true); s.messages > c.lastScore.messages {
		e.trace.Sample("loss", step, s.minus(c.lastScore).mean())
		c.lastScore = s
	}
	var sum, n int64
	for _, d := range e.nodes {
		if d.params() != nil {
			sum += d.stats.staleSum.Load()
			n += d.stats.messages[1].Load()
		}
	}
	if n > c.lastStale[1] {
		e.trace.Sample("staleness", step, float64(sum-c.lastStale[0])/float64(n-c.lastStale[1]))
		c.lastStale = [2]int64{sum, n}
	}
	if dt > samplesEach/2 {
		for k, w := range e.w {
			b := w.busy.load()
			e.trace.Sample(fmt.Sprintf("worker %d", k), step, min((b-c.lastBusy[k])/dt.Seconds(), 1))
			c.lastBusy[k] = b
		}
		c.lastSample = now
	}
}
