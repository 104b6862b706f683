package display

import (
	"maps"
	"sync"
	"time"
)

// A settling knows the live outputs that have not had their last frame.
type settling struct {
	mu   sync.Mutex
	open map[*liveOutput]chan struct{} // closed when it has ended
}

// add takes note of an output; the function it returns is called at its end.
func (s *settling) add(o *liveOutput) (ended func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[*liveOutput]chan struct{}{}
	}
	end := make(chan struct{})
	s.open[o] = end
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, o)
		close(end)
	}
}

func (s *settling) list() map[*liveOutput]chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.open)
}

// grace is how long a figure may take to notice that its runs have ended.
const grace = 20 * time.Millisecond

// Settle waits until the live outputs whose values are done have sent their last frames, for
// so long at most. A program that executes a notebook may stop listening when the last cell
// has ended; what a cell has waited for is to be in its output by then.
func (m *Manager) Settle(limit time.Duration) {
	open := m.settling.list()
	late, end := time.NewTimer(grace), time.NewTimer(limit)
	defer late.Stop()
	defer end.Stop()
	stopped := m.Context().Done()
	over := false // the grace
	for o, ended := range open {
		select {
		case <-o.done:
		default:
			if over {
				continue
			}
			select {
			case <-o.done:
			case <-late.C:
				over = true
				continue
			}
		}
		select {
		case <-ended:
		case <-end.C:
			return
		case <-stopped:
			return
		case <-m.ctx.Done():
			return
		}
	}
}
