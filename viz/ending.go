package viz

import "sync"

// An ending is a channel that is closed when several runs have ended.
type ending struct {
	once sync.Once
	done chan struct{}
}

func (e *ending) of(sources []Source) <-chan struct{} {
	e.once.Do(func() {
		e.done = make(chan struct{})
		if allEnded(sources) {
			close(e.done)
			return
		}
		go func() { // ends with the last of the runs
			for _, s := range sources {
				<-s.Done()
			}
			close(e.done)
		}()
	})
	return e.done
}

func allEnded(sources []Source) bool {
	for _, s := range sources {
		if !ended(s) {
			return false
		}
	}
	return true
}

// versions adds up the versions of traces: it grows when any of them does.
func versions(sources []Source) uint64 {
	v := uint64(0)
	for _, s := range sources {
		v += s.Trace().Version()
	}
	return v
}
