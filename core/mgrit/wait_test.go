package mgrit

import (
	"context"
	"slices"
	"testing"
	"time"

	"trivium/core/run"
)

// What comes while a worker looks for it, what comes when it sleeps, and the end.
func TestAwait(t *testing.T) {
	c := make(chan int, 1)
	go func() {
		c <- 1
		time.Sleep(3 * lively)
		c <- 2
		time.Sleep(3 * lively)
		close(c)
	}()
	for _, want := range []int{1, 2} {
		if v, open := await(c); v != want || !open {
			t.Errorf("%d, %v: expected %d", v, open, want)
		}
	}
	for range 2 {
		if v, open := await(c); v != 0 || open {
			t.Errorf("%d, %v after the end", v, open)
		}
	}
	if v, open, came := soon(make(chan int)); v != 0 || open || came {
		t.Errorf("%d, %v, %v from a channel where nothing comes", v, open, came)
	}
}

// Solve's run has no series that only figures need, and the same result as Start's.
func TestSolveRecordsLittle(t *testing.T) {
	ctx, group := run.WithGroup(context.Background())
	p := XOR(XOROptions{})
	o := Options{Steps: 256, Compare: mustPath(t, p, 256)}
	solved, err := Solve(ctx, p, o)
	must(t, err)
	started := Start(ctx, p, o)
	<-started.Done()
	few := group.Runs()[0].Trace().Series()
	slices.Sort(few)
	if !slices.Equal(few, []string{"loss", "residual"}) {
		t.Errorf("series %q", few)
	}
	if all := started.Trace().Series(); len(all) < 8 {
		t.Errorf("Start's run has the series %q only", all)
	}
	if r := started.Result(); !same(r.Final, solved.Final) || r.Cycles != solved.Cycles || r.Critical != solved.Critical {
		t.Errorf("%v, but %v by Start", solved, r)
	}
}
