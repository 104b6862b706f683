package run

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// A Point is one sample of a series.
type Point struct {
	Step    float64 // as the engine counts: steps, cycles, epochs
	Seconds float64 // the run's time, pauses left out
	Work    float64 // flops done so far, as the engine counts them
	Value   float64
}

// A Span is a stretch of work of one worker.
type Span struct {
	Worker     int
	Name       string
	Start, End time.Duration // on the trace's clock
	Stale      int           // how many updates the parameters were behind
}

// An Event is something worth telling that is no number.
type Event struct {
	Seconds    float64
	Kind, Text string
}

// A Trace is the record of a run. It only grows, and may be written by many goroutines
// and read by many others. A nil *Trace takes everything and keeps nothing, so an engine
// writes to its trace without asking whether there is one.
type Trace struct {
	clock   clock
	version atomic.Uint64
	work    atomic.Uint64 // bits of a float64

	// The table of series is copied when a series is added, which happens a few times
	// in a run, so that looking one up takes no lock.
	series atomic.Pointer[seriesTable]
	adding sync.Mutex

	spans    record[Span]
	events   record[Event]
	progress progress
}

type seriesTable struct {
	names []string // in the order of their first sample
	byKey map[string]*record[Point]
}

// NewTrace returns an empty trace whose clock runs: for work outside a [Run]. The clock
// of a zero Trace stands at 0.
func NewTrace() *Trace {
	t := new(Trace)
	t.clock.start()
	return t
}

// Now returns the time on the trace's clock, which stands still in pauses and after the
// end of the run. It is what [Trace.Span] takes as start.
func (t *Trace) Now() time.Duration {
	if t == nil {
		return 0
	}
	return t.clock.now()
}

// Sample appends a value to the named series, which need not exist before. Values may be
// NaN or infinite; figures show them as gaps.
func (t *Trace) Sample(series string, step, value float64) {
	if t == nil {
		return
	}
	r := t.lookup(series)
	if r == nil {
		r = t.addSeries(series)
	}
	r.append(Point{
		Step:    step,
		Seconds: t.clock.now().Seconds(),
		Work:    math.Float64frombits(t.work.Load()),
		Value:   value,
	})
	t.version.Add(1)
}

func (t *Trace) lookup(name string) *record[Point] {
	if table := t.series.Load(); table != nil {
		return table.byKey[name]
	}
	return nil
}

func (t *Trace) addSeries(name string) *record[Point] {
	t.adding.Lock()
	defer t.adding.Unlock()
	if r := t.lookup(name); r != nil { // another writer was first
		return r
	}
	old := t.series.Load()
	if old == nil {
		old = &seriesTable{}
	}
	r := new(record[Point])
	next := &seriesTable{byKey: make(map[string]*record[Point], len(old.names)+1)}
	for k, v := range old.byKey {
		next.byKey[k] = v
	}
	next.byKey[name] = r
	next.names = append(append([]string(nil), old.names...), name)
	t.series.Store(next)
	return r
}

// Work adds to the count of flops that later samples carry.
func (t *Trace) Work(flops float64) {
	if t == nil {
		return
	}
	for {
		old := t.work.Load()
		if t.work.CompareAndSwap(old, math.Float64bits(math.Float64frombits(old)+flops)) {
			return
		}
	}
}

// Span records that a worker did something from start, a time that [Trace.Now] gave,
// until now, with parameters that were stale updates old.
func (t *Trace) Span(worker int, name string, start time.Duration, stale int) {
	if t == nil {
		return
	}
	t.spans.append(Span{Worker: worker, Name: name, Start: start, End: t.clock.now(), Stale: stale})
	t.version.Add(1)
}

// AddSpan records a span that ended some time ago.
func (t *Trace) AddSpan(s Span) {
	if t == nil {
		return
	}
	t.spans.append(s)
	t.version.Add(1)
}

// Event records something worth telling, such as {"restart", "learning rate halved"}.
func (t *Trace) Event(kind, text string) {
	if t == nil {
		return
	}
	t.events.append(Event{Seconds: t.clock.now().Seconds(), Kind: kind, Text: text})
	t.version.Add(1)
}

// Series returns the names of all series, in the order of their first sample.
func (t *Trace) Series() []string {
	if t == nil {
		return nil
	}
	if table := t.series.Load(); table != nil {
		return append([]string(nil), table.names...)
	}
	return nil
}

// Len returns how many samples the series has.
func (t *Trace) Len(series string) int {
	if t == nil {
		return 0
	}
	if r := t.lookup(series); r != nil {
		return r.len()
	}
	return 0
}

// Points returns a copy of the samples of a series; nil if there is none of that name.
func (t *Trace) Points(series string) []Point { return t.Since(series, 0) }

// Since returns a copy of the samples from index from on, so that a reader who has seen
// n of them asks for the rest with Since(series, n).
func (t *Trace) Since(series string, from int) []Point {
	if t == nil {
		return nil
	}
	if r := t.lookup(series); r != nil {
		return r.since(from)
	}
	return nil
}

// Visit calls f with the samples from index from on, in order and without copying, a
// stretch at a time, and returns how many there were. f must not keep or change the
// slice that it is given.
func (t *Trace) Visit(series string, from int, f func(part []Point)) int {
	if t == nil {
		return 0
	}
	r := t.lookup(series)
	if r == nil {
		return 0
	}
	n := r.len()
	r.visit(max(from, 0), n, f)
	return max(n-max(from, 0), 0)
}

// Spans returns a copy of all spans.
func (t *Trace) Spans() []Span {
	if t == nil {
		return nil
	}
	return t.spans.since(0)
}

// Events returns a copy of all events.
func (t *Trace) Events() []Event {
	if t == nil {
		return nil
	}
	return t.events.since(0)
}

// Version returns a number that grows whenever something is appended or the run changes
// its state: if it is the same as before, there is nothing new to draw.
func (t *Trace) Version() uint64 {
	if t == nil {
		return 0
	}
	return t.version.Load()
}
