package run

import (
	"fmt"
	"sync"
	"time"
)

// Progress is how far a run has come.
type Progress struct {
	Done, Total float64 // in Unit; Total is 0 if unknown
	Unit        string  // what is counted: "steps", "cycles"
	Seconds     float64 // time spent running
	Left        float64 // estimated seconds to go; negative if unknown, 0 after the end
	Series      string  // the run's first series, and
	Last        Point   // its newest sample; meaningless while Series is empty
}

// progress estimates the time left from the later part of the run, so that a slow start
// does not spoil the estimate for ever: it keeps a mark that is between a quarter and a
// half of the time so far, and takes the rate since that mark.
type progress struct {
	mu           sync.Mutex
	done, total  float64
	older, newer mark
}

type mark struct{ seconds, done float64 }

// Progress says how many of the engine's steps are done, of how many. A total of 0 means
// unknown.
func (t *Trace) Progress(done, total float64) {
	if t == nil {
		return
	}
	now := t.clock.now().Seconds()
	p := &t.progress
	p.mu.Lock()
	if done < p.done { // a new count has begun
		p.older, p.newer = mark{now, done}, mark{now, done}
	}
	p.done, p.total = done, total
	if now >= 2*p.newer.seconds {
		p.older, p.newer = p.newer, mark{now, done}
	}
	p.mu.Unlock()
	t.version.Add(1)
}

func (p *progress) at(now float64) Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := Progress{Done: p.done, Total: p.total, Seconds: now, Left: -1}
	if gained := p.done - p.older.done; gained > 0 && p.total >= p.done {
		out.Left = (now - p.older.seconds) / gained * (p.total - p.done)
	}
	return out
}

// Progress returns how far the run has come, with an estimate of the time left.
func (r *Run) Progress() Progress {
	p := r.trace.progress.at(r.trace.Now().Seconds())
	p.Unit = r.options.Unit
	if r.State() >= StateDone {
		p.Left = 0
	}
	if names := r.trace.Series(); len(names) > 0 {
		p.Series = names[0]
		if n := r.trace.Len(p.Series); n > 0 {
			p.Last = r.trace.Since(p.Series, n-1)[0]
		}
	}
	return p
}

// String says in a line what the run is and how it stands, with the reason if it has failed:
// "XOR (mgrit): running, 12 of 60 cycles, 3.9s".
func (r *Run) String() string {
	s := r.Name()
	if r.options.Name != "" && r.options.Name != fmt.Sprintf("%s %d", r.options.Kind, r.id) {
		s += " (" + r.Kind() + ")"
	}
	s += ": " + r.State().String()
	p := r.Progress()
	switch {
	case p.Total > 0:
		s += fmt.Sprintf(", %.6g of %.6g %s", p.Done, p.Total, p.Unit)
	case p.Done > 0:
		s += fmt.Sprintf(", %.6g %s", p.Done, p.Unit)
	}
	if t := time.Duration(p.Seconds * float64(time.Second)).Round(time.Millisecond); t > 0 {
		s += ", " + t.String()
	}
	if err := r.Err(); err != nil && err != ErrStopped {
		s += ": " + err.Error()
	}
	return s
}
