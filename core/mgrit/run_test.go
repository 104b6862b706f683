package mgrit

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"trivium/core/run"
)

func TestStartRecordsWhatResultSays(t *testing.T) {
	p := XOR(XOROptions{Rate: 0.5})
	r := Start(context.Background(), p, Options{Steps: 512, Coarse: Growing{By: 2, Cap: 8}, Workers: 2})
	if err := r.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	res := r.Result()
	if len(r.Hierarchy()) != len(res.Levels) || r.Hierarchy()[2].Steps != 128 || r.Hierarchy()[2].Scale != 4 {
		t.Errorf("hierarchy is %+v", r.Hierarchy())
	}
	for k, want := range res.Residuals {
		points := r.Trace().Points(seriesName(k))
		if len(points) != len(want) {
			t.Fatalf("level %d has %d samples for %d cycles", k, len(points), len(want))
		}
		for i, pt := range points {
			if pt.Step != float64(i) || pt.Value != want[i] {
				t.Errorf("level %d, cycle %d: sample %+v, residual %g", k, i, pt, want[i])
			}
		}
	}
	losses := r.Trace().Points("loss")
	if len(losses) != res.Cycles+1 || losses[0].Value != p.Loss(p.Init) || losses[res.Cycles].Value != p.Loss(res.Final) {
		t.Errorf("losses are %v, first should be %g, last %g", losses, p.Loss(p.Init), p.Loss(res.Final))
	}
	if pr := r.Progress(); pr.Done != float64(res.Cycles) {
		t.Errorf("progress is %v after %d cycles", pr.Done, res.Cycles)
	}
}

func TestNames(t *testing.T) {
	p := XOR(XOROptions{})
	for want, o := range map[string]Options{
		"XOR": {}, "XOR, F-cycles": {Cycle: FCycle}, "XOR, W-cycles": {Cycle: WCycle}, "XOR, Newton": {Method: Newton}, "mine": {Name: "mine", Cycle: FCycle},
	} {
		o.Steps = 32
		r := Start(t.Context(), p, o)
		if r.Name() != want {
			t.Errorf("a run is called %q, want %q", r.Name(), want)
		}
		<-r.Done()
	}
}

func TestSavedResultIsWhole(t *testing.T) {
	r := Start(context.Background(), XOR(XOROptions{}), Options{Steps: 64})
	if err := r.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run")
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := run.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := loaded.Result().(*Result)
	if !ok || !same(got.Final, r.Result().Final) || got.Why != r.Result().Why {
		t.Errorf("loaded %+v, saved %+v", loaded.Result(), r.Result())
	}
	// What was saved can be gone on from.
	if res := mustSolve(t, XOR(XOROptions{}), Options{Steps: 64, Resume: got, Tol: 1e-13}); res.Cycles <= got.Cycles {
		t.Errorf("resumed at cycle %d and ended at %d", got.Cycles, res.Cycles)
	}
}

// slow is a problem whose steps take a while and are counted.
func slow(calls *atomic.Int64) Problem {
	p := contraction(2)
	inner := p.Step
	p.Step = func(dst, src []float64, s Step) {
		calls.Add(1)
		for began := time.Now(); time.Since(began) < 20*time.Microsecond; { // sleeping takes far longer
		}
		inner(dst, src, s)
	}
	return p
}

func TestStopEndsSoon(t *testing.T) {
	for _, levels := range []int{1, 3} {
		var calls atomic.Int64
		r := Start(context.Background(), slow(&calls), Options{Steps: 1 << 16, MaxLevels: levels, Workers: 2})
		for calls.Load() < 10 {
			time.Sleep(time.Millisecond)
		}
		r.Stop()
		select {
		case <-r.Done():
		case <-time.After(10 * time.Second):
			t.Fatal("did not stop")
		}
		if r.State() != run.StateStopped || !errors.Is(r.Err(), run.ErrStopped) || r.Result() != nil {
			t.Errorf("%d levels: state %v, error %v", levels, r.State(), r.Err())
		}
	}
}

func TestPauseStandsStill(t *testing.T) {
	var calls atomic.Int64
	r := Start(context.Background(), slow(&calls), Options{Steps: 512, Workers: 2, Coarse: Growing{Cap: 16}})
	for calls.Load() < 100 {
		time.Sleep(time.Millisecond)
	}
	r.Pause()
	time.Sleep(50 * time.Millisecond) // the steps until each worker looks again
	before := calls.Load()
	time.Sleep(50 * time.Millisecond)
	if now := calls.Load(); now != before {
		t.Errorf("%d steps while paused", now-before)
	}
	r.Resume()
	if err := r.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	if d := maxAbsDiff(r.Result().Final, mustSerial(t, contraction(2), 512)); d > 1e-7 {
		t.Errorf("off by %.2g after a pause", d)
	}
}

// A cell's function that is interrupted comes back with its work undone: a run that calls
// one must say that it was stopped, not that the numbers are wrong.
func TestInterruptedCellIsNoDivergence(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("interrupted")
	p := contraction(2)
	p.CallsCells = true
	inner := p.Step
	n := 0
	p.Step = func(dst, src []float64, s Step) {
		if n++; n > 200 {
			cancel(cause)
			dst[0] = math.NaN()
			return
		}
		inner(dst, src, s)
	}
	if _, err := Solve(ctx, p, Options{Steps: 256}); !errors.Is(err, cause) {
		t.Errorf("error is %v, expected the cause of the interrupt", err)
	}
}

func TestInputIsCheckedWithoutAsking(t *testing.T) {
	p := contraction(2)
	inner := p.Step
	p.Step = func(dst, src []float64, s Step) { inner(dst, src, s); src[0] = 0 }
	for _, levels := range []int{1, 0} {
		var bad *StepError
		if _, err := Solve(context.Background(), p, Options{Steps: 64, MaxLevels: levels}); !errors.As(err, &bad) {
			t.Errorf("error is %v, expected a StepError", err)
		}
	}
}
