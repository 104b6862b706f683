package tensor

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"trivium/core/random"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type countingTask struct{ count [100]atomic.Int32 }

func (c *countingTask) part(i int) { c.count[i].Add(1) }

func TestPoolDoesEachPartOnce(t *testing.T) {
	p := NewPool(4)
	defer p.Close()
	for range 300 {
		var c countingTask
		if err := p.run(&c, 100, 1e9); err != nil {
			t.Fatal(err)
		}
		for i := range c.count {
			if n := c.count[i].Load(); n != 1 {
				t.Fatalf("part %d was done %d times", i, n)
			}
		}
	}
}

type failingTask struct{ countingTask }

func (f *failingTask) part(i int) {
	f.countingTask.part(i)
	if i == 7 {
		panic("seven")
	}
}

func TestPoolSurvivesPanic(t *testing.T) {
	p := NewPool(3)
	defer p.Close()
	for _, q := range []*Pool{p, nil} {
		var f failingTask
		if err := q.run(&f, 20, 1e9); err == nil || !strings.Contains(err.Error(), "seven") {
			t.Errorf("a part that panics gave %v", err)
		}
		var c countingTask
		if err := q.run(&c, 20, 1e9); err != nil || c.count[19].Load() != 1 {
			t.Errorf("afterwards: %v, part 19 done %d times", err, c.count[19].Load())
		}
	}
}

// TestPoolSharedByMany multiplies from several goroutines at once.
func TestPoolSharedByMany(t *testing.T) {
	p := NewPool(2)
	a, b, c := operands[float32](random.New(1), NN, 130, 140, 150, 0)
	if err := Mul(nil, c, NN, a, b, 1, 0); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for g := range errs {
		wg.Go(func() {
			d := New[float32](130, 140)
			for range 30 {
				errs[g] = errors.Join(errs[g], Mul(p, d, NN, a, b, 1, 0))
				for i, v := range c.Data {
					if d.Data[i] != v {
						errs[g] = errors.New("a product differs")
						return
					}
				}
			}
		})
	}
	wg.Wait()
	p.Close()
	p.Close()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if err := Mul(p, c, NN, a, b, 1, 0); err != nil {
		t.Errorf("with a closed pool: %v", err)
	}
}

// TestNoAllocation counts what a steady state allocates.
func TestNoAllocation(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops reused buffers")
	}
	p := NewPool(2)
	defer p.Close()
	s := random.New(2)
	a, b, c := operands[float32](s, NN, 160, 170, 180, 0)
	x, w, y := randomImages[float32](s, 2, 5, 12, 12), randomImages[float32](s, 7, 5, 3, 3), NewImages[float32](2, 7, 12, 12)
	half, z := NewImages[float32](2, 5, 6, 6), New[float32](160, 170)
	sample := randomSample[float32](s, 90, 180)
	o := Window{Pad: 1}
	part := func(int) {}
	for name, f := range map[string]func() error{
		"Mul":            func() error { return Mul(nil, c, NN, a, b, 1, 0) },
		"Mul, 2 workers": func() error { return Mul(p, c, NN, a, b, 1, 0) },
		"MulSampled":     func() error { return MulSampled(p, c, NN, a, b, *sample, 1, 0) },
		"ConvForward":    func() error { return ConvForward(p, y, x, w, o, nil, nil, false) },
		"ConvInputGrad":  func() error { return ConvInputGrad(p, x, y, w, o, nil, nil) },
		"ConvWeightGrad": func() error { return ConvWeightGrad(p, w, x, y, o, nil, nil, nil, 0) },
		"MaxPool":        func() error { return MaxPool(p, half, x, 2, Window{Stride: 2}) },
		"MaxPoolGrad":    func() error { return MaxPoolGrad(p, x, half, x, half, 2, Window{Stride: 2}) },
		"Share":          func() error { return p.Share(4, 1e8, part) },
		"softmax":        func() error { return errors.Join(SoftmaxRows(z, c), LogSoftmaxRows(z, c)) },
	} {
		var err error
		if n := testing.AllocsPerRun(50, func() { err = f() }); n >= 1 || err != nil {
			t.Errorf("%s allocates %v times, error %v", name, n, err)
		}
	}
}
