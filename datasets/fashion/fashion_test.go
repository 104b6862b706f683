package fashion

import (
	"fmt"
	"math"
	"testing"
)

// Mean 0.2860 and deviation 0.3530 of the pixels are published, as is that classes are equal.
func TestStatistics(t *testing.T) {
	s := Load()
	var sum, squares float64
	x := s.Train.X()
	for _, v := range x.Data {
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	n := float64(len(x.Data))
	mean := sum / n
	if sd := math.Sqrt(squares/n - mean*mean); math.Abs(mean-0.2860) > 1e-4 || math.Abs(sd-0.3530) > 1e-4 {
		t.Errorf("pixels %.5f ± %.5f", mean, sd)
	}
	for c := range 10 {
		if s.Train.Counts()[c] != 6000 || s.Test.Counts()[c] != 1000 {
			t.Errorf("class %d: %d and %d samples", c, s.Train.Counts()[c], s.Test.Counts()[c])
		}
	}
}

func Example() {
	split := Load()
	first := split.Train.Label(0)
	fmt.Println(split.Train.Len(), split.Test.Len(), split.Train.Classes()[first])
	// Output: 60000 10000 ankle boot
}
