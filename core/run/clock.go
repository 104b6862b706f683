package run

import (
	"sync"
	"sync/atomic"
	"time"
)

// A clock counts the time that a run has spent running. Reading it is one atomic load
// and one look at the system's clock.
type clock struct {
	mu    sync.Mutex // held by whoever starts or stops it
	state atomic.Pointer[clockState]
}

type clockState struct {
	before  time.Duration // counted up to since
	since   time.Time
	running bool
}

func (c *clock) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Store(&clockState{before: c.now(), since: time.Now(), running: true})
}

func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Store(&clockState{before: c.now()})
}

func (c *clock) now() time.Duration {
	s := c.state.Load()
	switch {
	case s == nil:
		return 0
	case s.running:
		return s.before + time.Since(s.since)
	}
	return s.before
}
