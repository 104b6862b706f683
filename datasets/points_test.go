package datasets

import (
	"math"
	"reflect"
	"testing"
)

// Without noise the points lie exactly where the definitions say.
func TestPointsWithoutNoise(t *testing.T) {
	s := Spirals(300, 3, 0, 5)
	for i := range s.Len() {
		x, y := float64(s.Row(i)[0]), float64(s.Row(i)[1])
		r := math.Hypot(x, y)
		turn := math.Atan2(y, x) - 3*math.Pi*r - 2*math.Pi*float64(s.Label(i))/3
		if d := math.Abs(math.Sin(turn / 2)); d*r > 1e-5 { // float32, and 3π of it in the angle
			t.Fatalf("point %d of arm %d lies %g turns off", i, s.Label(i), d)
		}
	}
	if got := s.Counts(); !reflect.DeepEqual(got, []int{100, 100, 100}) {
		t.Errorf("arms of %v", got)
	}
	b := Blobs(40, 4, 0, 5)
	for i := range b.Len() {
		want := 2 * math.Pi * float64(b.Label(i)) / 4
		if math.Hypot(float64(b.Row(i)[0])-math.Cos(want), float64(b.Row(i)[1])-math.Sin(want)) > 1e-6 {
			t.Fatalf("point %d is not at its centre", i)
		}
	}
	x := NoisyXOR(200, 0, 5)
	for i := range x.Len() {
		if (x.Row(i)[0]*x.Row(i)[1] < 0) != (x.Label(i) == 1) {
			t.Fatalf("point %v has class %d", x.Row(i), x.Label(i))
		}
	}
}

func TestBlobsSpread(t *testing.T) {
	const n, sd = 30000, 0.2
	b := Blobs(n, 3, sd, 9)
	var sum float64
	for i := range n {
		a := 2 * math.Pi * float64(b.Label(i)) / 3
		sum += math.Pow(float64(b.Row(i)[0])-math.Cos(a), 2) + math.Pow(float64(b.Row(i)[1])-math.Sin(a), 2)
	}
	// The mean of 2n squares has relative deviation 1/√n; five of those.
	if got := sum / (2 * n); math.Abs(got/(sd*sd)-1) > 5/math.Sqrt(n) {
		t.Errorf("variance %g, want %g", got, sd*sd)
	}
}

func TestPointsBySeed(t *testing.T) {
	if !reflect.DeepEqual(Spirals(50, 2, 0.1, 1), Spirals(50, 2, 0.1, 1)) {
		t.Error("the same seed gives other points")
	}
	if reflect.DeepEqual(Spirals(50, 2, 0.1, 1), Spirals(50, 2, 0.1, 2)) {
		t.Error("another seed gives the same points")
	}
	if s := Blobs(-1, 0, 1, 1); s.Len() != 0 || len(s.Classes()) != 3 {
		t.Errorf("%v", s)
	}
}
