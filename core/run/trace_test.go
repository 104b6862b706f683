package run

import (
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestTraceKeepsEverySample(t *testing.T) {
	tr := NewTrace()
	const n = 3*chunkLen + 7 // not a multiple of a chunk
	for i := range n {
		tr.Work(2)
		tr.Sample("s", float64(i), float64(i*i))
	}
	points := tr.Points("s")
	if len(points) != n || tr.Len("s") != n {
		t.Fatalf("%d points, Len %d, want %d", len(points), tr.Len("s"), n)
	}
	for i, p := range points {
		if p.Step != float64(i) || p.Value != float64(i*i) || p.Work != float64(2*i+2) {
			t.Fatalf("point %d is %+v", i, p)
		}
	}
	for _, from := range []int{-1, 0, 1, chunkLen - 1, chunkLen, n - 1, n, n + 5} {
		got := tr.Since("s", from)
		want := points[min(max(from, 0), n):]
		if len(got) != len(want) || (len(got) > 0 && got[0] != want[0]) {
			t.Errorf("Since(%d) has %d points, want %d", from, len(got), len(want))
		}
		visited := 0
		if said := tr.Visit("s", from, func(part []Point) { visited += len(part) }); said != len(want) || visited != said {
			t.Errorf("Visit(%d) showed %d points and returned %d, want %d", from, visited, said, len(want))
		}
	}
	if tr.Points("none") != nil || tr.Len("none") != 0 {
		t.Error("a series that does not exist has points")
	}
}

func TestZeroAndNilTrace(t *testing.T) {
	for _, tr := range []*Trace{nil, new(Trace)} {
		tr.Sample("s", 1, math.NaN())
		tr.Work(1)
		tr.Span(0, "w", tr.Now(), 0)
		tr.Event("k", "text")
		tr.Progress(1, 2)
		tr.Points("none")
		tr.Series()
		tr.Visit("none", 0, nil)
	}
	var none *Trace
	if none.Points("s") != nil || none.Spans() != nil || none.Events() != nil || none.Version() != 0 {
		t.Error("a nil trace kept something")
	}
	if allocs := testing.AllocsPerRun(100, func() { none.Sample("s", 1, 2) }); allocs != 0 {
		t.Errorf("a sample of a nil trace allocates %v times", allocs)
	}
}

func TestSpansAndEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := NewTrace()
		time.Sleep(time.Second)
		start := tr.Now()
		time.Sleep(2 * time.Second)
		tr.Span(1, "forward", start, 3)
		tr.Event("restart", "rate halved")
		if got, want := tr.Spans()[0], (Span{1, "forward", time.Second, 3 * time.Second, 3}); got != want {
			t.Errorf("span %+v, want %+v", got, want)
		}
		if got, want := tr.Events()[0], (Event{3, "restart", "rate halved"}); got != want {
			t.Errorf("event %+v, want %+v", got, want)
		}
	})
}

// TestManyWritersAndReaders is for the race detector; it also checks that no sample is
// lost, that a reader sees a series only grow, and that what it saw does not change.
func TestManyWritersAndReaders(t *testing.T) {
	tr := NewTrace()
	const writers, each = 4, 2000
	var writing, reading sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		reading.Go(func() {
			var seen []Point
			for {
				last := tr.Version()
				more := tr.Since("s", len(seen))
				seen = append(seen, more...)
				if tr.Version() < last {
					t.Error("the version went back")
				}
				select {
				case <-stop:
					seen = append(seen, tr.Since("s", len(seen))...)
					for i, p := range tr.Points("s") {
						if p != seen[i] {
							t.Errorf("point %d was %+v, now %+v", i, seen[i], p)
							return
						}
					}
					return
				default:
				}
			}
		})
	}
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				tr.Sample("s", float64(w), float64(i))
				tr.Work(1)
				tr.Span(w, "work", tr.Now(), 0)
			}
		})
	}
	writing.Wait()
	close(stop)
	reading.Wait()

	next := make([]float64, writers)
	for _, p := range tr.Points("s") {
		if p.Value != next[int(p.Step)] {
			t.Fatalf("writer %v: sample %v where %v was due", p.Step, p.Value, next[int(p.Step)])
		}
		next[int(p.Step)]++
	}
	for w, n := range next {
		if n != each {
			t.Errorf("writer %d: %v samples, want %d", w, n, each)
		}
	}
	if len(tr.Spans()) != writers*each {
		t.Errorf("%d spans", len(tr.Spans()))
	}
}

func TestTimeLeftFollowsTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := NewTrace()
		done := 0.0
		step := func(n int, d time.Duration) {
			for range n {
				time.Sleep(d)
				done++
				tr.Progress(done, 1000)
			}
		}
		if left := tr.progress.at(tr.Now().Seconds()).Left; left >= 0 {
			t.Errorf("left %v before anything is known", left)
		}
		step(10, 10*time.Second) // a slow start: 100 s
		step(490, time.Second)   // then one step a second, 500 to go
		if left := tr.progress.at(tr.Now().Seconds()).Left; math.Abs(left-500) > 1 {
			t.Errorf("left %v s, want 500", left)
		}
		tr.Progress(0, 50) // a new count
		done = 0
		time.Sleep(time.Second)
		tr.Progress(1, 50)
		if left := tr.progress.at(tr.Now().Seconds()).Left; left != 49 {
			t.Errorf("left %v s of the new count, want 49", left)
		}
	})
}

func BenchmarkSample(b *testing.B) {
	tr := NewTrace()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		tr.Sample("loss", float64(i), 1)
	}
}

func BenchmarkSampleNil(b *testing.B) {
	var tr *Trace
	for i := 0; b.Loop(); i++ {
		tr.Sample("loss", float64(i), 1)
	}
}
