package server

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"trivium/kernel/link"
	"trivium/kernel/units"
)

// supervisor keeps an evaluator running: it starts one, hands requests to it, watches its
// memory, and starts another when it dies. It is the kernel's link.Events.
type supervisor struct {
	s *Server

	mu      sync.Mutex
	proc    *link.Process // nil while none can be started
	born    time.Time
	ready   bool
	early   int // evaluators in a row that died before they were ready
	broken  error
	closing bool
	next    uint64
	pending map[uint64]chan answer
	running *run                           // the cell that runs, nil if none
	stuck   bool                           // what was interrupted while no cell ran has not come back
	groups  map[*link.Process]map[int]bool // of processes that an evaluator's cells run
}

// An answer is what came of a request to the evaluator: a frame, or its death.
type answer struct {
	frame link.Frame
	death *link.Death
}

// errNoEvaluator is given to requests that cannot be handed to an evaluator.
var errNoEvaluator = errors.New("server: there is no evaluator")

// attempts is how many evaluators may die before they are ready, in a row.
const attempts = 3

func newSupervisor(s *Server) *supervisor {
	return &supervisor{s: s, pending: map[uint64]chan answer{}, groups: map[*link.Process]map[int]bool{}}
}

// start starts an evaluator.
func (v *supervisor) start() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.startLocked()
}

func (v *supervisor) startLocked() {
	if v.closing {
		return
	}
	v.ready, v.stuck, v.born = false, false, time.Now()
	if v.proc, v.broken = v.s.opt.Start(v); v.broken != nil {
		v.proc = nil
		v.s.opt.Logf("server: %v", v.broken)
		return
	}
	if limit := v.s.opt.MemoryLimit; limit > 0 {
		go watchMemory(v.proc, limit)
	}
}

// watchMemory ends an evaluator that holds more than limit bytes, before the system ends
// some process of its own choice.
func watchMemory(p *link.Process, limit int64) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.Exited():
			return
		case <-tick.C:
		}
		if pid := p.PID(); pid != 0 {
			if held := link.Resident(pid); held > limit {
				p.Kill(fmt.Sprintf("out of memory: it held %s, and %s is the limit (set TRIVIUM_MEMORY_LIMIT to change it)",
					units.Bytes(held), units.Bytes(limit)))
				return
			}
		}
	}
}

// number gives out a number for a frame that is answered.
func (v *supervisor) number() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.next++
	return v.next
}

// ask sends a frame and returns the channel on which the answer comes.
func (v *supervisor) ask(kind link.Kind, id uint64, head any, body []byte) (<-chan answer, error) {
	ch := make(chan answer, 1)
	v.mu.Lock()
	p, broken := v.proc, v.broken
	if p != nil {
		v.pending[id] = ch
	}
	v.mu.Unlock()
	if p == nil {
		if broken != nil {
			return nil, broken
		}
		return nil, errNoEvaluator
	}
	if err := p.Send(kind, id, head, body); err != nil {
		var size *link.SizeError
		if errors.As(err, &size) {
			v.forget(id)
			return nil, err
		}
		// The evaluator died; its Exit answers.
	}
	return ch, nil
}

func (v *supervisor) forget(id uint64) {
	v.mu.Lock()
	delete(v.pending, id)
	v.mu.Unlock()
}

// tell sends a frame that is not answered.
func (v *supervisor) tell(kind link.Kind, id uint64, head any, body []byte) {
	v.mu.Lock()
	p := v.proc
	v.mu.Unlock()
	if p != nil {
		p.Send(kind, id, head, body)
	}
}

func (v *supervisor) answer(id uint64, a answer) {
	v.mu.Lock()
	ch := v.pending[id]
	delete(v.pending, id)
	v.mu.Unlock()
	if ch != nil {
		ch <- a
	}
}

// Text implements link.Events.
func (v *supervisor) Text(_ *link.Process, name string, text []byte) { v.s.out.text(name, text) }

// Frame implements link.Events.
func (v *supervisor) Frame(p *link.Process, f link.Frame) {
	defer func() {
		if e := recover(); e != nil { // a bug here must not end the notebook
			v.s.opt.Logf("server: frame of %v: panic: %v", f.Kind, e)
		}
	}()
	if err := v.s.frame(p, f); err != nil {
		v.s.opt.Logf("server: %v", err)
	}
}

// Exit implements link.Events: whoever waits for this evaluator hears of its death, and the
// next one starts.
func (v *supervisor) Exit(p *link.Process, d link.Death) {
	v.endGroups(p)
	v.mu.Lock()
	if v.closing {
		v.mu.Unlock()
		v.failAll(nil, &d)
		return
	}
	if v.ready {
		v.early = 0
	} else {
		v.early++
	}
	waiting := v.pending
	v.pending = map[uint64]chan answer{}
	idle := v.running == nil
	if v.early < attempts {
		v.startLocked()
	} else {
		v.proc, v.broken = nil, fmt.Errorf("the evaluator does not start: %s", deathText(d))
	}
	v.mu.Unlock()
	v.s.out.forget(d.Crash)
	v.s.comms.closeAll(v.s)
	if idle && d.Reason != resetReason {
		v.s.mourn(d)
	}
	v.failAll(waiting, &d)
}

// group notes that a command of the shell runs, or that it has ended.
func (v *supervisor) group(p *link.Process, g link.ProcessGroup) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if g.Ended {
		delete(v.groups[p], g.ID)
		return
	}
	if v.groups[p] == nil {
		v.groups[p] = map[int]bool{}
	}
	v.groups[p][g.ID] = true
}

// endGroups ends what an evaluator that died has left running.
func (v *supervisor) endGroups(p *link.Process) {
	v.mu.Lock()
	groups := v.groups[p]
	delete(v.groups, p)
	v.mu.Unlock()
	for id := range groups {
		link.EndGroup(id)
	}
}

func (v *supervisor) failAll(waiting map[uint64]chan answer, d *link.Death) {
	if waiting == nil {
		v.mu.Lock()
		waiting, v.pending = v.pending, map[uint64]chan answer{}
		v.mu.Unlock()
	}
	for _, ch := range waiting {
		ch <- answer{death: d}
	}
}

// reset replaces the evaluator by a fresh one and waits for the old one's end.
func (v *supervisor) reset(reason string) {
	v.mu.Lock()
	p := v.proc
	v.mu.Unlock()
	if p != nil {
		p.Kill(reason)
		<-p.Exited()
	}
}

// close ends the evaluator; no other is started. Runs get two seconds to stop and save.
func (v *supervisor) close() {
	v.mu.Lock()
	v.closing = true
	p := v.proc
	v.proc = nil
	v.mu.Unlock()
	if p != nil {
		p.Close(2 * time.Second)
	}
}

// pid is the evaluator's process number, 0 if there is none.
func (v *supervisor) pid() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.proc == nil {
		return 0
	}
	return v.proc.PID()
}
