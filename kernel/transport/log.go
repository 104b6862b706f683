package transport

import (
	"sync"
	"time"
)

// limitedLog passes at most perSpan lines per span on, and then how many it left out: what
// a broken or hostile peer can cause must not fill a disk.
type limitedLog struct {
	logf    func(string, ...any)
	perSpan int
	span    time.Duration
	now     func() time.Time

	mu    sync.Mutex
	start time.Time // of the current span
	lines int       // in it, with those left out
}

func newLimitedLog(logf func(string, ...any)) *limitedLog {
	if logf == nil {
		logf = func(string, ...any) {}
	}
	return &limitedLog{logf: logf, perSpan: 20, span: 10 * time.Second, now: time.Now}
}

func (l *limitedLog) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.now(); now.Sub(l.start) >= l.span {
		l.flush()
		l.start, l.lines = now, 0
	}
	if l.lines++; l.lines <= l.perSpan {
		l.logf(format, args...)
	}
}

// flush says what was left out; the caller holds mu or is the last one.
func (l *limitedLog) flush() {
	if n := l.lines - l.perSpan; n > 0 {
		l.logf("transport: %d more lines like these left out", n)
		l.lines = l.perSpan
	}
}

func (l *limitedLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
}
