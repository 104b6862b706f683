package mnist

import (
	"fmt"
	"math"
	"testing"
)

// The counts, and mean and deviation of the pixels (0.1307, 0.3081), are published everywhere.
func TestStatistics(t *testing.T) {
	s := Load()
	if s.Train.Len() != 60000 || s.Test.Len() != 10000 {
		t.Fatalf("%d and %d samples", s.Train.Len(), s.Test.Len())
	}
	var sum, squares float64
	x := s.Train.X()
	for _, v := range x.Data {
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	n := float64(len(x.Data))
	mean := sum / n
	if sd := math.Sqrt(squares/n - mean*mean); math.Abs(mean-0.1307) > 5e-5 || math.Abs(sd-0.3081) > 5e-5 {
		t.Errorf("pixels %.5f ± %.5f", mean, sd)
	}
	if got := fmt.Sprint(s.Test.Counts()); got != "[980 1135 1032 1010 982 892 958 1028 974 1009]" {
		t.Errorf("test digits: %s", got)
	}
	if &Load().Train.X().Data[0] != &x.Data[0] {
		t.Error("decoded twice")
	}
}

func Example() {
	split := Load()
	fmt.Println(split.Train)
	five := split.Train.Row(0) // the first sample is a five
	for y := 7; y < 24; y += 2 {
		for x := 4; x < 24; x++ {
			fmt.Print(string(" .:#"[int(five[28*y+x]*3+0.5)]))
		}
		fmt.Println("|")
	}
	// Output:
	// MNIST, training: 60000 samples of 784 features (28×28 pixels), 10 classes: 0 5923, 1 6742, 2 5958, 3 6131, 4 5842, 5 5421, 6 5918, 7 6265, 8 5851, 9 5949
	//    .##########....  |
	//     .:.##:  .:      |
	//        :#:          |
	//          ##:.       |
	//           .:##:     |
	//              ###.   |
	//          :#####:    |
	//      .#####:.       |
	// .:######:           |
}
