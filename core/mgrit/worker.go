package mgrit

import (
	"errors"
	"sync"
	"sync/atomic"

	"trivium/core/run"
)

const scratchVectors = 6 // of each worker: a to e and input

// A worker takes steps. Its memory is its own; what it may write elsewhere, each phase says.
type worker struct {
	id            int
	step          func(dst, src []float64, s Step) // nil for problems with Update
	steps         []Step                           // what it hands to the step function, by level; the last is for readings
	at            int                              // which of them it is taking, for error messages
	taken         []int                            // calls of the step function, by level
	flops         float64                          // of a network's steps since the trace was told
	done          float64                          // flops before
	counted       int                              // calls that the trace was told of
	quiet         int                              // steps left until it looks at the context again
	looks         int                              // how often it has
	a, b, c, d, e []float64
	input         []float64      // what the input of a step was, to see that it is left as it was
	handed        [][]float64    // values of its right-most C-point for its right neighbour
	hand          chan []float64 // to the right neighbour
	fromLeft      chan []float64 // from the left neighbour
}

// A pool runs one phase of a cycle at a time on its workers. Worker 0 is the caller.
type pool struct {
	workers []*worker
	flops   float64       // of a call, for problems that say so
	trace   *run.Trace    // where spans and work go
	jobs    []chan work   // of workers 1, 2, ...
	errs    []error       // worker i writes errs[i]
	busy    atomic.Int32  // workers beside the caller that have not done the phase
	done    chan struct{} // told by the last of them
	alive   sync.WaitGroup
	failed  chan struct{} // closed when a worker fails, for neighbours that wait for it
	once    *sync.Once
}

// work is one phase's.
type work struct {
	name string
	do   func(*worker) error
}

func newPool(n int, levels []*level, sweeps int, of *Problem, t *run.Trace) *pool {
	p := &pool{flops: of.Flops, trace: t, errs: make([]error, n), done: make(chan struct{}, 1), failed: make(chan struct{}), once: new(sync.Once)}
	var left chan []float64
	for i := range n {
		w := &worker{id: i, step: of.Step, taken: make([]int, len(levels)), fromLeft: left, hand: make(chan []float64, sweeps+1)}
		for k, l := range levels {
			w.steps = append(w.steps, Step{Scale: l.step.Scale, Span: l.span, Level: k, Worker: i, Coarse: l.coarse, flops: &w.flops})
		}
		w.steps = append(w.steps, Step{Worker: i, flops: &w.flops})
		for _, v := range []*[]float64{&w.a, &w.b, &w.c, &w.d, &w.e, &w.input} {
			*v = make([]float64, len(of.Init))
		}
		for range sweeps + 1 {
			w.handed = append(w.handed, make([]float64, len(of.Init)))
		}
		left = w.hand
		p.workers = append(p.workers, w)
		if i > 0 {
			jobs := make(chan work, 1)
			p.jobs = append(p.jobs, jobs)
			p.alive.Go(func() { p.work(w, jobs) })
		}
	}
	return p
}

// work does jobs until there are no more.
func (p *pool) work(w *worker, jobs <-chan work) {
	for {
		job, open := await(jobs)
		if !open {
			return
		}
		p.do(w, job)
		if p.busy.Add(-1) == 0 {
			p.done <- struct{}{}
		}
	}
}

// close ends the workers and returns when they have ended.
func (p *pool) close() {
	for _, jobs := range p.jobs {
		close(jobs)
	}
	p.alive.Wait()
}

// run does job on the first n workers and returns when all have done it. The trace shows
// the time each of them took under the phase's name.
func (p *pool) run(n int, name string, job func(*worker) error) error {
	p.busy.Store(int32(n - 1))
	for i := range n - 1 {
		p.jobs[i] <- work{name, job}
	}
	p.do(p.workers[0], work{name, job})
	if n > 1 {
		await(p.done)
	}
	return firstError(p.errs[:n])
}

// do recovers at the top of a worker's work: a panic that got out would end the process.
func (p *pool) do(w *worker, job work) {
	defer func() {
		if r := recover(); r != nil {
			p.errs[w.id] = panicked(w.steps[w.at], r)
		}
		if p.errs[w.id] != nil {
			p.once.Do(func() { close(p.failed) })
		}
	}()
	began := p.trace.Now()
	p.errs[w.id] = job.do(w)
	p.tellWork(w)
	p.trace.Span(w.id, job.name, began, 0)
}

// tellWork adds to the trace what a worker has computed since it last did.
func (p *pool) tellWork(w *worker) {
	work := w.flops
	if p.flops > 0 {
		taken := 0
		for _, n := range w.taken {
			taken += n
		}
		work += p.flops * float64(taken-w.counted)
		w.counted = taken
	}
	p.trace.Work(work)
	w.flops = 0
	w.done += work
}

var errNeighbour = errors.New("mgrit: a neighbouring worker failed")

// firstError is the error of the left-most worker that has one of its own.
func firstError(errs []error) error {
	var neighbour error
	for _, err := range errs {
		if err != nil && !errors.Is(err, errNeighbour) {
			return err
		}
		if err != nil {
			neighbour = err
		}
	}
	return neighbour
}

// share is the contiguous part of n intervals that belongs to worker i of active.
func share(n, i, active int) (lo, hi int) {
	if n == active {
		return i, i + 1
	}
	return i * n / active, (i + 1) * n / active
}

// receive waits for the left neighbour's right-most C-point.
func (p *pool) receive(w *worker) ([]float64, error) {
	if u, _, came := soon(w.fromLeft); came {
		return u, nil
	}
	select {
	case u := <-w.fromLeft:
		return u, nil
	case <-p.failed:
		return nil, errNeighbour
	}
}

// pass hands a copy of u to the right neighbour as its k-th value of this phase.
func (w *worker) pass(k int, u []float64) {
	copy(w.handed[k], u)
	w.hand <- w.handed[k]
}
