package random_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"trivium/core/internal/numtest"
	"trivium/core/random"
)

func ExampleNew() {
	root := random.New(42)
	a := root.Split("weights").IntN(1000)
	root.Uint64() // what is drawn from the root changes no split
	fmt.Println(a == root.Split("weights").IntN(1000))
	// Output: true
}

// TestSameBits holds the numbers that every machine must give. They change only on purpose,
// since seeds written down elsewhere would lose their meaning.
func TestSameBits(t *testing.T) {
	s := random.New(1)
	got := []uint64{s.Uint64(), s.Split("a").Uint64(), s.SplitN(3).Uint64(), math.Float64bits(s.Normal()), uint64(s.IntN(1 << 40))}
	want := []uint64{0xffeb7d7afcf0aba1, 0xc54059f87bea2ec6, 0x30a18ef6d22d9b8f, 0x3fe196e0ec91151f, 0xc564769f31}
	if !slices.Equal(got, want) {
		t.Errorf("stream of seed 1 gives %#v", got)
	}
}

func TestSplitsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	note := func(name string, s *random.Stream) {
		v := s.Uint64()
		if other, ok := seen[v]; ok {
			t.Errorf("%s begins like %s", name, other)
		}
		seen[v] = name
	}
	for seed := range uint64(50) {
		s := random.New(seed)
		note(fmt.Sprint("seed ", seed), random.New(seed))
		for n := range 50 {
			note(fmt.Sprint(seed, " number ", n), s.SplitN(n))
			note(fmt.Sprint(seed, " name ", n), s.Split(fmt.Sprint(n)))
			note(fmt.Sprint(seed, " grandchild ", n), s.Split("x").SplitN(n))
		}
	}
}

// TestSplitsUncorrelated compares streams that differ in one step of their number. Each
// correlation of n pairs is normal with deviation 1/√n; five deviations are exceeded by
// chance once in 1.7 million, so by any of the 30 once in 58,000 seeds.
func TestSplitsUncorrelated(t *testing.T) {
	const n = 20000
	root := random.New(7)
	for k := range 30 {
		a, b := root.SplitN(k), root.SplitN(k+1)
		sum := 0.0
		for range n {
			sum += a.Normal() * b.Normal()
		}
		if r := sum / n; math.Abs(r) > 5/math.Sqrt(n) {
			t.Errorf("streams %d and %d correlate by %.3g", k, k+1, r)
		}
	}
}

// TestMoments compares means with those of the distributions.
func TestMoments(t *testing.T) {
	const n = 200000
	s := random.New(3)
	for name, c := range map[string]struct {
		draw           func() float64
		mean, variance float64
	}{
		"Float64":    {s.Float64, 0.5, 1. / 12},
		"Float32":    {func() float64 { return float64(s.Float32()) }, 0.5, 1. / 12},
		"IntN":       {func() float64 { return float64(s.IntN(7)) }, 3, 4},
		"Normal":     {s.Normal, 0, 1},
		"Normal²":    {func() float64 { v := s.Normal(); return v * v }, 1, 2},
		"Normal⁴":    {func() float64 { v := s.Normal(); return v * v * v * v }, 3, 96},
		"Normal > 2": {func() float64 { return b2f(s.Normal() > 2) }, 0.022750131948, 0.02223256},
		"Bernoulli":  {func() float64 { return b2f(s.Bernoulli(0.3)) }, 0.3, 0.21},
	} {
		var sum float64
		for range n {
			sum += c.draw()
		}
		if bound := numtest.MeanBound(c.variance, n); math.Abs(sum/n-c.mean) > bound {
			t.Errorf("%s: mean %.5f, want %.5f ± %.5f", name, sum/n, c.mean, bound)
		}
	}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// TestPerm counts the six orders of three things: χ² with 5 degrees of freedom exceeds 40
// by chance less than twice in ten million.
func TestPerm(t *testing.T) {
	s := random.New(11)
	count := map[string]int{}
	const n = 60000
	for range n {
		count[fmt.Sprint(s.Perm(3))]++
	}
	chi := 0.0
	for _, c := range count {
		d := float64(c) - n/6
		chi += d * d / (n / 6)
	}
	if len(count) != 6 || chi > 40 {
		t.Errorf("orders %v, χ² %.1f", count, chi)
	}
}

func TestStateGoesOn(t *testing.T) {
	s := random.New(5).Split("resume")
	s.Normal()
	b, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var r random.Stream
	if err := r.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if a, b := s.Normal(), r.Normal(); a != b {
			t.Fatalf("after the state was saved: %v, want %v", b, a)
		}
	}
	if s.Split("x").Uint64() != r.Split("x").Uint64() {
		t.Error("splits differ after the state was saved")
	}
	if err := r.UnmarshalBinary(b[:20]); err == nil {
		t.Error("half a state was taken")
	}
}

func TestIntNOfNothing(t *testing.T) {
	if n := random.New(1).IntN(0); n != 0 {
		t.Errorf("IntN(0) = %d", n)
	}
}
